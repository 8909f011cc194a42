/* Files are the system's affair; only what is read by the handle of standard input passes through here. */
#include "source/again.h"

#include <string.h>
#include <unistd.h>

static int again_look(void *context, const char *path, struct source_look *out)
{
	const struct again *g = context;

	return g->system->look(g->system->context, path, out);
}

static int again_open(void *context, const char *path, struct source_look *out)
{
	struct again *g = context;

	if (strcmp(path, "-") == 0)
		g->opened++;
	return g->system->open(g->system->context, path, out);
}

static ssize_t again_read(void *context, int handle, void *into, size_t n)
{
	struct again *g = context;
	size_t left = g->kept.n - g->at;
	ssize_t got;

	if (handle != STDIN_FILENO || (g->opened > 1 && left == 0))
		return g->system->read(g->system->context, handle, into, n);
	if (g->opened > 1) {
		n = n < left ? n : left;
		memcpy(into, g->kept.p + g->at, n);
		g->at += n;
		return (ssize_t)n;
	}
	got = g->system->read(g->system->context, handle, into, n);
	if (got > 0)
		buf_add(&g->kept, into, (size_t)got);
	return got;
}

static bool again_ready(void *context, int handle)
{
	const struct again *g = context;

	return (handle == STDIN_FILENO && g->opened > 1 && g->at < g->kept.n) ||
	       g->system->ready(g->system->context, handle);
}

static void again_close(void *context, int handle)
{
	const struct again *g = context;

	if (handle != STDIN_FILENO) /* it is needed again */
		g->system->close(g->system->context, handle);
}

static ssize_t again_read_at(void *context, int handle, void *into, size_t n, uint64_t offset)
{
	const struct again *g = context;

	return g->system->read_at(g->system->context, handle, into, n, offset);
}

struct source_io again_io(struct again *g)
{
	*g = (struct again){ .system = source_io_system() };
	buf_init(&g->kept);
	return (struct source_io){
		.context = g,
		.look = again_look,
		.open = again_open,
		.read = again_read,
		.ready = again_ready,
		.close = again_close,
		.read_at = again_read_at,
	};
}

void again_free(struct again *g)
{
	buf_free(&g->kept);
}
