/*
 * Trackway as a library: is this trace, log or result right, and if not, where and why?
 *
 *	struct tw_report *r = tw_validate_file("agent-trace.jsonl", NULL);
 *
 *	if (tw_report_verdict(r) != TW_VALID)
 *		puts(tw_report_finding_count(r) ? tw_report_finding(r, 0)->message : tw_report_error(r));
 *	tw_report_free(r);
 *
 * Link with: pkg-config --static --cflags --libs trackway. A longer example is doc/examples/validate.c.
 *
 * What you can rely on
 * - Input is never trusted and no input is too broken: every validation ends with a report.
 * - Nothing prints, exits, installs signal handlers or changes the locale, with one exception: when the
 *   system has no more memory (or no random bytes, once at the start), the process ends with one line on
 *   standard error and exit status 3.
 * - There is no state between calls. Any function may be called from any thread at any time, but one
 *   validator belongs to one thread at a time. A report does not change: many threads may read one.
 * - Text is UTF-8, ends with a NUL and belongs to what it was asked of, unless the function says otherwise.
 * - Within one major version functions and members are added, never changed or removed; likewise codes
 *   of findings never change their meaning. New members of a struct come at its end.
 * - Functions that take a pointer to a report, validator, format or rule do not take NULL, but those
 *   that free do.
 */
#ifndef TRACKWAY_H
#define TRACKWAY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* "0.1.0": the version of the library that was linked. */
const char *tw_version(void);

/* ---- validating ---- */

enum tw_mode {
	TW_DEFAULT, /* what the format's text says: MUST is an error, SHOULD a warning */
	/*
	 * What the reference implementation of agent-trace enforces; it changes no other format. Errors are also:
	 * an optional field that is absent (null will do, AT020), a field that is not listed (AT023), no summary
	 * (AT107), a node that ends before it starts (AT050), an error message with content (AT066) and a parent
	 * that never appears (AT103). Every other warning stays one.
	 */
	TW_STRICT,
	/* agent-trace only, too: other versions (AT010) and words that are not known (AT030) are warnings */
	TW_PERMISSIVE,
};

#define TW_EVERY_FINDING SIZE_MAX /* for finding_limit */

/*
 * Members left zero have their defaults: struct tw_validate_options o = { .size = sizeof(o) }; and then
 * what is to be different. NULL instead of options means defaults too.
 */
struct tw_validate_options {
	size_t size;          /* sizeof(struct tw_validate_options) as your compiler knows it */
	const char *format;   /* "agent-trace"; NULL: seen in the content */
	enum tw_mode mode;
	size_t finding_limit; /* kept whole, the rest is only counted; 0 means 1000 */
	size_t record_limit;  /* bytes of the longest line or document taken; 0 means 64 MiB, 2 GiB is the most */
	unsigned jobs;        /* threads for one large file; 0 and 1: only the calling thread */
	int secrets;          /* not 0: look for API keys also where the format allows any text */
};

struct tw_report;

/*
 * A file, also one packed by gzip or zstd; "-" is standard input. Memory does not grow with the size of a
 * file of lines, but for the ids its format wants to be unique. Never NULL: a file that is not there, or
 * options that make no sense, give a report whose verdict is TW_UNREADABLE.
 */
struct tw_report *tw_validate_file(const char *path, const struct tw_validate_options *options);

/* The same for bytes in memory. `name` is what the report calls them; NULL means "(memory)". */
struct tw_report *tw_validate_memory(const void *bytes, size_t size, const char *name,
				     const struct tw_validate_options *options);

/*
 * The same for bytes that come bit by bit, say from a collector: open, feed as often as you like, finish.
 * Lines may be split anywhere; the report is the same however they are. The bytes are copied and taken as
 * they are (nothing is unpacked), on the calling thread (`jobs` has no effect).
 */
struct tw_validator;

/* Never NULL, as above. */
struct tw_validator *tw_validator_open(const char *name, const struct tw_validate_options *options);

/* 0 when it is already certain that the verdict is TW_UNREADABLE: what follows is not looked at. Else 1. */
int tw_validator_feed(struct tw_validator *v, const void *bytes, size_t size);

/* That was all of it. Never NULL. The validator is gone. */
struct tw_report *tw_validator_finish(struct tw_validator *v);

/* Instead of tw_validator_finish, when there is to be no report. */
void tw_validator_free(struct tw_validator *v);

/* ---- reports ---- */

enum tw_verdict {
	TW_VALID,      /* no finding is an error */
	TW_INVALID,
	TW_UNREADABLE, /* it could not be read to its end, or not checked at all: see tw_report_error */
};

enum tw_severity { TW_INFO, TW_WARNING, TW_ERROR };

struct tw_finding {
	const char *code; /* "AT041"; tw_rule_find tells more */
	enum tw_severity severity;
	uint64_t line;        /* from 1; 0 when the whole file is meant, and then there is no place */
	uint64_t column;      /* from 1, in code points; 0: the whole line */
	uint64_t byte_offset; /* from the beginning of the file, unpacked */
	const char *pointer;  /* RFC 6901, to the value inside its record; "" for the whole record */
	size_t pointer_size;
	const char *message; /* one sentence. What resembles a secret is masked in it. */
	size_t message_size; /* a message may quote the input, NUL bytes included */
};

enum tw_verdict tw_report_verdict(const struct tw_report *r);
const char *tw_report_verdict_name(const struct tw_report *r); /* "valid", "invalid", "unreadable" */
const char *tw_report_name(const struct tw_report *r);   /* the path, or the name that was given */
const char *tw_report_format(const struct tw_report *r); /* "agent-trace"; NULL when it is none that we know */
const char *tw_report_error(const struct tw_report *r);  /* why it is unreadable, one sentence; else NULL */
uint64_t tw_report_errors(const struct tw_report *r);
uint64_t tw_report_warnings(const struct tw_report *r);
uint64_t tw_report_infos(const struct tw_report *r);
uint64_t tw_report_records(const struct tw_report *r); /* lines or documents that were read, right or wrong */
uint64_t tw_report_bytes(const struct tw_report *r);
int tw_report_is_interrupted(const struct tw_report *r); /* a run that breaks off: no summary, no end */

/* Findings with this code in all, listed or not. */
uint64_t tw_report_count_of(const struct tw_report *r, const char *code);

/* Those that were kept whole, in the order of their places; NULL from tw_report_finding_count on. */
size_t tw_report_finding_count(const struct tw_report *r);
const struct tw_finding *tw_report_finding(const struct tw_report *r, size_t i);

/*
 * The object that "trackway validate --json" has in `files` for this file, on one line. The caller gives it
 * back with tw_text_free.
 */
char *tw_report_json(const struct tw_report *r);

void tw_report_free(struct tw_report *r);
void tw_text_free(char *text);

/* ---- formats and rules: constants that live for ever ---- */

struct tw_format;
struct tw_rule;

/* 0, 1, ... until NULL. */
const struct tw_format *tw_format_at(size_t i);

/* By its name, or NULL. */
const struct tw_format *tw_format_find(const char *name);

const char *tw_format_name(const struct tw_format *f);  /* "agent-trace" */
const char *tw_format_title(const struct tw_format *f); /* what it is, in a few words */

/* The rules of a format: 0, 1, ... until NULL. */
const struct tw_rule *tw_format_rule(const struct tw_format *f, size_t i);

/*
 * A JSON Schema (draft 2020-12) of one record of the format, for tw_text_free; NULL for a format that has
 * none. It says what a schema can say: nothing about what lies between records.
 */
char *tw_format_schema(const struct tw_format *f, enum tw_mode mode);

/* The rule of a code ("AT041"), whichever format has it, or NULL. */
const struct tw_rule *tw_rule_find(const char *code);

const char *tw_rule_code(const struct tw_rule *rule);
enum tw_severity tw_rule_severity(const struct tw_rule *rule, enum tw_mode mode);
const char *tw_rule_sentence(const struct tw_rule *rule); /* what is wrong, in general */
const char *tw_rule_help(const struct tw_rule *rule);     /* what to do about it; NULL when there is no more to say */
const char *tw_rule_why(const struct tw_rule *rule);      /* what it breaks for a reader, or NULL */
const char *tw_rule_section(const struct tw_rule *rule);  /* where it is written, or NULL */
const char *tw_rule_example(const struct tw_rule *rule);  /* a piece of a record that breaks it, or NULL */

#ifdef __cplusplus
}
#endif

#endif
