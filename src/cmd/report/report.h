/*
 * Findings for people, in the house style, and for programs, as JSON:
 *
 *	error[E_DUP_KEY]: the name "a" occurs twice in this object
 *	  --> run.jsonl:6:412
 *	   |
 *	 6 | …"input_tokens":12400,"a":-1,"latency_seconds":1.3…
 *	   |                       ^^^
 *	   = path: $.model_call.a   rule: RFC 8259 section 4
 *	   = help: keep one of them
 *
 * Everything that came from the input is shown so that it cannot act on the terminal (term_add_text).
 * Repeats are grouped: after REPORT_REPEATS findings with the same code the rest is only counted.
 */
#ifndef CMD_REPORT_REPORT_H
#define CMD_REPORT_REPORT_H

#include "base/buf.h"
#include "base/finding.h"
#include "cmd/frame/command.h"
#include "json/write.h"

#define REPORT_LIMIT 50  /* for findings_init, when --all was not given */
#define REPORT_REPEATS 5 /* of one code are shown whole */
#define REPORT_WIDTH 100 /* columns at most */

struct report {
	bool color;
	bool all;     /* show every finding that was kept, grouping nothing */
	bool no_all;  /* the command has no --all to point at */
	bool limited; /* to so many as somebody asked for: nothing is grouped then either */
	enum severity least; /* milder findings are left out, as with -q */
	size_t width; /* columns; long lines are cut around the place, sentences wrapped */
	const char *help; /* instead of that of every rule; may be NULL */
	const struct rule *rules; /* of the file's format, looked at first; may be NULL */
	/* The rule of a code, for its help and section, or NULL. May itself be NULL. */
	const struct rule *(*find_rule)(const char *code);
};

/*
 * Fills in *r for the stream behind `t`: its colour, and its width up to REPORT_WIDTH. Everything else is zero and may
 * be set afterwards. There is nothing to free.
 */
void report_init(struct report *r, const struct term *t, bool all);

/* The rule of a code, from `rules` or else by `find_rule`; NULL when neither has it. A constant. */
const struct rule *report_find_rule(const struct report *r, const char *code);

/* The code of the first finding that is as bad as any, listed or not; NULL when there is none. A constant. */
const char *report_worst_code(const struct findings *list);

/* What to do about a finding of this code: r->help, else advice or the rule's own; NULL when nobody says. */
const char *report_find_help(const struct report *r, const char *code);

/* Whether the rule is one about files of any kind, which is written nowhere but here. */
bool report_is_own_rule(const char *code);

/*
 * A path for services: relative to `root` (which ends in a slash, or is empty) when it is below it, without "./" before
 * it; "stdin" for standard input. Points into `path`, or is a constant.
 */
struct str report_relative(struct str path, struct str root);

/* The directory we are in, with a slash behind it, in the arena; empty when it cannot be found out. */
struct str report_find_root(struct arena *a);

/* One finding. An empty path leaves the place out. */
void report_add_finding(struct buf *out, const struct report *r, struct str path, const struct finding *f);

/*
 * Adds all findings of a list, but of one code at most REPORT_REPEATS unless `all` or `limited`, and a line for each
 * code of which some were not shown.
 */
void report_add_list(struct buf *out, const struct report *r, struct str path, const struct findings *list);

/* "1 error, 2 warnings", "no findings"; no newline. */
void report_add_counts(struct buf *out, const struct findings *list);

/*
 * The column behind the marked text, from 1 and in characters, as far as the excerpt has it; that of the finding
 * without any.
 */
uint64_t report_end_column(const struct finding *f);

/*
 * Writes the name of a member if --json=FIELDS wants it; its value must follow then. False and nothing written
 * otherwise.
 */
bool report_begin_field(struct json_writer *w, struct opt_maybe selected, const char *name);

/* {"code":...,"severity":...,"line":...,"column":...,"byte_offset":...,"pointer":...,"message":...}; no place: null */
void report_write_json(struct json_writer *w, const struct finding *f);

/* Writes the array of all findings that were kept; `list` may have counted more. */
void report_write_json_list(struct json_writer *w, const struct findings *list);

/*
 * Adds "$.model_call.tools[3]" for the JSON Pointer "/model_call/tools/3", safe for a terminal; other names in brackets
 * and quotes, "$" for the whole record.
 */
void report_add_path(struct buf *out, struct str pointer);

#endif
