/*
 * Events to an OTUTL log. Every line is canonical, so that the log without its line ends hashes to its run_hash. The
 * rules of the format hold whatever comes: a result without a call becomes an error, a call without a result
 * gets one, an id in a place where it may not stand goes to ext. Memory: messages and notes that still wait for their
 * record, 24 bytes for each call, and the beginning of a run that has no id, from which its id is made.
 */
#include <stdlib.h>

#include "base/ascii.h"
#include "base/crypto/sha256.h"
#include "base/map.h"
#include "dialect/otutl/emit.h"
#include "dialect/otutl/field.h"
#include "dialect/otutl/pairs.h"
#include "dialect/writing.h"
#include "model/assemble.h"
#include "model/words.h"

#define NOTES_MAX ((size_t)4 << 20) /* then a record is made that carries them */
#define HOLD_MAX ((size_t)1 << 20)  /* of a run without an id: its id is made of so much, at most */
#define TOOLS_MAX 4096              /* URIs that are remembered */

struct pending {
	struct buf messages; /* of one branch, joined by commas */
	uint64_t since;      /* when the first of them came */
};

struct writer {
	struct writing *w;
	struct otutl_emit emit;
	struct otutl_pairs pairs;
	struct otutl_totals totals;
	struct buf notes, request, ts; /* waiting notes; all messages, at the end; the last time */
	int64_t ts_ns;                 /* that */
	bool own;                      /* the run was an OTUTL log before: its records stay as they are */

	struct arena scratch; /* what lasts for an event */
	struct arena run;     /* for a run */
	bool open, holding;
	uint64_t seq;
	struct str vendor;
	struct event *start; /* while the run has no id */
	struct buf held, held_ids; /* records after it, and where their run_id stands */

	struct pending *pending; /* the first is of the main line */
	size_t pending_count, pending_cap;
	uint64_t message_count;
	struct map branches;

	struct arena keep; /* what lasts as long as the writer */
	struct map run_ids, tools;
	struct buf key;
};

/* Never NULL. Freed by otutl_write_writer_close. */
static void *otutl_write_writer_open(struct writing *w)
{
	struct writer *o = mem_alloc(sizeof(*o));

	*o = (struct writer){ .w = w };
	otutl_emit_init(&o->emit);
	otutl_pairs_init(&o->pairs);
	arena_init(&o->scratch);
	arena_init(&o->run);
	arena_init(&o->keep);
	map_init(&o->run_ids, &o->keep);
	map_init(&o->tools, &o->keep);
	return o;
}

/* Drops what waits: otutl_write_end writes it. Buffers beyond pending_count were used by runs before. */
static void otutl_write_writer_close(void *writer)
{
	struct writer *o = writer;

	for (size_t i = 0; i < o->pending_cap; i++)
		buf_free(&o->pending[i].messages);
	mem_free(o->pending);
	buf_free(&o->notes);
	buf_free(&o->request);
	buf_free(&o->ts);
	buf_free(&o->held);
	buf_free(&o->held_ids);
	buf_free(&o->key);
	otutl_pairs_free(&o->pairs);
	otutl_emit_free(&o->emit);
	arena_free(&o->scratch);
	arena_free(&o->run);
	arena_free(&o->keep);
	mem_free(o);
}

/* What a foreign record had under this name, or NULL. */
static const struct extra *find_member(const struct event *e, struct str name)
{
	const struct extra *x = e->extras;

	while (x && !(x->member && str_eq(x->key, name)))
		x = x->next;
	return x;
}

/* ---- one record ---- */

/* Only times of the source count; inherited ones would say nothing about how long the run took. */
static void count_time(struct writer *o, const struct event *e)
{
	struct otutl_totals *t = &o->totals;

	if (e->ts.source != MOMENT_VENDOR && e->ts.source != MOMENT_DERIVED)
		return;
	t->first_ns = !t->timed || e->ts.ns < t->first_ns ? e->ts.ns : t->first_ns;
	t->last_ns = !t->timed || e->ts.ns > t->last_ns ? e->ts.ns : t->last_ns;
	t->timed = true;
}

/* Back to nothing, so that no detail of one record gets into the next. */
static void forget_details(struct otutl_emit *m)
{
	m->tool = m->notes = m->request = m->moved_call = m->moved_parent = str_of(NULL, 0);
	m->carrier = m->chunks = m->back = false;
}

/* False, with *err (ERR_LIMIT): no reader need take a larger record. */
static bool check_size(size_t n, const struct event *e, struct err *err)
{
	if (n <= OTUTL_RECORD_MAX)
		return true;
	return err_set(err, ERR_LIMIT, "line %llu would become a record of %zu MiB; OTUTL's limit is %zu MiB",
		       (unsigned long long)e->line, n >> 20, OTUTL_RECORD_MAX >> 20);
}

static bool otutl_write_let_go(struct writer *o, struct err *err);

/* Writes the record of an event, with the details set in o->emit, which are forgotten then. */
static bool put_record(struct writer *o, const struct event *e, struct err *err)
{
	struct buf *out = o->holding ? &o->held : o->w->out;
	size_t start = out->n, size;
	bool notes = o->notes.n && !find_member(e, STR("ext"));

	o->emit.seq = o->seq++;
	if (notes)
		o->emit.notes = buf_str(&o->notes);
	o->emit.back = !o->own && o->ts.n && e->ts.text.p && e->ts.ns < o->ts_ns;
	count_time(o, e);
	otutl_emit(&o->emit, out, e);
	forget_details(&o->emit);
	size = out->n - start;
	buf_add_byte(out, '\n');
	if (notes)
		buf_clear(&o->notes);
	if (e->ts.text.p && e->ts.text.p != o->ts.p) {
		buf_clear(&o->ts);
		buf_add_str(&o->ts, e->ts.text);
		o->ts_ns = e->ts.ns;
	}
	if (!check_size(size, e, err))
		return false;
	if (!o->holding)
		return true;
	buf_add(&o->held_ids, &o->emit.run_id_at, sizeof(o->emit.run_id_at));
	return o->held.n < HOLD_MAX || otutl_write_let_go(o, err);
}

/* An event of our own making has the time of the one before. */
static struct moment last_time(const struct writer *o)
{
	return (struct moment){ .text = o->ts.n ? buf_str(&o->ts) : str_of(NULL, 0), .ns = o->ts_ns,
				.source = o->ts.n ? MOMENT_INHERITED : MOMENT_NONE };
}

/* ---- runs ---- */

/* Makes the id of a run from its vendor's. A name that occurs again in the output gets a number. */
static void set_run_id(struct writer *o, struct str vendor, struct str run, int64_t ns)
{
	struct id id = writing_run_id(vendor, run, ns);
	bool added;
	uint64_t *times = map_add(&o->run_ids, str_of(id.b, sizeof(id.b)), &added);

	for (uint64_t n = ++*times; !added; n++) { /* another run of this name: the same again would join two runs */
		struct id first = writing_run_id(vendor, run, ns);
		char digits[NUM_U64_MAX];
		struct str number = str_of(digits, num_format_u64(digits, n));

		id = writing_run_id(vendor, ARENA_JOIN(&o->run, run, STR("#"), number), ns);
		*map_add(&o->run_ids, str_of(id.b, sizeof(id.b)), &added) += 1;
		*map_find(&o->run_ids, str_of(first.b, sizeof(first.b))) = n;
	}
	id_format_uuid(o->emit.run_id, id);
}

static bool put_start(struct writer *o, const struct event *e, struct err *err)
{
	o->emit.source_format = o->w->source_format;
	o->emit.source_sha256 = o->w->source_sha256;
	return put_record(o, e, err);
}

/* The run's id is made of what was held back: its first records, which hold nothing of the file they came from. */
static bool otutl_write_let_go(struct writer *o, struct err *err)
{
	const size_t *ids = (const size_t *)(const void *)o->held_ids.p;
	uint64_t seq = o->seq;
	int64_t ts_ns = o->ts_ns;
	struct buf notes = o->notes, ts = o->ts; /* those of later records, not of the first */
	struct sha256 sha;
	char hex[SHA256_HEX];
	bool ok;

	if (!o->holding)
		return true;
	o->holding = false;
	sha256_init(&sha);
	digest_hex(hex, sha256_of(&sha, buf_str(&o->held)));
	sha256_free(&sha);
	set_run_id(o, o->vendor, str_of(hex, sizeof(hex)), o->start->ts.ns);
	for (size_t i = 0; i < o->held_ids.n / sizeof(*ids); i++)
		memcpy(o->held.p + ids[i], o->emit.run_id, ID_UUID_TEXT);
	o->seq = 0;
	o->notes = o->ts = (struct buf){ 0 };
	ok = put_start(o, o->start, err);
	buf_free(&o->ts);
	o->seq = seq;
	o->notes = notes;
	o->ts = ts;
	o->ts_ns = ts_ns;
	buf_add_str(o->w->out, buf_str(&o->held));
	buf_clear(&o->held);
	buf_clear(&o->held_ids);
	return ok;
}

/* The id and the first seq that an OTUTL log had. */
static bool take_own_id(struct writer *o, const struct event *e)
{
	const struct extra *id = find_member(e, STR("run_id")), *seq = find_member(e, STR("seq"));

	if (seq && str_eq(seq->json, STR("1")))
		o->seq = 1;
	if (!id || id->json.n != ID_UUID_TEXT + 2)
		return false;
	memcpy(o->emit.run_id, id->json.p + 1, ID_UUID_TEXT);
	return true;
}

/*
 * Begins a run: with the id that an OTUTL log had, one made of its vendor's, or, without any, held back until there is
 * one.
 */
static bool otutl_write_begin_run(struct writer *o, const struct event *e, struct err *err)
{
	arena_reset(&o->run);
	otutl_pairs_clear(&o->pairs);
	o->totals = (struct otutl_totals){ 0 };
	o->open = true;
	o->seq = 0;
	o->pending_count = 0;
	map_init(&o->branches, &o->run);
	buf_clear(&o->ts);
	buf_clear(&o->notes);
	o->vendor = e->vendor.p ? arena_copy(&o->run, e->vendor) : STR("unknown");
	o->own = take_own_id(o, e);
	if (o->own)
		return put_start(o, e, err);
	if (e->run.n) {
		set_run_id(o, o->vendor, e->run, e->ts.ns);
		return put_start(o, e, err);
	}
	o->holding = true;
	o->start = event_copy(&o->run, e);
	o->seq = 1;
	count_time(o, e);
	buf_add_str(&o->ts, e->ts.text);
	o->ts_ns = e->ts.ns;
	memset(o->emit.run_id, '0', sizeof(o->emit.run_id));
	return true;
}

/* ---- messages and notes ---- */

/* The messages that wait in a branch; NULL when there are none and none are to be made. */
static struct pending *pending_of(struct writer *o, struct str branch, bool make)
{
	struct pending *p;
	uint64_t *known;
	bool added;

	known = make ? map_add(&o->branches, branch.p ? branch : STR(""), &added)
		     : map_find(&o->branches, branch.p ? branch : STR(""));
	if (!known)
		return NULL;
	if (*known)
		return &o->pending[*known - 1];
	if (o->pending_count == o->pending_cap) {
		size_t cap = o->pending_cap ? 2 * o->pending_cap : 4;

		o->pending = mem_resize(o->pending, cap * sizeof(*o->pending));
		memset(o->pending + o->pending_cap, 0, (cap - o->pending_cap) * sizeof(*o->pending));
		o->pending_cap = cap;
	}
	p = &o->pending[o->pending_count++];
	*known = o->pending_count;
	buf_clear(&p->messages);
	return p;
}

/* Adds a message or note to a list of those that wait. */
static bool add_to(struct writer *o, struct buf *list, const struct event *e, struct err *err)
{
	if (list->n)
		buf_add_byte(list, ',');
	count_time(o, e);
	otutl_emit(&o->emit, list, e);
	return check_size(list->n, e, err);
}

/* Many notes and no record: one is made that says nothing but them. */
static bool put_carrier(struct writer *o, const struct event *note, struct err *err)
{
	struct event e = { .kind = EVENT_COST, .line = note->line, .ts = note->ts };

	if (!e.ts.text.p)
		e.ts = last_time(o);
	e.ts.source = MOMENT_INHERITED;
	o->emit.carrier = true;
	return put_record(o, &e, err);
}

/* Notes wait for the next record. More than NOTES_MAX bytes of them get a record of their own. */
static bool otutl_write_add_note(struct writer *o, const struct event *e, struct err *err)
{
	return add_to(o, &o->notes, e, err) && (o->notes.n < NOTES_MAX || put_carrier(o, e, err));
}

/* Its messages are those that waited in its branch. */
static bool otutl_write_put_step(struct writer *o, const struct event *e, struct err *err)
{
	struct pending *p = pending_of(o, e->branch, false);

	o->totals.model_steps++;
	if (p)
		o->emit.request = buf_str(&p->messages);
	if (!put_record(o, e, err))
		return false;
	if (p)
		buf_clear(&p->messages);
	return true;
}

/* ---- calls, results, errors ---- */

/* A name that makes no URI is a tool of the vendor all the same, every odd character encoded. */
static struct str encode_tool(struct arena *a, struct str name)
{
	static const char hex[] = "0123456789ABCDEF";
	char *text = arena_array(a, char, name.n * 3 + 16), *at = text;

	memcpy(at, "tool://unknown/", 15);
	at += 15;
	for (size_t i = 0; i < name.n; i++) {
		uint8_t c = (uint8_t)name.p[i];

		if (ascii_is_alnum((char)c)) {
			*at++ = (char)c;
			continue;
		}
		*at++ = '%';
		*at++ = hex[c >> 4];
		*at++ = hex[c & 15];
	}
	return str_of(text, (size_t)(at - text));
}

/* The URI of a tool, in the arena; always one that OTUTL takes. */
static struct str make_tool(struct arena *a, struct str vendor, const struct event *e)
{
	struct str uri = vendor.n ? words_tool_uri(a, vendor, e->server, e->tool) : arena_copy(a, e->tool);
	const char *why;
	bool secret;

	if (uri.p == e->tool.p) /* a name that is a URI stays, but not where it was */
		uri = arena_copy(a, uri);
	return otutl_check_tool(uri, &secret, &why) ? uri : encode_tool(a, e->tool);
}

/* A run calls the same few tools all the time. */
static struct str find_tool(struct writer *o, const struct event *e)
{
	struct str vendor = e->vendor.p ? e->vendor : o->vendor, *uri;
	uint64_t *known;
	bool added;

	buf_clear(&o->key);
	buf_add_str(&o->key, vendor);
	buf_add_byte(&o->key, '\0');
	buf_add_byte(&o->key, e->server.p ? '+' : '-');
	buf_add_str(&o->key, e->server);
	buf_add_byte(&o->key, '\0');
	buf_add_str(&o->key, e->tool);
	known = map_find(&o->tools, buf_str(&o->key));
	if (known)
		return *(const struct str *)(uintptr_t)*known;
	if (o->tools.count >= TOOLS_MAX)
		return make_tool(&o->scratch, vendor, e);
	uri = arena_new(&o->keep, struct str);
	*uri = make_tool(&o->keep, vendor, e);
	*map_add(&o->tools, buf_str(&o->key), &added) = (uintptr_t)uri;
	return *uri;
}

/* `json` under `name` in "trackway/1" of an event that is a copy of ours. */
static void add_ours(struct writer *o, struct event *e, struct str name, struct str json)
{
	struct extra *x = arena_new(&o->scratch, struct extra);
	struct buf text = { 0 };

	buf_add_byte(&text, '{');
	otutl_put_text(&text, name);
	buf_add_byte(&text, ':');
	buf_add_str(&text, json);
	buf_add_byte(&text, '}');
	*x = (struct extra){ .next = e->extras, .key = STR("trackway/1") };
	x->json = arena_take(&o->scratch, &text);
	e->extras = x;
}

/* A call whose id was there before: it can be told, and no more. */
static bool put_repeated_call(struct writer *o, const struct event *e, struct str uri, struct err *err)
{
	struct event note = *e;
	struct buf text = { 0 };
	bool ok;

	buf_add_str(&text, STR("{\"args\":"));
	buf_add_str(&text, e->args.n ? e->args : STR("{}"));
	buf_add_str(&text, STR(",\"tool\":"));
	otutl_put_text(&text, uri);
	buf_add_byte(&text, '}');
	note.kind = EVENT_NOTE;
	note.role = STR("repeated_call");
	note.content = buf_str(&text);
	ok = otutl_write_add_note(o, &note, err);
	buf_free(&text);
	return ok;
}

/*
 * Keeps the rules of calls: a missing id is made of the seq, an unknown parent goes to ext, a call whose id was used
 * before becomes a note.
 */
static bool otutl_write_put_call(struct writer *o, const struct event *e, struct err *err)
{
	struct event named = *e;
	char id[32] = "call_";
	struct str uri = find_tool(o, e);

	if (e->call.n == 0)
		named.call = str_of(id, 5 + num_format_u64(id + 5, o->seq));
	if (e->parent.p && otutl_pairs_find(&o->pairs, e->parent) == OTUTL_PAIR_NONE)
		o->emit.moved_parent = e->parent;
	if (!otutl_pairs_open(&o->pairs, named.call)) {
		forget_details(&o->emit);
		return put_repeated_call(o, e, uri, err);
	}
	o->emit.tool = uri;
	o->totals.tool_calls++;
	return put_record(o, &named, err);
}

/* An error with the id of an open call is its answer. The id of a call that has its answer goes to ext. */
static bool otutl_write_put_error(struct writer *o, const struct event *e, struct err *err)
{
	enum otutl_pair pair = e->call.n ? otutl_pairs_find(&o->pairs, e->call) : OTUTL_PAIR_NONE;

	if (pair == OTUTL_PAIR_OPEN)
		otutl_pairs_close(&o->pairs, e->call);
	else if (pair == OTUTL_PAIR_CLOSED || (e->call.p && e->call.n == 0))
		o->emit.moved_call = e->call;
	o->totals.errors++;
	return put_record(o, e, err);
}

/* A result that no call waits for is told as an error, with what it said in ext. */
static bool put_orphan(struct writer *o, const struct event *e, struct err *err)
{
	struct event error = {
		.kind = EVENT_ERROR,
		.flags = e->flags,
		.ts = e->ts,
		.branch = e->branch,
		.step = e->step,
		.call = e->call,
		.parent = e->parent,
		.class = STR("tool"),
		.code = STR("orphan_result"),
		.text = STR("a result that no call waits for"),
		.extras = e->extras,
		.bignums = e->bignums,
		.line = e->line,
	};

	if (e->content.n)
		add_ours(o, &error, STR("result"), e->content);
	return otutl_write_put_error(o, &error, err);
}

/* Chunks whose data is something else than the result are against the rules. */
static bool otutl_write_may_have_chunks(struct writer *o, const struct event *e)
{
	struct json_parser *p = json_parser_open((struct json_options){ 0 });
	bool fits = !str_starts(e->content, STR("\"")) ||
		    otutl_chunks_add_up(&o->scratch, writing_parse(p, e->chunks),
					writing_plain(&o->scratch, e->content));

	json_parser_close(p);
	return fits;
}

/* Chunks are written when asked for or read from OTUTL, and when they add up to the result. */
static bool otutl_write_put_result(struct writer *o, const struct event *e, struct err *err)
{
	bool keep = o->w->chunks || str_eq(o->w->source_format, STR("otutl"));

	if (otutl_pairs_find(&o->pairs, e->call) != OTUTL_PAIR_OPEN || e->call.n == 0)
		return put_orphan(o, e, err);
	otutl_pairs_close(&o->pairs, e->call);
	o->totals.tool_results++;
	o->emit.chunks = e->chunks.n && keep && otutl_write_may_have_chunks(o, e);
	if (e->chunks.n && !o->emit.chunks && keep) /* nobody asked for them otherwise, and notes have them */
		losses_add(o->w->losses, "chunks");
	return put_record(o, e, err);
}

static bool put_cost(struct writer *o, const struct event *e, struct err *err)
{
	usage_add(&o->totals.usage, &e->usage);
	money_add(&o->totals.money, e);
	return put_record(o, e, err);
}

/* ---- the end ---- */

/* Every call that is open gets an error in the place of its result. */
static bool close_calls(struct writer *o, const struct event *end, struct err *err)
{
	while (o->pairs.count) {
		struct event e = {
			.kind = EVENT_ERROR,
			.ts = last_time(o),
			.call = arena_copy(&o->scratch, otutl_pairs_get(&o->pairs, 0)),
			.class = STR("tool"),
			.code = STR("no_result"),
			.text = STR("the call has no result"),
			.line = end->line,
		};

		if (!otutl_write_put_error(o, &e, err))
			return false;
	}
	return true;
}

static int by_age(const void *a, const void *b)
{
	const struct pending *x = a, *y = b;

	return (x->since > y->since) - (x->since < y->since);
}

/* Messages that no step followed, of all branches. */
static void join_messages(struct writer *o)
{
	buf_clear(&o->request);
	if (o->pending_count > 1)
		qsort(o->pending, o->pending_count, sizeof(*o->pending), by_age);
	for (size_t i = 0; i < o->pending_count; i++) {
		if (o->request.n && o->pending[i].messages.n)
			buf_add_byte(&o->request, ',');
		buf_add_str(&o->request, buf_str(&o->pending[i].messages));
		buf_clear(&o->pending[i].messages);
	}
}

/* Closes what is open and writes run_end with its sums. A run that was held back until now gets its id here. */
static bool otutl_write_end_run(struct writer *o, const struct event *e, struct err *err)
{
	struct event last = *e;

	if (!last.ts.text.p)
		last.ts = last_time(o);
	if (!close_calls(o, e, err))
		return false;
	join_messages(o);
	o->emit.request = buf_str(&o->request);
	count_time(o, &last);
	o->emit.totals = &o->totals;
	if (!put_record(o, &last, err) || !otutl_write_let_go(o, err))
		return false;
	o->emit.totals = NULL;
	o->open = false;
	return true;
}

/* Ends a run that nobody ended. */
static bool break_off(struct writer *o, struct err *err)
{
	struct event e = { .kind = EVENT_RUN_END, .ts = last_time(o), .status = STATUS_INTERRUPTED };

	return otutl_write_end_run(o, &e, err);
}

static bool otutl_write_add_message(struct writer *o, const struct event *e, struct err *err)
{
	struct pending *p = pending_of(o, e->branch, true);

	o->message_count++;
	if (p->messages.n == 0)
		p->since = o->message_count;
	return add_to(o, &p->messages, e, err);
}

static bool (*const ways[EVENT_KINDS])(struct writer *, const struct event *, struct err *) = {
	[EVENT_RUN_START] = otutl_write_begin_run, [EVENT_MESSAGE] = otutl_write_add_message,
	[EVENT_STEP] = otutl_write_put_step,       [EVENT_CALL] = otutl_write_put_call,
	[EVENT_RESULT] = otutl_write_put_result,   [EVENT_COST] = put_cost,
	[EVENT_ERROR] = otutl_write_put_error,     [EVENT_NOTE] = otutl_write_add_note,
	[EVENT_RUN_END] = otutl_write_end_run,
};

/*
 * Events outside of a run get a run_start; a run that was never ended gets a run_end. So the log is whole whatever
 * comes.
 */
static bool otutl_write_event(void *writer, const struct event *e, struct err *err)
{
	struct writer *o = writer;

	if (o->scratch.used)
		arena_reset(&o->scratch);
	if (e->kind == EVENT_RUN_START && o->open && !break_off(o, err))
		return false;
	if (e->kind != EVENT_RUN_START && !o->open) {
		struct event start = { .kind = EVENT_RUN_START, .ts = e->ts, .line = e->line };

		if (start.ts.text.p)
			start.ts.source = MOMENT_INHERITED;
		if (!otutl_write_begin_run(o, &start, err))
			return false;
	}
	return ways[e->kind](o, e, err);
}

/* A log that breaks off stays one, unless something still waits for a record. */
static bool otutl_write_end(void *writer, struct err *err)
{
	struct writer *o = writer;
	bool waits = o->notes.n > 0;

	if (!o->open)
		return true;
	for (size_t i = 0; i < o->pending_count; i++)
		waits = waits || o->pending[i].messages.n;
	o->open = false;
	return waits ? break_off(o, err) : otutl_write_let_go(o, err);
}

const struct write_ops otutl_write_ops = {
	.cannot = "nothing: what has no field of its own is kept in ext; pieces of results only when asked for",
	.open = otutl_write_writer_open,
	.close = otutl_write_writer_close,
	.event = otutl_write_event,
	.end = otutl_write_end,
};
