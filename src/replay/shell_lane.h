/*
 * Commands, answered from the tape: what was run where, with which input and settings, gives the output and the end
 * that were recorded. Commands inside of one that is served never run, and are used with it. What a command did to
 * files is not on the tape: the lane counts how many were served, so that the verdict can say that their effects are
 * unverified.
 *
 * A digest of standard input that is not known, on either side (a pipe that somebody still wrote to), says nothing: it
 * is passed over when there is only one such command to take, and that it was is noted.
 */
#ifndef REPLAY_SHELL_LANE_H
#define REPLAY_SHELL_LANE_H

#include "json/val.h"
#include "replay/lane.h"

#define SHELL_LANE_MISS 97 /* exit status of a command that the tape does not have */

struct shell_lane_command {
	const struct tape_line *line;
	struct str base;      /* the key without the input */
	struct shell_lane_command *parent; /* NULL: none */
	bool used;
};

struct shell_lane {
	const struct lane_ops *ops;
	struct arena *arena;
	struct shell_lane_command *commands;
	size_t count;
	struct lane_entries entries; /* own: a struct shell_lane_command */
	uint64_t served;       /* their files are not verified */
	struct shell_lane_running *running; /* live */
};

/* Reads the tape's commands; everything lives in the arena, as long as the tape does. */
struct shell_lane *shell_lane_new(struct arena *a, const struct tape *t, const struct lane_ops *ops);

/* What a shim asks. */
struct shell_lane_question {
	struct str *argv;
	size_t argc;
	struct str cwd, stdin_sha256; /* p NULL: not known */
	struct str env;               /* an object as JSON */
	struct str id, parent;        /* p NULL */
};

/* Reads the hello of a shim (door.h); texts are in the arena. False: it is none. */
bool shell_lane_read(struct arena *a, struct val hello, struct shell_lane_question *out);

/* The recorded command; NULL is a miss, and *why a sentence. It and those inside of it are used then. */
const struct tape_command *shell_lane_ask(struct shell_lane *l, struct arena *a, const struct shell_lane_question *q,
					  struct str *why);

/* Tools are live: the command runs. Those inside of another are a part of that. */
void shell_lane_run(struct shell_lane *l, struct arena *a, const struct shell_lane_question *q);

/* Whether a command that the tape has not runs (behind a fork); it is noted as live then. */
bool shell_lane_passes(struct shell_lane *l, const struct shell_lane_question *q);

/* It has run: a line for the cassette, to be compared. Drift is noted, and is not fatal by itself. */
void shell_lane_see(struct shell_lane *l, struct val tape);

/* Whether this time lies strictly inside of a command that was served: what happened then could not happen again. */
bool shell_lane_covers(const struct shell_lane *l, int64_t begun_us, int64_t ended_us);

#endif
