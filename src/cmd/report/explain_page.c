/* The page, the list and the JSON of a rule, each from the same row of its table. */
#include "cmd/report/explain_page.h"

#include "cmd/frame/advice.h"
#include "cmd/frame/field.h"
#include "cmd/report/report.h"
#include "cmd/screen/wrap.h"

const char *const explain_fields[] = {
	"code", "severity", "strict", "permissive", "format", "scope", "sentence", "why", "help", "section", "example",
	NULL,
};

static size_t explain_page_width(const struct term *t)
{
	return t->width < 40 ? 40 : t->width > REPORT_WIDTH ? REPORT_WIDTH : t->width;
}

static enum term_style explain_page_style_of(enum severity s)
{
	return s == SEV_ERROR ? STYLE_ERROR : s == SEV_WARNING ? STYLE_WARNING : STYLE_INFO;
}

/* A title and a paragraph; nothing without text. */
static void explain_page_add_section(struct buf *out, const struct term *t, const char *title, const char *text)
{
	if (!text)
		return;
	buf_printf(out, "\n%s%s%s\n  ", term_style(t->color, STYLE_BOLD), title, term_style(t->color, STYLE_PLAIN));
	wrap_add_words(out, str_from(text), 2, 2, explain_page_width(t));
	buf_add_byte(out, '\n');
}

/* "error; warning with --permissive" */
static void add_severities(struct buf *out, const struct rule *r)
{
	const char *usual = rules_severity(r, MODE_DEFAULT);
	const char *strict = rules_severity(r, MODE_STRICT), *permissive = rules_severity(r, MODE_PERMISSIVE);

	buf_printf(out, "%s", usual);
	if (strcmp(strict, usual) != 0)
		buf_printf(out, "; %s with --strict", strict);
	if (strcmp(permissive, usual) != 0)
		buf_printf(out, "; %s with --permissive", permissive);
}

static void add_facts(struct buf *out, const struct rules_group *g, const struct rule *r)
{
	buf_add_str(out, STR("\n  severity  "));
	add_severities(out, r);
	buf_add_str(out, STR("\n  format    "));
	rules_add_formats(out, g, r);
	buf_printf(out, "\n  looks at  %s\n", r->scope == RULE_FILE ? "the file as a whole" : "one record");
}

void explain_page_add(struct buf *out, const struct term *t, const struct rules_group *g, const struct rule *r)
{
	const char *severity = severity_name(r->severity);

	buf_printf(out, "%s%s[%s]%s: %s", term_style(t->color, explain_page_style_of(r->severity)), severity,
		   r->code, term_style(t->color, STYLE_PLAIN), term_style(t->color, STYLE_BOLD));
	wrap_add_words(out, str_from(r->sentence), strlen(severity) + strlen(r->code) + 4, 2,
		       explain_page_width(t));
	buf_printf(out, "%s\n", term_style(t->color, STYLE_PLAIN));
	add_facts(out, g, r);
	explain_page_add_section(out, t, "Why", r->why);
	explain_page_add_section(out, t, "What to do", advice_for_rule(r));
	explain_page_add_section(out, t, "Where it is written", r->section);
	if (r->example)
		buf_printf(out, "\n%sBreaks it%s\n  %s\n", term_style(t->color, STYLE_BOLD),
			   term_style(t->color, STYLE_PLAIN), r->example);
}

/* The longest code of those wanted; 0 when none is. */
static size_t longest_code(const struct rules_group *g, struct str format)
{
	size_t longest = 0;

	for (const struct rule *r = g->rules; r->code; r++)
		if (rules_is_of(g, r, format) && strlen(r->code) > longest)
			longest = strlen(r->code);
	return longest;
}

static void add_group_name(struct buf *out, const struct term *t, const struct rules_group *g, struct str format)
{
	buf_printf(out, "%s%s", out->n ? "\n" : "", term_style(t->color, STYLE_BOLD));
	if (format.p)
		buf_add_str(out, format);
	else
		rules_add_group(out, g);
	buf_printf(out, "%s\n", term_style(t->color, STYLE_PLAIN));
}

void explain_page_add_list(struct buf *out, const struct term *t, const struct rules_group *g, struct str format)
{
	size_t code = longest_code(g, format), column = 2 + code + 2 + strlen("warning") + 2;

	if (code)
		add_group_name(out, t, g, format);
	for (const struct rule *r = g->rules; r->code; r++) {
		if (!rules_is_of(g, r, format))
			continue;
		buf_printf(out, "  %-*s  %s%-7s%s  ", (int)code, r->code,
			   term_style(t->color, explain_page_style_of(r->severity)), severity_name(r->severity),
			   term_style(t->color, STYLE_PLAIN));
		wrap_add_words(out, str_from(r->sentence), column, column, explain_page_width(t));
		buf_add_byte(out, '\n');
	}
}

void explain_page_write(struct json_writer *w, struct opt_maybe fields, const struct rules_group *g,
			const struct rule *r)
{
	json_write_begin_object(w);
	field_put_word(w, fields, "code", r->code);
	field_put_word(w, fields, "severity", rules_severity(r, MODE_DEFAULT));
	field_put_word(w, fields, "strict", rules_severity(r, MODE_STRICT));
	field_put_word(w, fields, "permissive", rules_severity(r, MODE_PERMISSIVE));
	if (report_begin_field(w, fields, "format")) {
		struct buf names;

		buf_init(&names);
		rules_add_formats(&names, g, r);
		json_write_string(w, buf_str(&names));
		buf_free(&names);
	}
	field_put_word(w, fields, "scope", r->scope == RULE_FILE ? "file" : "record");
	field_put_word(w, fields, "sentence", r->sentence);
	field_put_word(w, fields, "why", r->why);
	field_put_word(w, fields, "help", advice_for_rule(r));
	field_put_word(w, fields, "section", r->section);
	field_put_word(w, fields, "example", r->example);
	json_write_end_object(w);
}
