/* One pass over the rows; groups and classes are few, so they are found by walking. */
#include "replay/batch_tally.h"

#include <math.h>
#include <stdlib.h>

#include "base/map.h"
#include "json/json.h"

#define LEVEL 0.95

const char *batch_gate_name(enum batch_gate_kind k)
{
	static const char *const names[] = { "served", "cassette", "age", "same_runs" };

	return names[k];
}

/* ---- groups ---- */

static struct str name_group(struct arena *a, enum batch_by by, const struct batch_row *r)
{
	if (by == BATCH_BY_AGENT)
		return r->agent;
	if (by == BATCH_BY_MODEL)
		return r->model;
	return r->provider.p && r->api.p ? ARENA_JOIN(a, r->provider, STR(" "), r->api) : r->provider;
}

static struct batch_group *get_group(struct arena *a, struct batch_tally *t, struct str name)
{
	for (size_t i = 0; i < t->group_count; i++)
		if (str_eq(t->groups[i].name, name))
			return &t->groups[i];
	arena_grow(a, t->groups, t->group_count, t->group_cap, 16);
	t->groups[t->group_count] = (struct batch_group){ .name = name };
	return &t->groups[t->group_count++];
}

/* `coverage` is a sum until close_group. */
static void count_row(struct batch_group *g, const struct batch_row *r)
{
	g->runs++;
	if (r->end == BATCH_JUDGED) {
		g->verdicts[r->verdict]++;
		g->judged += r->verdict != VERDICT_NOT_REPLAYABLE;
		g->replayed += batch_is_replayed(r);
	}
	g->unable += r->end == BATCH_UNABLE;
	g->interrupted += r->end == BATCH_INTERRUPTED || r->end == BATCH_NOT_BEGUN;
	if (r->end == BATCH_JUDGED && isfinite(r->coverage)) {
		g->covered++;
		g->coverage += r->coverage;
	}
}

static void close_group(struct batch_group *g)
{
	g->coverage = g->covered ? g->coverage / (double)g->covered : NAN;
	g->interval = stats_wilson(g->replayed, g->judged, LEVEL);
}

/* ---- classes ---- */

static void count_class(struct arena *a, struct batch_tally *t, const struct batch_row *r)
{
	struct str name = r->class.p ? r->class : STR("unknown");

	if (r->end != BATCH_JUDGED || batch_is_replayed(r) || r->verdict == VERDICT_NOT_REPLAYABLE)
		return;
	for (size_t i = 0; i < t->class_count; i++)
		if (str_eq(t->classes[i].name, name)) {
			t->classes[i].runs++;
			return;
		}
	arena_grow(a, t->classes, t->class_count, t->class_cap, 16);
	t->classes[t->class_count++] = (struct batch_class){ name, 1 };
}

static int by_runs(const void *a, const void *b)
{
	const struct batch_class *x = a, *y = b;

	return x->runs != y->runs ? (x->runs < y->runs) - (x->runs > y->runs) : str_cmp(x->name, y->name);
}

/* ---- gates ---- */

static void fail_gate(struct arena *a, struct batch_tally *t, enum batch_gate_kind k, struct str name)
{
	struct batch_gate *g = &t->gates[k];

	arena_grow(a, g->failed, g->count, g->cap, 16);
	g->failed[g->count++] = name;
}

static void check_row(struct arena *a, struct batch_tally *t, const struct batch_tally_options *o,
		      const struct batch_row *r)
{
	if (batch_is_replayed(r) && r->served == 0)
		fail_gate(a, t, BATCH_GATE_SERVED, r->name);
	if (r->listed_sha256.p && r->sha256.p && !str_eq(r->listed_sha256, r->sha256))
		fail_gate(a, t, BATCH_GATE_CASSETTE, r->name);
	if (o->oldest_us && (!r->has_started || r->started_us < o->oldest_us))
		fail_gate(a, t, BATCH_GATE_AGE, r->name);
}

/* Runs that are missing are named by their ids, those that are new by their directories. */
static void check_same(struct arena *a, struct batch_tally *t, const struct batch_tally_options *o,
		       const struct batch_row *rows, size_t count)
{
	struct map ids, wanted;
	bool added;

	map_init(&ids, a);
	map_init(&wanted, a);
	for (size_t i = 0; i < o->same_count; i++)
		map_add(&wanted, o->same_as[i], &added);
	for (size_t i = 0; i < count; i++) {
		if (rows[i].run_id.p && rows[i].end == BATCH_JUDGED)
			map_add(&ids, rows[i].run_id, &added);
		if (!rows[i].run_id.p || !map_find(&wanted, rows[i].run_id))
			fail_gate(a, t, BATCH_GATE_SAME, rows[i].name);
	}
	for (size_t i = 0; i < o->same_count; i++)
		if (!map_find(&ids, o->same_as[i]))
			fail_gate(a, t, BATCH_GATE_SAME, o->same_as[i]);
}

bool batch_tally_holds(const struct batch_tally *t)
{
	for (size_t i = 0; i < BATCH_GATES; i++)
		if (t->gates[i].asked && t->gates[i].count)
			return false;
	return true;
}

void batch_tally_rows(struct arena *a, const struct batch_tally_options *o, const struct batch_row *rows, size_t count,
		      struct batch_tally *out)
{
	*out = (struct batch_tally){ .all = { .name = STR("all") } };
	out->gates[BATCH_GATE_SERVED].asked = true;
	out->gates[BATCH_GATE_CASSETTE].asked = true;
	out->gates[BATCH_GATE_AGE].asked = o->oldest_us != 0;
	out->gates[BATCH_GATE_SAME].asked = o->same_as != NULL;
	for (size_t i = 0; i < count; i++) {
		count_row(&out->all, &rows[i]);
		count_row(get_group(a, out, name_group(a, o->by, &rows[i])), &rows[i]);
		count_class(a, out, &rows[i]);
		check_row(a, out, o, &rows[i]);
		out->online += rows[i].end == BATCH_JUDGED && rows[i].verdict != VERDICT_NOT_REPLAYABLE &&
			       !rows[i].isolated;
		out->seconds += rows[i].seconds;
	}
	if (o->same_as)
		check_same(a, out, o, rows, count);
	close_group(&out->all);
	for (size_t i = 0; i < out->group_count; i++)
		close_group(&out->groups[i]);
	if (out->group_count)
		qsort(out->groups, out->group_count, sizeof(*out->groups), str_cmp_first);
	if (out->class_count)
		qsort(out->classes, out->class_count, sizeof(*out->classes), by_runs);
}

bool batch_tally_read_runs(struct arena *a, struct str text, const struct str **out, size_t *count, struct err *err)
{
	struct json_parser *parser = json_parser_open((struct json_options){ .max_depth = 64 });
	struct str *ids = NULL;
	size_t n = 0, cap = 0;
	struct val root, one;
	bool done = json_parse_copy(parser, text, &root, NULL) &&
		    val_text_is(val_get(root, STR("schema")), STR("trackway.replay-batch/1"));

	if (done) {
		struct val_iter it = val_begin(val_get(root, STR("runs")));

		while (val_next(&it, &one)) {
			struct val id = val_get(one, STR("run_id"));

			if (!val_is(id, JSON_STRING))
				continue;
			arena_grow(a, ids, n, cap, 64);
			ids[n++] = val_text_copy(id, a);
		}
	}
	json_parser_close(parser);
	*out = ids ? ids : arena_new(a, struct str);
	*count = n;
	return done || err_set(err, ERR_DATA, "it is no answer of a batch of replays (trackway.replay-batch/1)");
}
