/*
 * Runs put together. Updates, children and parents come in any order, so the records of all runs are held until the
 * input ends, or until 64 MiB are held: then what there is is let go, and says so. Of the members of a run the last
 * that is not null and not empty counts; `extra` is merged, since the SDK tells parts of it twice.
 */
#include "base/buf.h"
#include "base/map.h"
#include "dialect/formats.h"
#include "dialect/langsmith/private.h"
#include "dialect/otlp/read.h"
#include "dialect/otlp/run.h"
#include "json/slow.h"

#define HOLD_LIMIT ((size_t)64 << 20)
#define MERGE_DEPTH 8       /* of `extra`; deeper members are the later record's */
#define MERGE_MEMBERS 1000  /* so are objects with more: names are looked up one by one */

struct op {
	struct op *next; /* in the order of the log */
	struct str text;
};

struct run {
	struct op *ops, **last;
	struct str id, trace, parent;
	uint64_t line;
	const struct event *other; /* instead: what is no run, and passes in its place */
	uint32_t number;           /* of its trace, at the end */
};

struct fold {
	struct arena arena, scratch;
	struct run **runs;
	uint32_t count, cap;
	struct map ids;        /* of runs: places in `runs`, plus one */
	struct reading reading, otutl; /* of whole runs; of the records that runs of ours hold */
	struct json_parser *first, *second;
	struct otlp_run *order;
	bool split; /* the limit was reached: a trace may have been told in part */
};

static const struct str none;

/* The fold reads the text of one whole run as a document of this format. It is in no list: nothing detects it. */
static const struct read_ops read_whole = { .vendor = "langchain", .key = LANGSMITH_KEY, .value = langsmith_read_run };
static const struct dialect whole_dialect = { .name = "langsmith", .read = &read_whole };

static void langsmith_fold_forget(struct fold *f)
{
	arena_reset(&f->arena);
	f->count = 0;
	map_init(&f->ids, &f->arena);
}

void *langsmith_fold_open(void)
{
	struct fold *f = mem_alloc(sizeof(*f));

	*f = (struct fold){ .count = 0 };
	arena_init(&f->arena);
	arena_init(&f->scratch);
	reading_init(&f->reading, &whole_dialect);
	reading_init(&f->otutl, &otutl_dialect);
	f->first = json_parser_open((struct json_options){ .allow_duplicates = true, .allow_lone = true });
	f->second = json_parser_open((struct json_options){ .allow_duplicates = true, .allow_lone = true });
	f->order = otlp_run_open();
	langsmith_fold_forget(f);
	return f;
}

void langsmith_fold_close(void *fold)
{
	struct fold *f = fold;

	arena_free(&f->arena);
	arena_free(&f->scratch);
	mem_free(f->runs);
	reading_free(&f->reading);
	reading_free(&f->otutl);
	json_parser_close(f->first);
	json_parser_close(f->second);
	otlp_run_close(f->order);
	mem_free(f);
}

/* ---- holding ---- */

static struct str langsmith_fold_keep(struct fold *f, struct str text)
{
	return text.n ? arena_copy(&f->arena, text) : none;
}

static struct run *langsmith_fold_add_run(struct fold *f)
{
	struct run *run = arena_new(&f->arena, struct run);

	mem_grow(f->runs, f->count, f->cap, 64);
	f->runs[f->count++] = run;
	run->last = &run->ops;
	return run;
}

/* The run of this id, a new one for a new id. Records without one are runs of their own. */
static struct run *langsmith_fold_find(struct fold *f, struct str id)
{
	struct run *run;
	uint64_t *slot;
	bool added;

	if (!id.n)
		return langsmith_fold_add_run(f);
	slot = map_add(&f->ids, id, &added);
	if (!added)
		return f->runs[*slot - 1];
	*slot = f->count + 1;
	run = langsmith_fold_add_run(f);
	run->id = arena_copy(&f->arena, id);
	return run;
}

static void langsmith_fold_add_op(struct fold *f, const struct event *e)
{
	const struct langsmith_hint *h = e->hint;
	struct run *run = langsmith_fold_find(f, h->id);
	struct op *op = arena_new(&f->arena, struct op);

	op->text = arena_copy(&f->arena, e->content);
	*run->last = op;
	run->last = &op->next;
	if (!run->trace.n)
		run->trace = langsmith_fold_keep(f, h->trace);
	if (!run->parent.n)
		run->parent = langsmith_fold_keep(f, h->parent);
	if (!run->line)
		run->line = e->line;
}

/* ---- merging ---- */

static bool langsmith_fold_is_empty(struct val v)
{
	return val_is_unset(v) || ((val_is(v, JSON_OBJECT) || val_is(v, JSON_ARRAY)) && val_count(v) == 0);
}

static void langsmith_fold_put_key(struct buf *out, struct val key)
{
	buf_add_byte(out, out->p[out->n - 1] == '{' ? '"' : ',');
	if (out->p[out->n - 1] == ',')
		buf_add_byte(out, '"');
	buf_add_str(out, val_raw(key));
	buf_add_str(out, STR("\":"));
}

/* The member that has this key's name: of duplicates the last. */
static struct val langsmith_fold_get(struct fold *f, struct val object, struct val key)
{
	return val_get(object, val_tok(key)->flags & JSON_ESCAPED ? val_text(key, &f->scratch) : val_raw(key));
}

static bool langsmith_fold_can_merge(struct val a, struct val b)
{
	return val_is(a, JSON_OBJECT) && val_is(b, JSON_OBJECT) && val_count(a) <= MERGE_MEMBERS &&
	       val_count(b) <= MERGE_MEMBERS;
}

struct merge_level {
	struct val a, b;
	struct val_iter it;
	bool second; /* its members that the first has not */
};

static struct merge_level langsmith_fold_enter(struct buf *out, struct val a, struct val b)
{
	buf_add_byte(out, '{');
	return (struct merge_level){ .a = a, .b = b, .it = val_begin(a) };
}

/*
 * Members of both. Objects inside `extra` (below the first level) are merged; of all else the second's counts if it
 * says something.
 */
static void langsmith_fold_merge(struct fold *f, struct buf *out, struct val a, struct val b)
{
	struct merge_level levels[MERGE_DEPTH] = { langsmith_fold_enter(out, a, b) }, *at;
	size_t depth = 1;
	struct val key, v, other;

	while (depth) {
		at = &levels[depth - 1];
		if (!val_next_member(&at->it, &key, &v)) {
			at->it = val_begin(at->b);
			if (at->second) {
				buf_add_byte(out, '}');
				depth--;
			}
			at->second = true;
			continue;
		}
		if (langsmith_fold_get(f, at->second ? at->b : at->a, key).at != v.at)
			continue;
		other = langsmith_fold_get(f, at->second ? at->a : at->b, key);
		if (at->second && !val_is_none(other))
			continue;
		langsmith_fold_put_key(out, key);
		if ((depth > 1 || val_text_is(key, STR("extra"))) && depth < MERGE_DEPTH &&
		    langsmith_fold_can_merge(v, other))
			levels[depth++] = langsmith_fold_enter(out, v, other);
		else
			buf_add_str(out, val_source(langsmith_fold_is_empty(other) ? v : other));
	}
}

/* A copy with what a parser wants behind a text. */
static struct str langsmith_fold_pad(struct arena *a, struct str text)
{
	char *padded = arena_array(a, char, text.n + JSON_PAD);

	memcpy(padded, text.p, text.n);
	return str_of(padded, text.n);
}

/* The text was read once already, so it is JSON, or what the lenient parser takes for it. */
static bool langsmith_fold_parse(struct fold *f, struct json_parser *p, struct str text, struct val *v)
{
	struct slow s = { .text = langsmith_fold_pad(&f->scratch, text), .lenient = true, .single = true };

	return (json_parse(p, s.text, v, NULL) || slow_parse_for(p, &s, 0, v)) && val_is(*v, JSON_OBJECT);
}

/* Two records of one run as one. One that is no object, or has too many members, is the later one. */
static struct str langsmith_fold_join(struct fold *f, struct str first, struct str second)
{
	struct buf out = { 0 };
	struct val a, b;

	if (!langsmith_fold_parse(f, f->first, first, &a) || !langsmith_fold_parse(f, f->second, second, &b) ||
	    !langsmith_fold_can_merge(a, b))
		return second;
	langsmith_fold_merge(f, &out, a, b);
	arena_reset(&f->scratch);
	return arena_take(&f->arena, &out);
}

/* One text of all records of a run. Neighbours are merged, so that each is copied only a few times. */
static struct str langsmith_fold_join_all(struct fold *f, const struct run *run)
{
	while (run->ops->next) {
		for (struct op *op = run->ops; op && op->next; op = op->next) {
			op->text = langsmith_fold_join(f, op->text, op->next->text);
			op->next = op->next->next;
		}
	}
	return run->ops->text;
}

/* ---- letting go ---- */

/* A node of the tree: the run's events, of which the first is the carrier. NULL when the text could not be read. */
static struct otlp_node *langsmith_fold_node(struct fold *f, const struct run *run)
{
	struct otlp_node *n = arena_new(&f->arena, struct otlp_node);
	struct reading *r = &f->reading;
	struct otlp_hint *h;
	struct str text;

	n->context = OTLP_NOBODY;
	if (run->other) {
		n->carrier = event_copy(&f->arena, run->other);
		return n;
	}
	text = langsmith_fold_join_all(f, run);
	reading_chunk(r, &f->arena, langsmith_fold_pad(&f->arena, text), run->line, false);
	for (size_t i = 0; i < r->count; i++) {
		struct event *e = arena_new(&f->arena, struct event);

		*e = r->events[i];
		e->line = run->line;
		if (i == 0) {
			h = arena_new(&f->arena, struct otlp_hint);
			*h = *otlp_hint_of(&r->events[i]);
			h->id = run->id;
			h->parent = h->parent.n ? h->parent : run->parent;
			e->hint = h;
			n->carrier = e;
			n->role = h->role;
			continue;
		}
		arena_grow(&f->arena, n->payload, n->payload_count, n->payload_cap, 4);
		n->payload[n->payload_count++] = e;
	}
	return n->carrier ? n : NULL;
}

/*
 * The trace of each run: its own word, that of the run around it, or its own id. What is no run goes with the one
 * before it.
 */
static struct str langsmith_fold_trace(struct fold *f, const struct run *run)
{
	const struct run *at = run;

	for (uint32_t steps = 0; steps < f->count; steps++) {
		const uint64_t *slot = at->parent.n ? map_find(&f->ids, at->parent) : NULL;

		if (at->trace.n || !slot)
			break;
		at = f->runs[*slot - 1];
	}
	return at->trace.n ? at->trace : at->id;
}

/* Numbers of traces, in order of the first record of each; gives how many there are. `names` has room for all. */
static uint32_t langsmith_fold_number(struct fold *f, struct str *names)
{
	struct map traces;
	uint32_t count = 0, before = 0;

	map_init(&traces, &f->arena);
	for (uint32_t i = 0; i < f->count; i++) {
		struct run *run = f->runs[i];
		struct str name = run->other ? none : langsmith_fold_trace(f, run);
		uint64_t *slot;
		bool added;

		if (!run->other) {
			slot = map_add(&traces, name.p ? name : STR(""), &added);
			if (added) {
				names[count] = name;
				*slot = count++;
			}
			before = (uint32_t)*slot;
		}
		run->number = before;
	}
	return count ? count : f->count > 0;
}

/*
 * Whether all runs of a trace are ours, from one place to another: their records are in the list then. One foreign run
 * among them, and what they say themselves counts.
 */
static bool langsmith_fold_is_own(struct fold *f, const uint32_t *places, uint32_t from, uint32_t to,
				  struct langsmith_records *records)
{
	for (uint32_t i = from; i < to; i++) {
		const struct run *run = f->runs[places[i]];
		bool own = false;
		struct val v;

		if (!run->other && str_has(run->ops->text, STR("\"trackway\"")))
			own = langsmith_fold_parse(f, f->first, langsmith_fold_join_all(f, run), &v) &&
			      langsmith_own_gather(&f->arena, v, records);
		arena_reset(&f->scratch);
		if (!own)
			return false;
	}
	return true;
}

/* One trace after the other: nodes are made for one at a time. */
bool langsmith_fold_end(void *fold, struct assemble *as, struct err *err)
{
	struct fold *f = fold;
	struct str *names = arena_array(&f->arena, struct str, f->count + 1);
	struct otlp_node **nodes = arena_array(&f->arena, struct otlp_node *, f->count + 1);
	uint32_t *starts = arena_array(&f->arena, uint32_t, f->count + 2);
	uint32_t *places = arena_array(&f->arena, uint32_t, f->count + 1);
	uint32_t traces = langsmith_fold_number(f, names);
	bool ok = true;

	for (uint32_t i = 0; i < f->count; i++)
		starts[f->runs[i]->number + 1]++;
	for (uint32_t t = 0; t < traces; t++)
		starts[t + 1] += starts[t];
	for (uint32_t i = 0; i < f->count; i++)
		places[starts[f->runs[i]->number]++] = i; /* afterwards starts[t] is where t ends */
	for (uint32_t t = 0, at = 0; ok && t < traces; t++) {
		struct otlp_trace trace = { .name = names[t], .nodes = nodes, .part = f->split, .arena = &f->arena };

		struct langsmith_records own = { .count = 0 };

		if (!f->split && langsmith_fold_is_own(f, places, at, starts[t], &own)) {
			ok = langsmith_own_put(&f->otutl, &f->arena, &own, f->runs[places[at]]->line, as, err);
			at = starts[t];
			continue;
		}
		trace.vendor = STR("langchain");
		trace.framework = STR("langgraph");
		for (; at < starts[t]; at++) {
			struct otlp_node *n = langsmith_fold_node(f, f->runs[places[at]]);

			if (!n)
				continue;
			n->order = trace.count;
			nodes[trace.count++] = n;
		}
		ok = otlp_run_put(f->order, &trace, as, err);
	}
	langsmith_fold_forget(f);
	return ok;
}

/* The limit is told in the run itself, for whoever wonders about runs in two pieces. */
static bool langsmith_fold_split(struct fold *f, struct assemble *as, struct err *err)
{
	struct event e = { .kind = EVENT_NOTE, .index = -1, .role = STR("langsmith.limit") };

	e.content = STR("\"64 MiB of runs were held; updates that follow may be of runs that were let go before\"");
	f->split = true;
	return langsmith_fold_end(f, as, err) && assemble_add(as, &e, err);
}

bool langsmith_fold_add(void *fold, const struct event *e, struct assemble *as, struct err *err)
{
	struct fold *f = fold;

	if (f->arena.used > HOLD_LIMIT && !langsmith_fold_split(f, as, err))
		return false;
	if (e->kind == EVENT_NOTE && str_eq(e->role, STR(LANGSMITH_OP)))
		langsmith_fold_add_op(f, e);
	else
		langsmith_fold_add_run(f)->other = event_copy(&f->arena, e);
	return true;
}
