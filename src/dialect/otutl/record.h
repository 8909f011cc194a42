/*
 * What a scan leaves of a line: the few core fields, where they stand, and the bytes that are hashed.
 * A batch is the result of scanning one chunk. The canonical forms of its records lie one after the
 * other in one buffer, so that a hash can take a whole chunk in one go.
 *
 * Beside it lies each record's behaviour projection (see otutl/bh.h): its canonical form without the
 * members that differ from run to run, and with a hole where each call id stood.
 */
#ifndef DIALECT_OTUTL_RECORD_H
#define DIALECT_OTUTL_RECORD_H

#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/crypto/sha256.h"
#include "base/finding.h"
#include "base/id.h"
#include "dialect/otutl/rules.h"

enum otutl_type {
	OTUTL_OTHER, /* no type, or none of the seven */
	OTUTL_RUN_START,
	OTUTL_MODEL_STEP,
	OTUTL_TOOL_CALL,
	OTUTL_TOOL_RESULT,
	OTUTL_COST,
	OTUTL_ERROR,
	OTUTL_RUN_END,
	OTUTL_TYPES,
};

/* The members that a finding of the fold may be about. */
enum otutl_place {
	OTUTL_AT_RECORD,
	OTUTL_AT_TYPE,
	OTUTL_AT_TS,
	OTUTL_AT_RUN_ID,
	OTUTL_AT_SEQ,
	OTUTL_AT_CALL_ID,
	OTUTL_AT_PARENT,
	OTUTL_PLACES,
};

enum otutl_flag {
	OTUTL_DROPPED = 1, /* the line is no record; it only tells the fold that something stood here */
	OTUTL_HAS_SEQ = 2,
	OTUTL_HAS_TS = 4,
	OTUTL_HAS_RUN_ID = 8,
	OTUTL_HAS_CALL = 16,
	OTUTL_HAS_PARENT = 32,
	OTUTL_BAD_PARENT = 64, /* parent_call_id is there and is no string */
	OTUTL_TORN = 128,      /* dropped, because the file ends inside the line */
	OTUTL_TS_BACK = 256,   /* it says itself that its time lies before that of the record before */
	OTUTL_TS_NONE = 512,   /* it says itself that there was no time, and its ts stands for none */
};

/*
 * A call id: 128 bits of hash under the seed of the process, so that ids which share a key can neither
 * be prepared nor come by chance. Never all zero.
 */
struct otutl_key {
	uint64_t a, b;
};

/* The key of a call id, the same for the same bytes as long as the process lives. */
struct otutl_key otutl_key_of(struct str call_id);

enum otutl_hole_kind {
	OTUTL_HOLE_CALL,  /* a call id of the record */
	OTUTL_HOLE_NAMED, /* a member of a request or response that holds a call id, of this log or of another */
	OTUTL_HOLE_MAYBE, /* a member there that holds one only if the log has a call of this id */
};

/* Where a renamed call id goes into a projection. */
struct otutl_hole {
	struct otutl_key key;
	uint32_t at; /* from the start of the projection; holes come in order */
	uint32_t n;  /* bytes of the projection that its name replaces */
	enum otutl_hole_kind kind;
};

struct otutl_record {
	uint64_t line;   /* its number, from 1 */
	uint64_t offset; /* of the line in the input */
	struct str text; /* the line, as long as its chunk lives */
	uint64_t seq;
	int64_t ts_seconds;
	uint32_t ts_nanos;
	uint8_t type;   /* enum otutl_type */
	uint16_t flags; /* enum otutl_flag */
	struct id run_id;
	struct otutl_key call, parent;
	struct str call_id;                 /* for messages; as long as the batch lives */
	uint32_t at[OTUTL_PLACES];     /* where in the line the member's value begins; 0 when it is absent */
	uint32_t column[OTUTL_PLACES]; /* the same in characters from 1, once the line is gone */
	uint32_t args, args_n, tool, tool_n; /* in the projection: the values calls are sorted by */
	uint32_t canon_n, proj_n, hole_count;
	size_t canon, proj, hole; /* where its bytes and holes begin in the batch */
	size_t findings_end;      /* findings of the batch before this index come before the next record's */
	size_t lines;             /* 1; of dropped ones that follow each other: how many */
	struct digest leaf;       /* SHA-256(0x00 | canonical form) */
};

struct otutl_batch {
	struct buf canon;    /* canonical forms, nothing between them */
	struct buf proj;     /* projections */
	struct buf records;  /* struct otutl_record */
	struct buf holes;    /* struct otutl_hole */
	struct buf findings; /* struct finding */
	struct buf codes;    /* of all findings: a byte each, enum otutl_code, with OTUTL_BARE when that is all */
	uint32_t whole[OTUTL_CODES]; /* findings kept whole, of each code */
	struct arena arena;  /* what the findings and records point to */
};

/* Sets up an empty batch, to be freed with otutl_batch_free. */
void otutl_batch_init(struct otutl_batch *b);
void otutl_batch_free(struct otutl_batch *b);

/* Empties it for the next chunk and keeps its memory. */
void otutl_batch_clear(struct otutl_batch *b);

static inline size_t otutl_batch_count(const struct otutl_batch *b)
{
	return b->records.n / sizeof(struct otutl_record);
}

#define OTUTL_BARE 0x80 /* a finding of which only the code is kept */

/* How many findings there are, whole or only as codes. */
static inline size_t otutl_batch_findings(const struct otutl_batch *b)
{
	return b->codes.n;
}

/* The i-th record, or run of dropped lines, in file order. */
static inline const struct otutl_record *otutl_batch_get(const struct otutl_batch *b, size_t i)
{
	return (const struct otutl_record *)(const void *)b->records.p + i;
}

/* A record with its bytes, wherever they are kept. */
struct otutl_view {
	const struct otutl_record *record;
	struct str canon, proj;
	const struct otutl_hole *holes;
};

/* The i-th record with its bytes, which last until the batch is cleared. */
struct otutl_view otutl_batch_view(const struct otutl_batch *b, size_t i);

#endif
