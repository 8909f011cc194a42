/* Finds files in a log directory that nothing in the log accounts for. */
#include "base/stop.h"
#include "ledger/check/private.h"

/*
 * Files that nobody asked for. Directories are walked with a list of our own, not deeper than the longest names of a
 * log go, and each one once. Symbolic links are named and never followed: a ledger that comes from elsewhere could lead
 * us anywhere, and we would print the names that are there.
 */

#define DEEPEST 10

struct walk {
	struct check_run *run;
	struct str *dirs; /* still to be listed, relative to the log */
	size_t count, cap;
	struct check_set seen; /* directories, by device and inode */
};

enum what { OURS, FOREIGN, PERHAPS_DIR };

static void add_dir(struct walk *w, struct str name)
{
	mem_grow(w->dirs, w->count, w->cap, 64);
	w->dirs[w->count++] = name;
}

static unsigned depth_of(struct str name)
{
	unsigned depth = 0;

	for (size_t i = 0; i < name.n; i++)
		depth += name.p[i] == '/';
	return depth;
}

/* ---- what may be there ---- */

/* Of this log or of one that is a little longer: a writer that was stopped leaves tiles without a checkpoint. */
static enum what look_at_tile(const struct check_run *r, struct str name)
{
	struct tile t;
	uint64_t at, count;

	if (!tile_parse_path(name, &t))
		return depth_of(name) < DEEPEST ? PERHAPS_DIR : FOREIGN;
	count = t.level == TILE_ENTRIES ? r->committed : r->committed >> 8 * t.level;
	if (t.n > UINT64_MAX / TILE_WIDTH - 1)
		return FOREIGN;
	at = t.n * TILE_WIDTH + t.width;
	return at <= count ? OURS : FOREIGN;
}

/* Exactly the path that object_path gives, of an object that an entry names. Lost entries may name any. */
static enum what look_at_object(const struct check_run *r, struct str name)
{
	static const struct str top = { OBJECT_TOP, sizeof(OBJECT_TOP) - 1 };
	char hex[SHA256_HEX];
	struct digest d;

	if (name.n != top.n + SHA256_HEX + 1 || !str_starts(name, top) || name.p[top.n + 2] != '/')
		return depth_of(name) < 3 ? PERHAPS_DIR : FOREIGN;
	memcpy(hex, name.p + top.n, 2);
	memcpy(hex + 2, name.p + top.n + 3, SHA256_HEX - 2);
	for (size_t i = 0; i < sizeof(hex); i++)
		if (hex[i] >= 'A' && hex[i] <= 'F')
			return FOREIGN;
	if (!digest_parse(str_of(hex, sizeof(hex)), &d))
		return FOREIGN;
	return check_has_object(r, d) || r->unread ? OURS : FOREIGN;
}

/* Whatever an entry names; what is on the way there may be a directory. */
static enum what look_at_link(const struct check_run *r, struct str name)
{
	if (check_set_find(&r->links, str_hash_wide(name)))
		return OURS;
	if (r->unread && depth_of(name) >= 2)
		return OURS;
	return depth_of(name) < DEEPEST ? PERHAPS_DIR : FOREIGN;
}

/* Programs that read the tree take every *.json for a record, but for parts of paths that begin with '_'. */
static bool is_among_records(struct str name)
{
	return str_starts(name, STR("records/")) && !str_has(name, STR("/_"));
}

/* Only what is read as a checkpoint that was kept. */
static enum what look_at_kept(struct str name)
{
	size_t top = sizeof("checkpoints/") - 1;

	return check_is_size(str_skip(name, top)) ? OURS : FOREIGN;
}

static enum what walk_look(const struct check_run *r, struct str name, enum ledger_rule *rule)
{
	*rule = LG_STRAY;
	if (str_starts(name, STR("tile/")))
		return look_at_tile(r, name);
	if (str_starts(name, STR("objects/")))
		return look_at_object(r, name);
	if (str_starts(name, STR("checkpoints/")))
		return look_at_kept(name);
	if (str_starts(name, STR("records/")) || str_starts(name, STR("artifacts/"))) {
		*rule = is_among_records(name) && str_ends(name, STR(".json")) ? LG_RECORD_STRAY : LG_LINK_STRAY;
		return look_at_link(r, name);
	}
	return OURS; /* beside the log there may be anything, and .state is the writer's */
}

/* ---- walking ---- */

/* *is_new: nobody has come to it yet, under this name or another one; a link is never new. */
static bool is_dir(struct walk *w, struct str name, bool *is_new)
{
	struct check_run *r = w->run;
	struct io_stat st;

	*is_new = true;
	if (r->io->ops->stat(r->io->own, check_path(r, name), &st) < 0 || !st.is_dir)
		return false;
	if (io_is_link(r->io, check_path(r, name))) {
		*is_new = false;
		return true;
	}
	if (st.inode)
		check_set_add(&w->seen, (struct hash){ st.inode, st.device }, 0, is_new);
	return true;
}

/* Writers make temporary files, but not where people read. */
static bool is_leftover(struct str name)
{
	return str_starts(str_basename(name), STR(IO_TMP)) && !str_starts(name, STR("records/")) &&
	       !str_starts(name, STR("artifacts/"));
}

/* Decides about one name: passes over what is the log's, enters directories later, notes the rest. */
static void walk_judge_name(struct walk *w, struct str name)
{
	static const char *const said[] = {
		[LG_STRAY] = "it is not part of the log",
		[LG_LINK_STRAY] = "no entry names it",
		[LG_RECORD_STRAY] = "no entry seals it",
	};
	struct check_run *r = w->run;
	enum ledger_rule rule;
	enum what what;
	bool is_new;

	if (is_leftover(name)) {
		check_note(r, LG_LEFTOVER, "%.*s: it was left behind", STR_ARG(name));
		return;
	}
	what = walk_look(r, name, &rule);
	if (what == OURS)
		return;
	if (is_dir(w, name, &is_new)) {
		if (what == PERHAPS_DIR && is_new) {
			add_dir(w, name);
			return;
		}
		if (is_among_records(name)) /* there may be some in it, which we do not see under this name */
			rule = LG_RECORD_STRAY;
	}
	check_note(r, rule, "%.*s: %s", STR_ARG(name), said[rule]);
}

/* Names live in an arena of the directory; those to be listed later are copied to that of the run. */
static bool walk_dir(struct walk *w, struct str dir, struct err *err)
{
	struct check_run *r = w->run;
	struct str *names;
	struct arena a;
	size_t count;
	bool done;

	arena_init(&a);
	done = check_list(r, &a, check_path(r, dir), &names, &count, err);
	for (size_t i = 0; done && i < count; i++) {
		struct str parts[] = { dir, dir.n ? STR("/") : STR(""), names[i] };
		size_t before = w->count;
		struct str name = arena_join(&a, parts, 3);

		walk_judge_name(w, name);
		if (w->count > before)
			w->dirs[before] = arena_copy(&r->arena, name);
	}
	arena_free(&a);
	return done;
}

/* The directories of a log are its own; one that is a link is told of and left alone. */
static void add_top(struct walk *w, struct str name)
{
	struct check_run *r = w->run;

	if (name.n == 0 || !io_is_link(r->io, check_path(r, name)))
		add_dir(w, name);
	else
		check_note(r, str_eq(name, STR("records")) ? LG_RECORD_STRAY : LG_STRAY,
			   "%.*s: it is a link, and is not followed", STR_ARG(name));
}

bool check_strays(struct check_run *r, struct err *err)
{
	/* What people read comes first: it is looked at in every copy, the rest only where the log is written. */
	static const char *const tops[] = { "artifacts", "records", "", ".state", "checkpoints", "objects", "tile" };
	size_t count = r->check->local ? COUNT(tops) : r->check->objects ? 2 : 0;
	struct walk w = { .run = r };
	bool done = true;

	for (size_t i = count; i > 0; i--)
		add_top(&w, str_from(tops[i - 1]));
	while (done && w.count && !stop_signal())
		done = walk_dir(&w, w.dirs[--w.count], err);
	check_set_free(&w.seen);
	mem_free(w.dirs);
	return done;
}
