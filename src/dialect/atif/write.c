/*
 * Events as ATIF documents, one for each run, on a line of its own. What came from ATIF gets every field back: its
 * extras say what the model has no field for (see atif.h), and its events come in the order of its steps. Of
 * anything else a document of version 1.7 is made: steps numbered from 1, results in the step that asked.
 *
 * Memory: the steps held back by open calls, and the sub-agents of a run, which stand at its end.
 */
#include "dialect/atif/atif.h"
#include "dialect/atif/write_private.h"
#include "dialect/reading/original.h"
#include "json/write.h"
#include "model/assemble.h"

static void *atif_write_writer_open(struct writing *w)
{
	struct atif_writer *x = mem_alloc(sizeof(*x));

	*x = (struct atif_writer){ .w = w };
	x->parser = json_parser_open((struct json_options){ .max_depth = 512 });
	x->other = json_parser_open((struct json_options){ .max_depth = 512 });
	arena_init(&x->run);
	arena_init(&x->scratch);
	return x;
}

/* The run is over: nothing of it is kept. */
static void tracks_free(struct atif_writer *x)
{
	for (struct atif_track *t = x->tracks, *next; t; t = next) {
		next = t->next;
		atif_track_free(t);
	}
	x->tracks = NULL;
	x->open = false;
}

static void atif_write_writer_close(void *writer)
{
	struct atif_writer *x = writer;

	tracks_free(x);
	json_parser_close(x->parser);
	json_parser_close(x->other);
	arena_free(&x->run);
	arena_free(&x->scratch);
	buf_free(&x->text);
	mem_free(x);
}

struct str atif_tool_name(struct arena *a, struct str server, struct str tool)
{
	return server.p ? arena_printf(a, "mcp__%.*s__%.*s", (int)server.n, server.p, (int)tool.n, tool.p) : tool;
}

/* ---- members ---- */

void atif_put_text(struct buf *out, struct str name, struct str text)
{
	if (!text.p)
		return;
	atif_member(out, name);
	json_write_quoted(out, text);
}

void atif_put_json(struct buf *out, struct str name, struct str json)
{
	if (!json.p)
		return;
	atif_member(out, name);
	buf_add_str(out, json);
}

struct str atif_braced(struct arena *a, const struct buf *members)
{
	return ARENA_JOIN(a, STR("{"), buf_str(members), STR("}"));
}

/* Names are escaped anew, values copied as they stand. */
void atif_put_members(struct atif_writer *x, struct buf *out, struct val object, const char *const *but)
{
	struct val_iter it = val_begin(object);
	struct val key, v;

	while (val_is(object, JSON_OBJECT) && val_next_member(&it, &key, &v)) {
		const char *const *name = but;

		while (*name && !val_text_is(key, str_from(*name)))
			name++;
		if (*name)
			continue;
		if (out->n > 0)
			buf_add_byte(out, ',');
		json_write_quoted(out, val_text(key, &x->scratch));
		buf_add_byte(out, ':');
		buf_add_str(out, val_source(v));
	}
}

struct str atif_source_of(struct val object, struct str name, struct arena *a)
{
	struct val v = val_get(object, name);

	return val_is_none(v) ? str_of(NULL, 0) : arena_copy(a, val_source(v));
}

struct atif_track *atif_track_of(struct atif_writer *x, const struct event *e)
{
	const uint64_t *found = e->branch.p ? map_find(&x->branches, e->branch) : NULL;

	return !e->branch.p ? x->tracks : found ? (struct atif_track *)(uintptr_t)*found : NULL;
}

struct atif_track *atif_track_add(struct atif_writer *x, struct str branch, struct str parent, size_t depth)
{
	struct atif_track *t = atif_track_new(branch, parent, depth ? NULL : x->w->out);
	bool added;

	t->depth = depth;
	*x->last_track = t;
	x->last_track = &t->next;
	if (branch.p)
		*map_add(&x->branches, branch, &added) = (uintptr_t)t;
	return t;
}

void atif_put_time(struct buf *members, const struct event *e, bool derived)
{
	if (e->ts.source == MOMENT_VENDOR || (derived && e->ts.source == MOMENT_DERIVED))
		atif_put_text(members, STR("timestamp"), e->ts.text);
}

/* ---- runs ---- */

/*
 * Costs of a sub-agent count for the run too. One of scope "run" makes the totals those of the run, so that steps are
 * not added to them by a reader.
 */
static void atif_write_add_cost(struct atif_writer *x, const struct event *e)
{
	struct atif_track *t = atif_track_of(x, e);

	t = t ? t : x->tracks;
	usage_add(&t->usage, &e->usage);
	atif_money_add(&t->money, e, &x->run);
	if (t != x->tracks) {
		usage_add(&x->tracks->usage, &e->usage);
		atif_money_add(&x->tracks->money, e, &x->run);
	}
	if (str_eq(e->scope, STR("run"))) {
		/* of several models none is named */
		if (!x->tracks->is_whole)
			x->tracks->model = arena_copy(&x->run, e->model);
		else if (!str_eq(x->tracks->model, e->model))
			x->tracks->model = str_of(NULL, 0);
		x->tracks->is_whole = true;
	}
	for (struct atif_step *s = x->native ? NULL : t->first; s; s = s->next)
		if (!s->bare && s->id.p && e->step.p && str_eq(s->id, e->step))
			atif_money_add(&s->money, e, &s->arena);
}

/* Writes the document up to its steps, which follow as they become complete. */
static void atif_write_begin(struct atif_writer *x, const struct event *e)
{
	struct val rest = original_rest(x->parser, e, ATIF_KEY, &x->scratch);
	struct buf *out = x->w->out, b = { 0 };

	arena_reset(&x->run);
	map_init(&x->branches, &x->run);
	x->tracks = NULL;
	x->last_track = &x->tracks;
	x->native = val_is(rest, JSON_OBJECT);
	x->open = true;
	x->steps = x->subagents = str_of(NULL, 0);
	atif_track_add(x, str_of(NULL, 0), str_of(NULL, 0), 0);
	if (x->native)
		atif_native_begin(x, &b, e, rest);
	else
		atif_plain_begin(x, &b, e);
	if (x->steps.p || !x->tracks->bare)
		atif_put_json(&b, STR("steps"), x->steps.p ? x->steps : STR("["));
	buf_add_byte(out, '{');
	buf_add_str(out, buf_str(&b));
	buf_free(&b);
}

/* Sub-agents, each behind the one it belongs to. */
static void put_subagents(struct atif_writer *x)
{
	struct buf *out = x->w->out;
	size_t open = 0; /* documents that are not closed yet */

	if (!x->tracks->next) {
		atif_put_json(out, STR("subagent_trajectories"), x->subagents);
		return;
	}
	if (x->subagents.p)
		losses_add(x->w->losses, "what stands among sub-agents and is none");
	for (struct atif_track *t = x->tracks->next; t; t = t->next) {
		size_t depth = t->depth <= open + 1 ? t->depth : open + 1;

		if (depth > open)
			buf_add_str(out, STR(",\"subagent_trajectories\":["));
		for (; open > depth; open--)
			buf_add_str(out, STR("}]"));
		if (open == depth)
			buf_add_str(out, STR("},"));
		open = depth;
		if (!x->native)
			atif_put_totals(&t->head, t);
		buf_add_byte(out, '{');
		buf_add_str(out, buf_str(&t->head));
		if (t->bare)
			continue;
		buf_add_str(out, t->head.n ? STR(",\"steps\":[") : STR("\"steps\":["));
		buf_add_str(out, buf_str(&t->body));
		buf_add_byte(out, ']');
	}
	for (; open > 0; open--)
		buf_add_str(out, STR("}]"));
}

/* `e` is RUN_END, or NULL when the run broke off. All that waits is written, then what stands behind the steps. */
static void atif_write_finish(struct atif_writer *x, const struct event *e)
{
	static const char *const none[] = { NULL };
	struct val rest = e ? original_rest(x->parser, e, ATIF_KEY, &x->scratch) : VAL_NONE;
	struct buf *out = x->w->out, b = { 0 };

	for (struct atif_track *t = x->tracks; t; t = t->next) {
		if (!x->native && t->count == 0 && !t->first)
			atif_plain_nothing(t);
		atif_flush(t, x->other, true);
	}
	if (!x->tracks->bare)
		buf_add_byte(out, ']');
	put_subagents(x);
	atif_put_members(x, &b, rest, none);
	if (!x->native)
		atif_plain_end(x, &b, e);
	if (b.n > 0) {
		buf_add_byte(out, ',');
		buf_add_str(out, buf_str(&b));
	}
	buf_add_str(out, STR("}\n"));
	buf_free(&b);
	tracks_free(x);
}

/* A log may lack RUN_START or RUN_END: a document is begun and ended all the same. Never fails. */
static bool writer_event(void *writer, const struct event *e, struct err *err)
{
	struct atif_writer *x = writer;

	(void)err;
	arena_reset(&x->scratch);
	if (e->kind == EVENT_RUN_START) {
		if (x->open)
			atif_write_finish(x, NULL);
		atif_write_begin(x, e);
		return true;
	}
	if (!x->open)
		atif_write_begin(x, &(struct event){ .kind = EVENT_RUN_START });
	if (e->kind == EVENT_RUN_END)
		atif_write_finish(x, e);
	else if (e->kind == EVENT_COST)
		atif_write_add_cost(x, e);
	else if (x->native)
		atif_native_event(x, e);
	else
		atif_plain_event(x, e);
	return true;
}

static bool writer_end(void *writer, struct err *err)
{
	struct atif_writer *x = writer;

	(void)err;
	if (x->open)
		atif_write_finish(x, NULL);
	return true;
}

const struct write_ops atif_write = {
	.cannot = "notes, pieces of results, ids of steps, and what other formats say beyond the model",
	.document = true,
	.names_runs = true,
	.open = atif_write_writer_open,
	.close = atif_write_writer_close,
	.event = writer_event,
	.end = writer_end,
};
