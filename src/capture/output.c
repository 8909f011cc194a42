/* The digest is of all that was written; what the file cannot take, or beyond the limit, is only counted. */
#include "capture/output.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "json/put.h"

bool output_open(struct output *o, int dir, struct err *err)
{
	*o = (struct output){ .dir = dir, .limit = OUTPUT_KEPT };
	o->fd = openat(dir, OUTPUT_FILE, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (o->fd < 0)
		return err_system(err, errno, "cannot make " OUTPUT_FILE);
	sha256_init(&o->sha256);
	return true;
}

void output_add(struct output *o, struct str bytes)
{
	uint64_t room = o->limit - o->kept;

	sha256_add(&o->sha256, bytes);
	o->size += bytes.n;
	if (o->cut)
		return;
	o->cut = bytes.n > room;
	bytes.n = o->cut ? (size_t)room : bytes.n;
	if (bytes.n && !file_write_all(o->fd, bytes, &o->failure)) {
		o->cut = true;
		return;
	}
	o->kept += bytes.n;
}

bool output_close(struct output *o, struct output_tally *t)
{
	struct stat ours, there;
	bool is_there = fstat(o->fd, &ours) == 0 && fstatat(o->dir, OUTPUT_FILE, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
			ours.st_dev == there.st_dev && ours.st_ino == there.st_ino;

	*t = (struct output_tally){ .cut = o->cut, .size = o->size, .sha256 = sha256_end(&o->sha256) };
	sha256_free(&o->sha256);
	close(o->fd);
	o->fd = -1;
	return is_there;
}

void output_put(struct json_writer *w, const struct output_tally *t)
{
	if (!t) {
		json_put_null(w, "stdout");
		return;
	}
	json_put_object(w, "stdout");
	if (t->terminal) {
		json_put_null(w, "sha256");
		json_put_null(w, "size");
	} else {
		json_put_digest(w, "sha256", t->sha256);
		json_put_u64(w, "size", t->size);
	}
	json_put_bool(w, "terminal", t->terminal);
	if (t->cut)
		json_put_bool(w, "cut", true);
	json_write_end_object(w);
}
