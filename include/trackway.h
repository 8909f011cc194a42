/*
 * Trackway as a library: is this trace, log or result right, and if not, where and why? Is this record in that ledger
 * (see "verifying a proof")? And the other way round: a program that writes its own trace (see "writing a trace").
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
 *   standard error and exit status 3. Writing a trace does not even do that: a line is lost instead.
 * - There is no state between calls. Any function may be called from any thread at any time, but one
 *   validator belongs to one thread at a time. A report does not change: many threads may read one.
 * - Text is UTF-8, ends with a NUL and belongs to what it was asked of, unless the function says otherwise.
 * - Within one major version functions and members are added, never changed or removed; likewise codes
 *   of findings never change their meaning. New members of a struct come at its end.
 * - Functions that take a pointer to a report, validator, format or rule do not take NULL, but those
 *   that free do, and all of those that write a trace.
 */
#ifndef TRACKWAY_H
#define TRACKWAY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* "0.1.0": the version of the library that was linked, a constant. It may differ from that of this header. */
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

/*
 * The same for bytes in memory, which are only read and may go when it returns; bytes packed by gzip or zstd are
 * unpacked. `name` is what the report calls them; NULL and "" mean "(memory)". `bytes` may be NULL when `size` is 0;
 * else the verdict is TW_UNREADABLE.
 */
struct tw_report *tw_validate_memory(const void *bytes, size_t size, const char *name,
				     const struct tw_validate_options *options);

/*
 * The same for bytes that come bit by bit, say from a collector: open, feed as often as you like, finish.
 * Lines may be split anywhere; the report is the same however they are. The bytes are copied and taken as
 * they are (nothing is unpacked), on the calling thread (`jobs` has no effect).
 */
struct tw_validator;

/*
 * Begins a validation; tw_validator_finish or tw_validator_free ends it. Never NULL: options that make no sense show in
 * the verdict, as above. `name` is copied.
 */
struct tw_validator *tw_validator_open(const char *name, const struct tw_validate_options *options);

/*
 * Takes the next bytes; they may go when it returns. 0 when it is already certain that the verdict is TW_UNREADABLE
 * (wrong options, a record beyond the limit, bytes at NULL): what follows is not looked at. Else 1.
 */
int tw_validator_feed(struct tw_validator *v, const void *bytes, size_t size);

/* That was all of it: gives the report and frees the validator. Never NULL; tw_report_free frees the report. */
struct tw_report *tw_validator_finish(struct tw_validator *v);

/* Instead of tw_validator_finish, when there is to be no report. NULL does nothing. */
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

/*
 * What the report says in all. The texts live as long as the report; the numbers count every finding, kept whole or
 * not.
 */
enum tw_verdict tw_report_verdict(const struct tw_report *r);
const char *tw_report_verdict_name(const struct tw_report *r); /* "valid", "invalid", "unreadable" */
const char *tw_report_name(const struct tw_report *r);   /* the path, or the name that was given */
const char *tw_report_format(const struct tw_report *r); /* "agent-trace"; NULL when the format is not known */
const char *tw_report_error(const struct tw_report *r);  /* why it is unreadable, one sentence; else NULL */
uint64_t tw_report_errors(const struct tw_report *r);
uint64_t tw_report_warnings(const struct tw_report *r);
uint64_t tw_report_infos(const struct tw_report *r);
uint64_t tw_report_records(const struct tw_report *r); /* lines or documents that were read, right or wrong */
uint64_t tw_report_bytes(const struct tw_report *r);
int tw_report_is_interrupted(const struct tw_report *r); /* a run that breaks off: no summary, no end */

/* Findings with this code in all, listed or not; 0 for a code that does not occur, for an unknown one and for NULL. */
uint64_t tw_report_count_of(const struct tw_report *r, const char *code);

/*
 * The findings that were kept whole, in the order of their places, from 0 on; NULL from tw_report_finding_count on.
 * They live as long as the report.
 */
size_t tw_report_finding_count(const struct tw_report *r);
const struct tw_finding *tw_report_finding(const struct tw_report *r, size_t i);

/*
 * The object that "trackway validate --json" has in `files` for this file, on one line. The caller gives it
 * back with tw_text_free.
 */
char *tw_report_json(const struct tw_report *r);

/* Each frees what the library gave, all that lies in it included. NULL does nothing. */
void tw_report_free(struct tw_report *r);
void tw_text_free(char *text);

/* ---- formats and rules: constants that live for ever ---- */

struct tw_format;
struct tw_rule;

/* The formats that can be validated: 0, 1, ... until NULL. */
const struct tw_format *tw_format_at(size_t i);

/* The format of this name. NULL for NULL, for an unknown name, and for a format that cannot be validated. */
const struct tw_format *tw_format_find(const char *name);

const char *tw_format_name(const struct tw_format *f);  /* "agent-trace" */
const char *tw_format_title(const struct tw_format *f); /* what it is, in a few words */

/* The rules of a format: 0, 1, ... until NULL; NULL at once for a format without rules of its own. */
const struct tw_rule *tw_format_rule(const struct tw_format *f, size_t i);

/*
 * A JSON Schema (draft 2020-12) of one record of the format, for tw_text_free; NULL for a format that has
 * none. It says what a schema can say: nothing about what lies between records.
 */
char *tw_format_schema(const struct tw_format *f, enum tw_mode mode);

/* The rule of a code ("AT041"), whichever format has it; NULL for an unknown one and for NULL. */
const struct tw_rule *tw_rule_find(const char *code);

/* What a rule says. A number that is not a mode counts as TW_DEFAULT. */
const char *tw_rule_code(const struct tw_rule *rule);
enum tw_severity tw_rule_severity(const struct tw_rule *rule, enum tw_mode mode);
const char *tw_rule_sentence(const struct tw_rule *rule); /* what is wrong, in general */
const char *tw_rule_help(const struct tw_rule *rule);     /* what to do about it; NULL when there is no more to say */
const char *tw_rule_why(const struct tw_rule *rule);      /* what it breaks for a reader, or NULL */
const char *tw_rule_section(const struct tw_rule *rule);  /* where it is written, or NULL */
const char *tw_rule_example(const struct tw_rule *rule);  /* a piece of a record that breaks it, or NULL */

/* ---- verifying a proof ---- */

/*
 * A ledger gives each of its records a proof: the entry (what was put into the log, byte for byte) and a file that
 * leads from it to the checkpoint the log signed (c2sp.org/tlog-proof). Both need only the verifier key of the log,
 * which you must have from somebody you trust, and not from where the proof came from. Nothing else is asked, no
 * network and no file:
 *
 *	struct tw_checkpoint c = { .size = sizeof(c) };
 *
 *	if (!tw_proof_verify(proof, proof_size, entry, entry_size, vkey, &c))
 *		puts(c.error);
 *
 * A proof says that the entry is in the log, not that what the entry says is true: compare the digest in it with the
 * record you have. doc/examples/verify.c is a program of this.
 */
struct tw_checkpoint {
	size_t size;            /* sizeof(struct tw_checkpoint) as your compiler knows it */
	const char *error;      /* why not, one sentence that lives for ever; NULL when it is verified */
	char origin[256];       /* the name of the log */
	uint64_t entries;       /* how many it had when it signed */
	unsigned char root[32]; /* the hash over all of them (RFC 6962) */
	uint64_t index;         /* tw_proof_verify: which of them the entry is, from 0 */
};

/*
 * 1 when the entry is in the log of this key. Else 0: the key is not valid, the bytes are no proof, the signature is
 * wrong or missing, or the hashes do not lead to the root. `out` may be NULL; its members are 0 but for the error after
 * a 0.
 */
int tw_proof_verify(const void *proof, size_t proof_size, const void *entry, size_t entry_size, const char *vkey,
		    struct tw_checkpoint *out);

/*
 * 1 when the bytes are a checkpoint (c2sp.org/tlog-checkpoint) of the log of this key, and signed by it. Else 0, for
 * the reasons above. `out` is filled in as above, its index is 0.
 */
int tw_checkpoint_verify(const void *note, size_t note_size, const char *vkey, struct tw_checkpoint *out);

/*
 * 1 when the witness of this key cosigned the checkpoint (c2sp.org/tlog-cosignature). `time`, in seconds since 1970, is
 * when it says it did; it may be NULL, and is left alone after a 0. Whether the log signed it is the other question.
 */
int tw_cosignature_verify(const void *note, size_t note_size, const char *vkey, uint64_t *time);

/* ---- writing a trace ---- */

/*
 * A program that calls models and tools writes its own agent-trace/v1, a line when a node is over:
 *
 *	struct tw_trace *t = tw_trace_open("agent-trace.jsonl", NULL);
 *	struct tw_model_call call = { .size = sizeof(call), .model = "example-1", .stream = 1 };
 *	struct tw_node n = tw_model_call_begin(t, &call);
 *	... tw_model_call_first_token(t, n); ...
 *	struct tw_model_result result = { .size = sizeof(result), .input_tokens = { TW_API, 412 } };
 *	tw_model_call_end(t, n, &result);
 *	tw_trace_close(t, NULL);
 *	tw_trace_free(t);
 *
 * - Nothing here ends its program or harms it: not a full disk, a closed descriptor, a file size limit, missing
 *   memory or senseless arguments. A line that cannot be written is lost and counted; the first reason is
 *   remembered. A trace may be NULL everywhere; then nothing happens.
 * - Each line is one write to a file opened for appending; whoever kills the program loses no line that was
 *   written. Without tw_trace_close there is no summary, and readers take the run for interrupted.
 * - Any thread may call anything at any time, but not from a signal handler, and nothing after tw_trace_free.
 * - After a fork both processes may go on with the trace. The child's nodes have ids of their own and count in the
 *   summary, which only the process that opened the trace writes. Calls that were open at the fork are the parent's
 *   to end. What a child writes after the summary is lost.
 * - No content gets into the trace: of endpoints, models, names, ids and messages only stays what says nothing else
 *   (no query, no path, no arguments, no key); what is too long or looks like text becomes "unknown" or null.
 * - Times are taken here, when the functions are called.
 * - Of a struct that is not NULL, `size` must be its sizeof; members left zero are not known. Text is copied.
 */
struct tw_trace;

/* A node of the trace: its id, a UUID of version 7. All zero stands for none, as a parent too. */
struct tw_node {
	unsigned char id[16];
};

/* Where a figure comes from: left zero it is not known, and its number means nothing. */
enum tw_source { TW_NOT_KNOWN, TW_API, TW_ESTIMATED };

struct tw_count {
	enum tw_source source;
	uint64_t n;
};

struct tw_amount {
	enum tw_source source;
	double n;
};

struct tw_trace_options {
	size_t size;
	const char *framework; /* one of agent-trace's words, such as "langgraph"; else "unknown" */
	/*
	 * The id (a UUID) of a trace that another process writes to the same file: lines are added to it, and the
	 * summary is the other's. NULL: a new trace, in a file that is empty or not there.
	 */
	const char *trace_id;
	int plain; /* not 0: only the fields of the text of agent-trace/v1, none of those that were added since */
};

/*
 * NULL as a path means that of the environment variable TRACKWAY_TRACE; without one the answer is NULL, so a
 * program can be made to write a trace from outside. A path that cannot be used gives a trace that
 * loses every line: tw_trace_error says why. Also NULL when there is no memory.
 */
struct tw_trace *tw_trace_open(const char *path, const struct tw_trace_options *options);

/*
 * The first thing that went wrong, one sentence that never changes and lives as long as the trace; NULL as long as
 * nothing has. A NULL trace is a reason, too.
 */
const char *tw_trace_error(const struct tw_trace *t);

/* Lines that were lost, those of forked processes included; 0 of NULL. */
uint64_t tw_trace_lost(const struct tw_trace *t);

/* Its id, for tw_trace_options.trace_id of another program; it lives as long as the trace. "" of NULL. */
const char *tw_trace_id(const struct tw_trace *t);

struct tw_model_call {
	size_t size;
	const struct tw_node *parents; /* what led to it: tool calls whose results it carries, or the call before */
	size_t parent_count;
	const char *endpoint, *provider, *model; /* a provider such as "openai" stands for its public endpoint */
	const char *tool_choice; /* the word of the request */
	const char *agent_id;    /* whose call, when there are several agents */
	int stream;              /* not 0: the answer is streamed */
};

struct tw_model_result {
	size_t size;
	struct tw_count input_tokens, output_tokens;          /* everything: cached input and reasoning included */
	struct tw_count cache_read_tokens, cache_write_tokens; /* of the input */
	struct tw_count reasoning_tokens;                      /* of the output */
	struct tw_amount cost_usd;
	const char *stop_reason; /* the provider's word; "error" for a call that failed */
	const char *request_id;
	int partial; /* not 0: the answer broke off */
};

/*
 * Every begin gives the node, which may be named as a parent at once; none (zero) when that was not possible: the trace
 * is NULL or closed, or there is no memory. A node has at most 512 parents or siblings; the others are left out. `call`
 * may be NULL and need not outlive the function.
 */
struct tw_node tw_model_call_begin(struct tw_trace *t, const struct tw_model_call *call);

/* The first token of any kind came, reasoning included. Later ones do not count, nor does a call that is not open. */
void tw_model_call_first_token(struct tw_trace *t, struct tw_node call);

/*
 * Every end gives 1 when the line was written. Else 0: it is lost and counted, or the call was not begun in this
 * process or has ended before. NULL: nothing is known, and the call broke off.
 */
int tw_model_call_end(struct tw_trace *t, struct tw_node call, const struct tw_model_result *result);

enum tw_external { TW_BY_NAME, TW_EXTERNAL, TW_INTERNAL }; /* by a table of names: files, shells, network, ... */

struct tw_tool_call {
	size_t size;
	const struct tw_node *parents; /* the model call that asked for it */
	size_t parent_count;
	const char *name;     /* without arguments */
	const char *call_id;  /* the provider's */
	const char *agent_id;
	enum tw_external external;
};

struct tw_tool_result {
	size_t size;
	struct tw_amount stall_seconds; /* of its time, spent waiting */
	struct tw_count result_bytes;
	const char *result_kind; /* "text", "json", "image" or "binary" */
	int partial;             /* not 0: there is no result */
};

/*
 * As for a model call. `call` and `result` may be NULL: then nothing is known of it, and without a result it is
 * partial.
 */
struct tw_node tw_tool_call_begin(struct tw_trace *t, const struct tw_tool_call *call);
int tw_tool_call_end(struct tw_trace *t, struct tw_node call, const struct tw_tool_result *result);

enum tw_branch_kind { TW_FAN_OUT, TW_RETRY, TW_SPECULATIVE };

/*
 * Where the run forks: begin the branch, begin the calls with it as their parent, and end the branch with the calls as
 * `siblings`, before they end themselves.
 */
struct tw_node tw_branch_begin(struct tw_trace *t, enum tw_branch_kind kind, const struct tw_node *parents,
			       size_t parent_count);
int tw_branch_end(struct tw_trace *t, struct tw_node branch, const struct tw_node *siblings, size_t sibling_count);

/* Nodes of a moment: the user said something; what failed is tried again; anything else worth a node. */
struct tw_node tw_user_input(struct tw_trace *t, const struct tw_node *parents, size_t parent_count);
struct tw_node tw_retry(struct tw_trace *t, const struct tw_node *parents, size_t parent_count);
struct tw_node tw_system(struct tw_trace *t, const struct tw_node *parents, size_t parent_count);

enum tw_exit { TW_EXIT_SUCCESS, TW_EXIT_ERROR, TW_EXIT_INTERRUPTED };

struct tw_trace_end {
	size_t size;
	enum tw_exit exit;
	const char *error_message; /* a fixed phrase, such as "out of budget"; what has content is left out */
	const char *rig_label, *engine; /* agent-trace's words */
};

/*
 * Writes the summary and closes the file; NULL means success. Calls that are still open are written first, as partial
 * ones. Only the process that opened a trace of its own (no trace_id) writes a summary. 1 when no line of the trace was
 * lost. Calling it again does nothing and gives the same. 0 of NULL.
 */
int tw_trace_close(struct tw_trace *t, const struct tw_trace_end *end);

/*
 * Gives the memory back and closes the file if it is open. A trace that was not closed stays without a summary, and its
 * open calls without a line. NULL does nothing.
 */
void tw_trace_free(struct tw_trace *t);

#ifdef __cplusplus
}
#endif

#endif
