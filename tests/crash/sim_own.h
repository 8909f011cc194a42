/* What the files sim*.c share: how a simulated disk is kept. Nobody else includes this. */
#ifndef CRASH_SIM_OWN_H
#define CRASH_SIM_OWN_H

#include "crash/sim.h"

#define NAME_MOST 79
#define PATH_MOST 256
#define FILES_MOST 64

/*
 * Bytes that several nodes and disks may share: changed only by who has them alone. Zeros at the end of a large one are
 * not stored, since the engine writes a quarter of a megabyte of them ahead of its frames.
 */
struct blob {
	unsigned refs;
	size_t n;      /* size */
	size_t stored; /* what follows is zero */
	size_t cap;
	uint64_t hash; /* 0: not known */
	uint8_t bytes[];
};

/* A write, or with `cut` a new size. */
struct change {
	struct blob *bytes;
	uint64_t at;
	bool cut;
	bool forgotten; /* its sync failed: no later one will write it */
};

struct name {
	char text[NAME_MOST + 1];
	int node; /* -1, in a change: the name is gone */
	bool is_dir;
};

struct names {
	unsigned refs;
	size_t count;
	struct name list[];
};

enum node_kind { NODE_FREE, NODE_FILE, NODE_DIR };

struct sim_node {
	enum node_kind kind;
	unsigned mode;
	int64_t mtime;
	bool is_due; /* a temporary file was synced while some sync is left out: counts when it gets its name */
	struct blob *now, *safe;
	struct change *changes;
	size_t change_count;
	struct names *names, *safe_names;
	struct name *moves; /* changes of names */
	size_t move_count;
};

struct sim_file {
	bool is_open, is_locked;
	const struct sim_process *of;
	int node;
	char path[PATH_MOST];
};

struct blob *blob_new(size_t cap);
struct blob *blob_keep(struct blob *b);
void blob_drop(struct blob *b);
/* Alone, with room for this many stored bytes. */
struct blob *blob_own(struct blob *b, size_t cap);
void blob_resize(struct blob **b, size_t n);
/* Writes n bytes, of which those behind the first `given` are zero. */
void blob_write(struct blob **b, const void *p, size_t given, size_t n, uint64_t to);
struct blob *blob_of(const void *p, size_t n);
/* Bytes without the zeros at the end of many, or most of them. */
size_t blob_without_zeros(const void *p, size_t n);

struct names *names_new(void);
void names_drop(struct names *l);
struct name *names_find(const struct names *l, const char *text, size_t n);
/* Sets a name; with node -1, takes it away. */
void names_put(struct names **list, const struct name *n);

void node_forget_changes(struct sim_node *n);
void node_forget_moves(struct sim_node *n);
void node_free(struct sim_node *n);
int node_new(struct sim *s, enum node_kind kind, unsigned mode);
/* Frees what nothing leads to any more, certain or not, and nobody has open. */
void sim_collect(struct sim *s);

/* The node of a path, or -errno. */
int sim_walk(const struct sim *s, const char *path);
/* The directory that a name is in (or -errno), and the name. */
int sim_walk_to_parent(const struct sim *s, const char *path, struct name *out);
/* Changes a name, for now. */
void sim_move(struct sim *s, int dir, const struct name *n);
void sim_write_now(struct sim *s, int node, const void *p, size_t n, uint64_t at);
void change_apply(struct blob **b, const struct change *c);
/* What is written is certain. */
void node_sync(struct sim_node *f);

#endif
