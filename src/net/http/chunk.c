#include "net/http/chunk.h"

#include "base/crypto/hex.h"
#include "net/http/head.h"

enum { SIZE_DIGITS = 16 };

static bool http_chunk_bad(struct http_chunks *c, int status, const char *why)
{
	c->why = why;
	c->status = status;
	return false;
}

static bool is_token_byte(char c)
{
	return http_is_token(str_of(&c, 1));
}

static bool is_text_byte(char c)
{
	return http_find_control(&c, 1) == 1;
}

/* Behind a size or a whole extension: another one, or the end of the line. */
static bool end_part(struct http_chunks *c, char byte)
{
	if (byte == ';')
		c->at = HTTP_CHUNK_NAME_FIRST;
	else if (byte == '\r')
		c->at = HTTP_CHUNK_SIZE_LF;
	else
		return http_chunk_bad(c, 400, "a chunk size that is not plain hex");
	return true;
}

static bool take_size(struct http_chunks *c, char byte)
{
	int value = hex_value(byte);

	if (value < 0)
		return c->at == HTTP_CHUNK_SIZE ? end_part(c, byte)
						: http_chunk_bad(c, 400, "a chunk without a size");
	if (++c->digits > SIZE_DIGITS || c->left > (uint64_t)INT64_MAX >> 4)
		return http_chunk_bad(c, 400, "a chunk size that is too large");
	c->left = c->left << 4 | (uint64_t)value;
	c->at = HTTP_CHUNK_SIZE;
	return true;
}

static bool bad_extension(struct http_chunks *c)
{
	return http_chunk_bad(c, 400, "a chunk extension that is not well-formed");
}

/* A name, or a value that is a token. */
static bool take_word(struct http_chunks *c, char byte)
{
	bool first = c->at == HTTP_CHUNK_NAME_FIRST;

	if (is_token_byte(byte)) {
		c->at = first ? HTTP_CHUNK_NAME : c->at;
		return true;
	}
	if (c->at == HTTP_CHUNK_NAME && byte == '=') {
		c->at = HTTP_CHUNK_VALUE_FIRST;
		return true;
	}
	return !first && (byte == ';' || byte == '\r') ? end_part(c, byte) : bad_extension(c);
}

/* Extensions mean nothing to us; they are checked since readers differ about where a bad one ends. */
static bool take_extension(struct http_chunks *c, char byte)
{
	switch (c->at) {
	case HTTP_CHUNK_NAME_FIRST:
	case HTTP_CHUNK_NAME:
	case HTTP_CHUNK_VALUE:
		return take_word(c, byte);
	case HTTP_CHUNK_VALUE_FIRST:
		c->at = byte == '"' ? HTTP_CHUNK_QUOTED : HTTP_CHUNK_VALUE;
		return byte == '"' || is_token_byte(byte) || bad_extension(c);
	case HTTP_CHUNK_QUOTED:
		c->at = byte == '"' ? HTTP_CHUNK_QUOTED_END : byte == '\\' ? HTTP_CHUNK_ESCAPED : HTTP_CHUNK_QUOTED;
		return is_text_byte(byte) || bad_extension(c);
	case HTTP_CHUNK_ESCAPED:
		c->at = HTTP_CHUNK_QUOTED;
		return is_text_byte(byte) || bad_extension(c);
	default: /* behind a quoted value */
		return byte == ';' || byte == '\r' ? end_part(c, byte) : bad_extension(c);
	}
}

/* A trailer's name. One about framing is refused: a reader that believed it would see another message. */
static bool take_name(struct http_chunks *c, char byte)
{
	struct str name;

	if (is_token_byte(byte)) {
		c->at = HTTP_CHUNK_TRAILER_NAME;
		if (c->name_n < sizeof(c->name))
			c->name[c->name_n++] = byte;
		return true;
	}
	if (byte != ':' || c->name_n == 0)
		return http_chunk_bad(c, 400, "a trailer that is no header line");
	name = str_of(c->name, c->name_n);
	if (http_name_eq(name, STR("content-length")) || http_name_eq(name, STR("transfer-encoding")) ||
	    http_name_eq(name, STR("host")))
		return http_chunk_bad(c, 400, "a trailer that is about framing");
	c->at = HTTP_CHUNK_TRAILER_VALUE;
	return true;
}

/*
 * A line behind the last chunk, or the empty one that ends the body. Their number counts against the limit of headers.
 */
static bool take_trailer(struct http_chunks *c, const struct http_limits *limits, char byte)
{
	switch (c->at) {
	case HTTP_CHUNK_TRAILER_FIRST:
		c->name_n = 0;
		if (byte == '\r') {
			c->at = HTTP_CHUNK_LAST_LF;
			return true;
		}
		if (++c->trailers > limits->headers)
			return http_chunk_bad(c, 431, "too many trailers");
		return take_name(c, byte);
	case HTTP_CHUNK_TRAILER_NAME:
		return take_name(c, byte);
	default:
		if (byte == '\r')
			c->at = HTTP_CHUNK_TRAILER_LF;
		return byte == '\r' || is_text_byte(byte) ||
		       http_chunk_bad(c, 400, "a control character in a trailer");
	}
}

/* The LF behind a CR, and what comes after that line. A size of 0 leads to the trailers. */
static bool take_lf(struct http_chunks *c, const struct http_limits *limits, char byte)
{
	if (byte != '\n')
		return http_chunk_bad(c, 400, "a CR without an LF in a chunked body");
	if (c->at == HTTP_CHUNK_DATA_LF) {
		c->at = HTTP_CHUNK_SIZE_FIRST;
		c->left = c->digits = 0;
		return true;
	}
	if (c->at == HTTP_CHUNK_SIZE_LF) {
		c->at = c->left ? HTTP_CHUNK_DATA : HTTP_CHUNK_TRAILER_FIRST;
		if (limits->body && c->left > limits->body - c->taken)
			return http_chunk_bad(c, 413, "a body that is too large");
		return true;
	}
	c->at = c->at == HTTP_CHUNK_LAST_LF ? HTTP_CHUNK_OVER : HTTP_CHUNK_TRAILER_FIRST;
	return true;
}

/* One byte that is not data. */
static bool http_chunk_take(struct http_chunks *c, const struct http_limits *limits, char byte)
{
	switch (c->at) {
	case HTTP_CHUNK_SIZE_FIRST:
	case HTTP_CHUNK_SIZE:
		return take_size(c, byte);
	case HTTP_CHUNK_SIZE_LF:
	case HTTP_CHUNK_DATA_LF:
	case HTTP_CHUNK_TRAILER_LF:
	case HTTP_CHUNK_LAST_LF:
		return take_lf(c, limits, byte);
	case HTTP_CHUNK_DATA_CR:
		c->at = HTTP_CHUNK_DATA_LF;
		return byte == '\r' || http_chunk_bad(c, 400, "a chunk that is longer than its size");
	default:
		if (++c->extra > limits->head)
			return http_chunk_bad(c, 431, "too many chunk extensions and trailers");
		return c->at < HTTP_CHUNK_TRAILER_FIRST ? take_extension(c, byte) : take_trailer(c, limits, byte);
	}
}

void http_chunks_init(struct http_chunks *c)
{
	*c = (struct http_chunks){ .at = HTTP_CHUNK_SIZE_FIRST };
}

enum http_next http_chunks_next(struct http_chunks *c, const struct http_limits *limits, struct str *bytes,
				struct str *body)
{
	if (c->why)
		return HTTP_BAD;
	for (;;) {
		if (c->at == HTTP_CHUNK_OVER)
			return HTTP_DONE;
		if (bytes->n == 0)
			return HTTP_MORE;
		if (c->at == HTTP_CHUNK_DATA)
			break;
		if (!http_chunk_take(c, limits, bytes->p[0]))
			return HTTP_BAD;
		*bytes = str_skip(*bytes, 1);
	}
	*body = str_of(bytes->p, bytes->n < c->left ? bytes->n : (size_t)c->left);
	*bytes = str_skip(*bytes, body->n);
	c->left -= body->n;
	c->taken += body->n;
	if (c->left == 0)
		c->at = HTTP_CHUNK_DATA_CR;
	return HTTP_BODY;
}
