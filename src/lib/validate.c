/* Validation of a file or of bytes that are all there, by the flow that `trackway validate` uses. */
#include "lib/outcome.h"
#include "lib/settings.h"
#include "source/io.h"
#include "source/memory.h"

static bool validate_take(void *context, const struct validate_input *part, struct err *err)
{
	(void)err;
	outcome_take(context, part);
	return true;
}

/* One part, whatever it comes from. */
static bool run(struct tw_report *r, struct arena *a, const struct settings *s, struct err *err)
{
	struct validate_flow f = {
		.from = source_open(a, &r->name, 1, s->source, err),
		.jobs = s->jobs,
		.as = s->as,
		.options = s->check,
		.input = validate_take,
		.context = r,
	};
	bool done;

	if (!f.from)
		return false;
	done = validate_flow_run(&f, err);
	source_close(f.from);
	return done;
}

/* Runs the check when the options were right (`is_ready`); else *err already says why not. Never NULL. */
static struct tw_report *report_on(struct str name, const struct settings *s, bool is_ready, struct err *err)
{
	struct tw_report *r = outcome_new(name, s->check.mode);
	struct arena arena;

	arena_init(&arena);
	if (!is_ready || !run(r, &arena, s, err))
		outcome_fail(r, err);
	arena_free(&arena);
	return r;
}

/* A directory would be walked by the source, and give several inputs for the one report. */
static bool check_path(const char *path, struct err *err)
{
	const struct source_io *io = source_io_system();
	struct source_look look = { .dir = false };

	if (!path || !*path)
		return err_set(err, ERR_USAGE, "no path was given");
	if (io->look(io->context, path, &look) >= 0 && look.dir)
		return err_set(err, ERR_DATA, "%s: this is a directory, and a file is wanted", path);
	return true; /* what else is wrong with it shows when it is opened */
}

struct tw_report *tw_validate_file(const char *path, const struct tw_validate_options *options)
{
	struct err err = { .kind = ERR_NONE };
	struct settings s;
	bool is_ready = settings_read(&s, options, &err) && check_path(path, &err);

	return report_on(str_from(path), &s, is_ready, &err);
}

struct tw_report *tw_validate_memory(const void *bytes, size_t size, const char *name,
				     const struct tw_validate_options *options)
{
	struct memory_file file = { str_from(name && *name ? name : "(memory)"), str_of(bytes, size) };
	struct memory memory = { .files = &file, .count = 1 };
	struct source_io io = memory_io(&memory);
	struct err err = { .kind = ERR_NONE };
	struct settings s;
	bool is_ready = settings_read(&s, options, &err);

	if (is_ready && !bytes && size)
		is_ready = err_set(&err, ERR_USAGE, "%zu bytes at NULL", size);
	s.source.io = &io;
	return report_on(file.path, &s, is_ready, &err);
}
