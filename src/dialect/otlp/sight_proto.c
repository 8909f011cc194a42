/*
 * Requests as protobuf. A field that is known must have the wire type of its type (a list of numbers may be packed),
 * unknown fields are passed over by their wire type, and groups, which OTLP has never had, are refused.
 */
#include "base/utf8.h"
#include "dialect/otlp/sight_private.h"

enum wire { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };

static const uint8_t proto_wires[] = {
	[SIGHT_T_TEXT] = WIRE_BYTES,      [SIGHT_T_BYTES] = WIRE_BYTES,   [SIGHT_T_ID] = WIRE_BYTES,
	[SIGHT_T_MESSAGE] = WIRE_BYTES,   [SIGHT_T_BOOL] = WIRE_VARINT,   [SIGHT_T_ENUM] = WIRE_VARINT,
	[SIGHT_T_INT32] = WIRE_VARINT,    [SIGHT_T_SINT32] = WIRE_VARINT, [SIGHT_T_UINT32] = WIRE_VARINT,
	[SIGHT_T_INT64] = WIRE_VARINT,    [SIGHT_T_UINT64] = WIRE_VARINT, [SIGHT_T_DOUBLE] = WIRE_FIXED64,
	[SIGHT_T_FIXED64] = WIRE_FIXED64, [SIGHT_T_SFIXED64] = WIRE_FIXED64, [SIGHT_T_FIXED32] = WIRE_FIXED32,
};

/* What is left of the message that is open. */
struct proto_cursor {
	const char *p, *end;
};

/* False: it has no end, or does not fit in 64 bits. */
static bool proto_varint(struct proto_cursor *c, uint64_t *out)
{
	uint64_t n = 0;

	if (c->p < c->end && !(*c->p & 0x80)) {
		*out = (uint8_t)*c->p++;
		return true;
	}
	for (unsigned shift = 0; shift < 64 && c->p < c->end; shift += 7) {
		uint8_t byte = (uint8_t)*c->p++;

		if (shift == 63 && byte > 1)
			return false;
		n |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80) {
			*out = n;
			return true;
		}
	}
	return false;
}

/* The lowest byte stands first, whatever this machine does. */
static bool proto_fixed(struct proto_cursor *c, size_t bytes, uint64_t *out)
{
	uint64_t n = 0;

	if ((size_t)(c->end - c->p) < bytes)
		return false;
	for (size_t i = 0; i < bytes; i++)
		n |= (uint64_t)(uint8_t)c->p[i] << 8 * i;
	c->p += bytes;
	*out = n;
	return true;
}

static bool proto_bytes(struct proto_cursor *c, struct str *out)
{
	uint64_t n;

	if (!proto_varint(c, &n) || n > (uint64_t)(c->end - c->p))
		return false;
	*out = str_of(c->p, (size_t)n);
	c->p += n;
	return true;
}

static bool proto_value(struct proto_cursor *c, unsigned wire, uint64_t *n, struct str *bytes)
{
	switch (wire) {
	case WIRE_VARINT:
		return proto_varint(c, n);
	case WIRE_FIXED64:
		return proto_fixed(c, 8, n);
	case WIRE_FIXED32:
		return proto_fixed(c, 4, n);
	default:
		return proto_bytes(c, bytes);
	}
}

/* A list of numbers in one piece; OTLP's are only checked. */
static const char *proto_packed(struct str bytes, unsigned wire)
{
	struct proto_cursor c = { bytes.p, bytes.p + bytes.n };
	struct str none;
	uint64_t n;

	while (c.p < c.end)
		if (!proto_value(&c, wire, &n, &none))
			return "a packed list ends inside a number";
	return NULL;
}

/* Enums and 32-bit numbers come as 64 bits; a negative one has its sign in all of them. */
static const char *proto_number(struct otlp_sighter *o, const struct sight_field *field, uint64_t n)
{
	sight_number(o, field, field->type == SIGHT_T_BOOL ? n != 0 : n);
	return NULL;
}

/* Why it is refused; NULL: it is not. */
static const char *proto_field(struct otlp_sighter *o, struct proto_cursor *c, const struct sight_field *field,
			       unsigned wire)
{
	struct str bytes = { NULL, 0 };
	uint64_t n = 0;
	const char *why;

	if (field && wire != proto_wires[field->type] && !(field->repeated && wire == WIRE_BYTES))
		return "a field has the wrong wire type";
	if (!proto_value(c, wire, &n, &bytes))
		return wire == WIRE_BYTES ? "a length goes past the end" : "a number is cut off or too long";
	if (!field)
		return NULL;
	if (wire != WIRE_BYTES)
		return proto_number(o, field, n);
	switch (field->type) {
	case SIGHT_T_MESSAGE:
		why = sight_enter(o, field, field->message);
		if (!why) {
			sight_top(o)->end = c->p;
			c->p = bytes.p;
		}
		return why;
	case SIGHT_T_TEXT:
		if (utf8_check(bytes) != bytes.n)
			return "a text is not UTF-8";
		/* fall through */
	case SIGHT_T_BYTES:
	case SIGHT_T_ID:
		sight_text(o, field, bytes);
		return NULL;
	default:
		return proto_packed(bytes, proto_wires[field->type]);
	}
}

static const char *proto_next(struct otlp_sighter *o, struct proto_cursor *c)
{
	const struct sight_message *m = sight_top(o)->message;
	const struct sight_field *field;
	uint64_t tag;
	unsigned wire;

	if (!proto_varint(c, &tag) || tag > UINT32_MAX || tag >> 3 == 0)
		return "a tag is no tag";
	wire = (unsigned)(tag & 7);
	if (wire != WIRE_VARINT && wire != WIRE_FIXED64 && wire != WIRE_BYTES && wire != WIRE_FIXED32)
		return wire == 3 || wire == 4 ? "a group, which no message has" : "a wire type that there is not";
	field = tag >> 3 < m->count ? &m->fields[tag >> 3] : NULL;
	return proto_field(o, c, field && field->name.p ? field : NULL, wire);
}

bool sight_proto_read(struct otlp_sighter *o, const struct sight_message *request, struct err *err)
{
	struct proto_cursor c = { o->body.p, o->body.p };
	const char *why = sight_enter(o, NULL, request);

	if (o->body.n)
		c.end += o->body.n;
	sight_top(o)->end = c.end;
	while (!why && o->depth) {
		c.end = sight_top(o)->end;
		if (c.p == c.end)
			sight_leave(o);
		else
			why = proto_next(o, &c);
	}
	if (!why)
		return true;
	return err_set(err, ERR_DATA, "this is no such request in protobuf: %s, at byte %zu of %zu", why,
		       (size_t)(c.p - o->body.p), o->body.n);
}
