/*
 * What the reader and the writer of ATIF say to each other through the extras of events, under the key "atif/1":
 * the members of a step, call, result or document that the model has no field for, and these words.
 */
#ifndef DIALECT_ATIF_ATIF_H
#define DIALECT_ATIF_ATIF_H

#include "dialect/dialect.h"

#define ATIF_KEY "atif/1"

/* Names of notes. */
#define ATIF_STEP "step"               /* a step of nobody that is known: content is its message */
#define ATIF_COPIED "copied_context"   /* a step that repeats history: content is the step */
#define ATIF_RAW "raw_step"            /* what stands among the steps and is none */
#define ATIF_OBSERVATION "observation" /* a result that belongs to no call: content is the result */
#define ATIF_SUBAGENT "subagent"       /* a trajectory within this one begins: its steps are the branch */

/* Members of ours in the extras. */
#define ATIF_PIECE "piece"     /* call, result: of which step of the answer; step: "piece0", ... are its steps */
#define ATIF_NO_ID "no_id"     /* call, result: it had none */
#define ATIF_NO_ARGS "no_args" /* call: it had no arguments */
#define ATIF_WRAPPED "wrapped" /* call: its arguments are the member "value" of what stood there */
#define ATIF_CUT "cut"         /* step: which lists were replaced by an object that says so */
#define ATIF_DEPTH "depth"     /* sub-agent: 1 for those of the document, 2 for theirs */
#define ATIF_NO_STEPS "no_steps" /* document, sub-agent: it had none, not even an empty list */
/*
 * Which step it is, from 1: of a step when its step_id does not say so, of a call or result when its step is no
 * answer of a model. Messages may come later than what stood behind them, but never later than the next answer.
 */
#define ATIF_AT "at"

/*
 * Where ATIF has no place for something, the writer says it in `extra.trackway` of what it belongs to, and the reader
 * looks there: dollars that were computed (metrics), names that were absent (agent), times and exit codes, and these.
 */
#define ATIF_OURS "/extra/trackway"
#define ATIF_OURS_MESSAGE "message"     /* step: false when nobody said anything, and the text is there for form */
#define ATIF_OURS_ROLE "role"           /* step: of a message of anybody else than user, system and agent */
#define ATIF_OURS_ERROR "error"         /* step: its message is that of an error, {class, code, call_id, retryable} */
#define ATIF_OURS_CONTENT "content"     /* step, result: "json" for its text, "null", "absent" */
#define ATIF_OURS_ARGUMENTS "arguments" /* call: they are the member "value"; "raw" for a text that is no JSON */
#define ATIF_OURS_CALL "call_id"        /* result: of a call that is not in its step */
#define ATIF_OURS_STATUS "status"       /* document: how the run ended */
#define ATIF_OURS_REASON "reason"
#define ATIF_OURS_TOOLS "tool_definitions" /* agent: "names" when some of them were no objects; now all are */

/* metrics: "estimated" lists which tokens are a guess, by these names, in the order of struct usage. */
#define ATIF_FIGURES 6
extern const struct str atif_figures[ATIF_FIGURES];

/* The name of a function, from a tool's: "mcp__SERVER__TOOL" where there is a server. */
struct str atif_tool_name(struct arena *a, struct str server, struct str tool);

extern const struct write_ops atif_write;

#endif
