/* The caller brings the time, so tests need no clock. A line that cannot be written is dropped. */
#include "cmd/screen/progress.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/utf8.h"

#define MS UINT64_C(1000000)
#define FIRST_LIVE (500 * MS)
#define EVERY_LIVE (100 * MS)
#define EVERY_PLAIN (30000 * MS)

void progress_init(struct progress *p, const struct frame *f, int fd, uint64_t now_ns)
{
	bool is_dumb = str_eq(str_from(getenv("TERM")), STR("dumb"));

	*p = (struct progress){ .fd = fd, .is_off = f->quiet, .width = f->err.width, .began_ns = now_ns };
	p->is_live = f->err.is_terminal && !is_dumb;
	p->due_ns = now_ns + (p->is_live ? FIRST_LIVE : EVERY_PLAIN);
}

bool progress_is_due(const struct progress *p, uint64_t now_ns)
{
	return !p->is_off && now_ns >= p->due_ns;
}

static void write_line(const struct progress *p, struct buf *line)
{
	struct err ignored; /* talk that cannot be said is no reason to fail */

	(void)file_write_all(p->fd, buf_str(line), &ignored);
}

/* As much of the text as fits, made safe for the terminal. */
static void add_cut(struct buf *out, struct str text, size_t width)
{
	size_t used = 0;

	while (text.n) {
		size_t before = out->n, n = term_add_char(out, text);

		used += utf8_width(str_skip(buf_str(out), before));
		if (used > width) {
			out->n = before;
			return;
		}
		text = str_skip(text, n);
	}
}

void progress_show(struct progress *p, struct str text, uint64_t now_ns)
{
	struct buf line;

	if (!progress_is_due(p, now_ns))
		return;
	buf_init(&line);
	if (p->is_live)
		buf_add_byte(&line, '\r');
	add_cut(&line, text, p->is_live ? p->width - 1 : 10000);
	buf_add_str(&line, p->is_live ? STR("\033[K") : STR("\n"));
	write_line(p, &line);
	buf_free(&line);
	p->is_drawn = p->is_live;
	p->due_ns = now_ns + (p->is_live ? EVERY_LIVE : EVERY_PLAIN);
}

void progress_erase(struct progress *p)
{
	struct buf line;

	if (!p->is_drawn)
		return;
	buf_init(&line);
	buf_add_str(&line, STR("\r\033[K"));
	write_line(p, &line);
	buf_free(&line);
	p->is_drawn = false;
}
