/*
 * The fixed part of a span is written member by member; what may be nested is walked with a stack of its own, for a
 * record may be as deep as the parser lets it be.
 */
#include "dialect/otlp/give.h"

#include <assert.h>
#include <stdio.h>

#include "base/ascii.h"
#include "dialect/otlp/names.h"
#include "dialect/otlp/put.h"
#include "json/put.h"

/* Adds a text with something before and behind it. buf_printf would cut one that is long. */
static void give_put_between(struct buf *out, const char *before, struct str text, const char *after)
{
	otlp_put_raw(out, before);
	buf_add_str(out, text);
	otlp_put_raw(out, after);
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

/* ---- values of any depth ---- */

/* Whether a field holds 64 bits, which OTLP/JSON writes as a string. */
static bool give_is_integer(struct str name)
{
	return str_ends(name, STR("UnixNano")) || str_ends(name, STR("unix_nano")) ||
	       str_eq(name, STR("intValue")) || str_eq(name, STR("int_value"));
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
	otlp_put_raw(out, "\":");
}

/* An id of `bytes` bytes in hexadecimal. One that is no base64 stays as it is spelled. */
static void give_put_id(struct buf *out, struct val v, size_t bytes)
{
	struct str raw = val_raw(v), id;
	struct arena a;

	arena_init(&a);
	id = otlp_span_id(&a, raw, bytes);
	if (raw.n != (bytes + 2) / 3 * 4 || id.n != bytes * 2)
		id = raw;
	give_put_between(out, "\"", id, "\"");
	arena_free(&a);
}

/* A member of a record whose value is no container; the name is empty for an element of a list. */
static void give_put_field(struct buf *out, struct str name, struct val v)
{
	bool text = val_is(v, JSON_STRING);
	char digit = '\0';

	if (str_eq(name, STR("kind")))
		digit = find_number(v, kinds, COUNT(kinds));
	else if (str_eq(name, STR("code")))
		digit = find_number(v, codes, COUNT(codes));
	if (text && (str_eq(name, STR("traceId")) || str_eq(name, STR("trace_id"))))
		give_put_id(out, v, 16);
	else if (text && (str_ends(name, STR("panId")) || str_ends(name, STR("pan_id"))))
		give_put_id(out, v, 8);
	else if (digit)
		buf_add_byte(out, digit);
	else if (val_is(v, JSON_NUMBER) && give_is_integer(name))
		give_put_between(out, "\"", val_source(v), "\"");
	else
		buf_add_str(out, val_source(v)); /* of a kept record, so it is canonical */
}

/* A plain value that is no container as OTLP wraps it: {"intValue":"7"}. */
static void give_put_wrapped(struct buf *out, struct val v)
{
	static const char *const names[] = {
		[JSON_FALSE] = "{\"boolValue\":", [JSON_TRUE] = "{\"boolValue\":", [JSON_NUMBER] = "{\"doubleValue\":",
		[JSON_STRING] = "{\"stringValue\":",
	};
	int64_t n;

	assert(val_type(v) <= JSON_STRING);
	if (val_is(v, JSON_NULL))
		otlp_put_raw(out, "{}");
	else if (val_is(v, JSON_NUMBER) && num_integral(val_raw(v), &n))
		buf_printf(out, "{\"intValue\":\"%lld\"}", (long long)n);
	else
		give_put_between(out, names[val_type(v)], val_source(v), "}");
}

struct frame {
	struct val_iter it;
	bool members, begun; /* members: of an object */
};

static bool is_container(struct val v)
{
	return val_is(v, JSON_OBJECT) || val_is(v, JSON_ARRAY);
}

/* Writes the opening of a container and gives the frame by which its values are walked. */
static struct frame give_open_frame(struct buf *out, struct val v, bool wrap)
{
	struct frame f = { .it = val_begin(v), .members = val_is(v, JSON_OBJECT) };

	if (wrap)
		otlp_put_raw(out, f.members ? "{\"kvlistValue\":{\"values\":[" : "{\"arrayValue\":{\"values\":[");
	else
		buf_add_byte(out, f.members ? '{' : '[');
	return f;
}

/*
 * Any value: a record of OTLP with its names and numbers as the protocol has them, or, with `wrap`, a plain value as
 * that of an attribute.
 */
static void give_put_value(struct buf *out, struct val v, bool wrap)
{
	struct frame *stack = mem_alloc(JSON_DEPTH * sizeof(*stack));
	struct val key = VAL_NONE;
	size_t n = 0;

	for (;;) {
		bool member = n && stack[n - 1].members;

		if (is_container(v)) {
			assert(n < JSON_DEPTH); /* the parser lets no value be deeper */
			stack[n++] = give_open_frame(out, v, wrap);
		} else if (wrap) {
			give_put_wrapped(out, v);
			otlp_put_raw(out, member ? "}" : "");
		} else {
			give_put_field(out, member ? val_raw(key) : STR(""), v);
		}
		while (n && !(stack[n - 1].members ? val_next_member(&stack[n - 1].it, &key, &v)
						   : val_next(&stack[n - 1].it, &v))) {
			member = n > 1 && stack[n - 2].members;
			otlp_put_raw(out, wrap ? "]}}" : stack[n - 1].members ? "}" : "]");
			otlp_put_raw(out, wrap && member ? "}" : "");
			n--;
		}
		if (!n)
			break;
		otlp_put_raw(out, stack[n - 1].begun ? "," : "");
		stack[n - 1].begun = true;
		if (stack[n - 1].members && wrap)
			give_put_between(out, "{\"key\":", val_source(key), ",\"value\":");
		else if (stack[n - 1].members)
			otlp_give_put_name(out, val_raw(key));
	}
	mem_free(stack);
}

void otlp_give_record(struct buf *out, struct val v)
{
	give_put_value(out, v, false);
}

/* {"key":...,"value":...} as an element of a list that is open. */
static void give_attribute(struct json_writer *w, struct val key, struct val value)
{
	struct buf text = { 0 };

	give_put_value(&text, value, true);
	json_write_begin_object(w);
	json_put_raw(w, "key", val_source(key));
	json_put_raw(w, "value", buf_str(&text));
	json_write_end_object(w);
	buf_free(&text);
}

/* Writes the members of an object as a list of attributes; [] for what is no object. */
static void give_attributes(struct json_writer *w, struct val object)
{
	struct val_iter it = val_begin(object);
	struct val key, value;

	json_write_begin_array(w);
	while (val_next_member(&it, &key, &value))
		give_attribute(w, key, value);
	json_write_end_array(w);
}

void otlp_give_attributes(struct buf *out, struct val object)
{
	struct json_writer w;

	json_write_init(&w, out, JSON_COMPACT);
	give_attributes(&w, object);
}

/* ---- members of a span ---- */

/* Writes nanoseconds as the string that the protocol asks for; nothing when there is no time. */
static void give_nano(struct json_writer *w, const char *name, int64_t ns)
{
	char text[32];

	if (ns)
		json_put_raw(w, name, str_of(text, (size_t)snprintf(text, sizeof(text), "\"%lld\"", (long long)ns)));
}

/* An id, filled up with zeros in front. */
static void give_hex(struct json_writer *w, struct arena *a, const char *name, struct val v, size_t bytes)
{
	static const char zeros[] = "00000000000000000000000000000000";
	struct str id = val_is(v, JSON_STRING) ? otlp_span_id(a, val_raw(v), bytes) : str_of(NULL, 0);
	size_t missing = id.n < bytes * 2 ? bytes * 2 - id.n : 0;

	assert(bytes * 2 < sizeof(zeros));
	if (id.n)
		json_put_raw(w, name, ARENA_JOIN(a, STR("\""), str_of(zeros, missing), id, STR("\"")));
}

static void give_span_ids(struct json_writer *w, struct arena *a, struct val trace, struct val span)
{
	give_hex(w, a, "traceId", trace, 16);
	give_hex(w, a, "spanId", span, 8);
}

/* Writes the kind of a span by its number; nothing when the word is not known. */
static void give_kind(struct json_writer *w, struct val v)
{
	char digit = find_number(v, kinds, COUNT(kinds));

	if (digit)
		json_put_raw(w, "kind", str_of(&digit, 1));
}

/* Writes the status of a span; nothing when neither its code nor a message is known. */
static void give_status(struct json_writer *w, struct val code, struct val message)
{
	char digit = find_number(code, codes, COUNT(codes));

	if (!digit && val_is_none(message))
		return;
	json_put_object(w, "status");
	if (digit)
		json_put_raw(w, "code", str_of(&digit, 1));
	if (val_is(message, JSON_STRING))
		json_put_raw(w, "message", val_source(message));
	json_write_end_object(w);
}

/* Begins an event of a span, up to the name of its attributes. */
static void give_begin_event(struct json_writer *w, int64_t ns, struct val name)
{
	json_write_begin_object(w);
	give_nano(w, "timeUnixNano", ns);
	json_put_raw(w, "name", val_is(name, JSON_STRING) ? val_source(name) : STR("\"\""));
	json_put_key(w, "attributes");
}

/* ---- Jaeger ---- */

static bool is_tag(struct val tag, const char *name)
{
	return val_text_is(val_get(tag, STR("key")), str_from(name));
}

/* Writes a tag as an attribute. Its type says what JSON cannot: 2 may be a double. */
static void give_tag(struct json_writer *w, struct val tag)
{
	struct val key = val_get(tag, STR("key")), type = val_get(tag, STR("type")), value = val_get(tag, STR("value"));
	const char *wrapping = NULL;

	if (val_is(value, JSON_NUMBER) && val_text_is(type, STR("float64")))
		wrapping = "doubleValue";
	else if (val_is(value, JSON_STRING) && val_text_is(type, STR("int64")))
		wrapping = "intValue"; /* too large for a number, so it was kept as a text */
	if (!wrapping && !val_is_none(value)) {
		give_attribute(w, key, value);
		return;
	}
	json_write_begin_object(w);
	json_put_raw(w, "key", val_source(key));
	json_put_object(w, "value");
	if (wrapping)
		json_put_raw(w, wrapping, val_source(value));
	json_write_end_object(w);
	json_write_end_object(w);
}

/* The tags but the one named `without`; when that is NULL, but those that have a field of their own in OTLP. */
static void give_tags(struct json_writer *w, struct val tags, const char *without)
{
	static const char *const fielded[] = { "span.kind", "otel.status_code", "otel.status_description" };
	struct val_iter it = val_begin(tags);
	struct val tag;

	while (val_next(&it, &tag)) {
		bool skip = without && is_tag(tag, without);

		for (size_t i = 0; !without && i < COUNT(fielded); i++)
			skip |= is_tag(tag, fielded[i]);
		if (!skip && val_is(val_get(tag, STR("key")), JSON_STRING))
			give_tag(w, tag);
	}
}

void otlp_give_process(struct buf *out, struct val process)
{
	struct val name = val_get(process, STR("serviceName"));
	struct json_writer w;

	json_write_init(&w, out, JSON_COMPACT);
	json_write_begin_object(&w);
	json_put_array(&w, "attributes");
	if (val_is(name, JSON_STRING)) {
		json_write_begin_object(&w);
		json_put_text(&w, "key", OTLP_RELEASED(SERVICE));
		json_put_object(&w, "value");
		json_put_raw(&w, "stringValue", val_source(name));
		json_write_end_object(&w);
		json_write_end_object(&w);
	}
	give_tags(&w, val_get(process, STR("tags")), "service.name");
	json_write_end_array(&w);
	json_write_end_object(&w);
}

/* The value of the first tag of this name, or VAL_NONE. */
static struct val find_tag(struct val tags, const char *name)
{
	struct val_iter it = val_begin(tags);
	struct val tag;

	while (val_next(&it, &tag))
		if (is_tag(tag, name))
			return val_get(tag, STR("value"));
	return VAL_NONE;
}

/* The first parent is the span's; every other reference is a link. */
static void give_jaeger_references(struct json_writer *w, struct arena *a, struct val references)
{
	struct val_iter it = val_begin(references);
	struct val ref, parent = VAL_NONE;
	bool links = false;

	while (val_is_none(parent) && val_next(&it, &ref))
		if (val_text_is(val_get(ref, STR("refType")), STR("CHILD_OF")))
			parent = ref;
	give_hex(w, a, "parentSpanId", val_get(parent, STR("spanID")), 8);
	for (it = val_begin(references); val_next(&it, &ref);) {
		if (ref.at == parent.at)
			continue;
		if (!links)
			json_put_array(w, "links");
		links = true;
		json_write_begin_object(w);
		give_span_ids(w, a, val_get(ref, STR("traceID")), val_get(ref, STR("spanID")));
		json_write_end_object(w);
	}
	if (links)
		json_write_end_array(w);
}

/* Logs are events; the field "event" is the event's name. */
static void give_jaeger_logs(struct json_writer *w, struct val logs)
{
	struct val_iter it = val_begin(logs);
	struct val log;

	if (!val_is(logs, JSON_ARRAY) || val_count(logs) == 0)
		return;
	json_put_array(w, "events");
	while (val_next(&it, &log)) {
		struct val fields = val_get(log, STR("fields"));

		give_begin_event(w, otlp_span_time(val_get(log, STR("timestamp")), 1000), find_tag(fields, "event"));
		json_write_begin_array(w);
		give_tags(w, fields, "event");
		json_write_end_array(w);
		json_write_end_object(w);
	}
	json_write_end_array(w);
}

/* Writes the members of a span of Jaeger. OTLP has no place for warnings and flags: they are counted as losses. */
static void give_jaeger(struct json_writer *w, struct arena *a, struct val v, struct losses *losses)
{
	struct val tags = val_get(v, STR("tags")), warnings = val_get(v, STR("warnings"));
	int64_t start = otlp_span_time(val_get(v, STR("startTime")), 1000);
	int64_t length = otlp_span_time(val_get(v, STR("duration")), 1000);

	give_span_ids(w, a, val_get(v, STR("traceID")), val_get(v, STR("spanID")));
	give_jaeger_references(w, a, val_get(v, STR("references")));
	json_put_raw(w, "name", val_source(val_get(v, STR("operationName"))));
	give_kind(w, find_tag(tags, "span.kind"));
	give_nano(w, "startTimeUnixNano", start);
	give_nano(w, "endTimeUnixNano", start && length < INT64_MAX - start ? start + length : start);
	json_put_array(w, "attributes");
	give_tags(w, tags, NULL);
	json_write_end_array(w);
	give_jaeger_logs(w, val_get(v, STR("logs")));
	give_status(w, find_tag(tags, "otel.status_code"), find_tag(tags, "otel.status_description"));
	if (val_is(warnings, JSON_ARRAY) && val_count(warnings) > 0)
		losses_add(losses, "jaeger: warnings");
	if (val_has(v, STR("flags")))
		losses_add(losses, "jaeger: flags");
}

/* ---- flat dumps ---- */

/* Times may be integers or RFC 3339. */
static void give_sdk_events(struct json_writer *w, struct val events)
{
	struct val_iter it = val_begin(events);
	struct val event;

	if (!val_is(events, JSON_ARRAY) || val_count(events) == 0)
		return;
	json_put_array(w, "events");
	while (val_next(&it, &event)) {
		give_begin_event(w, otlp_span_time(val_get_either(event, STR("timestamp"), STR("time")), 1),
				 val_get_either(event, STR("name"), STR("event_name")));
		give_attributes(w, val_get(event, STR("attributes")));
		json_write_end_object(w);
	}
	json_write_end_array(w);
}

/* Ids stand in `context` or in the link itself. */
static void give_sdk_links(struct json_writer *w, struct arena *a, struct val links)
{
	struct val_iter it = val_begin(links);
	struct val link;

	if (!val_is(links, JSON_ARRAY) || val_count(links) == 0)
		return;
	json_put_array(w, "links");
	while (val_next(&it, &link)) {
		struct val context = val_has(link, STR("context")) ? val_get(link, STR("context")) : link;

		json_write_begin_object(w);
		give_span_ids(w, a, val_get(context, STR("trace_id")), val_get(context, STR("span_id")));
		json_put_key(w, "attributes");
		give_attributes(w, val_get(link, STR("attributes")));
		json_write_end_object(w);
	}
	json_write_end_array(w);
}

static void give_sdk_attributes(struct json_writer *w, struct val attributes)
{
	struct buf text = { 0 };

	json_put_key(w, "attributes");
	if (val_is(attributes, JSON_ARRAY)) {
		otlp_give_record(&text, attributes);
		json_write_raw(w, buf_str(&text));
		buf_free(&text);
	} else {
		give_attributes(w, attributes);
	}
}

/* Writes the members of a span of a flat dump. Its resource and scope are the group's (write.c). */
static void give_sdk(struct json_writer *w, struct arena *a, struct val v)
{
	struct otlp_flat f = otlp_span_flat(v);
	struct val status = val_get(v, STR("status"));

	give_span_ids(w, a, f.trace, f.id);
	give_hex(w, a, "parentSpanId", f.parent, 8);
	json_put_raw(w, "name", val_source(val_get(v, STR("name"))));
	give_kind(w, val_get(v, STR("kind")));
	give_nano(w, "startTimeUnixNano", f.start);
	give_nano(w, "endTimeUnixNano", f.end);
	give_sdk_attributes(w, val_get(v, STR("attributes")));
	give_sdk_events(w, val_get_either(v, STR("span_events"), STR("events")));
	give_sdk_links(w, a, val_get(v, STR("links")));
	give_status(w, val_is(status, JSON_STRING) ? status : val_get_either(status, STR("code"), STR("status_code")),
		    val_get_either(status, STR("message"), STR("description")));
}

void otlp_give_span(struct buf *out, struct arena *a, struct val span, struct losses *losses)
{
	enum otlp_shape shape = OTLP_NATIVE;
	struct json_writer w;

	if (!otlp_span_is(span, &shape) || shape == OTLP_NATIVE) {
		otlp_give_record(out, span);
		return;
	}
	json_write_init(&w, out, JSON_COMPACT);
	json_write_begin_object(&w);
	if (shape == OTLP_JAEGER)
		give_jaeger(&w, a, span, losses);
	else
		give_sdk(&w, a, span);
	json_write_end_object(&w);
}
