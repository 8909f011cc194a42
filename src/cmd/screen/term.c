/* Everything that came from outside passes term_add_char, one character at a time, before it is shown. */
#include "cmd/screen/term.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/num.h"
#include "base/utf8.h"

static struct str env_get(const char *name)
{
	return str_from(getenv(name));
}

bool term_wants_color(enum term_color color, bool is_terminal)
{
	struct str force = env_get("CLICOLOR_FORCE");

	if (color != COLOR_AUTO)
		return color == COLOR_ALWAYS;
	if (force.n && !str_eq(force, STR("0")))
		return true;
	if (env_get("NO_COLOR").n || str_eq(env_get("CLICOLOR"), STR("0")))
		return false;
	return is_terminal && !str_eq(env_get("TERM"), STR("dumb"));
}

/* A number of columns or lines somebody could mean; 0 otherwise. */
static size_t env_get_extent(const char *name)
{
	uint64_t number;

	if (!num_parse_u64(env_get(name), &number) || number < 10 || number > 10000)
		return 0;
	return (size_t)number;
}

void term_init(struct term *t, int fd, enum term_color color)
{
	struct winsize size = { 0 };

	t->is_terminal = isatty(fd) == 1;
	t->color = term_wants_color(color, t->is_terminal);
	t->width = env_get_extent("COLUMNS");
	t->height = env_get_extent("LINES");
	if (t->is_terminal && ioctl(fd, TIOCGWINSZ, &size) == 0) {
		t->width = t->width ? t->width : size.ws_col;
		t->height = t->height ? t->height : size.ws_row;
	}
	t->width = t->width ? t->width : 80;
	t->height = t->height ? t->height : 24;
}

const char *term_style(bool color, enum term_style style)
{
	static const char *const sequences[] = {
		[STYLE_PLAIN] = "\033[0m",      [STYLE_BOLD] = "\033[1m",       [STYLE_DIM] = "\033[2m",
		[STYLE_ERROR] = "\033[1;31m",   [STYLE_WARNING] = "\033[1;33m", [STYLE_INFO] = "\033[1;36m",
		[STYLE_PLACE] = "\033[1;34m",
	};

	return color ? sequences[style] : "";
}

size_t term_add_char(struct buf *out, struct str untrusted)
{
	uint32_t code;
	size_t n = utf8_decode(untrusted.p, untrusted.n, &code);

	if (n == 0 || code < 0x20 || code == 0x7f) {
		buf_printf(out, "\\x%02x", (unsigned)(unsigned char)untrusted.p[0]);
		return 1;
	}
	if (utf8_is_deceptive(code))
		buf_printf(out, "\\u{%04x}", (unsigned)code);
	else
		buf_add(out, untrusted.p, n);
	return n;
}

void term_add_text(struct buf *out, struct str untrusted)
{
	while (untrusted.n) {
		size_t n = term_add_char(out, untrusted);

		untrusted = str_skip(untrusted, n);
	}
}
