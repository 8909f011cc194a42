/* `convert -o DIR/`: a tree of files that mirrors the sources (sink/mirror/mirror.h), and what is told of it. */
#ifndef CMD_CONVERT_TREE_H
#define CMD_CONVERT_TREE_H

#include "base/buf.h"
#include "cmd/logs.h"
#include "sink/mirror/mirror.h"
#include "source/source.h"

struct convert_tree {
	struct logs *logs;
	struct mirror *mirror; /* NULL before convert_tree_open */
	struct str path;       /* of the directory, as given */
	const struct source *from; /* what is being read, for progress while nothing of it is wanted; NULL for none */
	uint64_t removed, left; /* outputs that their sources no longer have */
};

/* Opens the mirror. `o` needs no callbacks. False, with *err, as mirror_open says; convert_tree_close in any case. */
bool convert_tree_open(struct convert_tree *t, struct arena *a, struct logs *logs, struct mirror_options o,
		       struct err *err);
void convert_tree_close(struct convert_tree *t);

/* For source_options.want: false for what is there and unchanged. */
bool convert_tree_want(void *tree, const struct source_group *group);

/*
 * A source, or a part of it, is over. An output that cannot take its place is told as the source's failure; false, with
 * *err, for what would befall the others too.
 */
bool convert_tree_end_source(struct convert_tree *t, const struct convert_input *part, struct err *err);

/* Everything to the disk, and the index behind it. False with *err. */
bool convert_tree_finish(struct convert_tree *t, bool whole, struct err *err);

/* Says how many sources were unchanged, which outputs went and which stay although their sources are gone. */
void convert_tree_say_rest(struct convert_tree *t);

#endif
