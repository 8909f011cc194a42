/* A request as a row makes it, without a server. */
#ifndef UNIT_PROVIDER_ROW_SAMPLE_H
#define UNIT_PROVIDER_ROW_SAMPLE_H

#include "harness/test.h"
#include "provider/provider_row.h"

struct made {
	struct arena arena;
	struct buf body;
	struct provider_request r;
};

static inline struct made *made_by(const struct provider *row, const struct provider_question *q, struct str key)
{
	struct made *m = test_alloc(sizeof(*m));

	arena_init(&m->arena);
	buf_init(&m->body);
	m->r = (struct provider_request){ .arena = &m->arena, .body = &m->body };
	row->request(q, key, &m->r);
	return m;
}

static inline bool made_has(const struct made *m, const char *part)
{
	return str_find(buf_str(&m->body), str_from(part)) != (size_t)-1;
}

static inline void made_free(struct made *m)
{
	buf_free(&m->body);
	arena_free(&m->arena);
}

#endif
