/*
 * From stored bytes to the bytes meant: nothing to do, gzip or zstd, told apart by an input's first
 * bytes and never by its name. A decoder is one file and one row of the table in decode.c.
 *
 * Decoding is a stream, so a small archive that unpacks to a great deal costs no memory. What comes
 * out before a damaged place is the same however the bytes were cut on their way in.
 */
#ifndef SOURCE_DECODE_H
#define SOURCE_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zlib.h>
#include <zstd.h>

#include "base/buf.h"
#include "base/err.h"
#include "source/raw.h"

struct decode;

struct decoder {
	bool (*matches)(struct str head);
	bool (*begin)(struct decode *d, struct err *err);
	/* As decode_read. */
	enum next (*read)(struct decode *d, char *into, size_t n, size_t *got, struct err *err);
};

/* Contexts are made when first needed and used again for later inputs. */
struct decode {
	const struct decoder *kind;
	struct raw *from;
	struct buf in; /* stored bytes; those before `at` are used up */
	size_t at;

	struct {
		z_stream stream;
		bool made;
		enum { GZIP_MEMBER, GZIP_BETWEEN, GZIP_PADDING } where;
	} gzip;
	struct {
		ZSTD_DCtx *context;
		size_t need;    /* stored bytes for the next step */
		bool inside;    /* of a frame, of which `frame` is the offset */
		bool waiting;   /* something may be decoded and not yet given */
		bool ended;     /* there are no more stored bytes than those at hand */
		uint64_t frame;
	} zstd;
};

/* Ready for the first input. */
void decode_init(struct decode *d);

/*
 * Looks at the first bytes and makes ready. *from is open, nothing was read from it yet; it outlives the reading.
 * False, with *err, when it cannot be read or there is no memory for the decoder.
 */
bool decode_begin(struct decode *d, struct raw *from, struct err *err);

/*
 * NEXT_MORE: 1 to n bytes, fewer than n only when more would take another read of the input.
 * NEXT_FAIL may come with bytes too: those before the damage. *got says how many; n is at least 1.
 */
enum next decode_read(struct decode *d, char *into, size_t n, size_t *got, struct err *err);

/* Frees what was made for any input; not the raw input, which is the caller's. */
void decode_free(struct decode *d);

/* For decoders: more stored bytes behind those not yet used up, and where the first of these stands in the input. */
enum next decode_fill(struct decode *d, struct err *err);
uint64_t decode_offset(const struct decode *d);

extern const struct decoder decoder_gzip, decoder_zstd;

/* Each frees its part of *d, if it was made. */
void gzip_free(struct decode *d);
void zstd_free(struct decode *d);

#endif
