/*
 * The model calls of the runs as a load trace, as Mooncake publishes them: when each request came and how long it and
 * its answer were. `trackway bench load` and other load generators replay it. All runs share one clock that begins with
 * the first call. Calls whose lengths nobody knows are left out.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "sink/export/private.h"

#define BLOCK_TOKENS 512    /* of each of hash_ids, in every trace of this kind */
#define LARGEST_TOKENS 8192 /* that a block of an agent-trace may have to be divided */
#define TOO_LONG 4          /* a call with so many times the tokens of its blocks is left as it is: no count is sure */

/* The hash_ids of one call. */
struct mooncake_blocks {
	uint64_t *ids;
	size_t count, cap;
	double tokens; /* of each in the traces; 0: 512 */
};

struct mooncake_call {
	int64_t ns;
	size_t run, place;
	const struct trace_entry *node;
};

/* For qsort: by time, else as in the traces. */
static int mooncake_compare(const void *a, const void *b)
{
	const struct mooncake_call *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	if (x->run != y->run)
		return x->run < y->run ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

/* A call that was sent at a known time, not a sum over several. */
static bool mooncake_has(const struct trace_entry *e, struct losses *losses)
{
	bool has_lengths = figure_is_known(e->row.usage.input) && figure_is_known(e->row.usage.output);

	if (e->row.kind != AT_MODEL_CALL || e->row.total_only)
		return false;
	losses_note(losses, !has_lengths, "calls without a number of tokens");
	losses_note(losses, has_lengths && e->row.untimed, "calls without a time");
	return has_lengths && !e->row.untimed;
}

static size_t mooncake_list(struct export *x, const struct trace_list *runs, struct mooncake_call **out)
{
	struct mooncake_call *list = NULL;
	size_t count = 0, cap = 0;

	for (size_t i = 0; i < runs->count; i++) {
		const struct trace *t = &runs->items[i];

		for (size_t k = 0; k < t->count; k++) {
			if (!mooncake_has(&t->nodes[k], x->losses))
				continue;
			arena_grow(x->arena, list, count, cap, 64);
			list[count++] = (struct mooncake_call){ t->nodes[k].from_ns, i, k, &t->nodes[k] };
		}
	}
	if (count)
		qsort(list, count, sizeof(*list), mooncake_compare);
	*out = list;
	return count;
}

/* The blocks of a call; false, and nothing in the list, unless they are a list of whole numbers. */
static bool mooncake_read_blocks(struct mooncake_blocks *out, struct arena *a, struct str json)
{
	struct str rest = json.n >= 2 ? str_of(json.p + 1, json.n - 2) : json, word;
	uint64_t id;

	out->count = 0;
	while (rest.n) {
		word = str_trim(str_cut(rest, ',', &rest));
		if (!num_parse_u64(word, &id)) {
			bool empty = !word.n && !out->count && !rest.n; /* [ ] */

			out->count = 0;
			return empty;
		}
		arena_grow(a, out->ids, out->count, out->cap, 64);
		out->ids[out->count++] = id;
	}
	return json.n > 0;
}

static uint64_t mooncake_blocks_for(uint64_t tokens)
{
	return tokens / BLOCK_TOKENS + (tokens % BLOCK_TOKENS != 0);
}

/*
 * Notes how many tokens a block of the traces is; the last of a call is half full on average. Nothing when all calls
 * have a block for each 512 tokens, as others expect it.
 */
static void mooncake_measure(struct mooncake_blocks *b, struct arena *a, const struct mooncake_call *calls,
			     size_t count)
{
	double tokens = 0, blocks = 0;
	bool fits = true;

	for (size_t i = 0; i < count; i++) {
		uint64_t n = calls[i].node->row.usage.input.n;

		if (!mooncake_read_blocks(b, a, calls[i].node->hash_ids) || !b->count)
			continue;
		fits = fits && b->count == mooncake_blocks_for(n);
		tokens += (double)n;
		blocks += (double)b->count - 0.5;
	}
	b->tokens = fits || tokens < 1 || tokens / blocks > LARGEST_TOKENS ? 0 : tokens / blocks;
}

/* A number for a part of a block, or for what lies behind the last one. Equal for equal ones; 53 bits. */
static uint64_t mooncake_mix(uint64_t id, uint64_t place)
{
	uint64_t n = (id ^ place << 53) * UINT64_C(0x9e3779b97f4a7c15);

	n = (n ^ n >> 32 ^ place) * UINT64_C(0xd6e8feb86659fd93);
	return (n ^ n >> 32) >> 11;
}

/*
 * One block for each 512 tokens, of blocks of another size. An id stands for all that comes before it, too, so that of
 * several smaller blocks the last stands for all.
 */
static void mooncake_add_resized(struct buf *out, const struct mooncake_blocks *b, uint64_t tokens)
{
	uint64_t count = mooncake_blocks_for(tokens), last = UINT64_MAX;

	for (uint64_t i = 0; i < count; i++) {
		double end = ceil((double)(i + 1) * BLOCK_TOKENS / b->tokens) - 1;
		uint64_t at = i + 1 == count || end >= (double)b->count ? b->count - 1 : (uint64_t)end;

		buf_printf(out, "%s%" PRIu64, i ? "," : "", at == last ? mooncake_mix(b->ids[at], i) : b->ids[at]);
		last = at;
	}
}

static bool mooncake_is_resized(const struct mooncake_blocks *b, uint64_t tokens)
{
	return b->tokens > 0 && b->count && (double)tokens <= TOO_LONG * b->tokens * (double)b->count;
}

/* False when it has no blocks. */
static bool mooncake_add_call(struct export *x, struct mooncake_blocks *b, const struct mooncake_call *c, int64_t first)
{
	const struct trace_entry *e = c->node;
	bool has = mooncake_read_blocks(b, x->arena, e->hash_ids);

	buf_printf(&x->out, "{\"timestamp\":%" PRIu64 ",\"input_length\":%" PRIu64 ",\"output_length\":%" PRIu64,
		   ((uint64_t)c->ns - (uint64_t)first) / 1000000, e->row.usage.input.n, e->row.usage.output.n);
	if (has) {
		buf_add_str(&x->out, STR(",\"hash_ids\":["));
		if (mooncake_is_resized(b, e->row.usage.input.n))
			mooncake_add_resized(&x->out, b, e->row.usage.input.n);
		for (size_t i = 0; i < b->count && !mooncake_is_resized(b, e->row.usage.input.n); i++)
			buf_printf(&x->out, "%s%" PRIu64, i ? "," : "", b->ids[i]);
		buf_add_byte(&x->out, ']');
	}
	buf_add_str(&x->out, STR("}\n"));
	return has;
}

static void mooncake_note(struct export *x, size_t count, const char *what)
{
	if (count && x->notes)
		buf_printf(x->notes, "note: %zu call%s %s\n", count, count == 1 ? "" : "s", what);
}

bool export_mooncake(struct export *x, const struct trace_list *runs, struct err *err)
{
	size_t estimated = 0, unhashed = 0, count;
	struct mooncake_blocks blocks = { .ids = NULL };
	struct mooncake_call *calls;

	count = mooncake_list(x, runs, &calls);
	mooncake_measure(&blocks, x->arena, calls, count);
	for (size_t i = 0; i < count; i++) {
		const struct usage *u = &calls[i].node->row.usage;

		estimated += u->input.source == FIGURE_ESTIMATED || u->output.source == FIGURE_ESTIMATED;
		unhashed += !mooncake_add_call(x, &blocks, &calls[i], calls[0].ns);
		if (!export_drain(x, err))
			return false;
	}
	mooncake_note(x, estimated, "with an estimated number of tokens");
	mooncake_note(x, unhashed, "without hash_ids: lengths and times only, so nothing is known of shared prefixes");
	return export_flush(x, err);
}
