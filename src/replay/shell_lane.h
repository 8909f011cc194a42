/*
 * Commands, answered from the tape: what was run where, with which input and settings, gives the output and the end
 * that were recorded. Commands inside of one that is served never run, and are used with it. What a command did to
 * files is not on the tape: the lane counts how many were served, so that the verdict can say that their effects are
 * unverified.
 *
 * An agent that is started by a script or by "#!/usr/bin/env" is a command itself. It is known by the run's requests to
 * the model, which were all made inside of it: such a command is no tool's. It runs, and so do those around it.
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
	bool is_agent; /* it runs */
	bool is_past;  /* requests of its time were made again, so it was not what made them */
};

struct shell_lane {
	const struct lane_ops *ops;
	struct arena *arena;
	struct shell_lane_command *commands;
	size_t count;
	struct lane_entries entries; /* own: a struct shell_lane_command */
	int64_t first_us, last_us; /* requests to the model: the first began, the last ended; first > last: none */
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
bool shell_lane_read(const struct shell_lane *l, struct arena *a, struct val hello, struct shell_lane_question *out);

/*
 * The recorded command; it and those inside of it are used then. NULL: a miss, and *why is a sentence, or, with a p of
 * NULL, a command that is to run.
 */
const struct tape_command *shell_lane_ask(struct shell_lane *l, struct arena *a, const struct shell_lane_question *q,
					  struct str *why);

/* Tools are live: the command runs. Those inside of another are a part of that. */
void shell_lane_run(struct shell_lane *l, struct arena *a, const struct shell_lane_question *q);

/* Whether a command that the tape has not runs (behind a fork); it is noted as live then. */
bool shell_lane_passes(struct shell_lane *l, const struct shell_lane_question *q);

/* It has run: a line for the cassette, to be compared. Drift is noted, and is not fatal by itself. */
void shell_lane_see(struct shell_lane *l, struct val tape);

/* A request of this time of the recording was made again. */
void shell_lane_pass(struct shell_lane *l, int64_t begun_us, int64_t ended_us);

/*
 * Whether this time lies strictly inside of a command that was served, and in which nothing was asked again: what
 * happened then could not happen again.
 */
bool shell_lane_covers(const struct shell_lane *l, int64_t begun_us, int64_t ended_us);

#endif
