/* The workspace before the agent, and what is kept of it afterwards: changed files, and a list of all. */
#include <errno.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/file.h"
#include "json/put.h"
#include "trial/run/links.h"
#include "trial/run/private.h"

#define WORKSPACE_MANIFEST "manifest.json"
#define WORKSPACE_NAMED_MOST 1000 /* of what was left out; an agent may leave millions, and a record has its limit */

/* Of what an agent leaves: an artifact must fit what a ledger takes. */
static const struct tree_limits workspace_kept = {
	.file_bytes = (uint64_t)64 << 20, .bytes = (uint64_t)256 << 20, .files = 10000,
};

static struct str hash_of(struct arena *a, struct digest d)
{
	return ARENA_JOIN(a, STR("sha256:"), lock_digest(a, d));
}

bool workspace_fill(struct trial_running *t, struct err *err)
{
	struct str from = ARENA_JOIN(t->arena, t->task.dir, STR("/environment"));
	const struct tree *files = &t->task.environment;
	struct trial_file *inputs = arena_array(t->arena, struct trial_file, files->count + 1);

	if (!file_make_dirs(t->dirs.workspace, 0777, NULL, err) || !file_make_dirs(t->dirs.home, 0700, NULL, err) ||
	    !file_make_dirs(t->dirs.artifacts, 0700, NULL, err))
		return false;
	for (size_t i = 0; i < files->count; i++) {
		const struct tree_file *f = &files->files[i];
		struct digest copied;

		if (!tree_copy(t->arena, from, f, t->dirs.workspace, f->name, &copied, err))
			return false;
		if (!digest_eq(copied, f->digest))
			return err_set(err, ERR_IO, "environment/%.*s changed while it was copied", STR_ARG(f->name));
		inputs[i] = (struct trial_file){ f->name, hash_of(t->arena, copied) };
	}
	t->facts.inputs = inputs;
	t->facts.input_count = files->count;
	return tree_read(t->arena, t->dirs.workspace, NULL, &t->before, err);
}

/* ---- afterwards ---- */

static bool is_changed(const struct trial_running *t, const struct tree_file *f)
{
	const struct tree_file *was = tree_find(&t->before, f->name);

	return !was || !digest_eq(was->digest, f->digest);
}

const struct tree_file *workspace_find_made(const struct trial_running *t, struct str name)
{
	const struct tree_file *f = tree_find(&t->after, name);

	return f && is_changed(t, f) ? f : NULL;
}

static void put_manifest(struct json_writer *w, const struct trial_running *t)
{
	json_write_begin_object(w);
	json_put_text(w, "schema", STR("trackway.workspace/1"));
	json_put_array(w, "files");
	for (size_t i = 0; i < t->after.count; i++) {
		const struct tree_file *f = &t->after.files[i];

		json_write_begin_object(w);
		json_put_text(w, "path", f->name);
		json_put_digest(w, "sha256", f->digest);
		json_put_u64(w, "size", f->size);
		json_put_bool(w, "executable", f->executable);
		json_put_bool(w, "kept", is_changed(t, f) && finish_takes_name(f->name));
		json_write_end_object(w);
	}
	json_write_end_array(w);
	json_put_array(w, "left_out");
	for (size_t i = 0; i < t->facts.left_out_count; i++)
		json_write_string(w, t->facts.left_out[i].name);
	json_write_end_array(w);
	json_write_end_object(w);
}

static bool write_manifest(struct trial_running *t, struct err *err)
{
	struct json_writer w;
	struct buf out;
	bool done;

	buf_init(&out);
	json_write_init(&w, &out, JSON_PRETTY);
	put_manifest(&w, t);
	buf_add_byte(&out, '\n');
	done = file_replace(ARENA_JOIN(t->arena, t->dirs.artifacts, STR("/" WORKSPACE_MANIFEST)), buf_str(&out), 0600,
			    err);
	buf_free(&out);
	return done;
}

static void note_removed(struct trial_running *t)
{
	struct str *removed = arena_array(t->arena, struct str, t->before.count + 1);

	for (size_t i = 0; i < t->before.count; i++)
		if (!tree_find(&t->after, t->before.files[i].name))
			removed[t->facts.removed_count++] = t->before.files[i].name;
	t->facts.removed = removed;
}

/* The answer of tasks that ask for one file. */
static void find_output(struct trial_running *t)
{
	static const struct { const char *name, *format; } outputs[] = {
		{ "output.md", "markdown" }, { "output.jsonl", "jsonl" }, { "output.json", "json" },
		{ "output.txt", "text" },
	};
	struct trial_facts *f = &t->facts;

	f->output_path = STR("workspace");
	f->output_format = STR("files");
	for (size_t i = 0; i < COUNT(outputs); i++) {
		struct str name = str_from(outputs[i].name);

		if (!workspace_find_made(t, name))
			continue;
		f->output_path = name;
		f->output_format = str_from(outputs[i].format);
		f->raw_output_path = ARENA_JOIN(t->arena, STR("workspace/"), name);
		return;
	}
}

/* The verifier works in it as we. An agent that shut us out, or removed it, has failed by itself. */
static bool workspace_take_back(struct trial_running *t, struct err *err)
{
	if (tree_own(t->dirs.workspace))
		return true;
	record_add_finding(t->arena, &t->facts, "workspace_gone", STR("the agent removed its workspace; an empty one "
			   "is judged"));
	unlink(t->dirs.workspace.p);
	return mkdir(t->dirs.workspace.p, 0700) == 0 || err_system(err, errno, "%.*s", STR_ARG(t->dirs.workspace));
}

static void name_left_out(struct trial_running *t)
{
	t->facts.left_out = t->after.left;
	t->facts.left_out_count = t->after.left_count;
	if (t->after.left_count <= WORKSPACE_NAMED_MOST)
		return;
	t->facts.left_out_count = WORKSPACE_NAMED_MOST;
	record_add_finding(t->arena, &t->facts, "much_left_out",
			   arena_printf(t->arena, "%zu files of the workspace were not kept; %d of them are named",
					t->after.left_count, WORKSPACE_NAMED_MOST));
}

/* Without a sandbox nothing is gained: the agent could read the tests themselves. */
static bool cut_links(struct trial_running *t, struct err *err)
{
	struct str first;
	size_t count;

	if (t->how->job->isolation == SANDBOX_NONE)
		return true;
	if (!links_cut(t->arena, t->dirs.workspace, &t->after, t->dirs.workspace_seen, &count, &first, err))
		return false;
	if (count)
		record_add_finding(t->arena, &t->facts, "links_cut",
				   arena_printf(t->arena, "%zu symbolic link%s led out of the workspace and %s removed "
						"before the verifier began: %.*s%s", count, count == 1 ? "" : "s",
						count == 1 ? "was" : "were", STR_ARG(first), count == 1 ? "" : " ..."));
	return true;
}

bool workspace_collect(struct trial_running *t, struct err *err)
{
	struct str kept = ARENA_JOIN(t->arena, t->dirs.artifacts, STR("/workspace"));
	struct statvfs disk;

	if (!workspace_take_back(t, err) ||
	    !tree_read(t->arena, t->dirs.workspace, &workspace_kept, &t->after, err) || !cut_links(t, err))
		return false;
	for (size_t i = 0; i < t->after.count; i++) {
		const struct tree_file *f = &t->after.files[i];
		struct digest copied;

		if (!is_changed(t, f))
			continue;
		t->facts.left_something = true;
		if (!finish_takes_name(f->name)) {
			arena_grow(t->arena, t->after.left, t->after.left_count, t->after.left_cap, 16);
			t->after.left[t->after.left_count++] =
				(struct tree_left){ .name = f->name, .why = "has a name that a ledger does not take" };
			continue;
		}
		if (!tree_copy(t->arena, t->dirs.workspace, f, kept, f->name, &copied, err))
			return false;
	}
	name_left_out(t);
	note_removed(t);
	find_output(t);
	if (statvfs(t->dirs.workspace.p, &disk) == 0 && disk.f_blocks && disk.f_bavail == 0)
		return err_system(err, ENOSPC, "the disk of the workspace");
	return write_manifest(t, err);
}
