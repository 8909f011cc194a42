/*
 * OTLP as protobuf. A message inside another has its length before it: it is written first, and its length is put in
 * when it is known. Two requests one behind the other are one request with both lists, so a file of several batches is
 * one request too.
 */
#include <string.h>

#include "sink/export/otlp.h"

enum wire { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };

#define VARINT_MAX 10

static size_t varint(uint8_t out[VARINT_MAX], uint64_t n)
{
	size_t used = 0;

	while (n >= 0x80) {
		out[used++] = (uint8_t)(n | 0x80);
		n >>= 7;
	}
	out[used++] = (uint8_t)n;
	return used;
}

static void put_varint(struct buf *out, uint64_t n)
{
	uint8_t bytes[VARINT_MAX];

	buf_add(out, bytes, varint(bytes, n));
}

static void put_tag(struct buf *out, unsigned field, enum wire wire)
{
	put_varint(out, (uint64_t)field << 3 | wire);
}

static void put_number(struct buf *out, unsigned field, uint64_t n)
{
	put_tag(out, field, WIRE_VARINT);
	put_varint(out, n);
}

/* Numbers of four and eight bytes stand with their lowest byte first, whatever this machine does. */
static void put_low_first(struct buf *out, uint64_t n, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		buf_add_byte(out, (char)(n >> 8 * i));
}

static void put_fixed64(struct buf *out, unsigned field, uint64_t n)
{
	put_tag(out, field, WIRE_FIXED64);
	put_low_first(out, n, 8);
}

static uint64_t bits_of(double d)
{
	uint64_t bits;

	memcpy(&bits, &d, sizeof(bits));
	return bits;
}

static void put_bytes(struct buf *out, unsigned field, const void *bytes, size_t n)
{
	put_tag(out, field, WIRE_BYTES);
	put_varint(out, n);
	buf_add(out, bytes, n);
}

static void put_str(struct buf *out, unsigned field, struct str text)
{
	put_bytes(out, field, text.p, text.n);
}

/* A message begins; what is added until proto_end, with what this returned, is in it. */
static size_t proto_begin(struct buf *out, unsigned field)
{
	put_tag(out, field, WIRE_BYTES);
	return out->n;
}

static void proto_end(struct buf *out, size_t begin)
{
	uint8_t length[VARINT_MAX];
	size_t inside = out->n - begin, n = varint(length, inside);

	buf_reserve(out, n);
	memmove(out->p + begin + n, out->p + begin, inside);
	memcpy(out->p + begin, length, n);
	out->n += n;
}

/* The numbers are those of the messages' fields; opentelemetry-proto names them. */
static void proto_value(struct buf *out, const struct otlp_attribute *a)
{
	size_t array, value;

	switch (a->type) {
	case OTLP_TEXT:
		put_str(out, 1, a->text);
		break;
	case OTLP_BOOL:
		put_number(out, 2, a->b);
		break;
	case OTLP_INT:
		put_number(out, 3, (uint64_t)a->n);
		break;
	case OTLP_DOUBLE:
		put_fixed64(out, 4, bits_of(a->d));
		break;
	case OTLP_TEXTS:
		array = proto_begin(out, 5);
		for (size_t i = 0; i < a->count; i++) {
			value = proto_begin(out, 1);
			put_str(out, 1, a->texts[i]);
			proto_end(out, value);
		}
		proto_end(out, array);
	}
}

static void proto_attributes(struct buf *out, unsigned field, const struct otlp_attributes *a)
{
	for (uint32_t i = 0; i < a->count; i++) {
		size_t pair = proto_begin(out, field), value;

		put_str(out, 1, a->list[i].key);
		value = proto_begin(out, 2);
		proto_value(out, &a->list[i]);
		proto_end(out, value);
		proto_end(out, pair);
	}
}

static void proto_links(struct buf *out, const struct otlp_span *s)
{
	struct otlp_attributes kind = { .count = 0 };

	otlp_add_text(&kind, s->link_key, STR("causal_parent"));
	for (uint32_t i = 0; i < s->link_count; i++) {
		size_t link = proto_begin(out, 13);

		put_bytes(out, 1, s->links[i].trace, 16);
		put_bytes(out, 2, s->links[i].span, 8);
		proto_attributes(out, 4, &kind);
		proto_end(out, link);
	}
	if (s->dropped_links)
		put_number(out, 14, s->dropped_links);
}

/* Fields stand in the order of their numbers. */
static void proto_span(struct buf *list, const struct otlp_span *s)
{
	size_t span = proto_begin(list, 2), status;

	put_bytes(list, 1, s->ids.trace, 16);
	put_bytes(list, 2, s->ids.span, 8);
	if (s->has_parent)
		put_bytes(list, 4, s->parent, 8);
	put_str(list, 5, s->name);
	put_number(list, 6, s->kind);
	put_fixed64(list, 7, s->from_ns);
	put_fixed64(list, 8, s->to_ns);
	proto_attributes(list, 9, &s->attributes);
	if (s->attributes.dropped)
		put_number(list, 10, s->attributes.dropped);
	proto_links(list, s);
	if (s->failed || s->has_status) {
		status = proto_begin(list, 15);
		if (s->failed)
			put_number(list, 3, 2);
		proto_end(list, status);
	}
	put_tag(list, 16, WIRE_FIXED32);
	put_low_first(list, 0x100, 4); /* it is known whether the parent is elsewhere, and it is not */
	proto_end(list, span);
}

static void proto_point(struct buf *out, const struct otlp_metric *m, const struct otlp_point *p)
{
	size_t point = proto_begin(out, 1), packed;

	put_fixed64(out, 2, p->from_ns);
	put_fixed64(out, 3, p->to_ns);
	put_fixed64(out, 4, p->count);
	put_fixed64(out, 5, bits_of(p->sum));
	packed = proto_begin(out, 6);
	for (size_t i = 0; i <= m->bound_count; i++)
		put_low_first(out, p->buckets[i], 8);
	proto_end(out, packed);
	packed = proto_begin(out, 7);
	for (size_t i = 0; i < m->bound_count; i++)
		put_low_first(out, bits_of(m->bounds[i]), 8);
	proto_end(out, packed);
	proto_attributes(out, 9, &p->attributes);
	put_fixed64(out, 11, bits_of(p->min));
	put_fixed64(out, 12, bits_of(p->max));
	proto_end(out, point);
}

static void proto_metric(struct buf *list, const struct otlp_metric *m, const struct otlp_point *points, size_t count)
{
	size_t metric = proto_begin(list, 2), histogram;

	put_str(list, 1, m->name);
	put_str(list, 3, m->unit);
	histogram = proto_begin(list, 9);
	for (size_t i = 0; i < count; i++)
		proto_point(list, m, &points[i]);
	put_number(list, 2, 1); /* delta */
	proto_end(list, histogram);
	proto_end(list, metric);
}

/* Traces and metrics have the same numbers here: 1 resource, 2 scopes; 1 scope, 2 the list, 3 the schema. */
static void proto_request(struct buf *out, const struct otlp_envelope *e, struct str list)
{
	size_t group = proto_begin(out, 1), inner = proto_begin(out, 1), scopes;

	proto_attributes(out, 1, &e->resource);
	proto_end(out, inner);
	scopes = proto_begin(out, 2);
	inner = proto_begin(out, 1);
	put_str(out, 1, e->scope);
	put_str(out, 2, e->version);
	proto_end(out, inner);
	buf_add_str(out, list);
	put_str(out, 3, e->schema_url);
	proto_end(out, scopes);
	proto_end(out, group);
}

const struct otlp_encoding otlp_proto = { .span = proto_span, .metric = proto_metric, .request = proto_request };
