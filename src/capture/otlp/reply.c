/* Two small messages in two encodings. A text of more than REPLY_TEXT bytes is cut: it is one line for people. */
#include "capture/otlp/reply.h"

#include <stdio.h>

#include "base/utf8.h"
#include "json/put.h"

#define REPLY_TEXT 1000

/* google.rpc.Code */
static const struct { int status, code; } reply_codes[] = {
	{ 400, 3 }, { 405, 12 }, { 413, 8 }, { 415, 3 }, { 503, 14 },
};

static const char *const reply_rejected[] = {
	[OTLP_TRACES] = "rejectedSpans", [OTLP_METRICS] = "rejectedDataPoints", [OTLP_LOGS] = "rejectedLogRecords",
};

/* ---- protobuf ---- */

static void reply_add_varint(struct buf *out, uint64_t n)
{
	for (; n >= 0x80; n >>= 7)
		buf_add_byte(out, (char)(n | 0x80));
	buf_add_byte(out, (char)n);
}

/* A field of two: a number, and a text. Zero and nothing are not written. */
static void reply_add_fields(struct buf *out, uint64_t number, struct str text)
{
	if (number) {
		buf_add_byte(out, 1 << 3 | 0);
		reply_add_varint(out, number);
	}
	if (text.n) {
		buf_add_byte(out, 2 << 3 | 2);
		reply_add_varint(out, text.n);
		buf_add_str(out, text);
	}
}

/* ---- both ---- */

void otlp_reply_add_taken(struct buf *out, enum otlp_signal signal, bool is_json, uint64_t rejected, struct str why)
{
	bool any = rejected || why.n;
	struct json_writer w;
	struct buf partial;

	why = utf8_cut(why, REPLY_TEXT);
	if (is_json) {
		json_write_init(&w, out, JSON_COMPACT);
		json_write_begin_object(&w);
		if (any) {
			char number[24];

			json_put_key(&w, "partialSuccess");
			json_write_begin_object(&w);
			/* 64 bits are a text in protobuf's JSON */
			json_put_text(&w, reply_rejected[signal],
				      str_of(number, (size_t)snprintf(number, sizeof(number), "%llu",
								      (unsigned long long)rejected)));
			json_put_text(&w, "errorMessage", why);
			json_write_end_object(&w);
		}
		json_write_end_object(&w);
		return;
	}
	if (!any)
		return;
	buf_init(&partial);
	reply_add_fields(&partial, rejected, why);
	buf_add_byte(out, 1 << 3 | 2);
	reply_add_varint(out, partial.n);
	buf_add_str(out, buf_str(&partial));
	buf_free(&partial);
}

void otlp_reply_add_refusal(struct buf *out, bool is_json, int status, struct str why)
{
	struct json_writer w;
	int code = 2; /* unknown */

	for (size_t i = 0; i < COUNT(reply_codes); i++)
		if (reply_codes[i].status == status)
			code = reply_codes[i].code;
	why = utf8_cut(why, REPLY_TEXT);
	if (!is_json) {
		reply_add_fields(out, (uint64_t)code, why);
		return;
	}
	json_write_init(&w, out, JSON_COMPACT);
	json_write_begin_object(&w);
	json_put_i64(&w, "code", code);
	json_put_text(&w, "message", why);
	json_write_end_object(&w);
}
