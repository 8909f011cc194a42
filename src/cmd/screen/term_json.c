/* Escapes what could act on a terminal in a stream of JSON that comes in pieces. */
#include "cmd/screen/term_json.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/utf8.h"

void term_json_init(struct term_json *t, int fd, bool is_terminal)
{
	*t = (struct term_json){ .fd = fd, .is_terminal = is_terminal };
}

static void term_json_escape(struct buf *out, uint32_t code)
{
	if (code >= 0x10000) {
		buf_printf(out, "\\u%04x", (unsigned)(0xd800 + ((code - 0x10000) >> 10)));
		code = 0xdc00 + ((code - 0x10000) & 0x3ff);
	}
	buf_printf(out, "\\u%04x", (unsigned)code);
}

/* Whether bytes that decode to nothing may be the start of a character. */
static bool term_json_is_start(struct str bytes)
{
	unsigned char c = (unsigned char)bytes.p[0];
	size_t length = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2;

	if (c < 0xc2 || c > 0xf4 || bytes.n >= length)
		return false;
	for (size_t i = 1; i < bytes.n; i++)
		if (!utf8_is_tail(bytes.p[i]))
			return false;
	return true;
}

/* Adds the bytes with escapes. A character that is cut at the end is held back for the next call. */
static void term_json_filter(struct term_json *t, struct buf *out, struct str bytes)
{
	while (bytes.n) {
		uint32_t code;
		size_t n = utf8_decode(bytes.p, bytes.n, &code);

		if (n == 0 && term_json_is_start(bytes)) {
			memcpy(t->held, bytes.p, bytes.n);
			t->held_n = bytes.n;
			return;
		}
		if (n == 0)
			term_json_escape(out, 0xfffd); /* not UTF-8, so not JSON either */
		else if (code == 0x7f || utf8_is_deceptive(code))
			term_json_escape(out, code);
		else
			buf_add(out, bytes.p, n);
		bytes = str_of(bytes.p + (n ? n : 1), bytes.n - (n ? n : 1));
	}
}

bool term_json_put(struct term_json *t, struct str bytes, struct err *err)
{
	struct buf whole, out;
	bool written;

	if (!t->is_terminal)
		return file_write_all(t->fd, bytes, err);
	buf_init(&whole);
	buf_init(&out);
	buf_add(&whole, t->held, t->held_n);
	buf_add_str(&whole, bytes);
	t->held_n = 0;
	term_json_filter(t, &out, buf_str(&whole));
	written = file_write_all(t->fd, buf_str(&out), err);
	buf_free(&whole);
	buf_free(&out);
	return written;
}

bool term_json_end(struct term_json *t, struct err *err)
{
	struct buf out;
	bool written;

	buf_init(&out);
	for (; t->held_n > 0; t->held_n--)
		term_json_escape(&out, 0xfffd);
	written = file_write_all(t->fd, buf_str(&out), err);
	buf_free(&out);
	return written;
}
