/* Reads files, tiles and directories for the check, and notes its findings. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>

#include "ledger/check/private.h"

#define PIECE ((size_t)128 << 10)
#define TILE_BYTES ((size_t)TILE_WIDTH * SHA256_SIZE)
#define BUNDLE_BYTES ((size_t)TILE_WIDTH * (2 + ENTRY_MAX))

void check_note(struct check_run *r, enum ledger_rule rule, const char *format, ...)
{
	const struct rule *is = ledger_rules + rule;
	struct findings *list = r->check->findings;
	struct finding f = { .code = is->code, .severity = is->severity };
	struct buf text;
	va_list args;

	if (!findings_wants(list, is->code, is->severity)) {
		findings_count(list, is->code, is->severity);
		return;
	}
	buf_init(&text);
	buf_add_str(&text, r->prefix);
	va_start(args, format);
	buf_vprintf(&text, format, args);
	va_end(args);
	f.message = buf_str(&text);
	findings_add(list, &f);
	buf_free(&text);
}

const char *check_path(struct check_run *r, struct str name)
{
	buf_clear(&r->path);
	buf_add_str(&r->path, r->dir);
	buf_add_byte(&r->path, '/');
	buf_add_str(&r->path, name);
	buf_add_byte(&r->path, 0);
	return r->path.p;
}

bool check_is_absence(int64_t code)
{
	return code == -ENOENT || code == -ENOTDIR || code == -EISDIR || code == -ELOOP || code == -ENXIO ||
	       code == -ESPIPE;
}

static int64_t read_piece(struct check_run *r, int fd, struct buf *out, size_t limit)
{
	size_t want = limit - out->n < PIECE ? limit - out->n : PIECE;
	int64_t n;

	buf_reserve(out, want);
	do
		n = r->io->ops->read(r->io->own, fd, out->p + out->n, want, out->n);
	while (n == -EINTR);
	if (n > 0)
		out->n += (size_t)n;
	return n;
}

enum check_got check_read_file(struct check_run *r, const char *path, size_t limit, struct buf *out, struct err *err)
{
	int fd = r->io->ops->open(r->io->own, path, IO_READ, 0);
	int64_t n = 1;

	buf_clear(out);
	if (fd < 0 && check_is_absence(fd))
		return CHECK_ABSENT;
	if (fd < 0) {
		err_system(err, -fd, "%s: cannot open", path);
		return CHECK_FAILED;
	}
	while (n > 0 && out->n < limit)
		n = read_piece(r, fd, out, limit);
	r->io->ops->close(r->io->own, fd);
	if (n >= 0)
		return CHECK_GOT;
	if (check_is_absence(n))
		return CHECK_ABSENT;
	err_system(err, (int)-n, "%s: cannot read", path);
	return CHECK_FAILED;
}

enum check_got check_read(struct check_run *r, struct str name, size_t limit, struct buf *out, struct err *err)
{
	return check_read_file(r, check_path(r, name), limit, out, err);
}

/* ERR_DATA of the engine is what it says of rows that are damaged: absence, to be told as such. */
static enum check_got check_read_row(struct check_run *r, const struct tile *t, struct buf *out, struct err *err)
{
	struct err why = { .kind = ERR_NONE };
	struct arena a;
	struct str bytes;
	bool got;

	arena_init(&a);
	got = r->log->ops->tile(r->log, &a, t, &bytes, &why);
	buf_clear(out);
	if (got)
		buf_add_str(out, bytes);
	arena_free(&a);
	if (got || why.kind == ERR_DATA)
		return got ? CHECK_GOT : CHECK_ABSENT;
	*err = why;
	return CHECK_FAILED;
}

enum check_got check_read_tile(struct check_run *r, const struct tile *t, struct buf *out, bool *full, struct err *err)
{
	size_t limit = (t->level == TILE_ENTRIES ? BUNDLE_BYTES : TILE_BYTES) + 1;
	struct tile whole = { .level = t->level, .n = t->n, .width = TILE_WIDTH };
	char name[TILE_PATH_MAX];
	enum check_got got;

	*full = false;
	if (r->log)
		return check_read_row(r, t, out, err);
	tile_path(name, t);
	got = check_read(r, str_from(name), limit, out, err);
	if (got != CHECK_ABSENT || t->width == TILE_WIDTH)
		return got;
	/* The log may have grown while we looked, and its partial tiles with it. */
	tile_path(name, &whole);
	got = check_read(r, str_from(name), limit, out, err);
	*full = got == CHECK_GOT;
	return got;
}

/* ---- directories ---- */

struct listing {
	struct arena *arena;
	struct str *names;
	size_t count, cap;
};

static bool listing_add_name(void *context, const char *name)
{
	struct listing *l = context;

	mem_grow(l->names, l->count, l->cap, 64);
	l->names[l->count++] = arena_copy(l->arena, str_from(name));
	return true;
}

bool check_list(struct check_run *r, struct arena *a, const char *path, struct str **names, size_t *count,
		struct err *err)
{
	struct listing l = { .arena = a };
	int code = r->io->ops->list(r->io->own, path, listing_add_name, &l);
	bool done = code >= 0 || check_is_absence(code) || err_system(err, -code, "%s: cannot list", path);

	*count = done ? l.count : 0;
	*names = arena_array(a, struct str, *count);
	if (*count) {
		memcpy(*names, l.names, *count * sizeof(**names));
		qsort(*names, *count, sizeof(**names), str_cmp_first);
	}
	mem_free(l.names);
	return done;
}
