/* What commands over many files share: which of the paths are there, how far the reading is, what failed. */
#ifndef CMD_INPUTS_H
#define CMD_INPUTS_H

#include <stdarg.h>

#include "cmd/frame/command.h"
#include "cmd/screen/progress.h"
#include "source/source.h"

/*
 * Names of runs among the paths (store/runs.h) become the traces of these runs; `args` then has a list of its own.
 * A path that is there wins over a name. What fits no run stays as it is, so that whoever opens it says that there
 * is no such file, unless it can only be a run: then *err says why it is none.
 */
bool inputs_name_runs(struct arena *a, struct args *args, struct err *err);

/* The same, but names become the directories of the runs, for who looks at all of a run. */
bool inputs_name_directories(struct arena *a, struct args *args, struct err *err);

/*
 * A source of those paths that can be opened, in their order; `missing` is told of each other one, with the reason,
 * before the source is read. NULL when none is left. The caller closes it; the list of paths lives in the arena.
 */
struct source *inputs_open(struct arena *a, const struct str *paths, size_t count, struct source_options how,
			   void (*missing)(void *context, struct str path, const struct err *why), void *context);

/*
 * The same one piece after the other, for answers in the order of the arguments: a source of those from *at on that
 * follow each other and can be opened, or NULL with *why when the first cannot. *at is behind them then, behind the one
 * that failed after NULL. There must be one: *at < count. The caller closes it.
 */
struct source *inputs_open_next(struct arena *a, const struct str *paths, size_t count, size_t *at,
				struct source_options how, struct err *why);

/* Whether --max-record is at most 2 GiB; false with ERR_USAGE otherwise. */
bool inputs_check_limit(size_t max_record, struct err *err);

/*
 * "hash 12/300 files  12 of 40 MiB  25 MiB/s  ETA 00:02", when it is time to say so; else nothing. One file is not
 * counted, a size that is not known is left out, and so are rate and time while nothing has been read. What was passed
 * over (source_options.want) is done, but makes no rate.
 */
void inputs_show_progress(struct progress *p, const char *verb, const struct source *from);

/*
 * Writes text as it is to standard error, behind what standard output has so far. A failed write is not reported: there
 * is nowhere left to say it.
 */
void inputs_print(struct str text);

/*
 * One line on standard error, behind what standard output has so far; the newline is added. What could act on a
 * terminal, a line end among it, is spelled out (term_add_text), so names of any origin may be arguments.
 */
__attribute__((format(printf, 1, 2))) void inputs_say(const char *format, ...);

/* The same, and nothing with -q. */
__attribute__((format(printf, 2, 3))) void inputs_note(const struct frame *f, const char *format, ...);

/* The same behind "warning: ", and nothing with -q. */
__attribute__((format(printf, 2, 3))) void inputs_warn(const struct frame *f, const char *format, ...);

/* What these do, for other functions with a format; `warns` is NULL, or the stream for "warning: " in its style. */
__attribute__((format(printf, 2, 0))) void inputs_vsay(const struct term *warns, const char *format, va_list args);

/*
 * Prints an error about one input, after which the others go on, with advice that fits the command. -q does not hide
 * it.
 */
void inputs_print_failure(const struct frame *f, const struct err *why);

#endif
