/*
 * requests.jsonl is opened once and appended to; reports are replaced whole, so a reader sees the old one or the new
 * one.
 */
#include "bench/load/dir.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/file.h"

bool load_dir_make(struct load_dir *d, struct arena *a, struct str parent, struct str run_id, struct err *err)
{
	struct str requests;
	size_t there;

	*d = (struct load_dir){ .arena = a, .path = ARENA_JOIN(a, parent, STR("/"), run_id), .fd = -1 };
	if (!file_make_dirs(d->path, 0777, &there, err))
		return false;
	if (there == d->path.n)
		return err_set(err, ERR_USAGE, "%.*s: a run of this name exists already" ERR_HELP "name another",
			       STR_ARG(d->path)) || err_advise(err, ADVICE_RUN_ID);
	requests = ARENA_JOIN(a, d->path, STR("/requests.jsonl"));
	d->fd = open(requests.p, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
	return d->fd >= 0 || err_system(err, errno, "cannot write %.*s", STR_ARG(requests));
}

bool load_dir_add(struct load_dir *d, struct str lines, struct err *err)
{
	return file_write_all(d->fd, lines, err) || err_context(err, "requests.jsonl");
}

static bool load_dir_write(struct load_dir *d, struct str name, struct buf *text, struct err *err)
{
	return file_replace(ARENA_JOIN(d->arena, d->path, STR("/"), name), buf_str(text), 0666, err);
}

bool load_dir_report(struct load_dir *d, const struct load_report *r, struct buf *json, struct err *err)
{
	struct buf text;
	bool done;

	buf_init(&text);
	load_report_json(json, r);
	load_report_md(&text, r);
	done = load_dir_write(d, STR("load.json"), json, err) && load_dir_write(d, STR("load.md"), &text, err);
	buf_free(&text);
	return done;
}

void load_dir_close(struct load_dir *d)
{
	close(d->fd);
}
