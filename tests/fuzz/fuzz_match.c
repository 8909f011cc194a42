/*
 * Questions and answers made of bytes. Each line is an entry: a digit for the lane, the question, a tab, the answer. The
 * lines behind an empty one are asked. Whatever they are, an entry is served at most once; what was recorded and is asked
 * again in order, as it was, is served exactly; and a question that is equal to nothing is never served as exact.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "replay/match.h"

#define MOST 64

static const char *const lanes[] = { "model", "mcp:a", "shell" };

struct script {
	struct match_entry entries[MOST];
	size_t count;
	struct str asked[MOST];
	size_t asked_count;
};

static struct match_question question_of(struct str line)
{
	unsigned lane = line.n ? (unsigned char)line.p[0] % 3 : 0;

	return (struct match_question){ .lane = str_from(lanes[lane]), .method = STR("POST"), .target = STR("/"),
					.body = str_skip(line, line.n > 0) };
}

static void read_script(struct script *s, struct str text)
{
	bool asked = false;

	while (text.n) {
		struct str answer, line = str_cut(text, '\n', &text), ask = str_cut(line, '\t', &answer);
		int64_t now = (int64_t)s->count * 100;

		if (line.n == 0) {
			asked = true;
		} else if (asked && s->asked_count < MOST) {
			s->asked[s->asked_count++] = ask;
		} else if (!asked && s->count < MOST) {
			s->entries[s->count] = (struct match_entry){ .q = question_of(ask), .answer = answer, .x = s->count, .group = s->count / 2,
								     .begun_us = now, .ended_us = now + (answer.n % 2 ? 250 : 50) };
			s->count++;
		}
	}
}

static struct match *load(const struct script *s, bool lenient)
{
	struct str input = STR("550e8400-e29b-41d4-a716-446655440000");
	struct match_options o = { .inputs = &input, .input_count = 1, .lenient = lenient };
	struct match *m = match_open(&o);

	for (size_t i = 0; i < s->count; i++)
		match_add(m, &s->entries[i]);
	match_seal(m);
	return m;
}

static void translate(const struct match *m, struct str answer)
{
	struct buf b;

	buf_init(&b);
	FUZZ_CHECK(match_translate(m, answer, &b) == (b.n > 0));
	buf_free(&b);
}

/* What is asked is served once, and tallied. */
static void ask_others(const struct script *s, bool lenient)
{
	struct match *m = load(s, lenient);
	bool used[MOST] = { false };
	struct match_result r;
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < s->asked_count; i++) {
		struct match_question q = question_of(s->asked[i]);

		match_ask(m, &a, &q, &r);
		FUZZ_CHECK((r.tier == MATCH_MISS) == !r.entry);
		FUZZ_CHECK(r.near_count <= MATCH_NEAR);
		if (!r.entry) {
			FUZZ_CHECK(r.near_count == 0 || r.difference.path.p);
			continue;
		}
		FUZZ_CHECK(!used[r.entry->x] && str_eq(r.entry->q.lane, q.lane));
		used[r.entry->x] = true;
		translate(m, r.entry->answer);
	}
	FUZZ_CHECK(match_tally(m).entries == s->count);
	arena_free(&a);
	match_close(m);
}

/* The recording, asked as it was. */
static void ask_again(const struct script *s)
{
	struct match *m = load(s, false);
	struct match_result r;
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < s->count; i++) {
		match_ask(m, &a, &s->entries[i].q, &r);
		FUZZ_CHECK(r.tier == MATCH_EXACT && !r.out_of_order && r.swap_count == 0);
	}
	FUZZ_CHECK(match_tally(m).unused == 0 && match_tally(m).exact == s->count);
	arena_free(&a);
	match_close(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct script s;

	memset(&s, 0, sizeof(s));
	read_script(&s, str_of(data, size));
	ask_again(&s);
	ask_others(&s, false);
	ask_others(&s, true);
	return 0;
}
