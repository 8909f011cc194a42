/* Keys are made here as a replay makes them, by the same code. */
#include "replay/tape_status.h"

#include "replay/match_body.h"
#include "replay/tape_pieces.h"

bool tape_status_is_lost(const struct tape_line *l)
{
	if (l->lane == TAPE_MODEL || l->lane == TAPE_MCP_HTTP)
		return l->http.request.lost || l->http.answer.lost;
	return l->lane == TAPE_MCP && l->message.body.lost;
}

static bool is_stream(const struct tape_http *h)
{
	for (size_t i = 0; i < h->header_count; i++)
		if (http_name_eq(h->headers[i].name, STR("content-type")))
			return tape_form_of(h->headers[i].value) != TAPE_WHOLE;
	return false;
}

/* Exact keys of the models' requests; how often each one is there. */
static void count_repeats(struct arena *a, const struct tape *t, struct tape_status *out)
{
	struct match_maker maker = { .normalizer = normal_open() };
	struct tape_repeat *all = arena_array(a, struct tape_repeat, t->count + 1);
	struct ties ties;
	struct map keys;
	size_t n = 0;

	ties_init(&ties, a);
	map_init(&keys, a);
	maker.ties = &ties;
	sha256_init(&maker.sha);
	for (size_t i = 0; i < t->count; i++) {
		const struct tape_line *l = &t->lines[i];
		struct match_question q = { .lane = STR("model"), .method = l->http.method, .target = l->http.target,
					    .body = l->http.request.bytes };
		struct match_body body;
		uint64_t *slot;
		bool added;

		if (l->lane != TAPE_MODEL)
			continue;
		match_body_make(&maker, a, TIES_RECORDED, t->clock0_us, &q, &body);
		slot = map_add(&keys, arena_copy(a, str_of((const char *)body.k0.b, sizeof(body.k0.b))), &added);
		if (added) {
			*slot = n;
			all[n++] = (struct tape_repeat){ q.target, l->x, 0 };
		}
		all[*slot].count++;
	}
	for (size_t i = 0; i < n; i++)
		if (all[i].count > 1)
			all[out->repeat_count++] = all[i];
	out->repeats = all;
	sha256_free(&maker.sha);
	normal_close(maker.normalizer);
}

static uint64_t size_of(const struct tape_line *l)
{
	uint64_t n = 0;

	if (l->lane == TAPE_MODEL || l->lane == TAPE_MCP_HTTP)
		return l->http.request.bytes.n + l->http.answer.bytes.n;
	if (l->lane == TAPE_MCP)
		return l->message.body.bytes.n;
	for (size_t i = 0; i < l->command.piece_count; i++)
		n += l->command.pieces[i].bytes.n;
	return n;
}

void tape_status_read(struct arena *a, const struct tape *t, struct tape_status *out)
{
	*out = (struct tape_status){ .bytes = 0 };
	for (size_t i = 0; i < t->count; i++) {
		const struct tape_line *l = &t->lines[i];
		bool is_http = l->lane == TAPE_MODEL || l->lane == TAPE_MCP_HTTP;

		out->lanes[l->lane]++;
		out->bytes += size_of(l);
		out->lost += tape_status_is_lost(l);
		out->streams += is_http && is_stream(&l->http);
		out->sockets += is_http && l->http.socket > 0;
	}
	count_repeats(a, t, out);
}
