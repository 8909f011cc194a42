/*
 * A simulated disk behind the ledger's table of functions (ledger/io.h), as spiteful as POSIX lets a disk be.
 *
 * Every file and every directory has what processes see, what would survive for certain, and the changes between the
 * two. sync of a file makes its bytes and its size certain, and says nothing of its name; sync of a directory makes the
 * names in it certain, and says nothing of what they lead to, nor of its own name in the directory above. When the power
 * goes, each change that is not certain is kept, lost, or, being a write, kept in part: a prefix, some of its sectors,
 * zeros or garbage in its place. Each by itself: a later change may survive an earlier one, a name what it names. A
 * rename may leave both names, or neither that was new; what it replaces is there until it is replaced.
 *
 * A sync can fail (fail_at). Then the system takes what it could not write for written, as Linux does: whoever reads sees
 * it, later syncs of the file succeed, and it is not on the disk.
 *
 * A process can end (die_at) at any operation that changes the disk, with or without the power. From then on each of its
 * operations fails, so that its code unwinds and frees what it has; other processes go on.
 */
#ifndef CRASH_SIM_H
#define CRASH_SIM_H

#include "crash/places.h"
#include "fault/mutate.h"
#include "ledger/io.h"

struct sim;

/* An operation that is about to change the disk. Of a write, what it writes. */
struct sim_op {
	const char *what;
	int node;
	const void *p; /* NULL: not a write */
	size_t n;
	uint64_t at;
	bool syncs, syncs_all;
};

struct sim_node;
struct sim_file;

struct sim {
	struct sim_node *nodes;
	size_t count, cap, live; /* live: of the last time that dead nodes were looked for */
	struct sim_file *files;
	size_t file_count;
	int64_t clock;          /* nanoseconds; goes on by itself a little */
	uint64_t ops;           /* that changed the disk */
	uint64_t syncs[PLACES]; /* made, also when left out */
	/* Before every operation that changes the disk. It may look at the disk and copy it, not change it. */
	void (*before)(void *context, struct sim *s, const struct sim_op *op);
	void *context;
	enum place without;     /* syncs that do nothing */
	bool trace;             /* prints every operation */
};

/* Who uses the disk: has files open, holds locks, can be killed. Filled in by its owner. */
struct sim_process {
	struct sim *sim;
	uint64_t ops;          /* that changed the disk */
	uint64_t die_at;       /* the operation that it does not make any more; 0: none */
	struct mutate *chance; /* when that is a write, how much of it is made; NULL: nothing */
	uint64_t fail_at;      /* the operation that fails (EIO), the process going on; 0: none */
	bool is_dead, has_failed;
};

/* An empty disk. */
struct sim *sim_new(void);

/* The same disk, with nothing open and nothing locked: what is found when all processes were killed. */
struct sim *sim_copy(const struct sim *s);
void sim_free(struct sim *s);

struct io sim_io(struct sim_process *p);

/* Everything it has open is closed and unlocked; its operations fail from here on. */
void sim_end(struct sim_process *p);

/* Makes the first n bytes of a write that the original of this copy was about to make. */
void sim_begin_write(struct sim *s, const struct sim_op *op, size_t n);

/* How many of a hundred changes that are not certain survive whole. */
struct sim_loss {
	unsigned bytes, names;
};

/* Everything is certain afterwards: the disk as it is found when the power is back. */
void sim_lose_power(struct sim *s, struct sim_loss loss, struct mutate *chance);

/* The directory at `path` becomes what it is in `from`, certain. */
void sim_restore(struct sim *s, const char *path, const struct sim *from);

/* The bytes of a file as processes see them; false when it is not there. Valid until it changes. */
bool sim_bytes(const struct sim *s, const char *path, struct str *out);

/* Equal for equal disks (what processes see, names and bytes): to count how many different ones were met. */
uint64_t sim_hash(const struct sim *s);

#endif
