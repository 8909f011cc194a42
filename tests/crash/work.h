/* A process at work on a log: every call keeps the model's promises up to date. */
#ifndef CRASH_WORK_H
#define CRASH_WORK_H

#include "crash/explore.h"

enum did {
	DID,
	DIED,  /* the process was stopped */
	BROKE, /* a promise: why */
};

struct work {
	struct explorer *x;
	struct sim *disk;
	struct model *m;
	struct mutate *chance;
	struct sim_process process;
	struct io io;
	struct log *log;
	char *why;
};

void work_init(struct work *w, struct explorer *x, struct sim *disk, struct model *m, struct mutate *chance);
struct log_dir_options work_options(struct work *w);

/* Opens, recovering; what was asked for before is there or is not from here on. */
enum did work_open(struct work *w);
void work_close(struct work *w);

enum did work_put(struct work *w, const int *items, size_t count);
enum did work_append(struct work *w, const int *items, size_t count);
enum did work_publish(struct work *w);
enum did work_cosign(struct work *w);
enum did work_erase(struct work *w, int item);

/* Writes the table of idents, as the engine does for logs that are larger than these. */
enum did work_save_ids(struct work *w);

/* Everything promised, through the engine and past it. The log must be open. */
enum did work_check(struct work *w);

/* The whole life of a process: open, check, add what was asked for and not answered, and something new, publish. */
enum did work_live(struct work *w);

/* A process that has the log open goes on after another one was stopped. */
enum did work_go_on(struct work *w);

/* A reader with the engine's code, that must not change anything. */
enum did work_read_only(struct work *w, uint64_t size);

#endif
