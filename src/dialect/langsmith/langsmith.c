/*
 * LangSmith and LangChain: runs as RunTrees (child_runs), lists, lines, webhook deliveries, batches of the SDK's
 * requests, and streams in which later records of an id are updates. This file finds the records.
 */
#include "dialect/formats.h"
#include "dialect/langsmith/private.h"
#include "dialect/record/field.h"

static const struct str run_types[] = {
	WORD("llm"), WORD("chain"), WORD("tool"), WORD("retriever"), WORD("embedding"), WORD("prompt"), WORD("parser"),
};

/* ---- dotted_order ---- */

/* The last segment; *before gets what stands in front of it. */
static struct str dotted_last(struct str dotted, struct str *before)
{
	size_t at = dotted.n;

	while (at > 0 && dotted.p[at - 1] != '.')
		at--;
	*before = str_of(dotted.p, at ? at - 1 : 0);
	return str_skip(dotted, at);
}

/* What follows the Z of the time. */
static struct str dotted_name(struct str segment)
{
	struct str rest, stamp = str_cut(segment, 'Z', &rest);

	return stamp.n == 21 && rest.n ? rest : str_of(NULL, 0);
}

struct str langsmith_dotted_id(struct str dotted, size_t back)
{
	struct str segment = dotted_last(dotted, &dotted);

	for (; back > 0; back--)
		segment = dotted_last(dotted, &dotted);
	return dotted_name(segment);
}

struct str langsmith_dotted_root(struct str dotted)
{
	struct str rest;

	return dotted_name(str_cut(dotted, '.', &rest));
}

/* "20241204T195929374537Z" is a time, spelled so that texts sort by it. */
struct moment langsmith_dotted_time(struct reading *r, struct str dotted)
{
	struct str before, s = dotted_last(dotted, &before);
	struct moment m = { .source = MOMENT_NONE };

	if (!dotted_name(s).p)
		return m;
	m = reading_time_text(r, arena_printf(r->arena, "%.4s-%.2s-%.2sT%.2s:%.2s:%.2s.%.6sZ", s.p, s.p + 4, s.p + 6,
					      s.p + 9, s.p + 11, s.p + 13, s.p + 15));
	if (m.text.p)
		m.source = MOMENT_DERIVED;
	return m;
}

/* ---- what is a record of a run ---- */

/* The members by which one knows a record, however little it tells. */
static size_t langsmith_count_known(struct val v)
{
	static const struct str names[] = { WORD("run_type"), WORD("dotted_order"), WORD("trace_id"),
					    WORD("start_time"), WORD("end_time"), WORD("inputs"), WORD("outputs") };

	return values_count_names(v, names, COUNT(names));
}

static bool langsmith_is_op(struct val v)
{
	return val_is(v, JSON_OBJECT) &&
	       (val_is(val_get(v, STR("id")), JSON_STRING) || val_is(val_get(v, STR("dotted_order")), JSON_STRING)) &&
	       langsmith_count_known(v) > 0;
}

/* Whether it is a list, not an empty one, of nothing but records. */
static bool langsmith_is_list(struct val list)
{
	if (!val_is(list, JSON_ARRAY) || val_count(list) == 0)
		return false;
	VALUES_EACH(v, list)
		if (!langsmith_is_op(v))
			return false;
	return true;
}

/* The record as JSON without its children, which are told apart. It may point into the chunk. */
static struct str langsmith_text_of(struct reading *r, struct val v)
{
	struct val_iter it = val_begin(v);
	struct val key, value;
	struct buf b = { 0 };

	if (!langsmith_is_list(val_get(v, STR("child_runs"))))
		return val_source(v);
	while (val_next_member(&it, &key, &value)) {
		if (val_text_is(key, STR("child_runs")))
			continue;
		buf_add_byte(&b, b.n ? ',' : '{');
		buf_add_byte(&b, '"');
		buf_add_str(&b, val_raw(key));
		buf_add_str(&b, STR("\":"));
		buf_add_str(&b, val_source(value));
	}
	buf_add_str(&b, b.n ? STR("}") : STR("{}"));
	return arena_take(r->arena, &b);
}

/* A record that waits for its turn; the ids that stand around it, p NULL for none. */
struct waiting_op {
	struct val v;
	struct str path, parent, trace; /* of its request, the id; of the run whose child it is, id and trace */
};

/* The note of one record, and its children behind those that wait. */
static void langsmith_add_one(struct reading *r, struct waiting_op op, struct waiting_op **list, size_t *count,
			      size_t *cap)
{
	struct val children = val_get(op.v, STR("child_runs"));
	struct str dotted = val_get_text(op.v, STR("dotted_order"), r->arena), none = { NULL, 0 };
	struct event *e = reading_add(r, EVENT_NOTE);
	struct langsmith_hint *h = arena_new(r->arena, struct langsmith_hint);

	h->id = val_get_text(op.v, STR("id"), r->arena);
	if (!h->id.n)
		h->id = op.path.n ? op.path : langsmith_dotted_id(dotted, 0);
	h->trace = val_get_text(op.v, STR("trace_id"), r->arena);
	if (!h->trace.n)
		h->trace = dotted.n ? langsmith_dotted_root(dotted) : op.trace;
	h->parent = op.parent;
	e->role = STR(LANGSMITH_OP);
	e->content = langsmith_text_of(r, op.v);
	e->hint = h;
	if (!langsmith_is_list(children))
		return;
	VALUES_EACH(child, children) {
		arena_grow(r->arena, *list, *count, *cap, 16);
		(*list)[(*count)++] = (struct waiting_op){ child, none, h->id, h->trace.n ? h->trace : h->id };
	}
}

/*
 * One record and, behind it, its children. `path` is the id that its request's path tells, p NULL for none. The run is
 * read in the fold, when all of it is known; here only for its marks, where somebody counts them: children first, so
 * that nothing of them is left for their parent.
 */
static void langsmith_add_op(struct reading *r, struct val v, struct str path)
{
	struct waiting_op *list = NULL;
	size_t count = 0, cap = 0, events;

	arena_grow(r->arena, list, count, cap, 16);
	list[count++] = (struct waiting_op){ .v = v, .path = path };
	for (size_t i = 0; i < count; i++)
		langsmith_add_one(r, list[i], &list, &count, &cap);
	events = r->count;
	for (size_t i = count; r->coverage && i-- > 0; r->count = events)
		langsmith_read_run(r, list[i].v);
}

/* All records of a list; without anybody who counts, they are marked as a whole. */
static void langsmith_add_list(struct reading *r, struct val list)
{
	struct str none = { NULL, 0 };

	VALUES_EACH(v, list)
		langsmith_add_op(r, v, none);
	if (!r->coverage)
		reading_take(r, list);
}

/* ---- containers ---- */

/* {"runs":[]} of a webhook, {"post":[],"patch":[]} of the SDK; false when v is neither. */
static bool langsmith_read_lists(struct reading *r, struct val v)
{
	static const struct str names[] = { WORD("runs"), WORD("post"), WORD("patch") };
	bool found = false;

	for (size_t i = 0; i < COUNT(names); i++) {
		struct val list = val_get(v, names[i]);

		if (langsmith_is_list(list)) {
			langsmith_add_list(r, list);
			found = true;
		}
	}
	return found;
}

/* The id at the end of a path, "/runs/<id>". */
static struct str langsmith_path_id(struct str path)
{
	size_t at = str_find(path, STR("/runs/"));

	return at < path.n ? str_skip(path, at + 6) : str_of(NULL, 0);
}

/* A request as a proxy saw it: {"path":"/runs/...","body":{...}}. */
static bool langsmith_read_request_line(struct reading *r, struct val v)
{
	struct val body = val_get(v, STR("body"));
	struct str path = val_get_text(v, STR("path"), r->arena);

	if (!val_is(body, JSON_OBJECT) || !path.p || !str_has(path, STR("runs")))
		return false;
	if (langsmith_read_lists(r, body))
		return true;
	if (!langsmith_is_op(body) && (!langsmith_path_id(path).n || langsmith_count_known(body) == 0))
		return false;
	langsmith_add_op(r, body, langsmith_path_id(path));
	if (!r->coverage)
		reading_take(r, body);
	return true;
}

/* One value of the log. What an envelope says beside its records stays in a note. */
static void langsmith_read_value(struct reading *r, struct val v)
{
	struct str none = { NULL, 0 };
	struct event *e;

	if (langsmith_is_op(v)) {
		langsmith_add_op(r, v, none);
		return;
	}
	if (!langsmith_read_lists(r, v) && !langsmith_read_request_line(r, v)) {
		reading_add_unknown(r, v);
		return;
	}
	e = reading_add(r, EVENT_NOTE);
	e->role = STR("langsmith.delivery");
	e->content = STR("null");
	reading_rest(r, e, v);
	if (!e->extras)
		r->count--;
}

/* ---- detection ---- */

static int langsmith_fits_run(struct val v)
{
	bool typed = values_is_word(val_get(v, STR("run_type")), run_types, COUNT(run_types));
	struct val dotted = val_get(v, STR("dotted_order"));

	if (!val_is(v, JSON_OBJECT))
		return 0;
	if (typed && (val_is(dotted, JSON_STRING) || val_is(val_get(v, STR("trace_id")), JSON_STRING)))
		return 98;
	if (typed && langsmith_is_op(v) && val_has(v, STR("start_time")))
		return 90;
	/* an update alone: its place in the tree is no other format's */
	return val_is(dotted, JSON_STRING) && langsmith_count_known(v) > 1 ? 85 : 0;
}

static int langsmith_fits(struct val v)
{
	struct val first = val_is(v, JSON_ARRAY) ? values_first(v) : v, list;
	int fit = langsmith_fits_run(first);

	if (fit || !val_is(first, JSON_OBJECT))
		return fit;
	if (val_is(val_get(first, STR("path")), JSON_STRING))
		first = val_get(first, STR("body"));
	fit = langsmith_fits_run(first);
	list = val_get(first, STR("runs"));
	if (!fit && val_is(list, JSON_ARRAY))
		fit = langsmith_fits_run(values_first(list));
	if (!fit)
		fit = langsmith_fits_run(values_first(val_get(first, STR("post"))));
	if (!fit)
		fit = langsmith_fits_run(values_first(val_get(first, STR("patch"))));
	return fit;
}

static const struct read_ops read_langsmith = {
	.vendor = "langchain",
	.key = LANGSMITH_KEY,
	.assemble = ASSEMBLE_STEP_COSTS,
	.elements = true,
	.line_elements = true,
	.value = langsmith_read_value,
	.fold_open = langsmith_fold_open,
	.fold_close = langsmith_fold_close,
	.fold = langsmith_fold_add,
	.fold_end = langsmith_fold_end,
};

const struct dialect langsmith_dialect = {
	.name = "langsmith",
	.title = "LangSmith and LangChain runs: RunTree, lists, webhooks, batches, updates",
	.file = "runs.jsonl",
	.unit = "run",
	.forms = DIALECT_LINES | DIALECT_DOCUMENT,
	.rules = dialect_no_rules,
	.fits = langsmith_fits,
	.read = &read_langsmith,
	.write = &langsmith_write_ops,
};
