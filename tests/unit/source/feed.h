/*
 * Feeds a source in every way bytes can arrive, and writes down what comes out. The tests of source/
 * and flow/, the fault tests and the fuzz target share it.
 */
#ifndef UNIT_SOURCE_FEED_H
#define UNIT_SOURCE_FEED_H

#include <errno.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/buf.h"
#include "source/lines.h"
#include "source/memory.h"
#include "source/source.h"

enum feed_cut { FEED_WHOLE, FEED_PIECES, FEED_ONCE, FEED_SEEDED };

/* A table over another one, which cuts reads short and fails the call that it is told to. */
struct feed {
	struct memory memory;
	struct source_io under;
	enum feed_cut cut;
	size_t size; /* of a piece, or the one place to cut at */
	uint64_t seed;
	size_t fail_read, fail_open; /* 1 is the first, 0 none */
	int why;                     /* errno of the failure */
	bool is_stream;              /* pretend not to be a regular file */
	size_t reads, opens, closes;
	size_t at; /* in the open file */
};

static inline size_t feed_room(struct feed *f, size_t n)
{
	size_t most = n;

	if (f->cut == FEED_PIECES)
		most = f->size;
	if (f->cut == FEED_ONCE && f->at < f->size)
		most = f->size - f->at;
	if (f->cut == FEED_SEEDED) {
		f->seed = f->seed * 6364136223846793005u + 1442695040888963407u;
		most = (size_t)(f->seed >> 33) % (f->seed >> 63 ? 8 : 70000) + 1;
	}
	return most < n ? most : n;
}

static inline int feed_look(void *context, const char *path, struct source_look *out)
{
	struct feed *f = context;
	int result = f->under.look(f->under.context, path, out);

	out->regular = out->regular && !f->is_stream;
	return result;
}

static inline int feed_open(void *context, const char *path, struct source_look *out)
{
	struct feed *f = context;
	int handle;

	f->at = 0;
	if (++f->opens == f->fail_open)
		return -f->why;
	handle = f->under.open(f->under.context, path, out);
	out->regular = out->regular && !f->is_stream;
	return handle;
}

static inline ssize_t feed_read(void *context, int handle, void *into, size_t n)
{
	struct feed *f = context;
	ssize_t got;

	if (++f->reads == f->fail_read)
		return -f->why;
	got = f->under.read(f->under.context, handle, into, feed_room(f, n));
	if (got > 0)
		f->at += (size_t)got;
	return got;
}

static inline bool feed_ready(void *context, int handle)
{
	struct feed *f = context;

	(void)handle;
	return f->seed % 3 != 0;
}

static inline void feed_close(void *context, int handle)
{
	struct feed *f = context;

	f->closes++;
	f->under.close(f->under.context, handle);
}

/* Serves `files`; set the other members before use. */
static inline struct source_io feed_io(struct feed *f, const struct memory_file *files, size_t count)
{
	f->memory = (struct memory){ .files = files, .count = count };
	f->under = memory_io(&f->memory);
	return (struct source_io){
		.context = f,
		.look = feed_look,
		.open = feed_open,
		.read = feed_read,
		.ready = feed_ready,
		.close = feed_close,
	};
}

/* What is checked of every chunk; NULL or a sentence. */
static inline const char *feed_fault(const struct chunk *c, const struct buf *into, uint64_t origin, uint64_t line,
				     bool first)
{
	static const char zeros[SOURCE_PAD];

	if (c->bytes.p < into->p || c->bytes.p + c->bytes.n + SOURCE_PAD > into->p + into->cap)
		return "a chunk lies in the lent buffer with its padding";
	if (memcmp(c->bytes.p + c->bytes.n, zeros, SOURCE_PAD) != 0)
		return "zeros follow a chunk";
	if (c->origin != origin)
		return "a chunk begins where the one before ended";
	if (c->first_line != line)
		return "first_line counts the lines before";
	if (c->first != first)
		return "first is set on the first chunk only";
	if (c->input->lines && !c->last && (c->bytes.n == 0 || c->bytes.p[c->bytes.n - 1] != '\n'))
		return "only the last chunk may end without a line end";
	if (!c->input->lines && !c->last)
		return "a document is one chunk";
	return NULL;
}

/*
 * Reads a source to its end into `out`: "<name>", the bytes, then "</>" at the end of an input or
 * "!message" where it failed. How the bytes were cut into chunks does not show. Returns NULL, or what
 * was wrong with a chunk. Stops after about `most` bytes, 0 for no such limit.
 */
static inline const char *feed_write(struct source *s, struct buf *out, size_t most)
{
	struct buf into;
	struct chunk c;
	struct err err = { .kind = ERR_NONE };
	uint64_t origin = 0, line = 1;
	bool first = true;
	const char *fault = NULL;
	enum next next;

	buf_init(&into);
	while (!fault && (most == 0 || out->n < most) && (next = source_next(s, &into, &c, &err)) != NEXT_END) {
		if (next == NEXT_FAIL) {
			buf_printf(out, "!%s\n", err.text);
			first = true, origin = 0, line = 1;
			continue;
		}
		fault = feed_fault(&c, &into, origin, line, first);
		if (c.first)
			buf_printf(out, "<%.*s>", STR_ARG(c.input->name));
		buf_add_str(out, c.bytes);
		origin += c.bytes.n;
		line += lines_count(c.bytes);
		first = c.last;
		if (c.last) {
			buf_printf(out, "</>");
			origin = 0, line = 1;
		}
	}
	buf_free(&into);
	return fault;
}

/* As feed_write for paths; the arena is for the source. A path that does not exist gives "!message". */
static inline const char *feed_paths(struct arena *a, const struct str *paths, size_t count,
				     struct source_options options, struct buf *out)
{
	struct err err;
	struct source *s = source_open(a, paths, count, options, &err);
	const char *fault;

	buf_clear(out);
	if (!s) {
		buf_printf(out, "!%s\n", err.text);
		return NULL;
	}
	fault = feed_write(s, out, 0);
	source_close(s);
	return fault;
}

#endif
