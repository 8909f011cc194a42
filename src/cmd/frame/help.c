/*
 * Every page is rows of a label and a sentence. The widest label decides the column of the sentences; a label wider
 * than LABEL_MAX does not count, and stands on a line of its own.
 */
#include "cmd/frame/help.h"

#include "base/utf8.h"
#include "cmd/frame/cmdline.h"
#include "cmd/screen/wrap.h"

#define LABEL_MAX 26 /* a wider label stands on a line of its own */

static const char tagline[] = "trackway: what an AI agent did, exact, hashed and checked";

static size_t help_page_width(const struct term *t)
{
	return t->width < 40 ? 40 : t->width > 120 ? 120 : t->width;
}

static void add_title(struct buf *out, const struct term *t, const char *title)
{
	buf_printf(out, "\n%s%s%s\n", term_style(t->color, STYLE_BOLD), title, term_style(t->color, STYLE_PLAIN));
}

/* "  label    sentence", the sentence wrapped below itself; under the label when that is too wide. */
static void help_add_row(struct buf *out, const struct term *t, struct str label, const char *sentence,
			 size_t column)
{
	size_t at = 2 + utf8_width(label);

	wrap_add_spaces(out, 2);
	buf_add_str(out, label);
	if (at + 2 > column) {
		buf_add_byte(out, '\n');
		at = 0;
		column = column ? column : 6;
	}
	wrap_add_spaces(out, column - at);
	wrap_add_words(out, str_from(sentence), column, column, help_page_width(t));
	buf_add_byte(out, '\n');
}

/* Takes a label into account for the column where sentences start: two before it, two after. */
static size_t column_with(size_t column, size_t label)
{
	return label <= LABEL_MAX && label + 4 > column ? label + 4 : column;
}

void help_add_label(struct buf *out, const struct opt *o, bool is_aligned)
{
	if (o->letter)
		buf_printf(out, "-%c%s", o->letter, o->name ? ", " : "");
	else if (is_aligned)
		wrap_add_spaces(out, 4);
	if (o->name)
		buf_printf(out, "--%s", o->name);
	if (o->kind == OPT_OPTIONAL)
		buf_printf(out, "[=%s]", o->argument);
	else if (o->argument)
		buf_printf(out, " %s", o->argument);
}

const char *help_find_variable(const struct command *c, const struct opt *o)
{
	for (const struct opt_env *e = c->env; e && e->variable; e++)
		if (o->name && strcmp(e->option, o->name) == 0)
			return e->variable;
	return NULL;
}

/* The column where the sentences of this table start. */
static size_t option_column(const struct opt *table)
{
	struct buf label;
	size_t column = 0;

	buf_init(&label);
	for (; table->kind != OPT_END; table++) {
		buf_clear(&label);
		help_add_label(&label, table, true);
		column = column_with(column, label.n);
	}
	buf_free(&label);
	return column;
}

/* `c` names the environment variables; NULL for the global options, which have none. */
static void help_add_options(struct buf *out, const struct term *t, const struct command *c,
			     const struct opt *table)
{
	size_t column = option_column(table);
	struct buf label, sentence;

	buf_init(&label);
	buf_init(&sentence);
	for (; table->kind != OPT_END; table++) {
		const char *variable = c ? help_find_variable(c, table) : NULL;

		buf_clear(&label);
		buf_clear(&sentence);
		help_add_label(&label, table, true);
		buf_add_str(&sentence, str_from(table->help));
		if (variable)
			buf_printf(&sentence, " (environment: %s)", variable);
		buf_add_byte(&sentence, '\0');
		help_add_row(out, t, buf_str(&label), sentence.p, column);
	}
	buf_free(&sentence);
	buf_free(&label);
}

static size_t widest_example(const struct example *e)
{
	size_t widest = 0;

	for (; e && e->line; e++)
		widest = strlen(e->line) > widest ? strlen(e->line) : widest;
	return widest;
}

/* Side by side when that leaves room for the sentences, else each sentence above its line. */
static void help_add_examples(struct buf *out, const struct term *t, const struct example *e)
{
	size_t column = widest_example(e) + 4;
	bool is_narrow = column + 30 > help_page_width(t);

	for (; e && e->line; e++) {
		if (is_narrow)
			buf_printf(out, "  # %s\n  %s\n", e->about, e->line);
		else
			help_add_row(out, t, str_from(e->line), e->about, column);
	}
}

/* Those of a group, or without one those of the program. */
static bool help_is_in(const struct command *c, const struct command *group)
{
	return group ? !c->hidden && command_is_member(c, group) : command_is_listed(c);
}

/* The commands of a group, or without one (NULL) all that are listed. */
static void add_commands(struct buf *out, const struct term *t, const struct command *const *table,
			 const struct command *group)
{
	size_t column = 0;

	for (size_t i = 0; table[i]; i++)
		if (help_is_in(table[i], group))
			column = column_with(column, strlen(table[i]->name));
	for (size_t i = 0; table[i]; i++)
		if (help_is_in(table[i], group))
			help_add_row(out, t, str_from(table[i]->name), table[i]->summary, column);
}

static void add_topics(struct buf *out, const struct term *t)
{
	size_t column = 0;

	for (size_t i = 0; topics[i].name; i++)
		column = column_with(column, strlen(topics[i].name));
	for (size_t i = 0; topics[i].name; i++)
		help_add_row(out, t, str_from(topics[i].name), topics[i].summary, column);
}

/* The first examples of the first three commands. */
static void add_first_examples(struct buf *out, const struct term *t, const struct command *const *table)
{
	struct example first[4] = { { NULL, NULL } };
	size_t count = 0;

	for (; *table && count < 3; table++)
		if (!(*table)->hidden && (*table)->examples)
			first[count++] = (*table)->examples[0];
	help_add_examples(out, t, first);
}

void help_add_intro(struct buf *out, const struct term *t, const struct command *const *table)
{
	struct buf names;

	buf_init(&names);
	for (size_t i = 0; table[i]; i++)
		if (command_is_listed(table[i]))
			buf_printf(&names, "%s ", table[i]->name);
	buf_printf(out, "%s\n\n", tagline);
	add_first_examples(out, t, table);
	buf_add_str(out, STR("\nCommands: "));
	wrap_add_words(out, buf_str(&names), strlen("Commands: "), 2, help_page_width(t));
	buf_add_str(out, STR("\nMore: trackway help, trackway COMMAND -h, trackway COMMAND --help\n"));
	buf_free(&names);
}

void help_add_fields(struct buf *out, const struct command *c)
{
	for (size_t i = 0; c->fields && c->fields[i]; i++)
		buf_printf(out, "%s%s%s", i ? ", " : "The fields of --json: ", c->fields[i],
			   c->fields[i + 1] ? "" : ".");
}

static void add_description(struct buf *out, const struct term *t, const struct command *c)
{
	struct buf text;

	buf_init(&text);
	buf_add_str(&text, str_from(c->description));
	buf_add_str(&text, STR("\n\n"));
	help_add_fields(&text, c);
	add_title(out, t, "Description");
	wrap_add_paragraphs(out, buf_str(&text), 2, help_page_width(t));
	buf_free(&text);
}

void help_add_overview(struct buf *out, const struct term *t, const struct command *const *table)
{
	buf_printf(out, "%s\n", tagline);
	add_title(out, t, "Examples");
	add_first_examples(out, t, table);
	add_title(out, t, "Usage");
	buf_add_str(out, STR("  trackway COMMAND [ARGUMENTS] [OPTIONS]\n"));
	add_title(out, t, "Commands");
	add_commands(out, t, table, NULL);
	add_title(out, t, "Topics (trackway help TOPIC)");
	add_topics(out, t);
	add_title(out, t, "Options of every command");
	help_add_options(out, t, NULL, global_options);
}

void help_add_command(struct buf *out, const struct term *t, const struct command *const *table,
		      const struct command *c, bool is_full)
{
	buf_printf(out, "trackway %s: ", c->name);
	wrap_add_words(out, str_from(c->summary), strlen("trackway : ") + strlen(c->name), 2, help_page_width(t));
	buf_add_byte(out, '\n');
	if (c->examples) {
		add_title(out, t, c->is_group ? "A session" : "Examples");
		help_add_examples(out, t, c->examples);
	}
	add_title(out, t, "Usage");
	buf_printf(out, "  trackway %s%s", c->name, *c->usage ? " " : "");
	wrap_add_words(out, str_from(c->usage), strlen("  trackway  ") + strlen(c->name), 4, help_page_width(t));
	buf_add_byte(out, '\n');
	if (c->is_group) {
		add_title(out, t, "Commands");
		add_commands(out, t, table, c);
	}
	if (is_full && c->description)
		add_description(out, t, c);
	if (c->options && c->options->kind != OPT_END) {
		add_title(out, t, "Options");
		help_add_options(out, t, c, c->options);
	}
	if (!is_full) {
		buf_printf(out, "\n'trackway %s --help' shows more%s.\n", c->name,
			   c->is_group ? ", and so does -h after each of these" : "");
		return;
	}
	add_title(out, t, "Options of every command");
	help_add_options(out, t, NULL, global_options);
	add_title(out, t, "Exit status");
	buf_add_str(out, STR("  0 yes, 1 no, 2 wrong usage, 3 could not; see 'trackway help exit-codes'\n"));
}

void help_add_topic(struct buf *out, const struct term *t, const struct topic *topic)
{
	size_t width = help_page_width(t) < 100 ? help_page_width(t) : 100;

	buf_printf(out, "%s%s%s: %s\n\n", term_style(t->color, STYLE_BOLD), topic->name,
		   term_style(t->color, STYLE_PLAIN), topic->summary);
	wrap_add_paragraphs(out, str_from(topic->text), 0, width);
	if (topic->more) {
		buf_add_byte(out, '\n');
		wrap_add_paragraphs(out, str_from(topic->more), 0, width);
	}
}
