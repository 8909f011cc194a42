/* `trackway hook install` and `trackway hook remove`: our entries in an agent's settings. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "capture/agents/hooks.h"
#include "cmd/frame/commands.h"
#include "cmd/frame/field.h"
#include "cmd/frame/stream.h"
#include "cmd/screen/amounts.h"
#include "proc/self.h"

struct install_opts {
	bool project, user, dry_run;
	struct opt_maybe json;
};

static const struct opt install_options[] = {
	{ OPT_FLAG, 0, "user", offsetof(struct install_opts, user), NULL,
	  "for all that the user does: in the home directory (the default)" },
	{ OPT_FLAG, 0, "project", offsetof(struct install_opts, project), NULL,
	  "for the project in the current directory" },
	{ OPT_FLAG, 'n', "dry-run", offsetof(struct install_opts, dry_run), NULL, "only say what would be changed" },
	{ OPT_OPTIONAL, 0, "json", offsetof(struct install_opts, json), "FIELDS", "as JSON; only the named fields" },
	OPT_LAST,
};

static const char *const install_fields[] = {
	"agent", "path", "dry_run", "changed", "added", "updated", "removed", NULL,
};

static bool install_path(struct arena *a, const struct install_opts *o, const struct hooks_agent *h, struct str *path,
			 struct err *err)
{
	const char *own = h->home_variable ? getenv(h->home_variable) : NULL, *home = getenv("HOME");

	if (o->user && o->project)
		return usage_set(err, "give one of them", "--user and --project exclude each other");
	if (o->project)
		*path = arena_printf(a, "%s/%s", h->dir, h->file);
	else if (own && *own)
		*path = arena_printf(a, "%s/%s", own, h->file);
	else if (home && *home)
		*path = arena_printf(a, "%s/%s/%s", home, h->dir, h->file);
	else
		return usage_set(err, "set HOME, or use --project", "the home directory is not known");
	return true;
}

/* An absent file is an empty text. */
static bool install_read(struct arena *a, struct str path, struct str *text, struct err *err)
{
	struct err why;

	*text = STR("");
	if (file_read(a, path, HOOKS_FILE_MOST, text, &why) || why.errnum == ENOENT)
		return true;
	*err = why;
	return false;
}

static bool install_write(struct arena *a, struct str path, struct str text, struct err *err)
{
	return file_make_dirs(str_dirname(path), 0700, NULL, err) && file_replace(arena_copy(a, path), text, 0600, err);
}

static void install_say(struct buf *out, const struct install_opts *o, struct str path, const struct hooks_change *c)
{
	static const char *const words[] = { "added", "updated", "removed" };
	size_t counts[] = { c->added, c->updated, c->removed };
	const char *between = ": ";

	if (o->dry_run)
		buf_add_str(out, STR("would change "));
	else
		buf_add_str(out, STR("wrote "));
	term_add_text(out, path);
	for (size_t i = 0; i < COUNT(words); i++) {
		if (!counts[i])
			continue;
		buf_printf(out, "%s", between);
		amounts_add_things(out, counts[i], "hook");
		buf_printf(out, " %s", words[i]);
		between = ", ";
	}
	buf_add_byte(out, '\n');
}

static void install_add_json(struct buf *out, const struct install_opts *o, const char *agent, struct str path,
			     const struct hooks_change *c, bool changed)
{
	struct json_writer w;

	field_begin_document(&w, out, JSON_COMPACT, "hook");
	field_put_word(&w, o->json, "agent", agent);
	field_put_text(&w, o->json, "path", path);
	field_put_bool(&w, o->json, "dry_run", o->dry_run);
	field_put_bool(&w, o->json, "changed", changed);
	field_put_u64(&w, o->json, "added", c->added);
	field_put_u64(&w, o->json, "updated", c->updated);
	field_put_u64(&w, o->json, "removed", c->removed);
	field_end_document(&w);
}

/* The change is made in memory first: a file that cannot be read is not touched. */
static bool install_change(struct arena *a, const struct hooks_agent *h, bool removes, struct str text,
			   struct hooks_change *c, struct err *err)
{
	struct str program = self_path(a);

	if (removes)
		return hooks_remove(a, h, text, c, err);
	if (!program.p)
		return err_set(err, ERR_IO, "the system does not say where this program is");
	return hooks_install(a, h, text, program, c, err);
}

static int install_or_remove(struct arena *a, const struct install_opts *o, struct args args, bool removes,
			     struct err *err)
{
	const struct hooks_agent *h = hooks_find(args.items[0]);
	struct hooks_change c;
	struct str path, text;
	struct buf out;
	bool changed;

	if (!h) {
		usage_set(err, "claude-code and cursor have hooks that we know", "'%.*s' is no agent with hooks",
			  STR_ARG(args.items[0]));
		return EXIT_FAIL;
	}
	if (!install_path(a, o, h, &path, err) || !install_read(a, path, &text, err))
		return EXIT_FAIL;
	if (!install_change(a, h, removes, text, &c, err)) {
		err_context(err, path.p);
		return EXIT_FAIL;
	}
	changed = c.added + c.updated + c.removed > 0;
	if (changed && !o->dry_run && !install_write(a, path, c.text, err))
		return EXIT_FAIL;
	buf_init(&out);
	if (o->json.given)
		install_add_json(&out, o, h->name, path, &c, changed);
	else if (changed)
		install_say(&out, o, path, &c);
	else
		buf_printf(&out, "%s: %s\n", path.p, removes ? "no hook of ours is there" : "all hooks are there");
	stream_write(stdout, buf_str(&out));
	buf_free(&out);
	return EXIT_YES;
}

static int install_run(struct arena *a, const void *options, struct args args, struct err *err)
{
	return install_or_remove(a, options, args, false, err);
}

static int remove_run(struct arena *a, const void *options, struct args args, struct err *err)
{
	return install_or_remove(a, options, args, true, err);
}

#define INSTALL_USAGE "claude-code|cursor [--user|--project] [--dry-run] [--json]"

static const struct example install_examples[] = {
	{ "trackway hook install claude-code --dry-run", "what would be changed" },
	{ "trackway hook install claude-code", "in ~/.claude/settings.json" },
	{ "trackway hook install cursor --project", "in .cursor/hooks.json" },
	{ NULL, NULL },
};

const struct command hook_install_command = {
	.name = "hook install",
	.summary = "put our hooks into an agent's settings",
	.usage = INSTALL_USAGE,
	.description =
		"Adds a hook for each event that tells of tools, waiting and sub-agents to ~/.claude/settings.json "
		"or ~/.cursor/hooks.json, or to the file of that name in the project. All else in the file stays as "
		"it is, byte for byte; a second time nothing changes. The hook is this program by its absolute path: "
		"when it has moved, install again.\n\n"
		"A file that is not JSON, or has comments, is not touched (exit status 3).",
	.examples = install_examples,
	.options = install_options,
	.fields = install_fields,
	.options_size = sizeof(struct install_opts),
	.args = ARGS_WORDS,
	.args_min = 1,
	.args_max = 1,
	.run = install_run,
};

static const struct example remove_examples[] = {
	{ "trackway hook remove claude-code", "from ~/.claude/settings.json" },
	{ NULL, NULL },
};

const struct command hook_remove_command = {
	.name = "hook remove",
	.summary = "take our hooks out of an agent's settings",
	.usage = INSTALL_USAGE,
	.description = "Takes out the entries whose command is 'trackway hook', and nothing else.",
	.examples = remove_examples,
	.options = install_options,
	.fields = install_fields,
	.options_size = sizeof(struct install_opts),
	.args = ARGS_WORDS,
	.args_min = 1,
	.args_max = 1,
	.run = remove_run,
};
