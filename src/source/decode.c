#include "source/decode.h"

#include <assert.h>

#define FILL ((size_t)256 << 10)

static bool plain_matches(struct str head)
{
	(void)head;
	return true;
}

static bool plain_begin(struct decode *d, struct err *err)
{
	(void)d;
	(void)err;
	return true;
}

/* Straight into the caller's buffer: what is not compressed is never copied. */
static enum next plain_read(struct decode *d, char *into, size_t n, size_t *got, struct err *err)
{
	return raw_read(d->from, into, n, got, err);
}

static const struct decoder decoder_plain = { plain_matches, plain_begin, plain_read };

/* The first that matches wins. */
static const struct decoder *const decoders[] = { &decoder_gzip, &decoder_zstd, &decoder_plain };

void decode_init(struct decode *d)
{
	*d = (struct decode){ .kind = NULL };
	buf_init(&d->in);
}

bool decode_begin(struct decode *d, struct raw *from, struct err *err)
{
	const struct decoder *const *row = decoders;
	struct str head;

	d->from = from;
	d->at = 0;
	buf_clear(&d->in);
	buf_reserve(&d->in, 1); /* decoders look at its address before there is anything in it */
	if (!raw_peek(from, &head, err))
		return false;
	while (!(*row)->matches(head))
		row++;
	d->kind = *row;
	return d->kind->begin(d, err);
}

enum next decode_read(struct decode *d, char *into, size_t n, size_t *got, struct err *err)
{
	assert(d->kind && n > 0);
	*got = 0;
	return d->kind->read(d, into, n, got, err);
}

void decode_free(struct decode *d)
{
	gzip_free(d);
	zstd_free(d);
	buf_free(&d->in);
}

enum next decode_fill(struct decode *d, struct err *err)
{
	size_t ahead = d->in.n - d->at, got;
	enum next more;

	assert(d->at <= d->in.n);
	if (ahead > 0)
		memmove(d->in.p, d->in.p + d->at, ahead);
	d->at = 0;
	d->in.n = ahead;
	more = raw_read(d->from, buf_reserve(&d->in, FILL), FILL, &got, err);
	d->in.n += got;
	return more;
}

uint64_t decode_offset(const struct decode *d)
{
	assert(d->from->given >= d->in.n - d->at);
	return d->from->given - (d->in.n - d->at);
}
