/* Where the member goes: first in _meta, else a _meta first in params, else params last in the request. */
#include "capture/mcp/mcp_trace.h"

#include "base/crypto/hex.h"
#include "capture/mcp/mcp_lines.h"
#include "dialect/mcp/calls.h"

#define VALUES_MOST ((size_t)1 << 20) /* of a request that is looked at */

void mcp_trace_init(struct mcp_trace *t, struct str parent, void (*random)(void *out, size_t n))
{
	struct str trace, span;
	uint8_t bytes[16];

	*t = (struct mcp_trace){ .span = random };
	buf_init(&t->held);
	t->parser = json_parser_open((struct json_options){
		.allow_duplicates = true, .allow_lone = true, .max_values = VALUES_MOST });
	if (mcp_read_traceparent(parent, &trace, &span)) {
		memcpy(t->trace, trace.p, sizeof(t->trace));
		return;
	}
	random(bytes, sizeof(bytes));
	hex_format(t->trace, bytes, sizeof(bytes));
}

void mcp_trace_free(struct mcp_trace *t)
{
	json_parser_close(t->parser);
	buf_free(&t->held);
}

static void trace_add_member(struct mcp_trace *t, struct buf *out)
{
	char digits[16];
	uint8_t span[8];

	t->span(span, sizeof(span));
	hex_format(digits, span, sizeof(span));
	buf_printf(out, "\"traceparent\":\"00-%.*s-%.*s-01\"", (int)sizeof(t->trace), t->trace, (int)sizeof(digits),
		   digits);
}

/* The line with the member behind the first `at` bytes, and what must stand around it. */
static void trace_insert(struct mcp_trace *t, struct str line, size_t at, const char *before, const char *after,
			 struct buf *out)
{
	buf_add(out, line.p, at);
	buf_add_str(out, str_from(before));
	trace_add_member(t, out);
	buf_add_str(out, str_from(after));
	buf_add(out, line.p + at, line.n - at);
}

static size_t trace_offset(struct str line, struct val v)
{
	return (size_t)(val_source(v).p - line.p);
}

/* The line is held, with JSON_PAD bytes behind it. False: it goes on as it is. */
static bool trace_set(struct mcp_trace *t, struct str line, struct buf *out)
{
	struct val v, params, meta;

	if (!json_parse(t->parser, line, &v, NULL) || !mcp_is_message(v) ||
	    !val_is(val_get(v, STR("method")), JSON_STRING) || val_is_unset(val_get(v, STR("id"))))
		return false;
	params = val_get(v, STR("params"));
	meta = val_get(params, STR("_meta"));
	if (val_has(meta, STR("traceparent")))
		return false;
	if (val_is(meta, JSON_OBJECT))
		trace_insert(t, line, trace_offset(line, meta) + 1, "", val_count(meta) ? "," : "", out);
	else if (val_is(params, JSON_OBJECT) && val_is_none(meta))
		trace_insert(t, line, trace_offset(line, params) + 1, "\"_meta\":{", val_count(params) ? "}," : "}",
			     out);
	else if (val_is_none(params))
		trace_insert(t, line, trace_offset(line, v) + val_source(v).n - 1, ",\"params\":{\"_meta\":{", "}}",
			     out);
	else
		return false;
	return true;
}

static void trace_give(struct mcp_trace *t, struct buf *out)
{
	struct str line;

	memset(buf_reserve(&t->held, JSON_PAD), 0, JSON_PAD);
	line = buf_str(&t->held);
	if (!trace_set(t, line, out))
		buf_add_str(out, line);
	buf_clear(&t->held);
}

void mcp_trace_push(struct mcp_trace *t, struct str bytes, struct buf *out)
{
	while (bytes.n) {
		const char *end = memchr(bytes.p, '\n', bytes.n);
		struct str part = str_of(bytes.p, end ? (size_t)(end - bytes.p) + 1 : bytes.n);

		bytes = str_skip(bytes, part.n);
		if (!t->passes && t->held.n + part.n > MCP_LINE_MOST) {
			t->passes = true;
			mcp_trace_end(t, out);
		}
		if (t->passes)
			buf_add_str(out, part);
		else
			buf_add_str(&t->held, part);
		if (end && !t->passes)
			trace_give(t, out);
		t->passes = t->passes && !end;
	}
}

void mcp_trace_end(struct mcp_trace *t, struct buf *out)
{
	buf_add_str(out, buf_str(&t->held));
	buf_free(&t->held);
	buf_init(&t->held);
}
