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
	uint32_t has_error; /* 1 when `error` is set; it never changes afterwards */
	char error[240];
};

/*
 * Opens the file for appending, makes it if need be, and gets the page that forked processes share. False only when
 * there is no memory; then there is nothing to close. A file that cannot be used (a pipe, or one with content unless
 * `joins`) is noted, and every line is lost. `joins`: others write to the file as well, and it need not be empty.
 * outlet_close and outlet_free end it.
 */
bool outlet_open(struct outlet *o, const char *path, bool joins);

/*
 * Closes the file, unless the program closed our descriptor itself. Lines after it are lost. A second call does
 * nothing. The lock is held.
 */
void outlet_close(struct outlet *o);

/* Closes the file if it is open, and gives the shared page back. No thread may use the outlet any more. */
void outlet_free(struct outlet *o);

enum outlet_entry {
	OUTLET_SAME,    /* as before */
	OUTLET_FORKED,  /* the first time in this process */
	OUTLET_BROKEN,  /* the same, and a thread of the parent was at work: what it changes may be half changed */
};

/*
 * Takes the lock, waiting as long as a thread of this process has it. A lock that another process holds is taken over:
 * that thread was not copied by the fork. The answer says what the caller must put in order.
 */
enum outlet_entry outlet_enter(struct outlet *o);
/* Gives the lock back. */
void outlet_leave(struct outlet *o);

/*
 * Keeps a reason for tw_trace_error, cut to 239 bytes. The first one stays, later ones are dropped. The lock is held.
 */
__attribute__((format(printf, 2, 3))) void outlet_note(struct outlet *o, const char *format, ...);

/*
 * One line, whole or not at all as far as that can be had; `line` begins with an LF that is not part of it. What
 * it comes to is added to the page. False: it is lost, and counted. The lock is held.
 */
bool outlet_write(struct outlet *o, const struct buf *line, const struct outlet_sums *sums);

/*
 * From now on every line but the last is lost. Waits until those that others are writing have been written, but at most
 * 200 ms: a process that was killed in the middle never says that it is done.
 */
void outlet_end(struct outlet *o);
/* Writes the summary after outlet_end, adding nothing to the sums. False: it is lost, and counted. The lock is held. */
bool outlet_write_last(struct outlet *o, const struct buf *line);

/* Counts a line that did not even get so far, for want of memory. */
void outlet_lose(struct outlet *o);

/* Lines lost so far, by all processes that share the page. Needs no lock. */
uint64_t outlet_lost(const struct outlet *o);

#endif
