#include "source/memory.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <string.h>

static int memory_look(void *context, const char *path, struct source_look *out)
{
	const struct memory *m = context;
	size_t count = m->count < INT_MAX ? m->count : INT_MAX;

	for (size_t i = 0; i < count; i++) {
		if (!str_eq(m->files[i].path, str_from(path)))
			continue;
		*out = (struct source_look){ .regular = true, .size = m->files[i].bytes.n };
		return (int)i;
	}
	return -ENOENT;
}

static int memory_open(void *context, const char *path, struct source_look *out)
{
	struct memory *m = context;

	m->at = 0;
	return memory_look(context, path, out);
}

static ssize_t memory_read_at(void *context, int handle, void *into, size_t n, uint64_t offset)
{
	const struct memory *m = context;
	struct str bytes = m->files[handle].bytes;

	assert(handle >= 0);
	if (offset >= bytes.n)
		return 0;
	n = n < bytes.n - offset ? n : bytes.n - (size_t)offset;
	memcpy(into, bytes.p + offset, n);
	return (ssize_t)n;
}

static ssize_t memory_read(void *context, int handle, void *into, size_t n)
{
	struct memory *m = context;
	ssize_t got = memory_read_at(context, handle, into, n, m->at);

	m->at += (size_t)got;
	return got;
}

static bool memory_ready(void *context, int handle)
{
	(void)context;
	(void)handle;
	return true;
}

static void memory_close(void *context, int handle)
{
	(void)context;
	(void)handle;
}

struct source_io memory_io(struct memory *m)
{
	return (struct source_io){
		.context = m,
		.look = memory_look,
		.open = memory_open,
		.read = memory_read,
		.ready = memory_ready,
		.close = memory_close,
		.read_at = memory_read_at,
	};
}
