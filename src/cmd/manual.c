#include "cmd/manual.h"

#include "base/build.h"
#include "cmd/cmdline.h"
#include "cmd/help.h"
#include "cmd/wrap.h"

/*
 * Text as roff wants it: a backslash is spelled out, a hyphen is one that can be copied and searched
 * for, and a line that would be taken for a request is kept from being one.
 */
static void add_text(struct buf *out, struct str text)
{
	bool at_line_start = true;

	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];

		if (at_line_start && (c == '.' || c == '\''))
			buf_add_str(out, STR("\\&"));
		at_line_start = c == '\n';
		if (c == '\\')
			buf_add_str(out, STR("\\e"));
		else if (c == '-')
			buf_add_str(out, STR("\\-"));
		else if (c == '\'')
			buf_add_str(out, STR("\\(aq"));
		else if (c == '~')
			buf_add_str(out, STR("\\(ti"));
		else if (c == '^')
			buf_add_str(out, STR("\\(ha"));
		else
			buf_add_byte(out, c);
	}
}

static void add_upper(struct buf *out, struct str text)
{
	for (size_t i = 0; i < text.n; i++)
		buf_add_byte(out, text.p[i] >= 'a' && text.p[i] <= 'z' ? (char)(text.p[i] - 'a' + 'A') : text.p[i]);
}

static void add_section(struct buf *out, const char *title)
{
	buf_printf(out, ".SH %s\n", title);
}

static void add_block(struct buf *out, struct str block, bool is_verbatim)
{
	if (is_verbatim)
		buf_add_str(out, STR(".nf\n"));
	add_text(out, block);
	if (block.p[block.n - 1] != '\n')
		buf_add_byte(out, '\n');
	if (is_verbatim)
		buf_add_str(out, STR(".fi\n"));
}

static void add_paragraphs(struct buf *out, struct str text)
{
	bool is_verbatim, is_first = true;
	struct str block;
	size_t gap = 0;

	while ((block = wrap_next_block(&text, &is_verbatim, &gap)).p) {
		if (!is_first && gap)
			buf_add_str(out, STR(".PP\n"));
		add_block(out, block, is_verbatim);
		is_first = false;
		gap = 0;
	}
}

void manual_add_name(struct buf *out, const struct command *c)
{
	buf_add_str(out, STR("trackway-"));
	for (const char *p = c->name; *p; p++)
		buf_add_byte(out, *p == ' ' ? '-' : *p);
}

static void add_heading(struct buf *out, struct str name, const char *summary)
{
	buf_add_str(out, STR(".TH "));
	add_upper(out, name);
	buf_printf(out, " 1 %s \"trackway %s\" \"Trackway manual\"\n", BUILD_DATE, BUILD_VERSION);
	add_section(out, "NAME");
	add_text(out, name);
	buf_add_str(out, STR(" \\- "));
	add_text(out, str_from(summary));
	buf_add_byte(out, '\n');
}

static void add_options(struct buf *out, const struct command *c, const struct opt *table)
{
	struct buf label;

	buf_init(&label);
	for (; table->kind != OPT_END; table++) {
		const char *variable = c ? help_find_variable(c, table) : NULL;

		buf_clear(&label);
		help_add_label(&label, table, false);
		buf_add_str(out, STR(".TP\n.B "));
		add_text(out, buf_str(&label));
		buf_add_byte(out, '\n');
		add_text(out, str_from(table->help));
		if (variable)
			buf_printf(out, " (environment: %s)", variable);
		buf_add_str(out, STR(".\n"));
	}
	buf_free(&label);
}

static void add_item(struct buf *out, const char *name, const char *sentence)
{
	buf_add_str(out, STR(".TP\n.B "));
	add_text(out, str_from(name));
	buf_add_byte(out, '\n');
	add_text(out, str_from(sentence));
	buf_add_str(out, STR(".\n"));
}

static void add_examples(struct buf *out, const struct example *e)
{
	for (; e && e->line; e++)
		add_item(out, e->line, e->about);
}

static void add_topic(struct buf *out, const char *title, const char *name)
{
	add_section(out, title);
	add_paragraphs(out, str_from(topic_find(str_from(name))->text));
}

static void add_see_also(struct buf *out, const struct command *const *table)
{
	const char *comma = "";
	struct buf name;

	buf_init(&name);
	add_section(out, "SEE ALSO");
	for (; *table; table++) {
		if ((*table)->hidden)
			continue;
		buf_clear(&name);
		manual_add_name(&name, *table);
		buf_printf(out, "%s.BR ", comma);
		add_text(out, buf_str(&name));
		buf_add_str(out, STR(" (1)"));
		comma = " ,\n";
	}
	buf_add_byte(out, '\n');
	buf_free(&name);
}

void manual_add_program(struct buf *out, const struct command *const *table)
{
	add_heading(out, STR("trackway"), "what an AI agent did, exact, hashed and checked");
	add_section(out, "SYNOPSIS");
	buf_add_str(out, STR(".B trackway\n.I COMMAND\n[\\fIARGUMENTS\\fR] [\\fIOPTIONS\\fR]\n"));
	add_section(out, "EXAMPLES");
	for (size_t i = 0; table[i]; i++)
		if (table[i]->examples)
			add_item(out, table[i]->examples->line, table[i]->examples->about);
	add_section(out, "COMMANDS");
	for (size_t i = 0; table[i]; i++)
		if (!table[i]->hidden)
			add_item(out, table[i]->name, table[i]->summary);
	add_section(out, "OPTIONS OF EVERY COMMAND");
	add_options(out, NULL, global_options);
	add_topic(out, "FORMATS", "formats");
	add_topic(out, "EXIT STATUS", "exit-codes");
	add_topic(out, "ENVIRONMENT", "environment");
	add_topic(out, "PRIVACY", "privacy");
	add_see_also(out, table);
}

void manual_add_command(struct buf *out, const struct command *c)
{
	struct buf name;

	buf_init(&name);
	manual_add_name(&name, c);
	add_heading(out, buf_str(&name), c->summary);
	buf_free(&name);
	add_section(out, "SYNOPSIS");
	buf_printf(out, ".B trackway %s\n", c->name);
	add_text(out, str_from(c->usage));
	buf_add_byte(out, '\n');
	if (c->examples) {
		add_section(out, "EXAMPLES");
		add_examples(out, c->examples);
	}
	if (c->description) {
		add_section(out, "DESCRIPTION");
		add_paragraphs(out, str_from(c->description));
	}
	add_section(out, "OPTIONS");
	if (c->options) {
		add_options(out, c, c->options);
		buf_add_str(out, STR(".PP\n"));
	}
	buf_add_str(out, STR("The options of every command, the exit status and the environment are described in\n"
			     ".BR trackway (1).\n"));
}
