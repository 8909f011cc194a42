/*
 * Gzip (RFC 1952): members one after another make one stream. Zeros after the last member are
 * padding, as tape and block devices leave it. Anything else there is an error: dropping bytes in
 * silence would let a damaged second member pass for a whole file.
 */
#include <inttypes.h>
#include <string.h>

#include "source/decode.h"

#define GZIP_BITS (15 + 16) /* the largest window, gzip framing only */
#define STEP ((size_t)1 << 30) /* zlib counts in unsigned int */

static bool gzip_matches(struct str head)
{
	return str_starts(head, STR("\x1f\x8b"));
}

static bool gzip_begin(struct decode *d, struct err *err)
{
	int status = d->gzip.made ? inflateReset(&d->gzip.stream) : inflateInit2(&d->gzip.stream, GZIP_BITS);

	if (status != Z_OK)
		return err_set(err, ERR_LIMIT, "%.*s: no memory to unpack gzip", STR_ARG(d->from->title));
	d->gzip.made = true;
	d->gzip.where = GZIP_MEMBER;
	return true;
}

static enum next gzip_damaged(struct decode *d, const char *why, struct err *err)
{
	if (strcmp(why, "incorrect data check") == 0)
		why = "bad checksum";
	if (strcmp(why, "incorrect length check") == 0)
		why = "wrong length";
	err_set(err, ERR_DATA, "%.*s: the gzip stream is damaged at byte %" PRIu64 " (%s)", STR_ARG(d->from->title),
		decode_offset(d), why);
	return NEXT_FAIL;
}

static enum next gzip_truncated(struct decode *d, struct err *err)
{
	err_set(err, ERR_DATA, "%.*s: the gzip stream is truncated: the file ends at byte %" PRIu64
		" in the middle of the compressed data", STR_ARG(d->from->title), decode_offset(d));
	return NEXT_FAIL;
}

/* Between members: the bytes at hand, of which there is at least one, say what comes next. */
static enum next gzip_step_over(struct decode *d, struct err *err)
{
	if (d->gzip.where == GZIP_BETWEEN && d->in.p[d->at] == '\x1f')
		return gzip_begin(d, err) ? NEXT_MORE : NEXT_FAIL;
	d->gzip.where = GZIP_PADDING;
	while (d->at < d->in.n && d->in.p[d->at] == 0)
		d->at++;
	if (d->at < d->in.n)
		return gzip_damaged(d, "what follows the compressed data is neither another member nor zeros", err);
	return NEXT_MORE;
}

/* One call of zlib. Bytes before a damaged place are in *got, as decode_read promises. */
static enum next gzip_inflate(struct decode *d, char *into, size_t n, size_t *got, struct err *err)
{
	z_stream *z = &d->gzip.stream;
	size_t room = n - *got < STEP ? n - *got : STEP;
	int status;

	z->next_in = (unsigned char *)d->in.p + d->at;
	z->avail_in = (unsigned)(d->in.n - d->at);
	z->next_out = (unsigned char *)into + *got;
	z->avail_out = (unsigned)room;
	status = inflate(z, Z_NO_FLUSH);
	d->at = d->in.n - z->avail_in;
	*got += room - z->avail_out;
	if (status == Z_STREAM_END)
		d->gzip.where = GZIP_BETWEEN;
	else if (status != Z_OK && status != Z_BUF_ERROR)
		return gzip_damaged(d, z->msg ? z->msg : "not readable", err);
	return NEXT_MORE;
}

/* Fills the room as far as the bytes at hand go; only with nothing to give does it read more. */
static enum next gzip_read(struct decode *d, char *into, size_t n, size_t *got, struct err *err)
{
	while (*got < n) {
		size_t at = d->at, had = *got;
		enum next more = NEXT_MORE;

		/* Even without input: a match may still be half copied from the window. */
		if (d->gzip.where == GZIP_MEMBER)
			more = gzip_inflate(d, into, n, got, err);
		else if (d->at < d->in.n)
			more = gzip_step_over(d, err);
		if (more == NEXT_MORE && d->at == at && *got == had && d->at == d->in.n) {
			if (*got > 0)
				return NEXT_MORE;
			more = decode_fill(d, err);
		}
		if (more == NEXT_END)
			return d->gzip.where == GZIP_MEMBER ? gzip_truncated(d, err) : NEXT_END;
		if (more == NEXT_FAIL)
			return NEXT_FAIL;
	}
	return NEXT_MORE;
}

void gzip_free(struct decode *d)
{
	if (d->gzip.made)
		inflateEnd(&d->gzip.stream);
}

const struct decoder decoder_gzip = { gzip_matches, gzip_begin, gzip_read };
