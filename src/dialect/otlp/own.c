/* One row for each attribute of ours: put_row writes it, read_row reads it. */
#include "dialect/otlp/own.h"

#include "dialect/otlp/give.h"
#include "dialect/otlp/put.h"
#include "dialect/otutl/convert.h"
#include "dialect/record/field.h"
#include "json/text.h"
#include "model/words.h"

enum how {
	TEXT,
	READ_TEXT, /* written elsewhere, where it is due */
	PAYLOAD, /* JSON, in a text */
	WHOLE,
	WITH_SIGN,
	FRACTION,
	TRUE_OR_FALSE,
	FLAG,
	STATUS,
	TIME_SOURCE,
	REMARKS, /* what ext has under trackway/1 */
	BIGINTS,
	ESTIMATED, /* names of figures */
};

struct row {
	struct str key;
	uint8_t kind, how; /* enum event_kind, enum how */
	uint16_t flag;
	uint32_t offset; /* in struct event */
};

#define AT(kind_, key_, how_, member_) \
	{ .key = WORD("trackway." key_), .kind = (kind_), .how = (how_), .offset = offsetof(struct event, member_) }
#define BY(kind_, key_, how_) { .key = WORD("trackway." key_), .kind = (kind_), .how = (how_) }
#define FLAGGED(kind_, key_, flag_) { .key = WORD("trackway." key_), .kind = (kind_), .how = FLAG, .flag = (flag_) }

/* What every kind has, and where an event that is no span belongs. */
#define COMMON(kind_, front_)                                                                                   \
	FLAGGED(kind_, front_ "inferred", EVENT_INFERRED), BY(kind_, front_ "time_source", TIME_SOURCE),        \
		BY(kind_, front_ "remarks", REMARKS)
#define PLACE(kind_, front_)                                                                                \
	AT(kind_, front_ "branch", TEXT, branch), AT(kind_, front_ "step", TEXT, step),                         \
		AT(kind_, front_ "call", TEXT, call), AT(kind_, front_ "parent", TEXT, parent)

/* ESTIMATED comes after the figures it speaks of. */
static const struct row rows[] = {
	AT(EVENT_RUN_START, "vendor", TEXT, vendor),
	AT(EVENT_RUN_START, "framework", TEXT, framework),
	AT(EVENT_RUN_START, "parent_run", TEXT, parent_run),
	AT(EVENT_RUN_START, "provider", TEXT, provider),
	AT(EVENT_RUN_START, "model", TEXT, model),
	COMMON(EVENT_RUN_START, "start."),

	AT(EVENT_STEP, "branch", TEXT, branch),
	AT(EVENT_STEP, "step", TEXT, step),
	AT(EVENT_STEP, "parent", READ_TEXT, parent),
	AT(EVENT_STEP, "request_id", TEXT, request_id),
	AT(EVENT_STEP, "tool_choice", TEXT, tool_choice),
	AT(EVENT_STEP, "latency_ms", FRACTION, latency_ms),
	AT(EVENT_STEP, "ttft_ms", FRACTION, ttft_ms),
	AT(EVENT_STEP, "cache_write_1h_tokens", WHOLE, usage.cache_write_1h),
	FLAGGED(EVENT_STEP, "partial", EVENT_PARTIAL),
	COMMON(EVENT_STEP, ""),
	BY(EVENT_STEP, "estimated", ESTIMATED),

	AT(EVENT_CALL, "branch", TEXT, branch),
	AT(EVENT_CALL, "step", TEXT, step),
	AT(EVENT_CALL, "parent", READ_TEXT, parent),
	AT(EVENT_CALL, "tool", TEXT, tool),
	FLAGGED(EVENT_CALL, "args.raw", EVENT_RAW_ARGS),
	COMMON(EVENT_CALL, ""),
	BY(EVENT_CALL, "bigint", BIGINTS),

	AT(EVENT_RESULT, "result.is_error", TRUE_OR_FALSE, is_error),
	AT(EVENT_RESULT, "result.duration_ms", FRACTION, duration_ms),
	AT(EVENT_RESULT, "result.stall_ms", FRACTION, stall_ms),
	AT(EVENT_RESULT, "result.exit_code", WITH_SIGN, exit_code),
	AT(EVENT_RESULT, "result.media", PAYLOAD, media),
	COMMON(EVENT_RESULT, "result."),
	BY(EVENT_RESULT, "result.bigint", BIGINTS),
	BY(EVENT_RESULT, "result.estimated", ESTIMATED),

	AT(EVENT_ERROR, "error.class", TEXT, class),
	AT(EVENT_ERROR, "error.code", TEXT, code),
	AT(EVENT_ERROR, "error.retryable", TRUE_OR_FALSE, retryable),
	PLACE(EVENT_ERROR, "error."),
	COMMON(EVENT_ERROR, "error."),

	AT(EVENT_COST, "cost.scope", TEXT, scope),
	PLACE(EVENT_COST, "cost."),
	AT(EVENT_COST, "cost.model", TEXT, model),
	AT(EVENT_COST, "cost.provider", TEXT, provider),
	AT(EVENT_COST, "cost.input_tokens", WHOLE, usage.input),
	AT(EVENT_COST, "cost.output_tokens", WHOLE, usage.output),
	AT(EVENT_COST, "cost.cache_read_tokens", WHOLE, usage.cache_read),
	AT(EVENT_COST, "cost.cache_write_tokens", WHOLE, usage.cache_write),
	AT(EVENT_COST, "cost.cache_write_1h_tokens", WHOLE, usage.cache_write_1h),
	AT(EVENT_COST, "cost.reasoning_tokens", WHOLE, usage.reasoning),
	AT(EVENT_COST, "cost.usd", FRACTION, usd),
	AT(EVENT_COST, "cost.price_table", TEXT, price_table),
	AT(EVENT_COST, "cost.service_tier", TEXT, tier),
	FLAGGED(EVENT_COST, "cost.inferred", EVENT_INFERRED),
	FLAGGED(EVENT_COST, "cost.total_only", EVENT_TOTAL),
	AT(EVENT_COST, "cost.api_duration_ms", FRACTION, latency_ms),
	BY(EVENT_COST, "cost.time_source", TIME_SOURCE),
	BY(EVENT_COST, "cost.remarks", REMARKS),
	BY(EVENT_COST, "cost.estimated", ESTIMATED),

	BY(EVENT_RUN_END, "status", STATUS),
	AT(EVENT_RUN_END, "reason", TEXT, reason),
	AT(EVENT_RUN_END, "output", PAYLOAD, output),
	COMMON(EVENT_RUN_END, "end."),
};

/* ---- what was estimated ---- */

/* Figures and amounts begin alike: with their state and their source. */
struct estimate {
	struct str name;
	uint8_t *state, *source;
};

#define OURS STR("trackway/1") /* in ext: what the assembler remarks */

#define ESTIMATES (OTUTL_USAGE_FIGURES + OTUTL_AMOUNTS + 1)

/* All figures and amounts of an event that may be estimates, by name. They point into the event. */
static void list_estimates(struct event *e, struct estimate out[ESTIMATES])
{
	size_t n = 0;

	for (size_t i = 0; i < OTUTL_USAGE_FIGURES; i++) {
		struct figure *f = (void *)((char *)&e->usage + otutl_figures[i].offset);

		out[n++] = (struct estimate){ otutl_figures[i].name, &f->state, &f->source };
	}
	for (size_t i = 0; i < OTUTL_AMOUNTS; i++) {
		struct amount *a = (void *)((char *)e + otutl_amounts[i].offset);

		out[n++] = (struct estimate){ otutl_amounts[i].name, &a->state, &a->source };
	}
	out[n] = (struct estimate){ STR("usd"), &e->usd.state, &e->usd.source };
}

/* ---- lists of texts ---- */

/*
 * An element of a list of texts; the first one also writes the attribute's name. So an empty list is not written at
 * all.
 */
static void put_element(struct buf *out, struct str key, struct str text, bool *begun)
{
	if (!*begun) {
		otlp_put_key(out, key);
		buf_add_str(out, STR("\"arrayValue\":{\"values\":["));
	}
	buf_add_str(out, *begun ? STR(",{\"stringValue\":") : STR("{\"stringValue\":"));
	text_quote(out, text);
	buf_add_byte(out, '}');
	*begun = true;
}

static void end_elements(struct buf *out, bool begun)
{
	if (begun)
		buf_add_str(out, STR("]}}}"));
}

static void put_bigints(struct buf *out, struct str key, const struct event *e)
{
	bool begun = false;

	for (const struct bignum *b = e->bignums; b; b = b->next)
		put_element(out, key, b->pointer, &begun);
	end_elements(out, begun);
}

/* Adds behind those that the event has already. What is no text is passed over. */
static void read_bigints(struct reading *r, struct event *e, struct val v)
{
	struct val_iter it = val_begin(v);
	struct bignum **last = &e->bignums;
	struct val pointer;

	while (*last)
		last = &(*last)->next;
	while (val_next(&it, &pointer)) {
		pointer = otlp_attr_unwrap(pointer);
		if (!val_is(pointer, JSON_STRING))
			continue;
		*last = arena_new(r->arena, struct bignum);
		**last = (struct bignum){ .pointer = reading_text_of(r, pointer) };
		last = &(*last)->next;
	}
}

/* The copy is only there because list_estimates gives pointers to change things by. */
static void put_estimates(struct buf *out, struct str key, const struct event *e)
{
	struct event copy = *e;
	struct estimate list[ESTIMATES];
	bool begun = false;

	list_estimates(&copy, list);
	for (size_t i = 0; i < ESTIMATES; i++) {
		if (*list[i].state != FIGURE_KNOWN || *list[i].source != FIGURE_ESTIMATED)
			continue;
		put_element(out, key, list[i].name, &begun);
	}
	end_elements(out, begun);
}

/* Figures of these names are estimates. Unknown names say nothing; v may be VAL_NONE. */
static void read_estimates(struct event *e, struct val v)
{
	struct estimate list[ESTIMATES];
	struct val_iter it = val_begin(v);
	struct val name;

	list_estimates(e, list);
	while (val_next(&it, &name)) {
		name = otlp_attr_unwrap(name);
		for (size_t i = 0; i < ESTIMATES; i++)
			if (val_text_is(name, list[i].name))
				*list[i].source = FIGURE_ESTIMATED;
	}
}

/* ---- writing ---- */

/* Adds the attribute of one row; nothing when the event does not have it. */
static void put_row(struct buf *out, const struct row *row, const struct event *e)
{
	const void *at = (const char *)e + row->offset;
	const char *word = otutl_moment_sources[e->ts.source];

	switch (row->how) {
	case READ_TEXT:
		break;
	case TEXT:
	case PAYLOAD:
		otlp_put_text(out, row->key, *(const struct str *)at);
		break;
	case WHOLE:
		otlp_put_count(out, row->key, *(const struct figure *)at);
		break;
	case WITH_SIGN:
		otlp_put_signed(out, row->key, *(const struct figure *)at);
		break;
	case FRACTION:
		otlp_put_number(out, row->key, *(const struct amount *)at);
		break;
	case TRUE_OR_FALSE:
		otlp_put_truth(out, row->key, *(const uint8_t *)at);
		break;
	case FLAG:
		otlp_put_truth(out, row->key, e->flags & row->flag ? TRUTH_TRUE : TRUTH_ABSENT);
		break;
	case STATUS:
		if (e->status != STATUS_UNKNOWN)
			otlp_put_text(out, row->key, words_status(e->status));
		break;
	case TIME_SOURCE:
		if (word && e->ts.ns > 0)
			otlp_put_text(out, row->key, str_from(word));
		break;
	case REMARKS:
		otlp_put_text(out, row->key, event_find_extra(e, OURS));
		break;
	case BIGINTS:
		put_bigints(out, row->key, e);
		break;
	default:
		put_estimates(out, row->key, e);
	}
}

void otlp_own_put(struct buf *out, const struct event *e)
{
	for (size_t i = 0; i < COUNT(rows); i++)
		if (rows[i].kind == e->kind)
			put_row(out, &rows[i], e);
}

/* ---- reading ---- */

/* Absent for what is no integer of less than 2^53, or has a sign where none may be. */
static struct figure read_figure(struct val v, bool with_sign)
{
	int64_t n, limit = (int64_t)1 << 53;

	if (otlp_attr_is_null(v))
		return (struct figure){ .state = FIGURE_NULL };
	if (!otlp_attr_integer(v, &n) || n >= limit || n <= -limit || (n < 0 && !with_sign))
		return (struct figure){ .state = FIGURE_ABSENT };
	return FIGURE((uint64_t)n);
}

static struct amount otlp_own_read_amount(struct val v)
{
	double n;

	if (otlp_attr_is_null(v))
		return (struct amount){ .state = FIGURE_NULL };
	return val_double(v, &n) ? AMOUNT(n) : (struct amount){ .state = FIGURE_ABSENT };
}

static enum truth otlp_own_read_truth(struct val v)
{
	if (otlp_attr_is_null(v))
		return TRUTH_NULL;
	return val_is(v, JSON_TRUE) ? TRUTH_TRUE : val_is(v, JSON_FALSE) ? TRUTH_FALSE : TRUTH_ABSENT;
}

/* JSON in a text; what is none is left out. */
static struct str read_payload(struct reading *r, struct event *e, struct val v)
{
	struct val parsed = val_is(v, JSON_STRING) ? reading_parse(r, reading_text_of(r, v)) : VAL_NONE;
	struct str json = { NULL, 0 };

	if (!val_is_none(parsed)) {
		json = reading_json_of(r, e, "output", parsed);
		reading_release(r, parsed);
	}
	return json;
}

static void read_remarks(struct reading *r, struct event *e, struct val v)
{
	struct str json = read_payload(r, e, v);

	if (str_starts(json, STR("{")))
		event_add_extra(e, r->arena, OURS, json);
}

uint8_t otlp_own_moment(struct str word)
{
	for (uint8_t i = MOMENT_VENDOR; i <= MOMENT_LAID_OUT; i++)
		if (otutl_moment_sources[i] && str_eq(word, str_from(otutl_moment_sources[i])))
			return i;
	return MOMENT_VENDOR;
}

/* Sets what one row is about from the value of its attribute; a value of another type changes nothing. */
static void read_row(struct reading *r, const struct row *row, struct event *e, struct val v)
{
	void *at = (char *)e + row->offset;

	switch (row->how) {
	case TEXT:
	case READ_TEXT:
		if (val_is(v, JSON_STRING))
			*(struct str *)at = reading_text_of(r, v);
		break;
	case PAYLOAD:
		*(struct str *)at = read_payload(r, e, v);
		break;
	case WHOLE:
	case WITH_SIGN:
		*(struct figure *)at = read_figure(v, row->how == WITH_SIGN);
		break;
	case FRACTION:
		*(struct amount *)at = otlp_own_read_amount(v);
		break;
	case TRUE_OR_FALSE:
		*(uint8_t *)at = (uint8_t)otlp_own_read_truth(v);
		break;
	case FLAG:
		if (val_is(v, JSON_TRUE))
			e->flags |= row->flag;
		break;
	case STATUS:
		e->status = words_fold_status(val_is(v, JSON_STRING) ? reading_text_of(r, v) : STR("no word"));
		break;
	case TIME_SOURCE:
		if (e->ts.text.p && val_is(v, JSON_STRING))
			e->ts.source = otlp_own_moment(reading_text_of(r, v));
		if (e->ts.source == MOMENT_LAID_OUT)
			e->ts = (struct moment){ .source = MOMENT_NONE }; /* the source had none */
		break;
	case REMARKS:
		read_remarks(r, e, v);
		break;
	case BIGINTS:
		read_bigints(r, e, v);
		break;
	default:
		read_estimates(e, v);
	}
}

static const struct row *find_row(enum event_kind kind, struct str key)
{
	for (size_t i = 0; i < COUNT(rows); i++)
		if (rows[i].kind == kind && str_eq(rows[i].key, key))
			return &rows[i];
	return NULL;
}

void otlp_own_read(struct reading *r, struct event *e, struct val attributes, enum otlp_shape shape)
{
	struct otlp_attr_iter it = otlp_attr_begin(attributes, shape);
	struct val key, value, estimated = VAL_NONE;

	while (otlp_attr_next(&it, &key, &value)) {
		struct str name = val_raw(key); /* none of ours has a character to escape */
		const struct row *row = str_starts(name, STR("trackway.")) ? find_row(e->kind, name) : NULL;

		if (row && row->how == ESTIMATED)
			estimated = value; /* it may stand before the figures */
		else if (row)
			read_row(r, row, e, value);
	}
	read_estimates(e, estimated);
}

uint32_t otlp_own_place(const struct otlp_attrs *a, enum otlp_slot slot)
{
	int64_t n;

	return otlp_attr_integer(a->slots[slot], &n) && n >= 0 && n < UINT32_MAX - 1 ? (uint32_t)n + 1 : 0;
}
