/* Protobuf that is broken in every way is refused, and never read past its end. */
#include "unit/dialect/otlp_sight_feed.h"

static const char traces[] = OTLP_DOCUMENT(
	OTLP_SPAN("1", "2", "chat m", "01", "02", OTLP_CHAT(10, 5) ",{\"key\":\"x\",\"value\":{\"kvlistValue\":{\"values\":["
		  "{\"key\":\"a\",\"value\":{\"arrayValue\":{\"values\":[{\"intValue\":\"1\"},{\"boolValue\":true},"
		  "{\"doubleValue\":1.5},{\"bytesValue\":\"AAAA\"}]}}}]}}}") ","
	OTLP_SPAN_OF(OTLP_TRACE, "2", "0", "agent", "01", "03", OTLP_AGENT_OF("x"), OTLP_FAILED
		     ",\"events\":[{\"name\":\"e\",\"timeUnixNano\":\"5\",\"attributes\":[" OTLP_S("k", "v") "]}],"
		     "\"links\":[{\"traceId\":\"" OTLP_TRACE "\",\"spanId\":\"" OTLP_ID("3") "\",\"flags\":1}]"));

static const char metrics[] =
	"{\"resourceMetrics\":[{\"resource\":{},\"scopeMetrics\":[{\"scope\":{},\"metrics\":[{\"name\":\"a\",\"gauge\":"
	"{\"dataPoints\":[{\"asInt\":\"1\",\"timeUnixNano\":\"2\"},{\"asDouble\":1.5}]}},{\"name\":\"b\",\"histogram\":{"
	"\"aggregationTemporality\":1,\"dataPoints\":[{\"count\":\"2\",\"bucketCounts\":[\"1\",1],\"explicitBounds\":[1.5],"
	"\"exemplars\":[{\"asInt\":-1,\"spanId\":\"" OTLP_ID("3") "\"}]}]}},{\"exponentialHistogram\":{\"dataPoints\":[{"
	"\"scale\":3,\"positive\":{\"offset\":1,\"bucketCounts\":[1,2]}}]}},{\"summary\":{\"dataPoints\":[{"
	"\"quantileValues\":[{\"quantile\":0.5,\"value\":\"NaN\"}]}]}},{\"sum\":{\"isMonotonic\":true,\"dataPoints\":[{}]}}]"
	"}]}]}";

/* In a place of just this size, so that a byte read behind it is found. */
static struct sight_result read_tight(enum otlp_signal signal, struct str body)
{
	return sight_feed(signal, false, body);
}

TEST(every_truncation_is_refused_or_a_smaller_request)
{
	static const struct {
		enum otlp_signal signal;
		const char *json;
	} bodies[] = { { OTLP_TRACES, traces }, { OTLP_METRICS, metrics } };

	for (size_t i = 0; i < COUNT(bodies); i++) {
		struct str whole = sight_as_proto(bodies[i].signal, str_from(bodies[i].json));

		CHECK(read_tight(bodies[i].signal, whole).ok);
		for (size_t n = 0; n < whole.n; n++) {
			struct sight_result r = read_tight(bodies[i].signal, str_of(whole.p, n));

			test_case("%zu of %zu bytes", n, whole.n);
			CHECK(r.ok == (n == 0)); /* the request is one field, which ends with it */
			CHECK(r.ok || (r.err.kind == ERR_DATA && r.lines.n == 0 && r.taken.spans == 0));
		}
	}
}

TEST(every_byte_changed_is_refused_or_fine)
{
	struct str whole = sight_as_proto(OTLP_TRACES, str_from(traces));
	char *copy = test_alloc(whole.n);
	size_t refused = 0;

	memcpy(copy, whole.p, whole.n);
	for (size_t i = 0; i < whole.n; i++) {
		for (unsigned bit = 0; bit < 8; bit++) {
			struct sight_result r;

			copy[i] ^= (char)(1u << bit);
			r = sight_feed(OTLP_TRACES, false, str_of(copy, whole.n));
			refused += !r.ok;
			CHECK(r.ok || r.lines.n == 0);
			copy[i] ^= (char)(1u << bit);
		}
	}
	CHECK(refused > whole.n);
}

TEST(metrics_are_checked_and_counted)
{
	struct sight_result r = sight_feed(OTLP_METRICS, false, sight_as_proto(OTLP_METRICS, str_from(metrics)));

	CHECK(r.ok);
	CHECK_INT(r.taken.points, 6);
	CHECK_INT(r.lines.n, 0);
	CHECK_STR(sight_lines(OTLP_METRICS, metrics), STR(""));
}

#define BYTES(literal) { literal, sizeof(literal) - 1 }

TEST(what_is_no_request_is_refused_with_the_place)
{
	static const struct {
		struct str body;
		const char *why; /* NULL: it is fine */
	} cases[] = {
		{ BYTES(""), NULL },
		{ BYTES("\x0a\x00"), NULL },
		{ BYTES("\x7a\x00\x78\x05\x79" "12345678" "\x7d" "1234"), NULL }, /* unknown fields of every type */
		{ BYTES("\xfa\xff\xff\xff\x0f\x00"), NULL },            /* an unknown one with a large number */
		{ BYTES("\x0a\x05\x00"), "a length goes past the end, at byte 2 of 3" },
		{ BYTES("\x0a"), "a length goes past the end, at byte 1 of 1" },
		{ BYTES("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), "a length goes past the end" },
		{ BYTES("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"), "a length goes past the end" },
		{ BYTES("\x78\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"), "a number is cut off or too long" },
		{ BYTES("\x79" "1234"), "a number is cut off" },
		{ BYTES("\x08\x01"), "the wrong wire type" },
		{ BYTES("\x0b\x0c"), "a group" },
		{ BYTES("\x0c"), "a group" },
		{ BYTES("\x0e"), "a wire type that there is not" },
		{ BYTES("\x02\x00"), "a tag is no tag" },
		{ BYTES("\xff\xff\xff\xff\x7f\x00"), "a tag is no tag" },
		/* a resource, its attribute, the key: not UTF-8 */
		{ BYTES("\x0a\x07\x0a\x05\x0a\x03\x0a\x01\xff"), "a text is not UTF-8" },
		{ BYTES("{\"resourceSpans\":[]}"), "a group" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct sight_result r = sight_feed(OTLP_TRACES, false, cases[i].body);

		test_case("%zu", i);
		CHECK(r.ok == !cases[i].why);
		if (cases[i].why && !str_has(str_from(r.err.text), str_from(cases[i].why)))
			FAIL("%s", r.err.text);
	}
}

/* Arrays in arrays, each written by hand: 40 are fine, more than the limit are not. */
static struct str nested(unsigned levels)
{
	struct str value = STR("");

	for (unsigned i = 0; i < levels; i++) {
		struct buf inner = { 0 }, outer = { 0 };

		sight_put_bytes(&inner, 1, value);
		sight_put_bytes(&outer, 5, buf_str(&inner));
		value = arena_copy(&otlp_arena, buf_str(&outer));
		buf_free(&inner);
		buf_free(&outer);
	}
	for (unsigned i = 0; i < 4; i++) { /* the pair, the resource, its group, the request */
		struct buf outer = { 0 };

		sight_put_bytes(&outer, i == 0 ? 2 : 1, value);
		value = arena_copy(&otlp_arena, buf_str(&outer));
		buf_free(&outer);
	}
	return value;
}

TEST(values_are_nested_to_a_limit)
{
	struct sight_result r = sight_feed(OTLP_TRACES, false, nested(5000));

	CHECK(sight_feed(OTLP_TRACES, false, nested(40)).ok);
	CHECK(!r.ok);
	CHECK(str_has(str_from(r.err.text), STR("nested too deep")));
}

/* Packed or not, lists of numbers are the same; the last of a field that stands twice counts. */
TEST(lists_may_be_packed_and_fields_may_come_twice)
{
	struct buf point = { 0 }, metric = { 0 }, all = { 0 };
	static const unsigned above[] = { 1, 9, 2, 2, 1 };
	struct sight_result r;
	struct str value;

	for (int fine = 1; fine >= 0; fine--) {
		buf_clear(&point);
		sight_put_bytes(&point, 6, str_of("0123456789abcdef", fine ? 16 : 15));
		value = arena_copy(&otlp_arena, buf_str(&point));
		for (size_t i = 0; i < COUNT(above); i++) {
			buf_clear(&metric);
			sight_put_bytes(&metric, above[i], value);
			value = arena_copy(&otlp_arena, buf_str(&metric));
		}
		r = sight_feed(OTLP_METRICS, false, value);
		CHECK(r.ok == fine);
		CHECK(fine || str_has(str_from(r.err.text), STR("packed")));
	}
	buf_free(&point);
	buf_free(&metric);
	buf_free(&all);
}

/* Many that are empty cost neither memory nor time. */
TEST(a_large_request_of_nothing_is_read)
{
	size_t n = (size_t)4 << 20;
	char *body = test_alloc(n + JSON_PAD);

	for (size_t i = 0; i < n; i += 2)
		memcpy(body + i, "\x0a", 2);
	CHECK(sight_feed(OTLP_TRACES, false, str_of(body, n)).ok);
}
