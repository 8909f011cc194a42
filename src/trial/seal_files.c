/* Opens what the record names and maps it; what cannot be had is noted with the reason. */
#include "trial/seal_files.h"

#include <unistd.h>

#include "base/file.h"

static const char *const seal_file_fields[SEAL_FILES] = { "trajectory_path", "conversation_path", "raw_output_path" };

/* A record that came out of a ledger has the paths that its artifacts have there. */
static struct str artifact_name(struct arena *a, struct val record, struct str path)
{
	struct str experiment = val_get_text(record, STR("experiment_id"), a);
	struct str trial = val_get_text(record, STR("trial_id"), a), top;

	top = ARENA_JOIN(a, STR("artifacts/"), entry_path_part(a, experiment), STR("/"), entry_path_part(a, trial),
			 STR("/"));
	return str_starts(path, top) && path.n > top.n ? str_skip(path, top.n) : path;
}

static bool has_artifact(const struct seal_files *f, struct str name)
{
	for (size_t i = 0; i < f->count; i++)
		if (str_eq(f->artifacts[i].name, name))
			return true;
	return false;
}

static void note_missing(struct seal_files *out, const char *field, struct str path, const char *why)
{
	out->missing[out->missing_count++] = (struct seal_file_missing){ field, path, why };
}

static void find_one(struct arena *a, struct val record, const char *field, struct str path, struct str dir,
		     struct seal_files *out)
{
	struct str name = str_starts(path, STR("./")) ? str_skip(path, 2) : path, called, bytes;
	struct err ignored = { .kind = ERR_NONE };
	enum beneath state;
	int fd = -1;

	if (!dir.p) {
		note_missing(out, field, path, "was not looked for (standard input)");
		return;
	}
	called = artifact_name(a, record, name);
	if (has_artifact(out, called))
		return;
	state = beneath_open(a, dir, name, &fd);
	if (state == BENEATH_FOUND && !file_map_fd(fd, path, &bytes, &ignored))
		state = BENEATH_UNREAD;
	if (fd >= 0)
		close(fd);
	if (state == BENEATH_FOUND)
		out->artifacts[out->count++] = (struct seal_artifact){ called, beneath_media(name), bytes };
	else
		note_missing(out, field, path, beneath_why(state));
}

void seal_files_find(struct arena *a, struct json_parser *p, struct str record, struct str dir,
		     struct seal_files *out)
{
	struct val root, outputs;

	*out = (struct seal_files){ .count = 0 };
	if (!json_parse_copy(p, record, &root, NULL))
		return;
	outputs = val_get(root, STR("outputs"));
	for (size_t i = 0; i < SEAL_FILES; i++) {
		struct str path = val_get_text(outputs, str_from(seal_file_fields[i]), a);

		if (path.n)
			find_one(a, root, seal_file_fields[i], path, dir, out);
	}
}

void seal_files_add_missing(struct buf *out, const struct seal_files *f, const char *end)
{
	for (size_t i = 0; i < f->missing_count; i++)
		buf_printf(out, "%s %.*s %s%s", f->missing[i].field, STR_ARG(f->missing[i].path), f->missing[i].why,
			   end);
}
