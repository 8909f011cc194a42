/*
 * cassette.jsonl: exchanges with their content, for replay; only with --content. One line for each, when it is
 * over. Of headers only those of a list are written, never one that lets others in. A body stands in its line: as the
 * JSON it is, byte for byte, where it is JSON without line breaks ("json"), else as text ("utf8") or in base64. What
 * was packed with gzip, deflate or zstd stands there unpacked, with the name of the "packing" instead of its header.
 * Times are microseconds since 1970 (t_us, and clock0_us of the header); delays of chunks are those since the chunk
 * before.
 */
#ifndef CAPTURE_CASSETTE_H
#define CAPTURE_CASSETTE_H

#include "base/arena.h"
#include "base/buf.h"
#include "capture/observe/observer.h"
#include "capture/output.h"
#include "json/write.h"

struct cassette_exchange {
	uint64_t number;     /* x, from 0 */
	uint64_t group;      /* the ordinal of the model step it belongs to */
	const struct http_head *request, *answer; /* answer NULL when there was none */
	struct str target;   /* as the upstream was asked; what may be a key in it is not written */
	struct str request_body, answer_body;
	bool request_lost, answer_lost; /* not all of it is there */
	const struct observer_arrival *arrivals; /* of the answer's bytes */
	size_t arrival_count;
	enum proxy_end how;
	int64_t begun_ns, ended_ns;
	struct str provider, endpoint;
	struct str base;     /* the path of the service's address, which the target begins with */
	struct str lane;     /* "model", "mcp" */
	uint64_t socket;     /* the number (from 1) of the exchange whose WebSocket it came through; 0 for none */
};

/*
 * Adds the line of the header: run id and start, as in replay.md, "local_only":true, and that a last line follows. A
 * run that goes on from another one says so: `forked_from` is JSON, or p NULL.
 */
void cassette_add_head(struct buf *out, struct str run_id, int64_t started_ns, struct str forked_from);

/* Adds the line of an exchange that is over. Keys in target and endpoint are masked; bodies are unpacked, no more. */
void cassette_add(struct buf *out, const struct cassette_exchange *x);

/* A target as lines have it: without a fragment, and what may be a key. In the arena, or a part of `target`. */
struct str cassette_clean_target(struct arena *a, struct str target);

/* The member "body" of an object: these bytes. p NULL: they were too many, n says how many. */
void cassette_put_body(struct json_writer *w, struct str bytes);

/* How a run ended: status and error in the words of agent-trace's summary. */
struct cassette_end {
	const char *exit_status;
	struct str error;
	int64_t ended_ns;
	int code; /* of the child's exit; -1: a signal ended it */
	const struct output_tally *output; /* NULL: not kept */
};

/* Adds the last line. */
void cassette_add_end(struct buf *out, const struct cassette_end *end);

#endif
