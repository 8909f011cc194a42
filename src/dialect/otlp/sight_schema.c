/*
 * The messages of OTLP (opentelemetry-proto 1.11), by the numbers and names of their fields. A field that is not here
 * is unknown: newer senders may have some, and they are passed over.
 */
#include "dialect/otlp/sight_schema.h"

#include "dialect/record/field.h"

#define FIELD(number, name, type, take) [number] = { WORD(name), SIGHT_T_##type, SIGHT_TAKE_##take, false, NULL }
#define PLAIN(number, name, type) FIELD(number, name, type, NOTHING)
#define MANY(number, name, type) [number] = { WORD(name), SIGHT_T_##type, SIGHT_TAKE_NOTHING, true, NULL }
#define INSIDE(number, name, message, take) \
	[number] = { WORD(name), SIGHT_T_MESSAGE, SIGHT_TAKE_##take, false, &message }
#define LIST_OF(number, name, message, take) \
	[number] = { WORD(name), SIGHT_T_MESSAGE, SIGHT_TAKE_##take, true, &message }
#define ONE(number, name, message) INSIDE(number, name, message, NOTHING)
#define ALL(number, name, message) LIST_OF(number, name, message, NOTHING)
#define MESSAGE(fields, part) { fields, COUNT(fields), SIGHT_PART_##part }

/* ---- values ---- */

static const struct sight_message any_message; /* values hold values */

static const struct sight_field pair_fields[] = {
	FIELD(1, "key", TEXT, KEY),
	INSIDE(2, "value", any_message, VALUE),
	PLAIN(3, "keyStrindex", INT32),
};
static const struct sight_message pair_message = MESSAGE(pair_fields, PAIR);

static const struct sight_field array_fields[] = { LIST_OF(1, "values", any_message, ELEMENT) };
static const struct sight_message array_message = MESSAGE(array_fields, ARRAY);
static const struct sight_field list_fields[] = { ALL(1, "values", pair_message) };
static const struct sight_message list_message = MESSAGE(list_fields, LIST);

static const struct sight_field any_fields[] = {
	FIELD(1, "stringValue", TEXT, SCALAR),
	FIELD(2, "boolValue", BOOL, SCALAR),
	FIELD(3, "intValue", INT64, SCALAR),
	FIELD(4, "doubleValue", DOUBLE, SCALAR),
	ONE(5, "arrayValue", array_message),
	ONE(6, "kvlistValue", list_message),
	FIELD(7, "bytesValue", BYTES, SCALAR),
	PLAIN(8, "stringValueStrindex", INT32),
};
static const struct sight_message any_message = MESSAGE(any_fields, ANY);

/* ---- contexts ---- */

static const struct sight_field entity_fields[] = {
	PLAIN(1, "schemaUrl", TEXT),
	PLAIN(2, "type", TEXT),
	MANY(3, "idKeys", TEXT),
	MANY(4, "descriptionKeys", TEXT),
};
static const struct sight_message entity_message = MESSAGE(entity_fields, OTHER);

static const struct sight_field resource_fields[] = {
	ALL(1, "attributes", pair_message),
	PLAIN(2, "droppedAttributesCount", UINT32),
	ALL(3, "entityRefs", entity_message),
};
static const struct sight_message resource_message = MESSAGE(resource_fields, RESOURCE);

static const struct sight_field scope_fields[] = {
	FIELD(1, "name", TEXT, SCOPE_NAME),
	PLAIN(2, "version", TEXT),
	ALL(3, "attributes", pair_message),
	PLAIN(4, "droppedAttributesCount", UINT32),
};
static const struct sight_message scope_message = MESSAGE(scope_fields, OTHER);

/* ---- spans ---- */

static const struct sight_field event_fields[] = {
	FIELD(1, "timeUnixNano", FIXED64, EVENT_TIME),
	FIELD(2, "name", TEXT, EVENT_NAME),
	ALL(3, "attributes", pair_message),
	PLAIN(4, "droppedAttributesCount", UINT32),
};
static const struct sight_message event_message = MESSAGE(event_fields, EVENT);

static const struct sight_field link_fields[] = {
	PLAIN(1, "traceId", ID),
	PLAIN(2, "spanId", ID),
	PLAIN(3, "traceState", TEXT),
	ALL(4, "attributes", pair_message),
	PLAIN(5, "droppedAttributesCount", UINT32),
	PLAIN(6, "flags", FIXED32),
};
static const struct sight_message link_message = MESSAGE(link_fields, OTHER);

static const struct sight_field status_fields[] = {
	PLAIN(2, "message", TEXT),
	FIELD(3, "code", ENUM, STATUS),
};
static const struct sight_message status_message = MESSAGE(status_fields, OTHER);

static const struct sight_field span_fields[] = {
	FIELD(1, "traceId", ID, TRACE),
	FIELD(2, "spanId", ID, SPAN),
	PLAIN(3, "traceState", TEXT),
	FIELD(4, "parentSpanId", ID, PARENT),
	FIELD(5, "name", TEXT, NAME),
	PLAIN(6, "kind", ENUM),
	FIELD(7, "startTimeUnixNano", FIXED64, BEGIN),
	FIELD(8, "endTimeUnixNano", FIXED64, END),
	ALL(9, "attributes", pair_message),
	PLAIN(10, "droppedAttributesCount", UINT32),
	ALL(11, "events", event_message),
	PLAIN(12, "droppedEventsCount", UINT32),
	ALL(13, "links", link_message),
	PLAIN(14, "droppedLinksCount", UINT32),
	ONE(15, "status", status_message),
	PLAIN(16, "flags", FIXED32),
};
static const struct sight_message span_message = MESSAGE(span_fields, SPAN);

/* ---- log records ---- */

static const struct sight_field log_fields[] = {
	FIELD(1, "timeUnixNano", FIXED64, END),
	PLAIN(2, "severityNumber", ENUM),
	PLAIN(3, "severityText", TEXT),
	INSIDE(5, "body", any_message, BODY),
	ALL(6, "attributes", pair_message),
	PLAIN(7, "droppedAttributesCount", UINT32),
	PLAIN(8, "flags", FIXED32),
	FIELD(9, "traceId", ID, TRACE),
	FIELD(10, "spanId", ID, SPAN),
	FIELD(11, "observedTimeUnixNano", FIXED64, BEGIN),
	FIELD(12, "eventName", TEXT, NAME),
};
static const struct sight_message log_message = MESSAGE(log_fields, LOG);

/* ---- metrics ---- */

static const struct sight_field exemplar_fields[] = {
	PLAIN(2, "timeUnixNano", FIXED64),
	PLAIN(3, "asDouble", DOUBLE),
	PLAIN(4, "spanId", ID),
	PLAIN(5, "traceId", ID),
	PLAIN(6, "asInt", SFIXED64),
	ALL(7, "filteredAttributes", pair_message),
};
static const struct sight_message exemplar_message = MESSAGE(exemplar_fields, OTHER);

static const struct sight_field number_fields[] = {
	PLAIN(2, "startTimeUnixNano", FIXED64),
	PLAIN(3, "timeUnixNano", FIXED64),
	PLAIN(4, "asDouble", DOUBLE),
	ALL(5, "exemplars", exemplar_message),
	PLAIN(6, "asInt", SFIXED64),
	ALL(7, "attributes", pair_message),
	PLAIN(8, "flags", UINT32),
};
static const struct sight_message number_message = MESSAGE(number_fields, POINT);

static const struct sight_field histogram_point_fields[] = {
	PLAIN(2, "startTimeUnixNano", FIXED64),
	PLAIN(3, "timeUnixNano", FIXED64),
	PLAIN(4, "count", FIXED64),
	PLAIN(5, "sum", DOUBLE),
	MANY(6, "bucketCounts", FIXED64),
	MANY(7, "explicitBounds", DOUBLE),
	ALL(8, "exemplars", exemplar_message),
	ALL(9, "attributes", pair_message),
	PLAIN(10, "flags", UINT32),
	PLAIN(11, "min", DOUBLE),
	PLAIN(12, "max", DOUBLE),
};
static const struct sight_message histogram_point_message = MESSAGE(histogram_point_fields, POINT);

static const struct sight_field buckets_fields[] = {
	PLAIN(1, "offset", SINT32),
	MANY(2, "bucketCounts", UINT64),
};
static const struct sight_message buckets_message = MESSAGE(buckets_fields, OTHER);

static const struct sight_field exponential_point_fields[] = {
	ALL(1, "attributes", pair_message),
	PLAIN(2, "startTimeUnixNano", FIXED64),
	PLAIN(3, "timeUnixNano", FIXED64),
	PLAIN(4, "count", FIXED64),
	PLAIN(5, "sum", DOUBLE),
	PLAIN(6, "scale", SINT32),
	PLAIN(7, "zeroCount", FIXED64),
	ONE(8, "positive", buckets_message),
	ONE(9, "negative", buckets_message),
	PLAIN(10, "flags", UINT32),
	ALL(11, "exemplars", exemplar_message),
	PLAIN(12, "min", DOUBLE),
	PLAIN(13, "max", DOUBLE),
	PLAIN(14, "zeroThreshold", DOUBLE),
};
static const struct sight_message exponential_point_message = MESSAGE(exponential_point_fields, POINT);

static const struct sight_field quantile_fields[] = { PLAIN(1, "quantile", DOUBLE), PLAIN(2, "value", DOUBLE) };
static const struct sight_message quantile_message = MESSAGE(quantile_fields, OTHER);

static const struct sight_field summary_point_fields[] = {
	PLAIN(2, "startTimeUnixNano", FIXED64),
	PLAIN(3, "timeUnixNano", FIXED64),
	PLAIN(4, "count", FIXED64),
	PLAIN(5, "sum", DOUBLE),
	ALL(6, "quantileValues", quantile_message),
	ALL(7, "attributes", pair_message),
	PLAIN(8, "flags", UINT32),
};
static const struct sight_message summary_point_message = MESSAGE(summary_point_fields, POINT);

static const struct sight_field gauge_fields[] = { ALL(1, "dataPoints", number_message) };
static const struct sight_message gauge_message = MESSAGE(gauge_fields, OTHER);
static const struct sight_field sum_fields[] = {
	ALL(1, "dataPoints", number_message),
	PLAIN(2, "aggregationTemporality", ENUM),
	PLAIN(3, "isMonotonic", BOOL),
};
static const struct sight_message sum_message = MESSAGE(sum_fields, OTHER);
static const struct sight_field histogram_fields[] = {
	ALL(1, "dataPoints", histogram_point_message),
	PLAIN(2, "aggregationTemporality", ENUM),
};
static const struct sight_message histogram_message = MESSAGE(histogram_fields, OTHER);
static const struct sight_field exponential_fields[] = {
	ALL(1, "dataPoints", exponential_point_message),
	PLAIN(2, "aggregationTemporality", ENUM),
};
static const struct sight_message exponential_message = MESSAGE(exponential_fields, OTHER);
static const struct sight_field summary_fields[] = { ALL(1, "dataPoints", summary_point_message) };
static const struct sight_message summary_message = MESSAGE(summary_fields, OTHER);

static const struct sight_field metric_fields[] = {
	PLAIN(1, "name", TEXT),
	PLAIN(2, "description", TEXT),
	PLAIN(3, "unit", TEXT),
	ONE(5, "gauge", gauge_message),
	ONE(7, "sum", sum_message),
	ONE(9, "histogram", histogram_message),
	ONE(10, "exponentialHistogram", exponential_message),
	ONE(11, "summary", summary_message),
	ALL(12, "metadata", pair_message),
};
static const struct sight_message metric_message = MESSAGE(metric_fields, OTHER);

/* ---- requests: three lists inside each other, with other names for each signal ---- */

#define REQUEST(signal, groups, scopes, things, thing_message) \
	static const struct sight_field signal##_scopes_fields[] = { \
		ONE(1, "scope", scope_message), \
		ALL(2, things, thing_message), \
		PLAIN(3, "schemaUrl", TEXT), \
	}; \
	static const struct sight_message signal##_scopes_message = MESSAGE(signal##_scopes_fields, SCOPES); \
	static const struct sight_field signal##_group_fields[] = { \
		ONE(1, "resource", resource_message), \
		ALL(2, scopes, signal##_scopes_message), \
		PLAIN(3, "schemaUrl", TEXT), \
	}; \
	static const struct sight_message signal##_group_message = MESSAGE(signal##_group_fields, GROUP); \
	static const struct sight_field signal##_fields[] = { ALL(1, groups, signal##_group_message) }; \
	static const struct sight_message signal##_message = MESSAGE(signal##_fields, OTHER)

REQUEST(traces, "resourceSpans", "scopeSpans", "spans", span_message);
REQUEST(metrics, "resourceMetrics", "scopeMetrics", "metrics", metric_message);
REQUEST(logs, "resourceLogs", "scopeLogs", "logRecords", log_message);

const struct sight_message *sight_request(enum otlp_signal signal)
{
	return signal == OTLP_TRACES ? &traces_message : signal == OTLP_LOGS ? &logs_message : &metrics_message;
}
