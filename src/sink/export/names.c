/* Names for people: cut, and without anything that a reader, a terminal or a renderer could act upon. */
#include <inttypes.h>

#include "base/utf8.h"
#include "sink/export/private.h"

static bool names_is_shown(uint32_t code)
{
	return code >= 0x20 && !(code >= 0x7f && code < 0xa0) && !utf8_is_deceptive(code) && (code & 0xfffe) != 0xfffe;
}

bool export_is_plain(struct str text)
{
	uint32_t code;
	size_t n;

	for (size_t at = 0; at < text.n; at += n) {
		n = utf8_decode(text.p + at, text.n - at, &code);
		if (n == 0 || !names_is_shown(code))
			return false;
	}
	return text.n > 0 && text.n <= EXPORT_NAME_MAX;
}

struct export_chars export_chars_of(struct str name)
{
	return (struct export_chars){ .left = name, .room = EXPORT_NAME_MAX };
}

struct str export_next_char(struct export_chars *c)
{
	struct str now = c->left;
	uint32_t code;

	if (now.n == 0)
		return str_of(NULL, 0);
	now.n = utf8_decode(now.p, now.n, &code);
	if (now.n > c->room || c->room == 0) {
		c->left.n = 0;
		return STR("\xE2\x80\xA6");
	}
	c->left = str_skip(c->left, now.n ? now.n : 1);
	c->room -= now.n ? now.n : 1;
	if (now.n == 1 && (code == '\n' || code == '\t' || code == '\r'))
		return STR(" ");
	return now.n && names_is_shown(code) ? now : STR("\xEF\xBF\xBD");
}

struct str export_shown(struct arena *a, struct str name)
{
	struct export_chars chars = export_chars_of(name);
	struct buf out;
	struct str c;

	if (export_is_plain(name))
		return name;
	buf_init(&out);
	while ((c = export_next_char(&chars)).p)
		buf_add_str(&out, c);
	return arena_take(a, &out);
}

struct str export_label_of(const struct trace_entry *e)
{
	return e->row.kind == AT_BRANCH ? agent_trace_kinds[AT_BRANCH] : trace_name_of(e);
}

static void names_add_figure(struct buf *out, struct figure f)
{
	if (figure_is_known(f))
		buf_printf(out, "%" PRIu64 "%s", f.n, f.source == FIGURE_ESTIMATED ? "~" : "");
	else
		buf_add_byte(out, '?');
}

void export_add_tokens(struct buf *out, const struct trace_entry *e)
{
	const struct usage *u = &e->row.usage;

	if (e->row.kind != AT_MODEL_CALL || (!figure_is_known(u->input) && !figure_is_known(u->output)))
		return;
	names_add_figure(out, u->input);
	buf_add_str(out, STR("->"));
	names_add_figure(out, u->output);
	buf_add_str(out, STR(" tok"));
}

struct str export_title_of(struct export *x, const struct trace *t, size_t number)
{
	struct str id = utf8_cut(t->id, 8);

	if (!export_is_plain(id))
		return arena_printf(x->arena, "run %zu", number + 1);
	return arena_printf(x->arena, "run %.*s", STR_ARG(id));
}

struct str export_call_name(struct arena *a, const struct trace_entry *e)
{
	struct str name = export_shown(a, export_label_of(e));

	return e->row.kind == AT_MODEL_CALL ? ARENA_JOIN(a, STR("chat "), name) : name;
}
