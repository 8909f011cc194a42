/* Words come from a list of 128, nine of them from each 64 bits that are drawn. */
#include "bench/load/prompt.h"

#include "bench/run/recorded.h"
#include "transform/stats.h"

#define WORDS 128

/* Short and common, so that a tokenizer is likely to have each as one token or two. */
static const char *const words[WORDS] = {
	"river", "stone", "light", "house", "green", "table", "water", "night", "paper", "music", "garden", "window",
	"street", "letter", "winter", "summer", "forest", "bridge", "market", "island", "orange", "silver", "yellow",
	"mountain", "valley", "harbor", "castle", "village", "kitchen", "morning", "evening", "weather", "machine",
	"engine", "number", "picture", "story", "answer", "question", "reason", "moment", "minute", "season", "ground",
	"corner", "circle", "square", "middle", "center", "border", "signal", "method", "system", "record", "report",
	"sample", "simple", "common", "double", "single", "little", "great", "small", "large", "early", "later",
		"often",
	"always", "never", "maybe", "almost", "under", "above", "beside", "between", "behind", "before", "after",
		"while",
	"until", "because", "carry", "bring", "build", "break", "catch", "choose", "climb", "close", "count", "cover",
	"cross", "dance", "drive", "drink", "enter", "fall", "fetch", "fill", "find", "finish", "float", "follow",
		"gather",
	"give", "grow", "guide", "happen", "hear", "hold", "keep", "know", "learn", "leave", "listen", "look", "make",
	"measure", "meet", "move", "offer", "open", "paint", "plant", "reach", "read", "return", "write",
};

/* Three words for four tokens, rounded up. */
static size_t words_for(uint64_t tokens)
{
	return (size_t)((tokens * 3 + 3) / 4);
}

/* The words depend on the seed alone, so a shorter text is the beginning of a longer one. */
static void add_words(struct buf *out, uint64_t seed, size_t count)
{
	struct stats_random r;
	uint64_t bits = 0;

	stats_random_init(&r, seed);
	for (size_t i = 0; i < count; i++) {
		if (i % 9 == 0) /* nine times seven bits of 64 */
			bits = stats_random_next(&r);
		if (out->n)
			buf_add_byte(out, ' ');
		buf_add_str(out, str_from(words[bits % WORDS]));
		bits /= WORDS;
	}
}

/* Neighbouring numbers must not give neighbouring seeds: a step of the golden ratio, then the generator mixes. */
static uint64_t mixed(uint64_t seed, uint64_t kind, uint64_t number)
{
	return (seed ^ (kind << 56)) + number * UINT64_C(0x9e3779b97f4a7c15);
}

/*
 * Blocks end at the word that their tokens end at, counted from the beginning: so words are right for all of them
 * together, and those of a block depend on it and on what comes before it alone.
 */
void load_prompt_make(struct buf *out, const struct load_prompt *p)
{
	size_t left = words_for(p->tokens), done = 0;
	uint64_t tokens = 0;

	if (left == 0)
		left = 1;
	for (size_t i = 0; i < p->block_count && left; i++) {
		size_t n;

		tokens += p->block_sizes ? p->block_sizes[i] : RECORDED_BLOCK;
		n = words_for(tokens) - done;
		n = n < left ? n : left;
		add_words(out, mixed(p->seed, 1, p->blocks[i]), n);
		left -= n;
		done += n;
	}
	add_words(out, mixed(p->seed, 2, p->number), left);
}

uint64_t load_prompt_tokens(struct str text)
{
	uint64_t count = 0;
	bool inside = false;

	for (size_t i = 0; i < text.n; i++) {
		bool blank = text.p[i] == ' ' || (text.p[i] >= '\t' && text.p[i] <= '\r');

		count += !blank && !inside;
		inside = !blank;
	}
	return (count * 4 + 2) / 3;
}
