/*
 * The model calls of the runs as a load trace, as Mooncake publishes them: when each request came and how long it and
 * its answer were. `trackway bench load` and other load generators replay it. All runs share one clock that begins with
 * the first call. Calls whose lengths nobody knows are left out.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/ascii.h"
#include "sink/export/private.h"

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

/* The blocks of a call without white space; false, and nothing added, unless they are a list of whole numbers. */
static bool mooncake_add_blocks(struct buf *out, struct str json)
{
	size_t before = out->n;

	for (size_t i = 0; i < json.n; i++) {
		bool edge = i == 0 || i + 1 == json.n; /* the brackets of the array */

		if (ascii_is_space(json.p[i]))
			continue;
		if (!edge && !ascii_is_digit(json.p[i]) && json.p[i] != ',') {
			out->n = before;
			return false;
		}
		buf_add_byte(out, json.p[i]);
	}
	return json.n > 0;
}

/* False when it has no blocks. */
static bool mooncake_add_call(struct export *x, const struct mooncake_call *c, int64_t first)
{
	const struct trace_entry *e = c->node;
	struct buf blocks;
	bool has;

	buf_init(&blocks);
	has = mooncake_add_blocks(&blocks, e->hash_ids);
	buf_printf(&x->out, "{\"timestamp\":%" PRIu64 ",\"input_length\":%" PRIu64 ",\"output_length\":%" PRIu64,
		   ((uint64_t)c->ns - (uint64_t)first) / 1000000, e->row.usage.input.n, e->row.usage.output.n);
	if (has)
		buf_add_str(&x->out, STR(",\"hash_ids\":"));
	buf_add_str(&x->out, buf_str(&blocks));
	buf_add_str(&x->out, STR("}\n"));
	buf_free(&blocks);
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
	struct mooncake_call *calls;

	count = mooncake_list(x, runs, &calls);
	for (size_t i = 0; i < count; i++) {
		const struct usage *u = &calls[i].node->row.usage;

		estimated += u->input.source == FIGURE_ESTIMATED || u->output.source == FIGURE_ESTIMATED;
		unhashed += !mooncake_add_call(x, &calls[i], calls[0].ns);
		if (!export_drain(x, err))
			return false;
	}
	mooncake_note(x, estimated, "with an estimated number of tokens");
	mooncake_note(x, unhashed, "without hash_ids: lengths and times only, so nothing is known of shared prefixes");
	return export_flush(x, err);
}
