/*
 * Models that can be asked: one question in, one answer out, with the times at which its parts came. A provider is a
 * row of `provider_rows` and a small file: where it is, how a question is put to it, how it says no. The bytes are
 * carried by two engines: provider_http.c (net/upstream/upstream.h, many streams at once on one loop) and
 * provider_program.c (a program that is run, such as `claude`). Answers are read by the APIs of
 * dialect/exchange/exchange.h, as everywhere else.
 */
#ifndef PROVIDER_PROVIDER_H
#define PROVIDER_PROVIDER_H

#include <uv.h>

#include "base/buf.h"
#include "base/err.h"
#include "dialect/bench/results.h"
#include "model/event.h"
#include "net/http/http.h"
#include "net/url.h"

/* What became of a question, as a benchmark's row has it. A constant. */
const char *provider_status_name(enum provider_status s);

/* ---- where it is ---- */

struct provider; /* a row; see provider_row.h */

extern const struct provider *const provider_rows[]; /* ended by NULL, in the order of the manual */

/* A short name that people type for a row; rows of a run have the row's own. */
struct provider_alias {
	const char *name;
	const struct provider *row;
};
extern const struct provider_alias provider_aliases[]; /* ended by a NULL name */

const struct provider *provider_find(struct str name); /* by its own name or a short one; NULL for none */

/* ERR_USAGE for a name that is none, with the nearest one, or all of them when none is near. Always false. */
bool provider_refuse_name(struct str given, struct err *err);

const char *provider_name(const struct provider *p);
const char *provider_about(const struct provider *p); /* a line for people */
/* Whose prices and whose name in a trace: "openai", "anthropic", "ollama", "mock". */
const char *provider_vendor(const struct provider *p);
bool provider_thinks(const struct provider *p); /* a thinking level means something to it */

struct provider_options {
	struct str base;      /* address, or path of the program; p NULL: of the environment, else the usual one */
	struct str key;       /* p NULL: from the environment; the caller reads files (--key-file) */
	const struct http_header *headers; /* added to every request */
	size_t header_count;
	const struct mock_script *script;  /* of the built-in mock server; NULL: it echoes */
	unsigned connect_ms;  /* 0: 10 s */
};

/* The environment's name for a key that it cannot be asked without and that is nowhere; NULL: nothing is missing. */
const char *provider_lacks_key(const struct provider *p, const struct provider_options *o);

/* The same for an address, of a service that has no usual one. */
const char *provider_lacks_address(const struct provider *p, const struct provider_options *o);

struct provider_pool;   /* what clients share: connections, parsers */
struct provider_client; /* one provider at one address */

/* A pool without clients. Never NULL. To end it: close, run the loop dry, free. */
struct provider_pool *provider_pool_open(uv_loop_t *loop);

/* Cancels the calls under way: their `done` is not called. Clients and handles are closed. May be called twice. */
void provider_pool_close(struct provider_pool *pool);

/* Frees the pool with its clients, after the loop has run dry. NULL is allowed. */
void provider_pool_free(struct provider_pool *pool);

/*
 * A client of the pool, which lives as long as the pool. Copies the options, but for the script, which must live as
 * long. NULL and *err: ERR_USAGE when the address is not one, or when a key or header could not be sent; ERR_IO when
 * the built-in server cannot listen. A missing key is no error here: each answer has it as its failure.
 */
struct provider_client *provider_open(struct provider_pool *pool, const struct provider *p,
				      const struct provider_options *o, struct err *err);

/*
 * Where it would be asked, by the options, the environment or its row, without credentials; "builtin" for the mock
 * server of our own, the program for one that is run, "" when provider_lacks_address. In the arena, or as long as the
 * row. False and *err (ERR_USAGE, with the row's name) when the address is none.
 */
bool provider_where(struct arena *a, const struct provider *p, const struct provider_options *o, struct str *out,
		    struct err *err);

/* The path of its API, behind that of the address; "" of a program. */
struct str provider_path(const struct provider *p);

/*
 * What is called at an address, for the trace: with the path of its API, without a query; of a program its name. In the
 * arena, or a part of `address`.
 */
struct str provider_endpoint(struct arena *a, const struct provider *p, struct str address);

/*
 * The address without credentials, for config.json and the trace; of a program its name, without its directory. Lives
 * as long as the pool.
 */
struct str provider_address(const struct provider_client *c);

/* Whether the system told when the last bytes came: then it changes no time when they are read a little later. */
bool provider_has_stamps(const struct provider_client *c);

/* Questions under way that wait for a connection, or are not all sent. Of a program: none. */
size_t provider_unsent(const struct provider_client *c);

/* ---- one question ---- */

struct provider_question {
	struct str model, prompt;
	struct str thinking;    /* low, medium, high, xhigh; p NULL for none */
	struct str system;      /* p NULL: the provider's own, which may be none */
	double temperature;     /* negative: not sent; the provider's row has its own default */
	uint32_t max_tokens;    /* 0: not sent, unless the API insists */
	bool whole;             /* do not stream */
	bool arrivals;          /* keep when each piece with content came */
};

struct provider_call_made {
	struct str name, arguments; /* arguments: JSON, or what came instead; empty for none */
};

/*
 * Times are of clock_mono_ns, 0 when it did not happen: when the bytes came to this machine, where the system tells,
 * else when they were read; pieces that were read together have one time. Everything lasts for the call of `done`.
 */
struct provider_answer {
	enum provider_status status;
	const char *failure;   /* NULL when it is ok; "http_429", "connect_error", "cut_stream", "bad_json", ... */
	int http_status;       /* 0: none came */
	bool retryable;        /* 429, 503, no connection: worth another try */
	int64_t retry_after_ms; /* what Retry-After asks for, seconds or date; -1 for nothing */
	struct str message;    /* of the service or the system, keys masked, one line, for people; empty */
	struct str text;       /* what the model said; of a failed answer what came of it */
	const struct provider_call_made *calls;
	size_t call_count;
	struct str model, request_id; /* as the answer says; p NULL */
	const char *stop_reason;      /* folded (model/words.h); NULL */
	struct usage usage;
	struct amount usd;            /* what the service says it cost; absent when it does not */
	struct str tier;              /* by which it is billed, as struct event has it */
	uint64_t sent_ns;             /* the request was given to the system, whole */
	uint64_t byte_ns, token_ns, content_ns, ended_ns; /* token: anything said or thought; content: visible */
	uint64_t events;              /* pieces of a stream that were read */
	const uint64_t *arrivals;     /* of pieces with content or thought; NULL unless asked for */
	size_t arrival_count;
	uint64_t late_ns;             /* the longest that bytes lay there before we read them: our own overhead */
};

struct provider_call;

/*
 * Asks. Copies what it needs. Never NULL: what keeps it from being asked at all (no key, no program) comes as an answer
 * too. `done` is called once, from the loop, never before this returns; the call is gone then.
 */
struct provider_call *provider_ask(struct provider_client *c, const struct provider_question *q,
				   void (*done)(void *own, const struct provider_answer *answer), void *own);

/*
 * Nobody wants the answer; `done` is not called, and the call is gone. What came so far is given to `seen`, from
 * within, when it is not NULL: why it was given up, and so status and failure, is the caller's to say. Does nothing
 * from inside `done` of the same call.
 */
void provider_cancel(struct provider_call *call, void (*seen)(void *own, const struct provider_answer *answer));

#endif
