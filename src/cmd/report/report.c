/*
 * A finding is shown in parts: heading, place, excerpt, notes. Counts of what is not shown come from the list, which
 * counts more findings than it keeps.
 */
#include "cmd/report/report.h"

#include <unistd.h>

#include "base/ascii.h"
#include "base/num.h"
#include "base/utf8.h"
#include "cmd/frame/advice.h"
#include "cmd/frame/opt.h"
#include "cmd/report/excerpt.h"
#include "cmd/screen/wrap.h"
#include "json/put.h"

void report_init(struct report *r, const struct term *t, bool all)
{
	size_t width = t->is_terminal && t->width < REPORT_WIDTH ? t->width : REPORT_WIDTH;

	*r = (struct report){ .color = t->color, .all = all, .width = width };
}

const struct rule *report_find_rule(const struct report *r, const char *code)
{
	for (const struct rule *rule = r->rules; rule && rule->code; rule++)
		if (strcmp(rule->code, code) == 0)
			return rule;
	return r->find_rule ? r->find_rule(code) : NULL;
}

const char *report_worst_code(const struct findings *list)
{
	const struct finding_count *worst = NULL;

	for (size_t i = 0; i < list->counts_count; i++)
		if (!worst || list->counts[i].severity > worst->severity)
			worst = &list->counts[i];
	return worst ? worst->code : NULL;
}

const char *report_find_help(const struct report *r, const char *code)
{
	const struct rule *rule = report_find_rule(r, code);

	if (r->help)
		return r->help;
	return rule ? advice_for_rule(rule) : NULL;
}

bool report_is_own_rule(const char *code)
{
	return code[0] == 'V' && ascii_is_digit(code[1]);
}

struct str report_find_root(struct arena *a)
{
	char path[4096];

	return getcwd(path, sizeof(path)) ? arena_printf(a, "%s/", strcmp(path, "/") == 0 ? "" : path) : STR("");
}

struct str report_relative(struct str path, struct str root)
{
	if (str_eq(path, STR("-")))
		return STR("stdin");
	if (root.n && str_starts(path, root))
		path = str_skip(path, root.n);
	while (str_starts(path, STR("./")))
		path = str_skip(path, 2);
	return path;
}

uint64_t report_end_column(const struct finding *f)
{
	size_t mark = f->mark < f->excerpt.n ? f->mark : f->excerpt.n;
	size_t length = f->mark_length < f->excerpt.n - mark ? f->mark_length : f->excerpt.n - mark;

	return f->at.column + (length ? utf8_count(str_of(f->excerpt.p + mark, length)) : 0);
}

static bool is_index(struct str token)
{
	uint64_t number;

	return num_parse_u64(token, &number);
}

/* Whether the name can stand behind a dot in a path: letters, digits and underscores, no digit first. */
static bool is_plain_name(struct str token)
{
	for (size_t i = 0; i < token.n; i++) {
		char c = token.p[i];
		bool is_letter = ascii_is_alpha(c) || c == '_';

		if (!is_letter && (i == 0 || !ascii_is_digit(c)))
			return false;
	}
	return token.n > 0;
}

/* A token of a JSON Pointer as it was before RFC 6901 escaped it. */
static void add_unescaped(struct buf *out, struct str token)
{
	for (size_t i = 0; i < token.n; i++) {
		char next = i + 1 < token.n ? token.p[i + 1] : 0;
		bool is_escape = token.p[i] == '~' && (next == '0' || next == '1');

		if (is_escape)
			i++;
		buf_add_byte(out, !is_escape ? token.p[i] : token.p[i] == '0' ? '~' : '/');
	}
}

static void add_quoted(struct buf *out, struct str token)
{
	struct buf plain;

	buf_init(&plain);
	add_unescaped(&plain, token);
	buf_add_str(out, STR("['"));
	term_add_text(out, buf_str(&plain));
	buf_add_str(out, STR("']"));
	buf_free(&plain);
}

void report_add_path(struct buf *out, struct str pointer)
{
	struct str left = pointer;

	buf_add_byte(out, '$');
	while (left.n && left.p[0] == '/') {
		struct str token = str_skip(left, 1);
		const char *slash = token.n ? memchr(token.p, '/', token.n) : NULL;

		if (slash)
			token.n = (size_t)(slash - token.p);
		left = str_skip(left, 1 + token.n);
		if (is_index(token))
			buf_printf(out, "[%.*s]", STR_ARG(token));
		else if (is_plain_name(token))
			buf_printf(out, ".%.*s", STR_ARG(token));
		else
			add_quoted(out, token);
	}
}

#define PATH_MAX_SHOWN 160 /* bytes; of a longer path the middle is left out, at characters that are ASCII */
#define PATH_KEPT 60       /* bytes at each end */

/* The path of a deeply nested value may be longer than the line it is in: only both ends are shown. */
static void add_short_path(struct buf *out, struct str pointer)
{
	struct buf path;
	size_t head = PATH_KEPT, tail;

	buf_init(&path);
	report_add_path(&path, pointer);
	if (path.n <= PATH_MAX_SHOWN) {
		buf_add_str(out, buf_str(&path));
		buf_free(&path);
		return;
	}
	for (tail = path.n - PATH_KEPT; head > 0 && (path.p[head] & 0x80); head--)
		;
	while (tail < path.n && (path.p[tail] & 0x80))
		tail++;
	buf_add(out, path.p, head);
	buf_add_str(out, STR(" … "));
	buf_add(out, path.p + tail, path.n - tail);
	buf_free(&path);
}

static enum term_style report_style_of(enum severity s)
{
	return s == SEV_ERROR ? STYLE_ERROR : s == SEV_WARNING ? STYLE_WARNING : STYLE_INFO;
}

/* "error[CODE]: message", the continuation lines below the message's start of line by two columns. */
static void report_add_heading(struct buf *out, const struct report *r, const struct finding *f)
{
	const char *severity = severity_name(f->severity);
	struct buf message;

	buf_init(&message);
	term_add_text(&message, f->message);
	buf_printf(out, "%s%s[%s]%s: %s", term_style(r->color, report_style_of(f->severity)), severity, f->code,
		   term_style(r->color, STYLE_PLAIN), term_style(r->color, STYLE_BOLD));
	wrap_add_words(out, buf_str(&message), strlen(severity) + strlen(f->code) + 4, 2, r->width);
	buf_printf(out, "%s\n", term_style(r->color, STYLE_PLAIN));
	buf_free(&message);
}

/* The arrow stands under the margin of the excerpt, so its indent depends on the digits of the line. */
static void add_place(struct buf *out, const struct report *r, struct str path, const struct place *at, size_t digits)
{
	wrap_add_spaces(out, digits + 1);
	buf_printf(out, "%s-->%s ", term_style(r->color, STYLE_PLACE), term_style(r->color, STYLE_PLAIN));
	term_add_text(out, path);
	if (at->line)
		buf_printf(out, ":%llu", (unsigned long long)at->line);
	if (at->line && at->column)
		buf_printf(out, ":%llu", (unsigned long long)at->column);
	buf_add_byte(out, '\n');
}

/* "   = label: " and gives the column behind it. */
static size_t report_add_label(struct buf *out, const struct report *r, size_t digits, const char *label)
{
	wrap_add_spaces(out, digits + 2);
	buf_printf(out, "%s=%s %s: ", term_style(r->color, STYLE_PLACE), term_style(r->color, STYLE_PLAIN), label);
	return digits + 2 + strlen("= : ") + strlen(label);
}

/* The path and the rule share a line; the help has its own. Rules of validate itself are written nowhere else. */
static void report_add_notes(struct buf *out, const struct report *r, const struct finding *f, size_t digits)
{
	const struct rule *rule = report_find_rule(r, f->code);
	const char *section = rule && !report_is_own_rule(f->code) ? rule->section : NULL;
	const char *help = report_find_help(r, f->code);

	if (f->pointer.n) {
		report_add_label(out, r, digits, "path");
		add_short_path(out, f->pointer);
		buf_printf(out, "%s%s\n", section ? "   rule: " : "", section ? section : "");
	} else if (section) {
		report_add_label(out, r, digits, "rule");
		buf_printf(out, "%s\n", section);
	}
	if (help) {
		size_t column = report_add_label(out, r, digits, "help");

		wrap_add_words(out, str_from(help), column, column, r->width);
		buf_add_byte(out, '\n');
	}
}

void report_add_finding(struct buf *out, const struct report *r, struct str path, const struct finding *f)
{
	char number[NUM_U64_MAX];
	size_t digits = f->at.line ? num_format_u64(number, f->at.line) : 1;

	report_add_heading(out, r, f);
	if (path.n)
		add_place(out, r, path, &f->at, digits);
	if (f->at.line && f->excerpt.n)
		excerpt_add(out, f, r->color, r->width);
	report_add_notes(out, r, f, digits);
}

/* The place of a code among the counts. Codes are static text, but two tables may spell the same one. */
static size_t number_of(const struct findings *list, const char *code)
{
	size_t i = 0;

	while (i + 1 < list->counts_count && list->counts[i].code != code && strcmp(list->counts[i].code, code) != 0)
		i++;
	return i;
}

static bool is_grouped(const struct report *r)
{
	return !r->all && !r->limited;
}

/*
 * A line for each code of which some findings were not shown, with the option that shows them, if the command has it.
 */
static void add_rest(struct buf *out, const struct report *r, const struct findings *list)
{
	const char *hint = r->limited ? " (above --limit; --all to list)" : " (--all to list)";

	if (r->all || r->no_all)
		hint = "";
	for (size_t i = 0; i < list->counts_count; i++) {
		const struct finding_count *c = &list->counts[i];
		uint64_t shown = list->kept_count ? c->kept : 0;

		if (c->severity < r->least)
			continue;
		if (is_grouped(r) && shown > REPORT_REPEATS)
			shown = REPORT_REPEATS;
		if (c->count > shown)
			buf_printf(out, "%s%llu %s %s%s\n", list->kept_count ? "… and " : "",
				   (unsigned long long)(c->count - shown), shown ? "more of" : "of", c->code, hint);
	}
}

void report_add_list(struct buf *out, const struct report *r, struct str path, const struct findings *list)
{
	struct buf times; /* each code was shown, a byte for each: no more than REPORT_REPEATS */

	buf_init(&times);
	memset(buf_reserve(&times, list->counts_count + 1), 0, list->counts_count + 1);
	for (size_t i = 0; i < list->kept_count; i++) {
		const struct finding *f = &list->kept[i];
		char *shown = &times.p[number_of(list, f->code)];

		if (f->severity < r->least || (is_grouped(r) && *shown >= REPORT_REPEATS))
			continue;
		report_add_finding(out, r, path, f);
		if (*shown < REPORT_REPEATS)
			++*shown;
	}
	add_rest(out, r, list);
	buf_free(&times);
}

static void report_add_count(struct buf *out, uint64_t count, const char *noun, bool *any)
{
	if (count == 0)
		return;
	buf_printf(out, "%s%llu %s%s", *any ? ", " : "", (unsigned long long)count, noun, count == 1 ? "" : "s");
	*any = true;
}

void report_add_counts(struct buf *out, const struct findings *list)
{
	bool any = false;

	report_add_count(out, list->errors, "error", &any);
	report_add_count(out, list->warnings, "warning", &any);
	report_add_count(out, list->infos, "note", &any);
	if (!any)
		buf_add_str(out, STR("no findings"));
}

bool report_begin_field(struct json_writer *w, struct opt_maybe selected, const char *name)
{
	if (!opt_has_field(selected, str_from(name)))
		return false;
	json_put_key(w, name);
	return true;
}

void report_write_json(struct json_writer *w, const struct finding *f)
{
	bool has_place = f->at.line != 0;

	json_write_begin_object(w);
	json_put_text(w, "code", str_from(f->code));
	json_put_word(w, "severity", severity_name(f->severity));
	json_put_u64_or_null(w, "line", f->at.line, has_place);
	json_put_u64_or_null(w, "column", f->at.column, has_place && f->at.column != 0);
	/* of a line that is gone perhaps only its number is known */
	json_put_u64_or_null(w, "byte_offset", f->at.offset, has_place && (f->at.column || f->at.offset));
	json_put_text(w, "pointer", f->pointer);
	json_put_text(w, "message", f->message);
	json_write_end_object(w);
}

void report_write_json_list(struct json_writer *w, const struct findings *list)
{
	json_write_begin_array(w);
	for (size_t i = 0; i < list->kept_count; i++)
		report_write_json(w, &list->kept[i]);
	json_write_end_array(w);
}
