/*
 * Zstandard (RFC 8878): frames one after another make one stream, skippable frames hold nothing of
 * it. zstd reports damage by frame, so a message gives the offset at which the frame begins.
 *
 * What comes out before a damaged place must not depend on how the bytes were cut, but a call that
 * fails does not tell what it wrote before, a whole frame at hand is decoded in one go when there is
 * room for all of it, and a stored block is passed on in the pieces it comes in. So input and output
 * never meet in one call: it gets either input and no room, which decodes one block into the
 * library's own buffer or fails, or room and no input, which only empties that buffer. And input is
 * given by whole headers and blocks, of the sizes that the library asks for.
 */
#include <inttypes.h>
#include <zstd_errors.h>

#include "source/decode.h"

#define BLOCK (ZSTD_BLOCKSIZE_MAX + 3) /* with the header of the next */
#define START ((size_t)5) /* magic number and descriptor, the least that begins a frame */
#define WINDOW_LOG 27 /* 128 MiB, the most that `zstd` itself takes without being asked to */

static bool zstd_matches(struct str head)
{
	bool skippable = head.n >= 4 && ((unsigned char)head.p[0] & 0xf0) == 0x50 &&
			 str_eq(str_of(head.p + 1, 3), STR("\x2a\x4d\x18"));

	return skippable || str_starts(head, STR("\x28\xb5\x2f\xfd"));
}

static bool zstd_begin(struct decode *d, struct err *err)
{
	if (!d->zstd.context)
		d->zstd.context = ZSTD_createDCtx();
	if (!d->zstd.context || ZSTD_isError(ZSTD_DCtx_reset(d->zstd.context, ZSTD_reset_session_only)) ||
	    ZSTD_isError(ZSTD_DCtx_setParameter(d->zstd.context, ZSTD_d_windowLogMax, WINDOW_LOG)))
		return err_set(err, ERR_LIMIT, "%.*s: no memory to unpack zstd", STR_ARG(d->from->title));
	d->zstd.inside = d->zstd.waiting = d->zstd.ended = false;
	d->zstd.need = START;
	return true;
}

/* The library's error in words that say what to do about it, with the place of the frame. */
static enum next zstd_damaged(struct decode *d, size_t status, struct err *err)
{
	struct str name = d->from->title;
	uint64_t frame = d->zstd.frame;

	switch ((int)ZSTD_getErrorCode(status)) {
	case ZSTD_error_frameParameter_windowTooLarge:
		err_set(err, ERR_LIMIT, "%.*s: the zstd frame at byte %" PRIu64 " needs a window above %d MiB, the "
			"limit here; compress it again with --long=%d or less",
			STR_ARG(name), frame, 1 << (WINDOW_LOG - 20), WINDOW_LOG);
		break;
	case ZSTD_error_dictionary_wrong:
		err_set(err, ERR_DATA, "%.*s: the zstd frame at byte %" PRIu64 " needs a dictionary; compress it "
			"again without one", STR_ARG(name), frame);
		break;
	case ZSTD_error_prefix_unknown:
		err_set(err, ERR_DATA, "%.*s: the zstd stream is damaged at byte %" PRIu64 " (what follows the "
			"compressed data is not another frame)", STR_ARG(name), frame);
		break;
	case ZSTD_error_checksum_wrong:
		err_set(err, ERR_DATA, "%.*s: the zstd frame at byte %" PRIu64 " is damaged (bad checksum)",
			STR_ARG(name), frame);
		break;
	case ZSTD_error_memory_allocation:
		err_set(err, ERR_LIMIT, "%.*s: no memory to unpack zstd", STR_ARG(name));
		break;
	default:
		err_set(err, ERR_DATA, "%.*s: the zstd frame at byte %" PRIu64 " is damaged (%s)", STR_ARG(name), frame,
			ZSTD_getErrorName(status));
	}
	return NEXT_FAIL;
}

static enum next zstd_truncated(struct decode *d, struct err *err)
{
	err_set(err, ERR_DATA, "%.*s: the zstd stream is truncated: the file ends at byte %" PRIu64
		" in the middle of the frame that begins at byte %" PRIu64,
		STR_ARG(d->from->title), decode_offset(d), d->zstd.frame);
	return NEXT_FAIL;
}

/* What is decoded and not yet given. */
static enum next zstd_empty(struct decode *d, char *into, size_t n, size_t *got, struct err *err)
{
	ZSTD_inBuffer in = { d->in.p, 0, 0 };
	ZSTD_outBuffer out = { into, n, *got };
	size_t status = ZSTD_decompressStream(d->zstd.context, &out, &in);

	if (ZSTD_isError(status))
		return zstd_damaged(d, status, err);
	*got = out.pos;
	d->zstd.waiting = *got == n;
	return NEXT_MORE;
}

/* One block more. There is input, and nothing decoded is waiting. */
static enum next zstd_load(struct decode *d, struct err *err)
{
	size_t ahead = d->in.n - d->at, status;
	ZSTD_inBuffer in = { d->in.p, d->at + (ahead < d->zstd.need ? ahead : d->zstd.need), d->at };
	ZSTD_outBuffer out = { d->in.p, 0, 0 };

	if (!d->zstd.inside)
		d->zstd.frame = decode_offset(d);
	status = ZSTD_decompressStream(d->zstd.context, &out, &in);
	if (ZSTD_isError(status))
		return zstd_damaged(d, status, err);
	d->at = in.pos;
	d->zstd.inside = d->zstd.waiting = status != 0;
	d->zstd.need = status == 0 ? START : status < BLOCK ? status : BLOCK;
	return NEXT_MORE;
}

/* Empties what is decoded, else decodes one block, else reads: never two of these in one call of the library. */
static enum next zstd_read(struct decode *d, char *into, size_t n, size_t *got, struct err *err)
{
	while (*got < n) {
		enum next more = NEXT_MORE;
		size_t ahead = d->in.n - d->at;

		if (d->zstd.waiting)
			more = zstd_empty(d, into, n, got, err);
		else if (ahead >= d->zstd.need || (ahead > 0 && d->zstd.ended))
			more = zstd_load(d, err);
		else if (*got > 0)
			break;
		else if (d->zstd.ended)
			return d->zstd.inside ? zstd_truncated(d, err) : NEXT_END;
		else
			more = decode_fill(d, err);
		if (more == NEXT_FAIL)
			return NEXT_FAIL;
		d->zstd.ended = more == NEXT_END || d->zstd.ended;
	}
	return NEXT_MORE;
}

void zstd_free(struct decode *d)
{
	ZSTD_freeDCtx(d->zstd.context);
}

const struct decoder decoder_zstd = { zstd_matches, zstd_begin, zstd_read };
