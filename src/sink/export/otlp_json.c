/* OTLP as JSON: ids in hexadecimal, enums as numbers, 64-bit integers as texts. */
#include "base/crypto/hex.h"
#include "base/num.h"
#include "json/write.h"
#include "sink/export/otlp.h"

static void json_name(struct buf *out, const char *name)
{
	if (out->n && out->p[out->n - 1] != '{')
		buf_add_byte(out, ',');
	buf_printf(out, "\"%s\":", name);
}

static void json_text(struct buf *out, const char *name, struct str text)
{
	json_name(out, name);
	json_write_quoted(out, text);
}

static void json_count(struct buf *out, const char *name, uint64_t n)
{
	json_name(out, name);
	buf_printf(out, "\"%llu\"", (unsigned long long)n);
}

static void json_double(struct buf *out, double d)
{
	char text[NUM_DOUBLE_MAX];

	buf_add(out, text, num_format_double(text, d));
}

static void json_hex(struct buf *out, const char *name, const uint8_t *bytes, size_t n)
{
	char hex[32];

	hex_format(hex, bytes, n);
	json_text(out, name, str_of(hex, 2 * n));
}

/* Integers are texts: a JSON number may be read as a double. */
static void json_value(struct buf *out, const struct otlp_attribute *a)
{
	switch (a->type) {
	case OTLP_TEXT:
		json_text(out, "stringValue", a->text);
		break;
	case OTLP_INT:
		json_name(out, "intValue");
		buf_printf(out, "\"%lld\"", (long long)a->n);
		break;
	case OTLP_DOUBLE:
		json_name(out, "doubleValue");
		json_double(out, a->d);
		break;
	case OTLP_BOOL:
		json_name(out, "boolValue");
		buf_add_str(out, a->b ? STR("true") : STR("false"));
		break;
	case OTLP_TEXTS:
		buf_add_str(out, STR("\"arrayValue\":{\"values\":["));
		for (size_t i = 0; i < a->count; i++) {
			buf_add_str(out, i ? STR(",{") : STR("{"));
			json_text(out, "stringValue", a->texts[i]);
			buf_add_byte(out, '}');
		}
		buf_add_str(out, STR("]}"));
	}
}

static void json_attributes(struct buf *out, const struct otlp_attributes *a)
{
	json_name(out, "attributes");
	buf_add_byte(out, '[');
	for (uint32_t i = 0; i < a->count; i++) {
		buf_add_str(out, i ? STR(",{") : STR("{"));
		json_text(out, "key", a->list[i].key);
		buf_add_str(out, STR(",\"value\":{"));
		json_value(out, &a->list[i]);
		buf_add_str(out, STR("}}"));
	}
	buf_add_byte(out, ']');
	if (a->dropped)
		buf_printf(out, ",\"droppedAttributesCount\":%u", (unsigned)a->dropped);
}

static void json_links(struct buf *out, const struct otlp_span *s)
{
	if (s->link_count == 0)
		return;
	json_name(out, "links");
	for (uint32_t i = 0; i < s->link_count; i++) {
		buf_add_str(out, i ? STR(",{") : STR("[{"));
		json_hex(out, "traceId", s->links[i].trace, 16);
		json_hex(out, "spanId", s->links[i].span, 8);
		buf_add_str(out, STR(",\"attributes\":[{"));
		json_text(out, "key", s->link_key);
		buf_add_str(out, STR(",\"value\":{\"stringValue\":\"causal_parent\"}}]}"));
	}
	buf_add_byte(out, ']');
	if (s->dropped_links)
		buf_printf(out, ",\"droppedLinksCount\":%u", (unsigned)s->dropped_links);
}

static void json_span(struct buf *list, const struct otlp_span *s)
{
	buf_add_str(list, list->n ? STR(",{") : STR("{"));
	json_hex(list, "traceId", s->ids.trace, 16);
	json_hex(list, "spanId", s->ids.span, 8);
	if (s->has_parent)
		json_hex(list, "parentSpanId", s->parent, 8);
	buf_add_str(list, STR(",\"flags\":256"));
	json_text(list, "name", s->name);
	buf_printf(list, ",\"kind\":%d", (int)s->kind);
	json_count(list, "startTimeUnixNano", s->from_ns);
	json_count(list, "endTimeUnixNano", s->to_ns);
	json_attributes(list, &s->attributes);
	json_links(list, s);
	if (s->failed)
		buf_add_str(list, STR(",\"status\":{\"code\":2}"));
	else if (s->has_status)
		buf_add_str(list, STR(",\"status\":{}"));
	buf_add_byte(list, '}');
}

static void json_point(struct buf *out, const struct otlp_metric *m, const struct otlp_point *p)
{
	buf_add_byte(out, '{');
	json_attributes(out, &p->attributes);
	json_count(out, "startTimeUnixNano", p->from_ns);
	json_count(out, "timeUnixNano", p->to_ns);
	json_count(out, "count", p->count);
	json_name(out, "sum");
	json_double(out, p->sum);
	json_name(out, "bucketCounts");
	for (size_t i = 0; i <= m->bound_count; i++)
		buf_printf(out, "%s\"%llu\"", i ? "," : "[", (unsigned long long)p->buckets[i]);
	buf_add_str(out, STR("],\"explicitBounds\":["));
	for (size_t i = 0; i < m->bound_count; i++) {
		if (i)
			buf_add_byte(out, ',');
		json_double(out, m->bounds[i]);
	}
	buf_add_byte(out, ']');
	json_name(out, "min");
	json_double(out, p->min);
	json_name(out, "max");
	json_double(out, p->max);
	buf_add_byte(out, '}');
}

static void json_metric(struct buf *list, const struct otlp_metric *m, const struct otlp_point *points, size_t count)
{
	buf_add_str(list, list->n ? STR(",{") : STR("{"));
	json_text(list, "name", m->name);
	json_text(list, "unit", m->unit);
	buf_add_str(list, STR(",\"histogram\":{\"aggregationTemporality\":1,\"dataPoints\":["));
	for (size_t i = 0; i < count; i++) {
		if (i)
			buf_add_byte(list, ',');
		json_point(list, m, &points[i]);
	}
	buf_add_str(list, STR("]}}"));
}

/* One document in one line: a file of several is OTLP's file form. */
static void json_request(struct buf *out, const struct otlp_envelope *e, struct str list)
{
	bool traces = e->signal == OTLP_TRACES;

	buf_printf(out, "{\"%s\":[{\"resource\":{", traces ? "resourceSpans" : "resourceMetrics");
	json_attributes(out, &e->resource);
	buf_printf(out, "},\"%s\":[{\"scope\":{", traces ? "scopeSpans" : "scopeMetrics");
	json_text(out, "name", e->scope);
	json_text(out, "version", e->version);
	buf_add_byte(out, '}');
	json_text(out, "schemaUrl", e->schema_url);
	buf_add_str(out, traces ? STR(",\"spans\":[") : STR(",\"metrics\":["));
	buf_add_str(out, list);
	buf_add_str(out, STR("]}]}]}\n"));
}

const struct otlp_encoding otlp_json = { .span = json_span, .metric = json_metric, .request = json_request };
