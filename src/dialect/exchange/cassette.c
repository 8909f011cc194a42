/*
 * cassette/v1: exchanges with their content, as the recorder keeps them for replay. A header, then a line for each
 * exchange with a model, its bodies in it; they are read as those of any other log of exchanges (exchange.h), each by
 * its own API. Lines of other lanes (tools) are notes.
 *
 * Streams of different APIs must be followed in different ways. Each exchange begins with a note that says which it is;
 * it is taken off by the fold, which is why lines can still be read one by one.
 *
 * The last line says how the run ended. Where the header promises one and it is not there, the recording broke off.
 *
 * A line is a step of its own, even when a cache gave the same answer with the same id before: the steps of a line
 * whose id was there before are "id~N", of the N-th exchange of the run.
 */
#include "base/crypto/base64.h"
#include "base/map.h"
#include "dialect/exchange/cassette_check.h"
#include "dialect/exchange/cassette_check_rules.h"
#include "dialect/exchange/cassette_types.h"
#include "dialect/exchange/http.h"
#include "dialect/exchange/order.h"
#include "dialect/formats.h"
#include "dialect/record/field.h"
#include "json/repair.h"
#include "model/assemble.h"
#include "model/words.h"

#define TAG "cassette/exchange" /* role of the note; its content is the name of the API */
#define US_MAX INT64_C(9000000000000000) /* that nanoseconds can hold */

static bool is_head(struct val v)
{
	return val_text_is(val_get(v, STR("v")), STR(CASSETTE_V1));
}

static bool is_exchange(struct val v)
{
	return val_is(val_get(v, STR("x")), JSON_NUMBER) && val_is(val_get(v, STR("lane")), JSON_STRING) &&
	       val_is(val_get(v, STR("req")), JSON_OBJECT);
}

/* The header says so itself; a line in the middle of one is known by three members. */
static int cassette_fits(struct val v)
{
	return is_head(v) ? 100 : is_exchange(v) ? 95 : 0;
}

/* ---- bodies ---- */

struct body {
	struct val inline_, enc; /* as they stand in the line */
	struct val value;        /* what is read: itself, or a text that was unpacked */
	bool unpacked;
};

/* Bytes that are no text are made one, and that a value. */
static void unpack(struct reading *r, struct body *b)
{
	struct buf bytes = { 0 };
	char *fixed;
	size_t n;

	if (base64_parse(&bytes, val_text(b->inline_, r->arena)) && bytes.n) {
		fixed = arena_array(r->arena, char, bytes.n * 3);
		n = repair_utf8(fixed, buf_str(&bytes));
		b->value = reading_parse(r, reading_quote(r, str_of(fixed, n)));
		b->unpacked = !val_is_none(b->value);
	}
	buf_free(&bytes);
}

/*
 * A body stands in the line as a value, as a text, or packed in base64 when it is no text. What was unpacked must be
 * closed.
 */
static struct body cassette_open_body(struct reading *r, struct val half)
{
	struct val body = val_get(half, STR("body")), enc = val_get(body, STR("enc"));
	struct body b = { .inline_ = val_get(body, STR("inline")), .enc = enc, .value = VAL_NONE };
	bool packed = val_text_is(enc, STR("base64"));

	/* said by the bytes themselves */
	reading_drop(r, val_get(body, STR("sha256")));
	reading_drop(r, val_get(body, STR("size")));
	if (packed && val_is(b.inline_, JSON_STRING))
		unpack(r, &b);
	else
		b.value = b.inline_;
	if (!packed)
		reading_drop(r, enc);
	/* an empty text is no body */
	if (val_is(b.inline_, JSON_STRING) && val_raw(b.inline_).n == 0) {
		reading_take(r, b.inline_);
		b.value = VAL_NONE;
	}
	return b;
}

/* What was unpacked and made no event stays as it stands in the line. */
static void close_body(struct reading *r, struct body *b)
{
	bool read;

	if (!b->unpacked)
		return;
	read = reading_is_marked(r, b->value);
	reading_release(r, b->value);
	if (!read)
		return;
	reading_take(r, b->inline_);
	reading_drop(r, b->enc);
}

/* ---- one exchange ---- */

static struct moment moment_at(struct reading *r, struct val us, int64_t more_us)
{
	struct moment none = { .source = MOMENT_NONE };
	int64_t at;

	if (!val_i64(us, &at) || at < 0 || at > US_MAX || more_us < 0 || more_us > US_MAX - at)
		return none;
	return reading_moment(r, (at + more_us) * 1000, MOMENT_VENDOR);
}

/* When the exchange began and ended, from microseconds since 1970. */
static void cassette_read_times(struct reading *r, struct exchange_http *http, struct val v)
{
	struct val begun = val_get(v, STR("t_us")), lasted = val_get(v, STR("dur_us"));
	int64_t us;

	http->begun = moment_at(r, begun, 0);
	http->ended = http->begun;
	if (val_i64(lasted, &us) && us >= 0 && us <= US_MAX) {
		http->ended = moment_at(r, begun, us);
		http->latency_ms = AMOUNT((double)us / 1e3);
		reading_take(r, lasted);
	}
	if (http->begun.text.p)
		reading_take(r, begun);
}

static void read_where(struct reading *r, struct exchange_http *http, struct val v, struct val req, struct exchange *x)
{
	struct val target = val_get(req, STR("target"));
	struct str text = reading_text_of(r, target);

	if (text.p) {
		x->path = exchange_http_path(text);
		http->query = exchange_http_clean_query(r->arena, text);
	}
	text = reading_text(r, v, STR("endpoint"));
	http->endpoint = text.n ? exchange_http_clean_url(r->arena, text) : str_of(NULL, 0);
}

/* How it ended, when that is not at its end. */
static void cassette_read_end(struct reading *r, struct val resp, size_t from)
{
	static const struct {
		struct str word;
		const char *text;
		bool retryable;
	} ends[] = {
		{ WORD("cut"), "the answer broke off", true },
		{ WORD("refused"), "the service could not be reached", true },
		{ WORD("client_left"), "the client left before the answer was complete", false },
	};
	struct val end = val_get(resp, STR("end"));
	struct event *e;

	if (val_text_is(end, STR("eof")))
		reading_take(r, end);
	for (size_t i = 0; i < COUNT(ends); i++) {
		if (!val_text_is(end, ends[i].word))
			continue;
		for (size_t j = r->count; j > from; j--)
			if (r->events[j - 1].kind == EVENT_STEP)
				r->events[j - 1].flags |= EVENT_PARTIAL;
		e = reading_add(r, EVENT_ERROR);
		e->class = STR("transport");
		e->code = reading_text_of(r, end);
		e->text = str_from(ends[i].text);
		e->retryable = ends[i].retryable ? TRUTH_TRUE : TRUTH_FALSE;
		e->ts = e > r->events ? r->events[r->count - 2].ts : e->ts;
	}
}

static void name_provider(struct reading *r, struct val provider, size_t from)
{
	struct str name = reading_text_of(r, provider);

	for (size_t i = from; i < r->count; i++)
		if (name.n && r->events[i].kind == EVENT_STEP && !(r->events[i].flags & EVENT_HISTORY))
			r->events[i].provider = name;
}

/* A line of an exchange with a model. The note before its events tells the fold which API follows. */
static void read_exchange(struct reading *r, struct val v)
{
	struct val req = val_get(v, STR("req")), resp = val_get(v, STR("resp"));
	struct exchange x = { .v = v, .request = req, .response = resp, .chunks = val_get(resp, STR("chunks")) };
	size_t at = r->count, main;
	struct exchange_http http;
	struct body ask, answer;

	reading_add(r, EVENT_NOTE)->role = STR(TAG);
	exchange_http_read(r, &http, VAL_NONE, req, resp);
	cassette_read_times(r, &http, v);
	read_where(r, &http, v, req, &x);
	ask = cassette_open_body(r, req);
	answer = cassette_open_body(r, resp);
	x.request_body = ask.value;
	x.response_body = answer.value;
	main = exchange_read_parts(r, &x, &http);
	close_body(r, &answer);
	close_body(r, &ask);
	r->events[at].content = x.api ? str_from(x.api->name) : STR("");
	name_provider(r, val_get(v, STR("provider")), at);
	cassette_read_end(r, resp, at + 1);
	reading_drop(r, x.chunks); /* for replay only */
	reading_drop(r, val_get(v, STR("base")));
	reading_take(r, val_get(v, STR("lane")));
	reading_rest_under(r, &r->events[main], v, STR("exchange"));
}

/* Where the run goes on from stands where every log of ours has it. */
static void read_lineage(struct reading *r, struct event *e, struct val v)
{
	struct str from = reading_json(r, e, "ext", v, STR("forked_from"));

	if (from.p)
		event_add_extra(e, r->arena, STR("trackway/1"),
				ARENA_JOIN(r->arena, STR("{\"forked_from\":"), from, STR("}")));
}

/* The first line: the run, and whether an end line is promised. */
static void read_head(struct reading *r, struct val v)
{
	struct event *e = reading_add(r, EVENT_RUN_START);

	e->run = text_or_none(reading_text(r, v, STR("run_id")));
	e->ts = reading_time(r, v, STR("started"));
	if (val_is(val_get(v, STR("end_line")), JSON_TRUE))
		e->flags |= EVENT_PARTIAL; /* for the fold: it is not whole without one */
	reading_drop(r, val_get(v, STR("end_line")));
	reading_take(r, val_get(v, STR("v")));
	read_lineage(r, e, v);
	reading_rest(r, e, v);
}

static bool is_end(struct val v)
{
	return val_is(val_get(v, STR("exit_status")), JSON_STRING) && !val_has(v, STR("x"));
}

/* The last line: how the run ended. */
static void read_run_end(struct reading *r, struct val v)
{
	struct event *e = reading_add(r, EVENT_RUN_END);
	struct str word = val_text(val_get(v, STR("exit_status")), r->arena);

	e->ts = reading_time(r, v, STR("ended"));
	e->status = words_fold_status(word);
	if (e->status == STATUS_UNKNOWN)
		e->status = STATUS_ERROR; /* an empty word */
	if (words_find_status(word) != STATUS_UNKNOWN)
		reading_take(r, val_get(v, STR("exit_status")));
	e->reason = reading_text(r, v, STR("error_message"));
	reading_drop(r, val_get(v, STR("exit_code"))); /* both for replay only */
	reading_drop(r, val_get(v, STR("stdout")));
	reading_rest(r, e, v);
}

/* The header, the end, an exchange with a model; everything else is kept whole in a NOTE by the name of its lane. */
static void cassette_read_value(struct reading *r, struct val v)
{
	struct event *e;

	if (is_head(v)) {
		read_head(r, v);
	} else if (is_end(v)) {
		read_run_end(r, v);
	} else if (is_exchange(v) && val_text_is(val_get(v, STR("lane")), STR("model"))) {
		read_exchange(r, v);
	} else {
		e = reading_add(r, EVENT_NOTE);
		e->role = reading_text(r, v, STR("lane"));
		e->role = e->role.n ? e->role : STR("unknown");
		e->ts = moment_at(r, val_get(v, STR("t_us")), 0);
		e->content = reading_json_of(r, e, "content", v);
	}
}

/* ---- in order ---- */

struct fold {
	const struct exchange_api *api; /* of the exchange at hand; NULL for none */
	const struct exchange_order *order; /* that `own` is of: it is kept for the next exchange of the same API */
	void *own;
	struct arena run;
	struct map names; /* of steps: the number of the exchange that had it first */
	uint64_t number;  /* of the exchange at hand */
	bool begun;       /* it has a step */
	bool wants_end;   /* the run has not ended, and is going to */
	struct buf name;
	void *exchange;
};

/* Names of steps are the run's own: another run may have the same ids. */
static void cassette_forget_run(struct fold *f)
{
	arena_reset(&f->run);
	map_init(&f->names, &f->run);
	f->number = 0;
	f->begun = false;
}

static void *cassette_fold_open(void)
{
	struct fold *f = mem_alloc(sizeof(*f));

	*f = (struct fold){ .exchange = exchange_fold_open_streams() };
	arena_init(&f->run);
	cassette_forget_run(f);
	return f;
}

/* NULL is allowed. */
static void cassette_fold_close(void *fold)
{
	struct fold *f = fold;

	if (!f)
		return;
	exchange_fold_close(f->exchange);
	if (f->order)
		f->order->close(f->own);
	arena_free(&f->run);
	buf_free(&f->name);
	mem_free(f);
}

static bool cassette_is_ordered(const struct fold *f)
{
	return f->api && f->api->order;
}

/* What was streamed is over. */
static bool cassette_end_exchange(struct fold *f, struct assemble *as, struct err *err)
{
	struct exchange_target to = { f->exchange, as };

	if (cassette_is_ordered(f) && !f->order->end(f->own, exchange_target_sink(&to), err))
		return false;
	f->api = NULL;
	return true;
}

/* NULL for a name that nobody has: the line is folded as one without an order then. */
static const struct exchange_api *cassette_find_api(struct str name)
{
	for (const struct exchange_api *const *api = exchange_apis; *api; api++)
		if (str_eq(str_from((*api)->name), name))
			return *api;
	return NULL;
}

/* Another exchange begins: its API says in which order its events come. */
static bool begin_exchange(struct fold *f, struct str api, struct assemble *as, struct err *err)
{
	if (!cassette_end_exchange(f, as, err))
		return false;
	f->number++;
	f->begun = false;
	f->api = cassette_find_api(api);
	if (cassette_is_ordered(f) && f->api->order != f->order) {
		if (f->order)
			f->order->close(f->own);
		f->order = f->api->order;
		f->own = f->order->open();
	}
	return exchange_fold_next(f->exchange, !cassette_is_ordered(f), as, err);
}

/*
 * The name that a step of this exchange has in the run; it lasts until the next call. Choices of an answer, "id#1",
 * are named by its id.
 */
static struct str name_step(struct fold *f, struct str id)
{
	struct str choice, base = str_cut(id, '#', &choice);
	uint64_t *first;
	bool added;

	if (base.n == 0)
		base = id;
	buf_clear(&f->name);
	buf_add_str(&f->name, base);
	while (first = map_add(&f->names, buf_str(&f->name), &added), !added && *first != f->number)
		buf_printf(&f->name, "~%llu", (unsigned long long)f->number);
	*first = f->number;
	buf_add_str(&f->name, str_of(id.p + base.n, id.n - base.n));
	return buf_str(&f->name);
}

/* A stream whose beginning is not there has a step all the same: its pieces must not go to the one of another line. */
static bool cassette_begin_step(struct fold *f, struct event *e, struct assemble *as, struct err *err)
{
	struct event step = { .kind = EVENT_STEP, .index = -1, .ts = e->ts, .line = e->line };

	if (f->begun || e->step.p)
		return true;
	e->flags &= ~(unsigned)(e->kind == EVENT_STEP ? EVENT_PIECE : 0);
	return e->kind != EVENT_CALL || exchange_fold(f->exchange, &step, as, err);
}

/* An event of an API that has an order of its own. */
static bool cassette_fold_ordered(struct fold *f, struct event *e, struct assemble *as, struct err *err)
{
	bool own = !(e->flags & EVENT_HISTORY) && (e->kind == EVENT_STEP || e->kind == EVENT_CALL);
	struct exchange_target to = { f->exchange, as };

	if (own && f->order->joins_latest && !cassette_begin_step(f, e, as, err))
		return false;
	f->begun = f->begun || own;
	return f->order->add(f->own, e, exchange_target_sink(&to), err);
}

/* The recorder itself was stopped: it would have said how the run ended. */
static bool end_cut(struct fold *f, struct assemble *as, struct err *err)
{
	struct event cut = {
		.kind = EVENT_RUN_END, .flags = EVENT_INFERRED, .status = STATUS_INTERRUPTED, .index = -1,
	};
	bool is_cut = f->wants_end;

	f->wants_end = false;
	return !is_cut || assemble_add(as, &cut, err);
}

/*
 * The note that begins an exchange stops here. Steps get the names that they have in the run before any order sees
 * them.
 */
static bool cassette_fold_event(void *fold, const struct event *given, struct assemble *as, struct err *err)
{
	struct fold *f = fold;
	struct event e = *given;

	if (e.kind == EVENT_NOTE && str_eq(e.role, STR(TAG)))
		return begin_exchange(f, e.content, as, err);
	if (e.kind == EVENT_RUN_START && (e.flags & EVENT_PARTIAL)) {
		if (!end_cut(f, as, err))
			return false;
		f->wants_end = true;
		e.flags &= ~(unsigned)EVENT_PARTIAL;
	}
	if (e.kind == EVENT_RUN_END) {
		f->wants_end = false;
		return assemble_add(as, &e, err);
	}
	if (e.kind == EVENT_RUN_START && e.run.p)
		cassette_forget_run(f);
	if (e.step.n && !(e.flags & EVENT_HISTORY))
		e.step = name_step(f, e.step);
	return cassette_is_ordered(f) ? cassette_fold_ordered(f, &e, as, err) : exchange_fold(f->exchange, &e, as, err);
}

/*
 * What is open is over, and a recording without its promised end is interrupted. False when the assembler refused an
 * event.
 */
static bool cassette_fold_end(void *fold, struct assemble *as, struct err *err)
{
	struct fold *f = fold;
	bool good = cassette_end_exchange(f, as, err) && exchange_fold_next(f->exchange, true, as, err) &&
		    exchange_fold_end(f->exchange, as, err) && end_cut(f, as, err);

	cassette_forget_run(f);
	return good;
}

static const struct read_ops read_cassette = {
	.vendor = "agent",
	.key = "cassette/1",
	.assemble = ASSEMBLE_STEP_COSTS | ASSEMBLE_EXT_MERGE,
	.value = cassette_read_value,
	.fold_open = cassette_fold_open,
	.fold_close = cassette_fold_close,
	.fold = cassette_fold_event,
	.fold_end = cassette_fold_end,
};

const struct dialect cassette_dialect = {
	.name = "cassette",
	.title = "cassette/v1, recorded exchanges with their content",
	.file = "cassette.jsonl",
	.unit = "line",
	.forms = DIALECT_LINES,
	.rules = cassette_check_rules,
	.fits = cassette_fits,
	.mark = "\"" CASSETTE_V1 "\"",
	.read = &read_cassette,
	DIALECT_RECORDS(cassette_format, cassette_roots),
};
