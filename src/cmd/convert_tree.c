/* The mirror does the work; here its answers become sentences. */
#include "cmd/convert_tree.h"

#include <errno.h>

#include "base/clock.h"
#include "cmd/inputs.h"
#include "cmd/screen/amounts.h"
#include "source/raw.h"

/* "in/a.jsonl -> out/a.jsonl.otutl.jsonl" */
static void tree_wrote(void *tree, struct str source, struct str output)
{
	struct convert_tree *t = tree;

	logs_say_written(t->logs, source, t->path, output);
}

static void tree_stale(void *tree, struct str source, struct str output, bool is_removed)
{
	struct convert_tree *t = tree;

	t->removed += is_removed;
	t->left += !is_removed;
	if (!t->logs->frame->verbose)
		return;
	progress_erase(&t->logs->progress);
	inputs_note(t->logs->frame, "%s %.*s: %.*s no longer has this run", is_removed ? "removed" : "left",
		    STR_ARG(output), STR_ARG(source));
}

static void tree_stayed(void *tree, struct str source)
{
	struct convert_tree *t = tree;

	if (t->logs->frame->verbose)
		inputs_note(t->logs->frame, "gone, or without a run now: %.*s", STR_ARG(source));
}

bool convert_tree_open(struct convert_tree *t, struct arena *a, struct logs *logs, struct mirror_options o,
		       struct err *err)
{
	*t = (struct convert_tree){ .logs = logs, .path = o.dir };
	o.wrote = tree_wrote;
	o.stale = tree_stale;
	o.stayed = tree_stayed;
	o.context = t;
	t->mirror = mirror_open(a, &o, err);
	return t->mirror != NULL;
}

void convert_tree_close(struct convert_tree *t)
{
	mirror_close(t->mirror);
	t->mirror = NULL;
}

bool convert_tree_want(void *tree, const struct source_group *group)
{
	struct convert_tree *t = tree;
	struct mirror_source s = {
		.name = group->name,
		.below = str_eq(group->name, STR("-")) ? STR("stdin") : group->below,
		.size = group->size,
		.stamp = group->stamp,
		.is_known = group->is_known,
	};

	if (t->from)
		inputs_show_progress(&t->logs->progress, "convert", t->from);
	return mirror_wants(t->mirror, &s);
}

/* What stands in the way of one output, and not of the others. */
static bool tree_is_of_one(const struct err *err)
{
	static const int numbers[] = { ENOTDIR, EISDIR, ELOOP, ENAMETOOLONG, EEXIST, ENOTEMPTY };

	for (size_t i = 0; i < COUNT(numbers); i++)
		if (err->errnum == numbers[i])
			return true;
	return false;
}

bool convert_tree_end_source(struct convert_tree *t, const struct convert_input *part, struct err *err)
{
	struct str format = str_from(part->from ? part->from->name : NULL);
	struct err why = { .kind = ERR_NONE }, told;

	if (mirror_end_source(t->mirror, part->name, format, !part->failure, part->is_member, &why))
		return true;
	if (!tree_is_of_one(&why)) {
		*err = why;
		return false;
	}
	err_set(&told, ERR_IO, "%.*s: %s" ERR_HELP "something else has this name: move it away, or name another "
		"directory", STR_ARG(raw_title(part->name)), why.text);
	logs_fail(t->logs, &told);
	return true;
}

bool convert_tree_finish(struct convert_tree *t, bool whole, struct err *err)
{
	progress_show(&t->logs->progress, STR("convert: bringing the files to the disk"), clock_mono_ns());
	return mirror_finish(t->mirror, whole, err);
}

static void tree_say(struct convert_tree *t, uint64_t n, const char *noun, const char *one, const char *several)
{
	struct buf text;

	if (n == 0)
		return;
	buf_init(&text);
	amounts_add_things(&text, n, noun);
	buf_printf(&text, " %s\n", n == 1 ? one : several);
	logs_say(t->logs, &text);
	buf_free(&text);
}

void convert_tree_say_rest(struct convert_tree *t)
{
	const struct mirror_sums *sums = mirror_sums(t->mirror);

	tree_say(t, sums->unchanged, "source", "is unchanged: its output was kept",
		 "are unchanged: their outputs were kept");
	tree_say(t, t->removed, "earlier output", "was removed: its source no longer has this run",
		 "were removed: their sources no longer have these runs");
	tree_say(t, t->left, "earlier output", "was changed or moved since: it is no longer in the index",
		 "were changed or moved since: they are no longer in the index");
	tree_say(t, sums->stayed, "source",
		 "of the index is gone or has no run now: its output stays (-v names it)",
		 "of the index are gone or have no run now: their outputs stay (-v names them)");
}
