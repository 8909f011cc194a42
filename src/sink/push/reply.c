/*
 * Protobuf is walked field by field with no recursion: two levels are all that is looked at. A group, a field without a
 * number, or a length beyond the end makes the whole body broken.
 */
#include "sink/push/reply.h"

#include "base/utf8.h"

/* ---- protobuf ---- */

struct reply_field {
	uint64_t number;
	uint64_t varint;  /* of wire type 0 */
	struct str bytes; /* of wire type 2; p NULL otherwise */
};

/* Takes a varint of at most ten bytes from the front of *s; bits beyond 64 are dropped, as all readers do. */
static bool reply_cut_varint(struct str *s, uint64_t *out)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < 10 && i < s->n; i++) {
		unsigned char b = (unsigned char)s->p[i];

		n |= (uint64_t)(b & 0x7f) << (7 * i);
		if (b < 0x80) {
			*s = str_skip(*s, i + 1);
			*out = n;
			return true;
		}
	}
	return false;
}

/* Takes a field from the front of *s, which is not empty. False: broken. */
static bool reply_cut_field(struct str *s, struct reply_field *out)
{
	uint64_t tag, n = 0;
	unsigned wire;

	*out = (struct reply_field){ .bytes = { NULL, 0 } };
	if (!reply_cut_varint(s, &tag) || tag >> 3 == 0)
		return false;
	out->number = tag >> 3;
	wire = (unsigned)(tag & 7);
	if (wire == 0)
		return reply_cut_varint(s, &out->varint);
	if (wire != 1 && wire != 2 && wire != 5)
		return false;
	if (wire == 2 && !reply_cut_varint(s, &n))
		return false;
	n = wire == 1 ? 8 : wire == 5 ? 4 : n;
	if (n > s->n)
		return false;
	if (wire == 2)
		out->bytes = str_of(s->p, (size_t)n);
	*s = str_skip(*s, (size_t)n);
	return true;
}

/* ExportTracePartialSuccess and the like: 1 rejected, 2 error_message. */
static bool reply_read_partial(struct str body, struct push_reply *out)
{
	struct reply_field f;

	while (body.n) {
		if (!reply_cut_field(&body, &f))
			return false;
		if (f.number == 1 && !f.bytes.p)
			out->rejected = f.varint <= INT64_MAX ? f.varint : 0; /* a negative count means nothing */
		else if (f.number == 2 && f.bytes.p)
			out->message = f.bytes;
	}
	return true;
}

/* A response has 1 partial_success; a Status has 2 message. */
static bool reply_read_protobuf(struct str body, bool good, struct push_reply *out)
{
	struct reply_field f;

	while (body.n) {
		if (!reply_cut_field(&body, &f))
			return false;
		if (good && f.number == 1 && f.bytes.p && !reply_read_partial(f.bytes, out))
			return false;
		if (!good && f.number == 2 && f.bytes.p)
			out->message = f.bytes;
	}
	return utf8_check(out->message) == out->message.n;
}

/* ---- JSON ---- */

/* A number, or one in a string, as 64-bit integers are in the JSON of protobuf. 0 when it is neither, or negative. */
static uint64_t reply_read_count(struct val v, struct arena *a)
{
	struct str text = val_text_or_none(v, a);
	int64_t n = 0;

	if (val_is(v, JSON_STRING) ? !num_integral(text, &n) : !val_i64(v, &n))
		return 0;
	return n > 0 ? (uint64_t)n : 0;
}

static void reply_read_success(struct val root, struct arena *a, struct push_reply *out)
{
	struct val partial = val_get_either(root, STR("partialSuccess"), STR("partial_success"));
	struct val spans = val_get_either(partial, STR("rejectedSpans"), STR("rejected_spans"));
	struct val points = val_get_either(partial, STR("rejectedDataPoints"), STR("rejected_data_points"));

	out->rejected = reply_read_count(val_is_none(spans) ? points : spans, a);
	out->message = val_text_or_none(val_get_either(partial, STR("errorMessage"), STR("error_message")), a);
}

static void reply_read_status(struct val root, struct arena *a, struct push_reply *out)
{
	static const char *const names[] = { "message", "detail", "error" };

	for (size_t i = 0; i < COUNT(names) && !out->message.n; i++) {
		struct val v = val_get(root, str_from(names[i]));

		out->message = val_is(v, JSON_OBJECT) ? val_get_text(v, STR("message"), a) : val_text_or_none(v, a);
	}
}

static bool reply_read_json(struct json_parser *parser, struct str body, bool good, struct arena *a,
			    struct push_reply *out)
{
	struct val root;

	if (!json_parse_copy(parser, body, &root, NULL))
		return false;
	if (good)
		reply_read_success(root, a, out);
	else if (val_is(root, JSON_STRING))
		out->message = val_text(root, a);
	else
		reply_read_status(root, a, out);
	return true;
}

/* "application/json; charset=utf-8": what stands before the parameters. */
static bool reply_is_media(struct str media, const char *want)
{
	struct str parameters;

	return str_eq_nocase(str_trim(str_cut(media, ';', &parameters)), str_from(want));
}

struct push_reply push_reply_read(struct arena *a, struct json_parser *parser, struct str media, struct str body,
				  bool good)
{
	struct push_reply r = { .kind = PUSH_REPLY_READ, .message = { NULL, 0 } };
	bool read;

	if (!body.n)
		return (struct push_reply){ .kind = PUSH_REPLY_EMPTY };
	if (reply_is_media(media, "application/x-protobuf") || reply_is_media(media, "application/protobuf"))
		read = reply_read_protobuf(body, good, &r);
	else if (reply_is_media(media, "application/json"))
		read = reply_read_json(parser, body, good, a, &r);
	else
		return (struct push_reply){
			.kind = PUSH_REPLY_FOREIGN,
			.message = !good && reply_is_media(media, "text/plain") ? body : STR(""),
		};
	return read ? r : (struct push_reply){ .kind = PUSH_REPLY_BROKEN };
}
