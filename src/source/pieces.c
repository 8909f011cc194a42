#include "source/pieces.h"

#include "source/decode.h"

struct pieces {
	struct arena arena;
	struct raw raw;
	struct decode decode;
	struct err failure; /* what came before it was given first */
	char bytes[SOURCE_CHUNK];
};

struct pieces *pieces_open(struct str path, struct err *err)
{
	struct pieces *p = mem_alloc(sizeof(*p));

	arena_init(&p->arena);
	decode_init(&p->decode);
	p->failure.kind = ERR_NONE;
	if (raw_open(&p->raw, source_io_system(), arena_copy(&p->arena, path), err)) {
		if (decode_begin(&p->decode, &p->raw, err))
			return p;
		raw_close(&p->raw);
	}
	decode_free(&p->decode);
	arena_free(&p->arena);
	mem_free(p);
	return NULL;
}

void pieces_close(struct pieces *p)
{
	if (!p)
		return;
	decode_free(&p->decode);
	raw_close(&p->raw);
	arena_free(&p->arena);
	mem_free(p);
}

enum next pieces_next(struct pieces *p, struct str *piece, struct err *err)
{
	enum next got;
	size_t n = 0;

	if (p->failure.kind != ERR_NONE) {
		*err = p->failure;
		return NEXT_FAIL;
	}
	got = decode_read(&p->decode, p->bytes, sizeof(p->bytes), &n, &p->failure);
	*piece = str_of(p->bytes, n);
	if (got == NEXT_FAIL && n == 0)
		*err = p->failure;
	return got == NEXT_FAIL && n ? NEXT_MORE : got;
}
