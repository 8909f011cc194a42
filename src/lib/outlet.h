/*
 * The file a trace is written to, by the threads of a process and by the processes it forks. It is made for the
 * inside of a program that is not ours: whatever fails is remembered, and nothing ends, blocks or harms that
 * program.
 *
 * The lock holds the id of the process whose thread has it. A child that finds its parent's there knows that the
 * thread did not come along, and takes the lock over; so nothing has to be done at a fork (no pthread_atfork).
 *
 * What the processes share lies in a page of memory that a fork does not copy: what the lines came to, whether the
 * summary stands, how many are writing just now.
 */
#ifndef LIB_OUTLET_H
#define LIB_OUTLET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "dialect/agent_trace/agent_trace.h"

/* What lines come to. */
struct outlet_sums {
	uint64_t counts[AT_KINDS];
	uint64_t input, output; /* tokens */
	uint64_t stall_ns, stalls, nano_usd, priced; /* stalls, priced: how many are known */
};

struct outlet_page {
	struct outlet_sums sums;        /* of the lines that were written */
	uint64_t lost;                  /* lines */
	uint32_t writing;               /* so many are between their look at `ended` and their write */
	uint32_t ended;                 /* the summary comes now, or is there */
	uint32_t others;                /* other processes may write to the file */
	uint32_t torn;                  /* the file ends inside a line */
};

struct outlet {
	int fd; /* -1: nothing can be written */
	dev_t dev;
	ino_t ino;
	pid_t self;     /* the process that this memory was last used in */
	bool is_opener; /* which is the one that opened the file: a child may get any id, even that one's */
	int holder;         /* of the lock: a process id, 0 when it is free */
	struct outlet_page *page;
	uint32_t has_error;
	char error[240];
};

/*
 * False when there is no memory, and then there is nothing to close. A file that cannot be used is remembered instead.
 * `joins`: it is written by others as well, and need not be empty.
 */
bool outlet_open(struct outlet *o, const char *path, bool joins);

/* The lock is held. */
void outlet_close(struct outlet *o);

void outlet_free(struct outlet *o);

enum outlet_entry {
	OUTLET_SAME,    /* as before */
	OUTLET_FORKED,  /* the first time in this process */
	OUTLET_BROKEN,  /* the same, and a thread of the parent was at work: what it changes may be half changed */
};

enum outlet_entry outlet_enter(struct outlet *o);
void outlet_leave(struct outlet *o);

/* The first one stays. The lock is held. */
__attribute__((format(printf, 2, 3))) void outlet_note(struct outlet *o, const char *format, ...);

/*
 * One line, whole or not at all as far as that can be had; `line` begins with an LF that is not part of it. What
 * it comes to is added to the page. False: it is lost, and counted. The lock is held.
 */
bool outlet_write(struct outlet *o, const struct buf *line, const struct outlet_sums *sums);

/* From now on every line but the last is lost, and those that others are writing have been written. */
void outlet_end(struct outlet *o);
bool outlet_write_last(struct outlet *o, const struct buf *line);

/* A line that did not even get so far. */
void outlet_lose(struct outlet *o);

uint64_t outlet_lost(const struct outlet *o);

#endif
