#include "capture/cassette_unpack.h"

#include "net/http/unpack.h"

static void cassette_unpack_add(void *context, struct str piece)
{
	buf_add_str(context, piece);
}

/* Piece by piece as they arrived, so that it is known what came out of each. */
static bool unpack_arrivals(struct unpack *u, const struct cassette_half *half, struct observer_arrival *ends,
			    struct buf *out)
{
	struct unpack_sink to = { cassette_unpack_add, out };
	size_t from = 0;

	for (size_t i = 0; i < half->arrival_count; i++) {
		size_t end = half->arrivals[i].end < half->body.n ? half->arrivals[i].end : half->body.n;

		if (end > from && !unpack_push(u, str_of(half->body.p + from, end - from), to))
			return false;
		from = end > from ? end : from;
		ends[i] = (struct observer_arrival){ .end = out->n, .ns = half->arrivals[i].ns };
	}
	return unpack_push(u, str_of(half->body.p + from, half->body.n - from), to) && unpack_is_done(u);
}

void cassette_unpack(struct cassette_half *half, const struct http_head *h, struct arena *a, struct buf *out)
{
	struct str header = h ? http_find(h, STR("content-encoding")) : str_of(NULL, 0);
	enum unpack_kind kind = unpack_kind_of(header);
	struct observer_arrival *ends;
	struct unpack *u;

	half->packing = str_of(NULL, 0);
	if (kind == UNPACK_PLAIN || kind == UNPACK_UNKNOWN || half->body.n == 0)
		return;
	ends = arena_array(a, struct observer_arrival, half->arrival_count + 1);
	u = unpack_open(kind, CASSETTE_BODY_MOST);
	if (unpack_arrivals(u, half, ends, out)) {
		half->body = buf_str(out);
		half->packing = str_trim(header);
		half->arrivals = ends;
	}
	unpack_close(u);
}
