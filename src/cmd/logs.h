/*
 * What commands that read logs of any format share: the options --from and --prices, and what they say about inputs
 * that are absent, refused, damaged or skipped. An input that fails is told and counted, and the others go on.
 */
#ifndef CMD_LOGS_H
#define CMD_LOGS_H

#include "base/map.h"
#include "cmd/frame/command.h"
#include "cmd/screen/progress.h"
#include "dialect/writing.h"
#include "flow/convert.h"
#include "transform/price.h"

struct logs {
	const struct frame *frame;
	const char *verb; /* "convert" */
	const struct str *paths; /* the arguments */
	size_t path_count;
	struct map named; /* the same */
	struct progress progress;
	uint64_t skipped, failed;
};

/* ERR_USAGE when standard input is named twice. The paths must live as long as `l`. */
bool logs_init(struct logs *l, struct arena *a, const struct frame *frame, const char *verb, const struct str *paths,
	       size_t count, struct err *err);

/* What is read must not be replaced by what is written: ERR_USAGE when `path`, of this option, is an input. */
bool logs_check_output(const struct logs *l, const char *option, struct str path, struct err *err);

/* Adds to an error about the output what to do, where that is known (a missing parent directory). Always false. */
bool logs_explain_output(struct err *err);

/* The format that --from names; *out stays as it is without a name. ERR_USAGE for one that cannot be read. */
bool logs_get_format(struct str name, const struct dialect **out, struct err *err);

/* Without --from, or for a format with both forms, the content decides whether there are lines. */
enum source_shape logs_shape_of(const struct dialect *from);

/* The time of --start in nanoseconds since 1970; *out is untouched without one. False with a usage error. */
bool logs_get_start(struct str text, int64_t *out, struct err *err);

/* The built-in table with that of --prices over it. --no-cost leaves *out NULL, so that nothing is computed. */
bool logs_get_prices(struct arena *a, bool no_cost, struct str file, const struct prices **out, struct err *err);

/* ---- what is said, on standard error ---- */

/* The text, which is emptied; nothing with -q. */
void logs_say(struct logs *l, struct buf *text);

/* Prints an error about an input and counts it. The exit status is to be 3 then. */
void logs_fail(struct logs *l, const struct err *why);

/* The same for an argument that is not there. */
void logs_missing(struct logs *l, const struct err *why);

/* Fails with what `explain` says; or skips a file that nobody named, among others of a directory. */
void logs_refuse(struct logs *l, const struct convert_input *part,
		 bool (*explain)(const struct convert_input *part, struct err *why));

/* Warns of lines that could not be read; `then` says what became of them. */
void logs_say_damage(struct logs *l, const struct convert_input *part, const char *then);

/* With -v: "in/a.jsonl -> out/a.jsonl.otutl.jsonl", an output below a directory. */
void logs_say_written(struct logs *l, struct str source, struct str dir, struct str output);

/* How many files were skipped, if any: a note beside others, but an error when they were all there was. */
void logs_say_skipped(struct logs *l, bool is_all);

/* Which models had no price, if any, so that what is written of their cost is null; nothing with -q. */
void logs_say_unpriced(struct logs *l, const struct price_gaps *unpriced);

/* What the format that was written cannot hold, by kinds with their counts; the first eight unless -v asks for all. */
void logs_say_losses(struct logs *l, const char *format, const struct losses *losses);

#endif
