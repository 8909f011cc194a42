/*
 * Requests of OTLP for tests: what they are read into, as lines of sightings, and a request in JSON as protobuf. The
 * protobuf is written by the table of messages; that its numbers are right, the corpora tell.
 */
#ifndef UNIT_DIALECT_OTLP_SIGHT_FEED_H
#define UNIT_DIALECT_OTLP_SIGHT_FEED_H

#include "base/crypto/hex.h"
#include "dialect/otlp/sight.h"
#include "dialect/otlp/sight_private.h"
#include "dialect/sighting/sighting_line.h"
#include "harness/test.h"
#include "unit/dialect/otlp_feed.h"

struct sight_result {
	bool ok;
	struct str lines; /* of all sightings */
	struct otlp_taken taken;
	struct err err;
};

static inline void sight_feed_see(void *context, const struct sighting *s)
{
	sighting_line_add(context, s);
}

static inline struct str sight_feed_pad(struct str body)
{
	char *copy = test_alloc(body.n + JSON_PAD + 1);

	memset(copy, 0, body.n + JSON_PAD + 1);
	if (body.n)
		memcpy(copy, body.p, body.n);
	return str_of(copy, body.n);
}

/* The body is copied with its padding. */
static inline struct sight_result sight_feed(enum otlp_signal signal, bool is_json, struct str body)
{
	struct otlp_sighter *o = otlp_sighter_open();
	struct buf lines = { 0 };
	struct otlp_sights to = { sight_feed_see, &lines };
	struct sight_result r = { .ok = false };

	r.ok = otlp_sighter_read(o, signal, is_json, sight_feed_pad(body), &to, &r.taken, &r.err);
	r.lines = sight_feed_pad(buf_str(&lines));
	buf_free(&lines);
	otlp_sighter_close(o);
	return r;
}

/* Requests in JSON, one after the other: the sightings of all. */
static inline struct str sight_lines_of(enum otlp_signal signal, const char *const *bodies, size_t count)
{
	struct otlp_sighter *o = otlp_sighter_open();
	struct buf lines = { 0 };
	struct otlp_sights to = { sight_feed_see, &lines };
	struct otlp_taken taken;
	struct str text;
	struct err err;

	for (size_t i = 0; i < count; i++)
		if (!otlp_sighter_read(o, signal, true, sight_feed_pad(str_from(bodies[i])), &to, &taken, &err))
			FAIL("refused: %s", err.text);
	text = sight_feed_pad(buf_str(&lines));
	buf_free(&lines);
	otlp_sighter_close(o);
	return text;
}

/* ---- JSON to protobuf ---- */

static inline void sight_put_varint(struct buf *out, uint64_t n)
{
	for (; n >= 0x80; n >>= 7)
		buf_add_byte(out, (char)(n | 0x80));
	buf_add_byte(out, (char)n);
}

static inline void sight_put_bytes(struct buf *out, uint64_t number, struct str bytes)
{
	sight_put_varint(out, number << 3 | 2);
	sight_put_varint(out, bytes.n);
	buf_add_str(out, bytes);
}

static inline void sight_put_fixed(struct buf *out, uint64_t number, uint64_t n, size_t bytes)
{
	sight_put_varint(out, number << 3 | (bytes == 8 ? 1 : 5));
	for (size_t i = 0; i < bytes; i++)
		buf_add_byte(out, (char)(n >> 8 * i));
}

static inline void sight_put_message(struct buf *out, const struct sight_message *m, struct val v);

static inline uint64_t sight_put_integer(struct val v)
{
	int64_t n = 0;
	uint64_t u;

	if (num_parse_u64(val_raw(v), &u))
		return u;
	CHECK(num_integral(val_raw(v), &n));
	return (uint64_t)n;
}

static inline void sight_put_id(struct buf *out, uint64_t number, struct str digits)
{
	uint8_t bytes[64] = { 0 };

	/* one that is no hexadecimal has a wrong length here too */
	if (digits.n % 2 || digits.n > 2 * sizeof(bytes) || !hex_parse(digits, bytes, digits.n / 2))
		sight_put_bytes(out, number, STR("?"));
	else
		sight_put_bytes(out, number, str_of(bytes, digits.n / 2));
}

static inline void sight_put_value(struct buf *out, uint64_t number, const struct sight_field *f, struct val v)
{
	struct buf inside = { 0 };
	uint64_t bits = 0;
	double d = 0;

	switch (f->type) {
	case SIGHT_T_TEXT:
	case SIGHT_T_BYTES: /* what is in them is never looked at */
		sight_put_bytes(out, number, val_text(v, &otlp_arena));
		break;
	case SIGHT_T_ID:
		sight_put_id(out, number, val_raw(v));
		break;
	case SIGHT_T_MESSAGE:
		sight_put_message(&inside, f->message, v);
		sight_put_bytes(out, number, buf_str(&inside));
		buf_free(&inside);
		break;
	case SIGHT_T_DOUBLE:
		val_double(v, &d);
		memcpy(&bits, &d, sizeof(d));
		sight_put_fixed(out, number, bits, 8);
		break;
	case SIGHT_T_FIXED64:
	case SIGHT_T_SFIXED64:
		sight_put_fixed(out, number, sight_put_integer(v), 8);
		break;
	case SIGHT_T_FIXED32:
		sight_put_fixed(out, number, sight_put_integer(v), 4);
		break;
	default:
		sight_put_varint(out, number << 3);
		sight_put_varint(out, val_is_bool(v) ? val_is(v, JSON_TRUE) : sight_put_integer(v));
	}
}

static inline void sight_put_message(struct buf *out, const struct sight_message *m, struct val v)
{
	struct val_iter it = val_begin(v);
	struct val key, value, element;

	while (val_next_member(&it, &key, &value)) {
		for (size_t i = 1; i < m->count; i++) {
			struct val_iter list = val_begin(value);

			if (!m->fields[i].name.n || !val_text_is(key, m->fields[i].name) || val_is(value, JSON_NULL))
				continue;
			if (!m->fields[i].repeated)
				sight_put_value(out, i, &m->fields[i], value);
			while (m->fields[i].repeated && val_next(&list, &element))
				sight_put_value(out, i, &m->fields[i], element);
		}
	}
}

/* A request in JSON, which must be JSON, as protobuf. */
static inline struct str sight_as_proto(enum otlp_signal signal, struct str json)
{
	struct json_parser *p = json_parser_open((struct json_options){ .allow_lone = true });
	struct buf out = { 0 };
	struct str bytes;
	struct val root;

	CHECK(json_parse_copy(p, json, &root, NULL));
	sight_put_message(&out, sight_request(signal), root);
	bytes = sight_feed_pad(buf_str(&out));
	buf_free(&out);
	json_parser_close(p);
	return bytes;
}

/* A request in JSON that must be fine: its sightings, which are those of its protobuf too. */
static inline struct str sight_lines(enum otlp_signal signal, const char *json)
{
	struct sight_result r = sight_feed(signal, true, str_from(json)), p;

	if (!r.ok)
		FAIL("refused: %s", r.err.text);
	p = sight_feed(signal, false, sight_as_proto(signal, str_from(json)));
	if (!p.ok)
		FAIL("the protobuf is refused: %s", p.err.text);
	CHECK_STR(p.lines, r.lines);
	CHECK_INT(p.taken.spans, r.taken.spans);
	CHECK_INT(p.taken.logs, r.taken.logs);
	CHECK_INT(p.taken.points, r.taken.points);
	CHECK_INT(p.taken.rejected, r.taken.rejected);
	return r.lines;
}

/* One span with these attributes, as one sighting without the context that all have. */
static inline struct str sight_of_span(const char *name, const char *attributes)
{
	struct buf json = { 0 };
	struct str lines, head;
	size_t at;

	buf_printf(&json, "{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{\"traceId\":\"" OTLP_TRACE "\",\"spanId\":\""
		   OTLP_ID("a") "\",\"name\":\"%s\",\"kind\":3,\"startTimeUnixNano\":\"1000\",\"endTimeUnixNano\":3000,"
		   "\"attributes\":[%s]}]}]}]}", name, attributes);
	buf_add_byte(&json, 0);
	lines = sight_lines(OTLP_TRACES, json.p);
	buf_free(&json);
	head = STR("{\"v\":\"sighting/1\",\"kind\":");
	CHECK(str_starts(lines, head));
	CHECK_INT(str_count(lines, '\n'), 1);
	lines = str_skip(str_of(lines.p, lines.n - 1), head.n);
	at = str_find(lines, STR("\"span\":\"aaaaaaaaaaaaaaaa\""));
	CHECK(at != (size_t)-1);
	return ARENA_JOIN(&otlp_arena, str_cut(lines, ',', &head), str_skip(lines, at + 25));
}

#endif
