/*
 * The bytes of a file that grows, cut into lines and read into a window. A line counts when its end is there; what is
 * behind the last line end is given again, with what came meanwhile. A file whose first lines are no agent-trace is
 * foreign, and not read on: logs of other kinds end in .jsonl too, and some are huge.
 */
#ifndef WATCH_LINES_H
#define WATCH_LINES_H

#include "json/json.h"
#include "watch/window.h"

#define LINES_MAX ((size_t)4 << 20) /* bytes of a line; a longer one is skipped */
#define LINES_TRIAL 16              /* lines without an event after which a file is foreign, if none is too long */

/* Why a line, or the event in it, does not count. */
enum lines_skip {
	SKIP_DAMAGED, /* neither a node nor a summary, or one without its ids */
	SKIP_LONG,
	SKIP_VERSION, /* an event of another version of the format */
	SKIP_AHEAD,
	SKIP_FULL,
	LINES_SKIPS,
};

extern const char *const lines_skips[LINES_SKIPS]; /* "damaged", "long", ... */

struct lines {
	struct window *window;
	uint64_t skipped[LINES_SKIPS];
	/* of the last lines_take: */
	uint64_t events;   /* nodes and summaries, in the window or not */
	int64_t newest_us; /* when the last of them ended; INT64_MIN without any */
	/* lines.c's own */
	struct json_parser *parser;
	struct arena arena;
};

enum lines_kind {
	LINES_UNDECIDED,
	LINES_TRACE,
	LINES_FOREIGN,
};

/* What is remembered of a file. All zero at its begin. */
struct lines_file {
	enum lines_kind kind;
	unsigned seen;     /* lines, while undecided */
	bool is_skipping;  /* inside a line that is too long */
};

/* The window must live as long. */
void lines_init(struct lines *l, struct window *w);
void lines_free(struct lines *l);

/*
 * Reads the lines that are whole in `bytes`, at most LINES_MAX + 1 of them, which JSON_PAD readable bytes must follow.
 * Gives how many bytes these lines are: the next call begins behind them. Of LINES_MAX + 1 bytes without a line end it
 * is all: their line is too long. 0 and nothing read when the file is foreign.
 */
size_t lines_take(struct lines *l, struct lines_file *f, struct str bytes, int64_t now_us);

#endif
