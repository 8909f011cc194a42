/* Cuts the text of an error at ERR_HELP, makes both halves safe for a terminal and wraps them below their labels. */
#include "cmd/frame/error.h"

#include <stdio.h>

#include "cmd/frame/advice.h"
#include "cmd/screen/wrap.h"

#define ERROR_WIDTH 100

static size_t error_width(const struct term *t)
{
	return t->is_terminal && t->width < ERROR_WIDTH ? t->width : ERROR_WIDTH;
}

/* Where the part for ERR_HELP begins, the length of the text when there is none. */
static size_t error_find_help(struct str text)
{
	size_t at = str_find(text, STR(ERR_HELP));

	return at == (size_t)-1 ? text.n : at;
}

/* Made safe before it is wrapped, because an escape is wider than what it stands for. */
static void error_add_wrapped(struct buf *out, const struct term *t, struct str text, size_t column, size_t indent)
{
	struct buf safe;

	buf_init(&safe);
	term_add_text(&safe, text);
	wrap_add_words(out, buf_str(&safe), column, indent, error_width(t));
	buf_add_byte(out, '\n');
	buf_free(&safe);
}

void error_add(struct buf *out, const struct term *t, const struct command *c, const struct err *err)
{
	static const char label[] = "   = help: ";
	struct err advised = advice_on(err, c);
	struct str text = str_from(advised.text);
	size_t cut = error_find_help(text);
	char page[100] = "";

	buf_printf(out, "%serror%s: ", term_style(t->color, STYLE_ERROR), term_style(t->color, STYLE_PLAIN));
	error_add_wrapped(out, t, str_of(text.p, cut), strlen("error: "), 2);
	if (cut < text.n) {
		text = str_of(text.p + cut + strlen(ERR_HELP), text.n - cut - strlen(ERR_HELP));
	} else if (err->kind == ERR_USAGE) {
		snprintf(page, sizeof(page), "'trackway %s%s-h' lists the options", c ? c->name : "", c ? " " : "");
		text = str_from(page);
	} else {
		return;
	}
	buf_add_str(out, STR(label));
	error_add_wrapped(out, t, text, strlen(label), strlen(label));
}
