/* Pages are written as roff by hand, from the tables of commands and of formats; every text passes manual_add_text. */
#include "cmd/frame/manual.h"

#include <assert.h>

#include "base/ascii.h"
#include "base/build.h"
#include "cmd/frame/cmdline.h"
#include "cmd/frame/help.h"
#include "cmd/screen/wrap.h"
#include "dialect/dialect.h"
#include "dialect/record/record.h"
#include "dialect/record/validate_rules.h"

/*
 * Text as roff wants it: a backslash is spelled out, a hyphen is one that can be copied and searched
 * for, and a line that would be taken for a request is kept from being one.
 */
static void manual_add_text(struct buf *out, struct str text)
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
		buf_add_byte(out, ascii_upper(text.p[i]));
}

static void manual_add_section(struct buf *out, const char *title)
{
	buf_printf(out, ".SH %s\n", title);
}

/* Verbatim blocks keep their lines (.nf); others are filled by the reader's program. */
static void add_block(struct buf *out, struct str block, bool is_verbatim)
{
	if (is_verbatim)
		buf_add_str(out, STR(".nf\n"));
	manual_add_text(out, block);
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

/* .TH and NAME, by which whatis and apropos find the page. */
static void manual_add_heading(struct buf *out, struct str name, int section, const char *summary)
{
	buf_add_str(out, STR(".TH "));
	add_upper(out, name);
	buf_printf(out, " %d %s \"trackway %s\" \"Trackway manual\"\n", section, BUILD_DATE, BUILD_VERSION);
	manual_add_section(out, "NAME");
	manual_add_text(out, name);
	buf_add_str(out, STR(" \\- "));
	manual_add_text(out, str_from(summary));
	buf_add_byte(out, '\n');
}

/* As in help.c, but labels are not aligned: the reader's terminal decides about columns. */
static void manual_add_options(struct buf *out, const struct command *c, const struct opt *table)
{
	struct buf label;

	buf_init(&label);
	for (; table->kind != OPT_END; table++) {
		const char *variable = c ? help_find_variable(c, table) : NULL;

		buf_clear(&label);
		help_add_label(&label, table, false);
		buf_add_str(out, STR(".TP\n.B "));
		manual_add_text(out, buf_str(&label));
		buf_add_byte(out, '\n');
		manual_add_text(out, str_from(table->help));
		if (variable)
			buf_printf(out, " (environment: %s)", variable);
		buf_add_str(out, STR(".\n"));
	}
	buf_free(&label);
}

static void add_item(struct buf *out, const char *name, const char *sentence)
{
	buf_add_str(out, STR(".TP\n.B "));
	manual_add_text(out, str_from(name));
	buf_add_byte(out, '\n');
	manual_add_text(out, str_from(sentence));
	buf_add_str(out, STR(".\n"));
}

static void manual_add_examples(struct buf *out, const struct example *e)
{
	for (; e && e->line; e++)
		add_item(out, e->line, e->about);
}

static void add_topic(struct buf *out, const char *title, const char *name)
{
	const struct topic *t = topic_find(str_from(name));

	manual_add_section(out, title);
	add_paragraphs(out, str_from(t->text));
	if (t->more)
		add_paragraphs(out, str_from(t->more));
}

/* Pages of the listed commands and of the formats; for a group, those of its commands. */
static void add_see_also(struct buf *out, const struct command *const *table, const struct command *group)
{
	const char *comma = "";
	struct buf name;

	buf_init(&name);
	manual_add_section(out, "SEE ALSO");
	for (; *table; table++) {
		if (group ? (*table)->hidden || !command_is_member(*table, group) : !command_is_listed(*table))
			continue;
		buf_clear(&name);
		manual_add_name(&name, *table);
		buf_printf(out, "%s.BR ", comma);
		manual_add_text(out, buf_str(&name));
		buf_add_str(out, STR(" (1)"));
		comma = " ,\n";
	}
	buf_printf(out, "%s.BR trackway%s\n", comma, group ? " (1)" : "\\-trace (5)");
	buf_free(&name);
}

void manual_add_program(struct buf *out, const struct command *const *table)
{
	manual_add_heading(out, STR("trackway"), 1, "what an AI agent did, exact, hashed and checked");
	manual_add_section(out, "SYNOPSIS");
	buf_add_str(out, STR(".B trackway\n.I COMMAND\n[\\fIARGUMENTS\\fR] [\\fIOPTIONS\\fR]\n"));
	manual_add_section(out, "EXAMPLES");
	for (size_t i = 0; table[i]; i++)
		if (table[i]->examples && command_is_listed(table[i]))
			add_item(out, table[i]->examples->line, table[i]->examples->about);
	manual_add_section(out, "COMMANDS");
	for (size_t i = 0; table[i]; i++)
		if (command_is_listed(table[i]))
			add_item(out, table[i]->name, table[i]->summary);
	manual_add_section(out, "OPTIONS OF EVERY COMMAND");
	manual_add_options(out, NULL, global_options);
	add_topic(out, "FORMATS", "formats");
	add_topic(out, "EXIT STATUS", "exit-codes");
	add_topic(out, "ENVIRONMENT", "environment");
	add_topic(out, "PRIVACY", "privacy");
	add_see_also(out, table, NULL);
}

void manual_add_command(struct buf *out, const struct command *const *table, const struct command *c)
{
	struct buf name;

	buf_init(&name);
	manual_add_name(&name, c);
	manual_add_heading(out, buf_str(&name), 1, c->summary);
	buf_free(&name);
	manual_add_section(out, "SYNOPSIS");
	buf_printf(out, ".B trackway %s\n", c->name);
	manual_add_text(out, str_from(c->usage));
	buf_add_byte(out, '\n');
	if (c->examples) {
		manual_add_section(out, "EXAMPLES");
		manual_add_examples(out, c->examples);
	}
	if (c->description) {
		manual_add_section(out, "DESCRIPTION");
		add_paragraphs(out, str_from(c->description));
	}
	if (c->fields) {
		struct buf fields;

		buf_init(&fields);
		help_add_fields(&fields, c);
		buf_add_str(out, STR(".PP\n"));
		manual_add_text(out, buf_str(&fields));
		buf_add_byte(out, '\n');
		buf_free(&fields);
	}
	if (c->is_group) {
		manual_add_section(out, "COMMANDS");
		for (size_t i = 0; table[i]; i++)
			if (!table[i]->hidden && command_is_member(table[i], c))
				add_item(out, table[i]->name, table[i]->summary);
		add_see_also(out, table, c);
		return;
	}
	manual_add_section(out, "OPTIONS");
	if (c->options) {
		manual_add_options(out, c, c->options);
		buf_add_str(out, STR(".PP\n"));
	}
	buf_add_str(out, STR("The options of every command, the exit status and the environment are described in\n"
			     ".BR trackway (1).\n"));
}

/* ---- trackway-trace(5): the formats ---- */

#define TYPES_MAX 64 /* record types of one format */

struct types {
	const struct record_type *items[TYPES_MAX];
	size_t count;
};

/* Adds a type once. Types refer to each other, so the list is also what keeps the walk from going round. */
static void reach(struct types *t, const struct record_type *type)
{
	if (!type)
		return;
	for (size_t i = 0; i < t->count; i++)
		if (t->items[i] == type)
			return;
	assert(t->count < TYPES_MAX);
	t->items[t->count++] = type;
}

/* The records of a format, then what is inside them. */
static void reach_all(struct types *t, const struct dialect *d)
{
	for (size_t i = 0; d->roots && d->roots[i]; i++)
		reach(t, d->roots[i]);
	for (size_t i = 0; i < t->count; i++) {
		for (size_t j = 0; j < t->items[i]->count; j++) {
			const struct field *f = &t->items[i]->fields[j];

			reach(t, f->object);
			if (f->each)
				reach(t, f->each->object);
		}
	}
}

/* "string or null", with an s for many: "strings". */
static void add_types(struct buf *out, const struct field *f, const char *many)
{
	static const struct {
		unsigned bits;
		const char *name;
	} kinds[] = {
		{ T_STRING, "string" }, { T_NUMBER, "number" }, { T_BOOL, "boolean" },
		{ T_ARRAY, "array" },   { T_OBJECT, "object" }, { T_NULL, "null" },
	};
	const char *or = "";
	bool is_whole;

	if ((f->types & T_ANY) == T_ANY) {
		buf_printf(out, "any value%s", many);
		return;
	}
	for (size_t i = 0; i < COUNT(kinds); i++) {
		if (!(f->types & kinds[i].bits))
			continue;
		is_whole = kinds[i].bits == T_NUMBER && f->types & T_WHOLE;
		buf_printf(out, "%s%s%s", or, is_whole ? "integer" : kinds[i].name,
			   kinds[i].bits == T_NULL ? "" : many);
		if (kinds[i].bits == T_OBJECT && f->object)
			buf_printf(out, " (%s)", f->object->name);
		or = " or ";
	}
}

static void add_words(struct buf *out, const struct words *words)
{
	for (size_t i = 0; i < words->count; i++)
		buf_printf(out, "%s\"%.*s\"", i == 0 ? ": " : i + 1 < words->count ? ", " : " or ",
			   STR_ARG(words->items[i]));
}

static void add_check(struct buf *out, const struct field *f)
{
	switch ((enum field_check)f->check) {
	case CHECK_NONE: break;
	case CHECK_NOT_EMPTY: buf_add_str(out, STR(", not empty")); break;
	case CHECK_NOT_BLANK: buf_add_str(out, STR(", not blank")); break;
	case CHECK_WORD: add_words(out, f->words); break;
	case CHECK_NOT_NEGATIVE: buf_add_str(out, STR(", not negative")); break;
	case CHECK_RANGE: buf_printf(out, ", from %.17g to %.17g", f->min, f->max); break;
	case CHECK_STAMP: buf_add_str(out, STR(", a time as in RFC 3339")); break;
	}
}

static const char *need_of(const struct dialect *d, const struct field *f)
{
	if (f->need == FIELD_REQUIRED)
		return "required";
	if (f->need == FIELD_OPTIONAL && d->record && d->record->strict_wants_optional)
		return "optional, but not with --strict";
	return "optional";
}

/* "string, required: "api" or "estimated". About it." */
static void manual_add_field(struct buf *out, const struct dialect *d, const struct field *f)
{
	struct buf line;

	buf_init(&line);
	add_types(&line, f, "");
	if (f->each) {
		buf_add_str(&line, f->types & T_ARRAY ? STR(" of ") : STR(" with "));
		add_types(&line, f->each, "s");
	}
	buf_printf(&line, " (%s)", need_of(d, f));
	add_check(&line, f);
	if (f->about)
		buf_printf(&line, "; %s", f->about);
	buf_add_byte(&line, '\0');
	add_item(out, f->name, line.p);
	buf_free(&line);
}

/* One record type: what it is, then each field with its type and need. */
static void add_type(struct buf *out, const struct dialect *d, const struct record_type *type)
{
	buf_add_str(out, STR(".SS "));
	manual_add_text(out, str_from(type->name));
	buf_add_byte(out, '\n');
	if (type->about) {
		manual_add_text(out, str_from(type->about));
		buf_add_str(out, STR(".\n"));
	}
	for (size_t i = 0; i < type->count; i++)
		manual_add_field(out, d, &type->fields[i]);
}

static void add_rules(struct buf *out, const struct rule *rules)
{
	struct buf line;

	buf_init(&line);
	for (const struct rule *r = rules; r->code; r++) {
		buf_clear(&line);
		buf_printf(&line, "%s: %s", severity_name(r->severity), r->sentence);
		buf_add_byte(&line, '\0');
		add_item(out, r->code, line.p);
	}
	buf_free(&line);
}

/* A format whose codes another one before it has, too. */
static const struct dialect *find_same_rules(const struct dialect *d)
{
	for (const struct dialect *const *e = dialects; *e != d; e++)
		if ((*e)->rules == d->rules)
			return *e;
	return NULL;
}

/* A section for one format: each of its types with the fields, then its codes, or where they are listed already. */
static void manual_add_format(struct buf *out, const struct dialect *d)
{
	const struct dialect *same = d->rules->code ? find_same_rules(d) : NULL;
	struct types types = { .count = 0 };

	buf_add_str(out, STR(".SH "));
	add_upper(out, str_from(d->name));
	buf_add_byte(out, '\n');
	manual_add_text(out, str_from(d->title));
	buf_add_str(out, STR(".\nThe usual name of a file:\n.IR "));
	manual_add_text(out, str_from(d->file));
	buf_add_str(out, STR(" .\n"));
	reach_all(&types, d);
	for (size_t i = 0; i < types.count; i++)
		add_type(out, d, types.items[i]);
	if (same) {
		buf_printf(out, ".SS Codes\nThey are in the list of %s.\n", same->name);
	} else if (d->rules->code) {
		buf_add_str(out, STR(".SS Codes\n"));
		add_rules(out, d->rules);
	}
}

void manual_add_formats(struct buf *out)
{
	static const char about[] =
		"These are the formats that 'trackway validate' checks: their records with the fields of each, and "
		"the codes of what may be wrong. All are JSON, one value on each line or one in all.\n\n"
		"A field that is optional may be absent or null; with --strict some must be there, and may be null. "
		"Where words stand in quotes, they are all that are known. An integer is any number with an "
		"integral value. What a list of fields cannot say, such as rules between records, is in the codes. "
		"'trackway explain CODE' tells more of a code, and 'trackway formats --schema NAME' prints a JSON "
		"Schema.\n\n"
		"The codes of json and jsonl are those of otutl from E_BOM to E_DEPTH.\n";

	manual_add_heading(out, STR("trackway-trace"), 5,
			   "the formats of traces, logs and results, field by field");
	manual_add_section(out, "DESCRIPTION");
	add_paragraphs(out, str_from(about));
	for (const struct dialect *const *d = dialects; *d; d++)
		manual_add_format(out, *d);
	manual_add_section(out, "CODES OF ANY FILE");
	add_rules(out, validate_rules);
	manual_add_section(out, "SEE ALSO");
	buf_add_str(out, STR(".BR trackway (1) ,\n.BR trackway\\-validate (1) ,\n.BR trackway\\-explain (1) ,\n"
			     ".BR trackway\\-formats (1)\n"));
}
