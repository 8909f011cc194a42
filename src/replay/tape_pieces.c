/* One function finds the next cut for each choice; the times of recorded chunks are followed beside it. */
#include "replay/tape_pieces.h"

#include "base/sse.h"
#include "dialect/exchange/answer_stream.h"

#define US_MOST ((uint64_t)1 << 50) /* thirty years: nobody waits longer, and sums stay far from any limit */
#define FRAME_LEAST 16              /* of Amazon's: two lengths and two sums */

enum tape_form tape_form_of(struct str content_type)
{
	static const struct {
		const char *word;
		enum tape_form form;
	} rows[] = {
		{ "vnd.amazon.eventstream", TAPE_FRAMES }, { "event-stream", TAPE_EVENTS },
		{ "ndjson", TAPE_LINES },                  { "jsonl", TAPE_LINES },
		{ "json-lines", TAPE_LINES },              { "json-seq", TAPE_LINES },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		if (str_has_nocase(content_type, str_from(rows[i].word)))
			return rows[i].form;
	return TAPE_WHOLE;
}

/* ---- times ---- */

static uint64_t pieces_add_us(uint64_t a, uint64_t b)
{
	return a < US_MOST && b < US_MOST - a ? a + b : US_MOST;
}

static uint64_t pieces_due(const struct tape_pieces *p, uint64_t us)
{
	double ns = (double)us * 1000 * p->pace.speed;

	if (!(ns > 0))
		return 0;
	return ns < (double)US_MOST * 1000 ? (uint64_t)ns : US_MOST * 1000;
}

/* Where a recorded chunk begins in the body at hand. */
static size_t chunk_begin(const struct tape_pieces *p, size_t i)
{
	uint64_t offset = p->chunks[i].offset;

	if (offset >= p->recorded)
		return p->body.n;
	if (p->recorded == p->body.n)
		return (size_t)offset;
	return (size_t)((double)offset / (double)p->recorded * (double)p->body.n);
}

/* Goes on to the chunk that the byte before `end` is in. */
static void pieces_advance(struct tape_pieces *p, size_t end)
{
	while (p->chunk + 1 < p->chunk_count && chunk_begin(p, p->chunk + 1) < end) {
		p->chunk++;
		p->elapsed_us = pieces_add_us(p->elapsed_us, p->chunks[p->chunk].delay_us);
	}
}

void tape_pieces_begin(struct tape_pieces *p, const struct tape_line *line, struct str body, enum tape_form form,
		       const struct player_pace *pace)
{
	const struct tape_http *h = &line->http;

	*p = (struct tape_pieces){ .body = body, .form = form, .pace = *pace, .recorded = h->answer.bytes.n,
				   .chunks = h->chunks, .chunk_count = h->chunk_count };
	if (line->ended_us > line->begun_us)
		p->whole_us = pieces_add_us(0, (uint64_t)(line->ended_us - line->begun_us));
	p->elapsed_us = h->chunk_count ? pieces_add_us(0, h->chunks[0].delay_us) : p->whole_us;
}

uint64_t tape_pieces_end_ns(const struct tape_pieces *p)
{
	return pieces_due(p, p->whole_us > p->elapsed_us ? p->whole_us : p->elapsed_us);
}

/* ---- places ---- */

/* Up to and with the blank line that ends an event. */
static size_t sse_cut(struct str left)
{
	size_t at = 0, end;

	while (at < left.n) {
		size_t n = sse_line(str_skip(left, at), &end);

		at += end;
		if (n == 0)
			break;
	}
	return at;
}

static size_t line_cut(struct str left, size_t from)
{
	const char *lf = from < left.n ? memchr(left.p + from, '\n', left.n - from) : NULL;

	return lf ? (size_t)(lf - left.p) + 1 : left.n;
}

/* What is no frame, or breaks off, is one piece. */
static size_t frame_cut(struct str left)
{
	size_t n = 0;

	if (left.n < FRAME_LEAST)
		return left.n;
	for (size_t i = 0; i < 4; i++)
		n = n << 8 | (unsigned char)left.p[i];
	return n < FRAME_LEAST || n > left.n ? left.n : n;
}

/* A message may have line ends in it, where JSON allows them. */
static size_t message_cut(struct str left)
{
	return line_cut(left, left.p[0] == '{' || left.p[0] == '[' ? answer_value_end(left) : 0);
}

/* How many bytes the next event has. */
static size_t event_cut(enum tape_form form, struct str left)
{
	switch (form) {
	case TAPE_EVENTS:
		return sse_cut(left);
	case TAPE_LINES:
		return line_cut(left, 0);
	case TAPE_FRAMES:
		return frame_cut(left);
	case TAPE_MESSAGES:
		return message_cut(left);
	case TAPE_WHOLE:
		break;
	}
	return left.n;
}

static size_t recorded_cut(const struct tape_pieces *p)
{
	size_t end;

	for (size_t i = p->chunk + 1; i < p->chunk_count; i++)
		if ((end = chunk_begin(p, i)) > p->at)
			return end - p->at;
	return p->body.n - p->at;
}

static size_t piece_size(const struct tape_pieces *p, struct str left)
{
	switch (p->pace.chunking) {
	case CHUNKS_RECORDED:
		return recorded_cut(p);
	case CHUNKS_EVENT:
		return event_cut(p->form, left);
	case CHUNKS_BYTES:
		return p->pace.chunk_bytes && p->pace.chunk_bytes < left.n ? (size_t)p->pace.chunk_bytes : left.n;
	case CHUNKS_SINGLE:
		break;
	}
	return left.n;
}

bool tape_pieces_next(struct tape_pieces *p, struct tape_cut *out)
{
	struct str left = str_skip(p->body, p->at);
	size_t n;

	if (left.n == 0)
		return false;
	n = piece_size(p, left);
	assert(n > 0 && n <= left.n);
	out->bytes = str_of(left.p, n);
	p->at += n;
	pieces_advance(p, p->at);
	out->due_ns = pieces_due(p, p->elapsed_us);
	return true;
}

struct str tape_message_of(struct str piece)
{
	return str_ends(piece, STR("\n")) ? str_of(piece.p, piece.n - 1) : piece;
}
