#include "dialect/otlp/give.h"

#include "base/ascii.h"
#include "json/text.h"

#define DEPTH 1024

static void otlp_give_put(struct buf *out, const char *text)
{
	buf_add_str(out, str_from(text));
}

/* A comma, unless it is the first. */
static void put_next(struct buf *out, bool *first)
{
	if (!*first)
		buf_add_byte(out, ',');
	*first = false;
}

static void put_key(struct buf *out, bool *first, const char *name)
{
	put_next(out, first);
	buf_add_byte(out, '"');
	otlp_give_put(out, name);
	otlp_give_put(out, "\":");
}

/* A value of a kept record is canonical text. */
static void otlp_give_put_source(struct buf *out, struct val v)
{
	buf_add_str(out, val_source(v));
}

/* ---- enums ---- */

struct word_number {
	const char *word;
	char digit;
};

static const struct word_number kinds[] = {
	{ "unspecified", '0' }, { "internal", '1' }, { "server", '2' },
	{ "client", '3' },      { "producer", '4' }, { "consumer", '5' },
};
static const struct word_number codes[] = { { "unset", '0' }, { "ok", '1' }, { "error", '2' } };

/* "SPAN_KIND_SERVER", "SpanKind.SERVER", "server": what stands behind the front decides. '\0' when nothing fits. */
static char find_number(struct val v, const struct word_number *table, size_t count)
{
	struct str text = val_is(v, JSON_STRING) ? val_raw(v) : str_of(NULL, 0);

	for (size_t i = 0; i < count; i++) {
		size_t n = strlen(table[i].word);

		if (text.n < n || (text.n > n && text.p[text.n - n - 1] != '_' && text.p[text.n - n - 1] != '.'))
			continue;
		if (str_eq_nocase(str_of(text.p + text.n - n, n), str_of(table[i].word, n)))
			return table[i].digit;
	}
	return '\0';
}

/* ---- records of OTLP ---- */

static bool is_nano(struct str name)
{
	return str_ends(name, STR("UnixNano")) || str_ends(name, STR("unix_nano"));
}

static bool is_integer(struct str name)
{
	return is_nano(name) || str_eq(name, STR("intValue")) || str_eq(name, STR("int_value"));
}

/* Names of fields are in camel case; those of attributes are values and stay. */
static void otlp_give_put_name(struct buf *out, struct str raw)
{
	buf_add_byte(out, '"');
	for (size_t i = 0; i < raw.n; i++) {
		bool joint = i > 0 && raw.p[i] == '_' && i + 1 < raw.n && ascii_is_lower(raw.p[i + 1]);

		if (joint)
			i++;
		buf_add_byte(out, joint ? ascii_upper(raw.p[i]) : raw.p[i]);
	}
	otlp_give_put(out, "\":");
}

static void put_id(struct buf *out, struct val v, size_t bytes)
{
	char space[64];
	struct arena a;
	struct str raw = val_raw(v), id;

	/* Of an id in hexadecimal the spelling stays, as that of no id at all does. */
	arena_init(&a);
	id = otlp_span_id(&a, raw, bytes);
	if (raw.n != (bytes + 2) / 3 * 4 || id.n != bytes * 2)
		id = raw;
	else
		memcpy(space, id.p, id.n);
	buf_add_byte(out, '"');
	buf_add_str(out, id.p == raw.p ? raw : str_of(space, id.n));
	buf_add_byte(out, '"');
	arena_free(&a);
}

/* A member whose value is no container. */
static void otlp_give_put_scalar(struct buf *out, struct str name, struct val v)
{
	char digit = '\0';

	if (val_is(v, JSON_STRING) && (str_eq(name, STR("traceId")) || str_eq(name, STR("trace_id")))) {
		put_id(out, v, 16);
		return;
	}
	if (val_is(v, JSON_STRING) && (str_ends(name, STR("panId")) || str_ends(name, STR("pan_id")))) {
		put_id(out, v, 8);
		return;
	}
	if (str_eq(name, STR("kind")))
		digit = find_number(v, kinds, COUNT(kinds));
	else if (str_eq(name, STR("code")))
		digit = find_number(v, codes, COUNT(codes));
	if (digit) {
		buf_add_byte(out, digit);
	} else if (val_is(v, JSON_NUMBER) && is_integer(name)) {
		buf_add_byte(out, '"');
		otlp_give_put_source(out, v);
		buf_add_byte(out, '"');
	} else {
		otlp_give_put_source(out, v);
	}
}

struct frame {
	struct val_iter it;
	struct val of;
	bool first;
};

static bool is_container(struct val v)
{
	return val_is(v, JSON_OBJECT) || val_is(v, JSON_ARRAY);
}

/* The next value of a frame; *name is empty in an array. */
static bool otlp_give_next_of(struct frame *f, struct str *name, struct val *v)
{
	struct val key;

	*name = STR("");
	if (val_is(f->of, JSON_ARRAY))
		return val_next(&f->it, v);
	if (!val_next_member(&f->it, &key, v))
		return false;
	*name = val_raw(key);
	return true;
}

void otlp_give_record(struct buf *out, struct val v)
{
	struct frame *stack;
	size_t n = 1;

	if (!is_container(v)) {
		otlp_give_put_source(out, v);
		return;
	}
	stack = mem_alloc(DEPTH * sizeof(*stack));
	stack[0] = (struct frame){ val_begin(v), v, true };
	buf_add_byte(out, val_is(v, JSON_ARRAY) ? '[' : '{');
	while (n) {
		struct frame *f = &stack[n - 1];
		struct str name;

		if (!otlp_give_next_of(f, &name, &v)) {
			buf_add_byte(out, val_is(f->of, JSON_ARRAY) ? ']' : '}');
			n--;
			continue;
		}
		put_next(out, &f->first);
		if (val_is(f->of, JSON_OBJECT))
			otlp_give_put_name(out, name);
		if (!is_container(v) || n == DEPTH) {
			otlp_give_put_scalar(out, name, v);
			continue;
		}
		buf_add_byte(out, val_is(v, JSON_ARRAY) ? '[' : '{');
		stack[n++] = (struct frame){ val_begin(v), v, true };
	}
	mem_free(stack);
}

/* ---- plain values as OTLP's ---- */

static void put_plain(struct buf *out, struct val v)
{
	static const char *const names[] = {
		[JSON_FALSE] = "{\"boolValue\":", [JSON_TRUE] = "{\"boolValue\":", [JSON_NUMBER] = "{\"doubleValue\":",
		[JSON_STRING] = "{\"stringValue\":",
	};
	int64_t n;

	if (val_is(v, JSON_NULL)) {
		otlp_give_put(out, "{}");
	} else if (val_is(v, JSON_NUMBER) && num_integral(val_raw(v), &n)) {
		buf_printf(out, "{\"intValue\":\"%lld\"}", (long long)n);
	} else {
		otlp_give_put(out, names[val_type(v)]);
		otlp_give_put_source(out, v);
		buf_add_byte(out, '}');
	}
}

static void open_plain(struct buf *out, struct val v)
{
	otlp_give_put(out,
		      val_is(v, JSON_ARRAY) ? "{\"arrayValue\":{\"values\":[" : "{\"kvlistValue\":{\"values\":[");
}

static void put_any(struct buf *out, struct val v)
{
	struct frame *stack;
	size_t n = 1;

	if (!is_container(v)) {
		put_plain(out, v);
		return;
	}
	stack = mem_alloc(DEPTH * sizeof(*stack));
	stack[0] = (struct frame){ val_begin(v), v, true };
	open_plain(out, v);
	while (n) {
		struct frame *f = &stack[n - 1];
		bool in_object = val_is(f->of, JSON_OBJECT);
		struct str name;

		if (!otlp_give_next_of(f, &name, &v)) {
			otlp_give_put(out, "]}}");
			if (--n && val_is(stack[n - 1].of, JSON_OBJECT))
				buf_add_byte(out, '}');
			continue;
		}
		put_next(out, &f->first);
		if (in_object) {
			otlp_give_put(out, "{\"key\":\"");
			buf_add_str(out, name);
			otlp_give_put(out, "\",\"value\":");
		}
		if (is_container(v) && n < DEPTH) {
			open_plain(out, v);
			stack[n++] = (struct frame){ val_begin(v), v, true };
			continue;
		}
		put_plain(out, v);
		if (in_object)
			buf_add_byte(out, '}');
	}
	mem_free(stack);
}

void otlp_give_attributes(struct buf *out, struct val object)
{
	struct val_iter it = val_begin(object);
	struct val key, value;
	bool first = true;

	buf_add_byte(out, '[');
	while (val_next_member(&it, &key, &value)) {
		put_next(out, &first);
		otlp_give_put(out, "{\"key\":\"");
		buf_add_str(out, val_raw(key));
		otlp_give_put(out, "\",\"value\":");
		put_any(out, value);
		buf_add_byte(out, '}');
	}
	buf_add_byte(out, ']');
}

/* ---- Jaeger ---- */

static bool is_tag(struct val tag, const char *name)
{
	struct val key = val_get(tag, STR("key"));

	return val_text_is(key, str_from(name));
}

static void put_tag(struct buf *out, struct val tag)
{
	struct val type = val_get(tag, STR("type")), value = val_get(tag, STR("value"));

	otlp_give_put(out, "{\"key\":");
	otlp_give_put_source(out, val_get(tag, STR("key")));
	otlp_give_put(out, ",\"value\":");
	if (val_is(value, JSON_NUMBER) && val_text_is(type, STR("float64"))) {
		otlp_give_put(out, "{\"doubleValue\":");
		otlp_give_put_source(out, value);
		buf_add_byte(out, '}');
	} else if (val_is(value, JSON_STRING) && val_text_is(type, STR("int64"))) {
		otlp_give_put(out, "{\"intValue\":"); /* too large for a number, so it was kept as a text */
		otlp_give_put_source(out, value);
		buf_add_byte(out, '}');
	} else if (val_is_none(value)) {
		otlp_give_put(out, "{}");
	} else {
		put_any(out, value);
	}
	buf_add_byte(out, '}');
}

/* Tags that have a field of their own in OTLP. */
static const char *const fielded[] = { "span.kind", "otel.status_code", "otel.status_description" };

static void put_tags(struct buf *out, struct val tags, bool *first, const char *without)
{
	struct val_iter it = val_begin(tags);
	struct val tag;

	while (val_next(&it, &tag)) {
		bool skip = without && is_tag(tag, without);

		for (size_t i = 0; !without && i < COUNT(fielded); i++)
			skip |= is_tag(tag, fielded[i]);
		if (skip || !val_is(val_get(tag, STR("key")), JSON_STRING))
			continue;
		put_next(out, first);
		put_tag(out, tag);
	}
}

void otlp_give_process(struct buf *out, struct val process)
{
	struct val name = val_get(process, STR("serviceName"));
	bool first = true;

	otlp_give_put(out, "{\"attributes\":[");
	if (val_is(name, JSON_STRING)) {
		otlp_give_put(out, "{\"key\":\"service.name\",\"value\":{\"stringValue\":");
		otlp_give_put_source(out, name);
		otlp_give_put(out, "}}");
		first = false;
	}
	put_tags(out, val_get(process, STR("tags")), &first, "service.name");
	otlp_give_put(out, "]}");
}

static struct val find_tag(struct val tags, const char *name)
{
	struct val_iter it = val_begin(tags);
	struct val tag;

	while (val_next(&it, &tag))
		if (is_tag(tag, name))
			return val_get(tag, STR("value"));
	return VAL_NONE;
}

static void put_nano(struct buf *out, bool *first, const char *name, int64_t ns)
{
	if (!ns)
		return;
	put_key(out, first, name);
	buf_printf(out, "\"%lld\"", (long long)ns);
}

static void put_padded(struct buf *out, struct str id, size_t digits)
{
	buf_add_byte(out, '"');
	for (size_t i = id.n; i < digits; i++)
		buf_add_byte(out, '0');
	buf_add_str(out, id);
	buf_add_byte(out, '"');
}

static void put_hex(struct buf *out, struct arena *a, bool *first, const char *name, struct val v, size_t bytes)
{
	struct str id = val_is(v, JSON_STRING) ? otlp_span_id(a, val_raw(v), bytes) : str_of(NULL, 0);

	if (!id.n)
		return;
	put_key(out, first, name);
	put_padded(out, id, bytes * 2);
}

static void put_jaeger_references(struct buf *out, struct arena *a, bool *first, struct val references)
{
	struct val_iter it = val_begin(references);
	bool parent = true, links = false;
	struct val ref;

	while (val_next(&it, &ref)) {
		struct val type = val_get(ref, STR("refType"));
		bool inner = true;

		if (parent && val_text_is(type, STR("CHILD_OF"))) {
			put_hex(out, a, first, "parentSpanId", val_get(ref, STR("spanID")), 8);
			parent = false;
			continue;
		}
		if (!links)
			put_key(out, first, "links");
		otlp_give_put(out, links ? "," : "[");
		links = true;
		buf_add_byte(out, '{');
		put_hex(out, a, &inner, "traceId", val_get(ref, STR("traceID")), 16);
		put_hex(out, a, &inner, "spanId", val_get(ref, STR("spanID")), 8);
		buf_add_byte(out, '}');
	}
	if (links)
		buf_add_byte(out, ']');
}

static void put_jaeger_logs(struct buf *out, bool *first, struct val logs)
{
	struct val_iter it = val_begin(logs);
	struct val log;
	bool none_yet = true;

	if (!val_is(logs, JSON_ARRAY) || val_count(logs) == 0)
		return;
	put_key(out, first, "events");
	buf_add_byte(out, '[');
	while (val_next(&it, &log)) {
		struct val fields = val_get(log, STR("fields")), name = find_tag(fields, "event");
		bool inner = true, no_tag = true;

		put_next(out, &none_yet);
		buf_add_byte(out, '{');
		put_nano(out, &inner, "timeUnixNano", otlp_span_time(val_get(log, STR("timestamp")), 1000));
		put_key(out, &inner, "name");
		if (val_is(name, JSON_STRING))
			otlp_give_put_source(out, name);
		else
			otlp_give_put(out, "\"\"");
		put_key(out, &inner, "attributes");
		buf_add_byte(out, '[');
		put_tags(out, fields, &no_tag, "event");
		otlp_give_put(out, "]}");
	}
	buf_add_byte(out, ']');
}

static void otlp_give_put_status(struct buf *out, bool *first, struct val code, struct val message)
{
	char digit = find_number(code, codes, COUNT(codes));
	bool inner = true;

	if (!digit && val_is_none(message))
		return;
	put_key(out, first, "status");
	buf_add_byte(out, '{');
	if (digit) {
		put_key(out, &inner, "code");
		buf_add_byte(out, digit);
	}
	if (val_is(message, JSON_STRING)) {
		put_key(out, &inner, "message");
		otlp_give_put_source(out, message);
	}
	buf_add_byte(out, '}');
}

static void put_kind(struct buf *out, bool *first, struct val v)
{
	char digit = find_number(v, kinds, COUNT(kinds));

	if (!digit)
		return;
	put_key(out, first, "kind");
	buf_add_byte(out, digit);
}

static void give_jaeger(struct buf *out, struct arena *a, struct val v, struct losses *losses)
{
	struct val tags = val_get(v, STR("tags")), warnings = val_get(v, STR("warnings"));
	int64_t start = otlp_span_time(val_get(v, STR("startTime")), 1000);
	int64_t length = otlp_span_time(val_get(v, STR("duration")), 1000);
	bool first = true, no_tag = true;

	buf_add_byte(out, '{');
	put_hex(out, a, &first, "traceId", val_get(v, STR("traceID")), 16);
	put_hex(out, a, &first, "spanId", val_get(v, STR("spanID")), 8);
	put_jaeger_references(out, a, &first, val_get(v, STR("references")));
	put_key(out, &first, "name");
	otlp_give_put_source(out, val_get(v, STR("operationName")));
	put_kind(out, &first, find_tag(tags, "span.kind"));
	put_nano(out, &first, "startTimeUnixNano", start);
	put_nano(out, &first, "endTimeUnixNano", start && length < INT64_MAX - start ? start + length : start);
	put_key(out, &first, "attributes");
	buf_add_byte(out, '[');
	put_tags(out, tags, &no_tag, NULL);
	buf_add_byte(out, ']');
	put_jaeger_logs(out, &first, val_get(v, STR("logs")));
	otlp_give_put_status(out, &first, find_tag(tags, "otel.status_code"),
			     find_tag(tags, "otel.status_description"));
	buf_add_byte(out, '}');
	if (val_is(warnings, JSON_ARRAY) && val_count(warnings) > 0)
		losses_add(losses, "jaeger: warnings");
	if (val_has(v, STR("flags")))
		losses_add(losses, "jaeger: flags");
}

/* ---- flat dumps ---- */

static void put_sdk_events(struct buf *out, bool *first, struct val events)
{
	struct val_iter it = val_begin(events);
	struct val event;
	bool none_yet = true;

	if (!val_is(events, JSON_ARRAY) || val_count(events) == 0)
		return;
	put_key(out, first, "events");
	buf_add_byte(out, '[');
	while (val_next(&it, &event)) {
		struct val name = val_get_either(event, STR("name"), STR("event_name"));
		bool inner = true;

		put_next(out, &none_yet);
		buf_add_byte(out, '{');
		put_nano(out, &inner, "timeUnixNano",
			 otlp_span_time(val_get_either(event, STR("timestamp"), STR("time")), 1));
		put_key(out, &inner, "name");
		if (val_is(name, JSON_STRING))
			otlp_give_put_source(out, name);
		else
			otlp_give_put(out, "\"\"");
		put_key(out, &inner, "attributes");
		otlp_give_attributes(out, val_get(event, STR("attributes")));
		buf_add_byte(out, '}');
	}
	buf_add_byte(out, ']');
}

static void put_sdk_links(struct buf *out, struct arena *a, bool *first, struct val links)
{
	struct val_iter it = val_begin(links);
	struct val link;
	bool none_yet = true;

	if (!val_is(links, JSON_ARRAY) || val_count(links) == 0)
		return;
	put_key(out, first, "links");
	buf_add_byte(out, '[');
	while (val_next(&it, &link)) {
		struct val context = val_get(link, STR("context"));
		bool inner = true;

		put_next(out, &none_yet);
		buf_add_byte(out, '{');
		if (val_is_none(context))
			context = link;
		put_hex(out, a, &inner, "traceId", val_get(context, STR("trace_id")), 16);
		put_hex(out, a, &inner, "spanId", val_get(context, STR("span_id")), 8);
		put_key(out, &inner, "attributes");
		otlp_give_attributes(out, val_get(link, STR("attributes")));
		buf_add_byte(out, '}');
	}
	buf_add_byte(out, ']');
}

static void give_sdk(struct buf *out, struct arena *a, struct val v)
{
	struct val context = val_get(v, STR("context")), status = val_get(v, STR("status"));
	bool first = true;

	if (!val_has(context, STR("span_id")))
		context = v;
	buf_add_byte(out, '{');
	put_hex(out, a, &first, "traceId", val_get(context, STR("trace_id")), 16);
	put_hex(out, a, &first, "spanId", val_get(context, STR("span_id")), 8);
	put_hex(out, a, &first, "parentSpanId", val_get_either(v, STR("parent_span_id"), STR("parent_id")), 8);
	put_key(out, &first, "name");
	otlp_give_put_source(out, val_get(v, STR("name")));
	put_kind(out, &first, val_get(v, STR("kind")));
	put_nano(out, &first, "startTimeUnixNano", otlp_span_time(val_get(v, STR("start_time")), 1));
	put_nano(out, &first, "endTimeUnixNano", otlp_span_time(val_get(v, STR("end_time")), 1));
	put_key(out, &first, "attributes");
	if (val_is(val_get(v, STR("attributes")), JSON_ARRAY))
		otlp_give_record(out, val_get(v, STR("attributes")));
	else
		otlp_give_attributes(out, val_get(v, STR("attributes")));
	put_sdk_events(out, &first, val_get_either(v, STR("span_events"), STR("events")));
	put_sdk_links(out, a, &first, val_get(v, STR("links")));
	otlp_give_put_status(out, &first,
			     val_is(status, JSON_STRING) ? status
							 : val_get_either(status, STR("code"), STR("status_code")),
			     val_get_either(status, STR("message"), STR("description")));
	buf_add_byte(out, '}');
}

void otlp_give_span(struct buf *out, struct arena *a, struct val span, struct losses *losses)
{
	enum otlp_shape shape = OTLP_NATIVE;

	otlp_span_is(span, &shape);
	if (shape == OTLP_JAEGER)
		give_jaeger(out, a, span, losses);
	else if (shape == OTLP_SDK)
		give_sdk(out, a, span);
	else
		otlp_give_record(out, span);
}
