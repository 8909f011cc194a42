/* One digest at a time: a trace is over when the next one begins. */
#include "sink/export/parts.h"

void export_parts_init(struct export_parts *p, struct arena *a)
{
	*p = (struct export_parts){ .arena = a };
	sha256_init(&p->sha);
}

void export_parts_free(struct export_parts *p)
{
	sha256_free(&p->sha);
}

bool export_parts_begin(struct export_parts *p, size_t runs, struct err *err)
{
	struct export_part *part;

	if (!export_parts_end(p, err))
		return false;
	arena_grow(p->arena, p->items, p->count, p->cap, 4);
	part = &p->items[p->count++];
	*part = (struct export_part){ .path = STR("agent-trace.jsonl"), .first_run = runs };
	if (p->count > 1)
		part->path = arena_printf(p->arena, "agent-trace-%zu.jsonl", p->count);
	sha256_restart(&p->sha);
	p->is_open = true;
	return !p->dir || export_dir_begin(p->dir, part->path, err);
}

bool export_parts_add(struct export_parts *p, struct str bytes, struct err *err)
{
	assert(p->is_open);
	p->items[p->count - 1].bytes += bytes.n;
	sha256_add(&p->sha, bytes);
	return !p->dir || export_dir_add(p->dir, bytes, err);
}

bool export_parts_end(struct export_parts *p, struct err *err)
{
	if (!p->is_open)
		return true;
	p->is_open = false;
	p->items[p->count - 1].digest = sha256_end(&p->sha);
	return !p->dir || export_dir_end(p->dir, err);
}
