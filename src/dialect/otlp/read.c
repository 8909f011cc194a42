/* Walks through envelopes of any nesting: resources, scopes, spans; a trace of Jaeger; a bare list of spans. */
#include "dialect/otlp/read.h"

#include "base/utf8.h"
#include "dialect/record/field.h"

struct otlp_hint *otlp_hint_add(struct reading *r, struct event *e)
{
	struct otlp_hint *h = arena_new(r->arena, struct otlp_hint);

	*h = *otlp_hint_of(e);
	e->hint = h;
	return h;
}

const struct otlp_hint *otlp_hint_of(const struct event *e)
{
	static const struct otlp_hint nothing;

	return e->hint ? e->hint : &nothing;
}

/* The names of a list, newest first. */
struct level {
	struct str names[4];
};

static const struct level resource_spans = { { WORD("resourceSpans"), WORD("batches"), WORD("resource_spans") } };
static const struct level scope_spans = {
	{ WORD("scopeSpans"), WORD("instrumentationLibrarySpans"), WORD("scope_spans") }
};
static const struct level spans_list = { { WORD("spans") } };
static const struct level resource_logs = { { WORD("resourceLogs"), WORD("resource_logs") } };
static const struct level scope_logs = {
	{ WORD("scopeLogs"), WORD("instrumentationLibraryLogs"), WORD("scope_logs") }
};
static const struct level logs_list = { { WORD("logRecords"), WORD("logs"), WORD("log_records") } };

/* The list under any of the names of a level; VAL_NONE when there is none, or when it is no array. */
static struct val get_list(struct val v, const struct level *level)
{
	for (size_t i = 0; i < COUNT(level->names) && level->names[i].p; i++) {
		struct val list = val_get(v, level->names[i]);

		if (val_is(list, JSON_ARRAY))
			return list;
	}
	return VAL_NONE;
}

static bool is_list_name(struct val key, const struct level *level)
{
	for (size_t i = 0; i < COUNT(level->names) && level->names[i].p; i++)
		if (val_text_is(key, level->names[i]))
			return true;
	return false;
}

/* ---- contexts ---- */

/* Every member of a level but the list below it: "resource" itself, others as "resource/schemaUrl". */
static void keep_members(struct reading *r, struct event *e, struct val v, const struct level *below, struct str name)
{
	struct val_iter it = val_begin(v);
	struct val key, value;

	while (val_is(v, JSON_OBJECT) && val_next_member(&it, &key, &value)) {
		struct str member, text = val_text(key, r->arena);

		if ((is_list_name(key, below) && val_is(value, JSON_ARRAY)) || utf8_check(text) != text.n)
			continue;
		if (str_eq(text, name) || str_eq(text, STR("instrumentationLibrary")))
			member = name;
		else
			member = ARENA_JOIN(r->arena, name, STR("/"), text);
		reading_extra(r, e, member, reading_json_of(r, NULL, "ext", value));
	}
}

static struct event *otlp_read_add_note(struct reading *r, struct str role)
{
	struct event *e = reading_add(r, EVENT_NOTE);

	e->role = role;
	return e;
}

/* ---- logs and metrics: kept whole ---- */

/* A log record is kept whole. Of its trace and span it needs only the ids, to find its place among the spans. */
static void otlp_read_log(struct reading *r, struct val v)
{
	struct event *e = otlp_read_add_note(r, STR("otlp.log"));
	struct otlp_hint *h = otlp_hint_add(r, e);
	struct str trace, span;
	int64_t ns;

	reading_rest_under(r, e, v, STR("log"));
	trace = reading_text(r, v, STR("traceId"));
	span = reading_text(r, v, STR("spanId"));
	if (trace.n)
		h->trace = otlp_span_id(r->arena, trace, 16);
	if (span.n)
		h->parent = otlp_span_id(r->arena, span, 8);
	ns = otlp_span_time(reading_take(r, val_get(v, STR("timeUnixNano"))), 1);
	if (!ns)
		ns = otlp_span_time(val_get(v, STR("observedTimeUnixNano")), 1);
	if (ns)
		e->ts = reading_moment(r, ns, MOMENT_VENDOR);
}

/* ---- envelopes ---- */

static void read_spans(struct reading *r, struct val list)
{
	struct val_iter it = val_begin(list);
	enum otlp_shape shape;
	struct val span;

	while (val_next(&it, &span))
		if (otlp_span_is(span, &shape))
			otlp_read_span(r, span, shape);
}

/*
 * Each scope begins with a note of itself and its resource, also when it is empty: it is the context of what
 * follows.
 */
static void read_scopes(struct reading *r, struct val resource, bool logs)
{
	const struct level *middle = logs ? &scope_logs : &scope_spans, *inner = logs ? &logs_list : &spans_list;
	struct val_iter scopes = val_begin(get_list(resource, middle));
	struct val scope, log;
	struct event *e;

	while (val_next(&scopes, &scope)) {
		struct val list = get_list(scope, inner);
		struct val_iter it = val_begin(list);

		e = otlp_read_add_note(r, STR("otlp.scope"));
		keep_members(r, e, resource, middle, STR("resource"));
		keep_members(r, e, scope, inner, STR("scope"));
		if (!logs)
			read_spans(r, list);
		while (logs && val_next(&it, &log))
			if (val_is(log, JSON_OBJECT))
				otlp_read_log(r, log);
	}
}

static void read_resources(struct reading *r, struct val list, bool logs)
{
	struct val_iter it = val_begin(list);
	struct val resource;

	while (val_next(&it, &resource))
		read_scopes(r, resource, logs);
}

/* A trace of Jaeger: the spans name their process. */
static void read_jaeger(struct reading *r, struct val trace)
{
	struct val_iter it = val_begin(val_get(trace, STR("spans")));
	struct val processes = val_get(trace, STR("processes")), span, last = VAL_NONE;
	enum otlp_shape shape;
	bool first = true;

	while (val_next(&it, &span)) {
		struct val id = val_get(span, STR("processID")), process = VAL_NONE;

		if (!otlp_span_is(span, &shape))
			continue;
		if (val_is(id, JSON_STRING))
			process = val_get(processes, val_text(id, r->arena));
		if (first || process.at != last.at) {
			struct event *e = otlp_read_add_note(r, STR("otlp.scope"));

			if (!val_is_none(process))
				reading_extra(r, e, STR("process"), reading_json_of(r, NULL, "ext", process));
		}
		first = false;
		last = process;
		otlp_read_span(r, span, shape);
	}
}

/* The first span decides. */
static bool is_jaeger_trace(struct val v)
{
	struct val_iter it = val_begin(val_get(v, STR("spans")));
	enum otlp_shape shape;
	struct val span;

	return val_next(&it, &span) && otlp_span_is(span, &shape) && shape == OTLP_JAEGER;
}

static void read_jaeger_data(struct reading *r, struct val data)
{
	struct val_iter it = val_begin(data);
	struct val trace;

	while (val_next(&it, &trace))
		if (is_jaeger_trace(trace))
			read_jaeger(r, trace);
}

/* What Tempo and others put around it. */
static struct val open_wrapping(struct val v)
{
	struct val inner = val_get(v, STR("trace"));

	return val_is(inner, JSON_OBJECT) && !val_is_none(get_list(inner, &resource_spans)) ? inner : v;
}

/* All lists that an envelope may hold, one after the other. Finds nothing in a value of another kind. */
static void read_envelope(struct reading *r, struct val v)
{
	struct val metrics;
	enum otlp_shape shape;

	v = open_wrapping(v);
	metrics = val_get(v, STR("resourceMetrics"));
	read_resources(r, get_list(v, &resource_spans), false);
	read_resources(r, get_list(v, &resource_logs), true);
	if (val_is(metrics, JSON_ARRAY))
		reading_rest_under(r, otlp_read_add_note(r, STR("otlp.metrics")), metrics, STR("resourceMetrics"));
	if (is_jaeger_trace(v)) {
		read_jaeger(r, v);
	} else if (otlp_span_is(v, &shape)) {
		otlp_read_add_note(r, STR("otlp.scope"));
		otlp_read_span(r, v, shape);
	} else if (val_is(val_get(v, STR("spans")), JSON_ARRAY)) {
		otlp_read_add_note(r, STR("otlp.scope"));
		read_spans(r, val_get(v, STR("spans")));
	}
	read_jaeger_data(r, val_get(v, STR("data")));
}

void otlp_read_value(struct reading *r, struct val v)
{
	struct val_iter it = val_begin(v);
	struct val element;
	struct event *e;

	read_envelope(r, v);
	while (val_next(&it, &element)) /* a list of spans or envelopes on one line */
		read_envelope(r, element);
	e = otlp_read_add_note(r, STR("otlp.envelope"));
	if (val_is(v, JSON_OBJECT))
		reading_rest(r, e, v);
	else
		reading_rest_under(r, e, v, STR("value"));
	if (!e->extras)
		r->count--;
}

/* ---- detection ---- */

/* Only the first element is looked at: a file may have millions. */
static bool fits_list(struct val list, bool jaeger)
{
	struct val_iter it = val_begin(list);
	enum otlp_shape shape;
	struct val first;

	if (!val_next(&it, &first))
		return false;
	return jaeger ? is_jaeger_trace(first) : otlp_span_is(first, &shape);
}

int otlp_read_fits(struct val v)
{
	enum otlp_shape shape;

	if (val_is(v, JSON_ARRAY))
		return fits_list(v, false) ? 80 : 0;
	v = open_wrapping(v);
	if (!val_is_none(get_list(v, &resource_spans)) && !val_has(v, STR("batches")))
		return 95;
	if (val_is(val_get(v, STR("batches")), JSON_ARRAY)) {
		struct val_iter it = val_begin(val_get(v, STR("batches")));
		struct val first;

		return val_next(&it, &first) && !val_is_none(get_list(first, &scope_spans)) ? 95 : 0;
	}
	if (!val_is_none(get_list(v, &resource_logs)) || val_is(val_get(v, STR("resourceMetrics")), JSON_ARRAY))
		return 90;
	if (fits_list(val_get(v, STR("data")), true) || is_jaeger_trace(v))
		return 90;
	if (otlp_span_is(v, &shape) || fits_list(val_get(v, STR("spans")), false))
		return 80;
	return 0;
}
