/*
 * Inside the providers: what a row is, one file for each or for a few that are alike, with a place in the list of
 * provider_name.c; and what an engine is, which carries questions and answers for many rows.
 */
#ifndef PROVIDER_PROVIDER_ROW_H
#define PROVIDER_PROVIDER_ROW_H

#include "dialect/exchange/answer_stream.h"
#include "dialect/exchange/exchange.h"
#include "json/json.h"
#include "json/write.h"
#include "provider/provider.h"

#define PROVIDER_HEADERS 8 /* of a row's own */

/* A request in the making: the engine adds Host, framing, and the headers of the options. */
struct provider_request {
	struct arena *arena;
	struct buf *body;
	struct http_header headers[PROVIDER_HEADERS];
	size_t header_count;
};

struct provider {
	const char *name;
	const char *vendor;                /* see provider_vendor */
	const char *about;                 /* for help: a line */
	/* The environment's name for its address, NULL; and its usual address. Of one that is built in: the path. */
	const char *base_env, *base_usual;
	struct str (*base)(struct arena *a, struct str given); /* makes a URL of what people write; may be NULL */
	const char *key_env;               /* NULL: no key is needed */
	const char *key_missing;           /* failure_type without one; NULL: it is asked all the same */
	bool thinks;
	/* over HTTP; NULL otherwise */
	const struct exchange_api *api;
	const char *path; /* behind that of the base: "/chat/completions" */
	void (*request)(const struct provider_question *q, struct str key, struct provider_request *out);
	/*
	 * A refusal that its status does not tell (a model that is not there, a quota): `body` is VAL_NONE when it is
	 * no JSON. May be NULL. Changes status, failure, retryable of `out`, which the status has filled in already.
	 */
	void (*refusal)(struct val body, struct provider_answer *out);
	/* a program; NULL otherwise */
	const struct provider_program *program;
	bool built_in; /* the mock: a server of our own on the same loop, unless an address is given */
};

/* Where it is asked, in the arena: a base that ends as the path begins ("/v1") is not doubled. */
struct str provider_join(struct arena *a, struct str base, struct str path);

/* "Authorization: Bearer KEY", when there is a key. The row must have room for it (PROVIDER_HEADERS). */
void provider_add_bearer(struct provider_request *out, struct str key);

/*
 * "model" and "messages": the system prompt (PROVIDER_SYSTEM when none is given) and the question, as chat APIs have
 * them. Into the object that is open in `w`.
 */
void provider_put_chat(struct json_writer *w, const struct provider_question *q);

/* ---- engines ---- */

/* A secret in base64 or in hexadecimal: what of it is the same whatever stands before and behind it. */
struct provider_shape {
	struct str core;
	size_t of;     /* bytes of the secret */
	bool before, behind; /* a character there has bits of it, too */
};

/* What every engine finds filled in by provider_open; texts live as long as the pool. */
struct provider_client {
	struct provider_client *next; /* of the pool's */
	uv_loop_t *loop;
	struct arena *arena;          /* the pool's */
	const struct provider *row;
	const struct provider_engine *engine;
	struct provider_options o;    /* base and key are settled: given, of the environment, usual; p NULL for none */
	struct str *secrets;          /* provider_secret.h */
	size_t secret_count, secret_room;
	struct provider_shape *shapes; /* of these, written otherwise */
	size_t shape_count;
	struct provider_shared *shared; /* what `begin` of the engine gave for this pool */
	struct str address;           /* for provider_address: the engine's `open` sets it */
	void *own;                    /* the engine's */
	bool stamped;                 /* as provider_has_stamps; the engine keeps both */
	size_t unsent;                /* as provider_unsent */
};

/* The head of every call; an engine's own struct begins with it. */
struct provider_call {
	const struct provider_engine *engine;
	struct provider_client *client;
	void (*done)(void *own, const struct provider_answer *answer);
	void *own;
	struct provider_call *prev, *next; /* of those under way */
	uint64_t *arrivals; /* on the heap; whoever frees the call frees them */
	size_t arrival_cap;
	bool keep_arrivals;
	bool known; /* its answer was known before anything was asked */
	bool over;  /* under way no more: whoever asked is being told, or has cancelled */
	struct provider_answer a;
};

/* The head of what all clients of a pool share; an engine's own struct begins with it. */
struct provider_shared {
	uv_loop_t *loop;
	struct answer_parser parser;
	struct provider_call *first; /* under way */
	uv_timer_t soon;             /* for answers that are known before anything was asked */
};

struct provider_engine {
	/* What all clients of a pool share; made for the first of them. */
	struct provider_shared *(*begin)(uv_loop_t *loop);
	void (*end)(struct provider_shared *s);  /* calls under way are given up without a word, handles are closed */
	void (*free)(struct provider_shared *s); /* after the loop has run dry */
	/* One client: checks its base, sets address and own. ERR_USAGE. */
	bool (*open)(struct provider_client *c, struct err *err);
	void (*close)(struct provider_client *c); /* before `end`; may be NULL */
	void (*gone)(struct provider_client *c);  /* after the loop has run dry, before `free`; may be NULL */
	void (*finish)(struct provider_call *call); /* an answer that was known: tells it; the call is gone */
	/* As provider_ask and provider_cancel have it. The engine fills in the head of the call. */
	struct provider_call *(*ask)(struct provider_client *c, const struct provider_question *q,
				     void (*done)(void *own, const struct provider_answer *answer), void *own);
	void (*cancel)(struct provider_call *call, void (*seen)(void *own, const struct provider_answer *answer));
};

/* ---- provider_engine.c: what engines share ---- */

/* A parser, a timer and no calls; answer_parser_free and the timer are for `free` and `end` of the engine. */
void provider_shared_init(struct provider_shared *s, uv_loop_t *loop);

/* `end` of an engine: cancels every call and closes the timer. */
void provider_shared_end(struct provider_shared *s);

/* Fills in the head of a call, but for the memory of its arrivals, and links it to those under way. */
void provider_call_begin(struct provider_call *c, struct provider_client *client, const struct provider_question *q,
			 void (*done)(void *own, const struct provider_answer *answer), void *own);

/* The call is over; it must have been under way. */
void provider_call_unlink(struct provider_call *c);

/* A piece with content came at this time (clock_mono_ns). Their number has no limit but that of the answer's bytes. */
void provider_call_keep_arrival(struct provider_call *c, uint64_t ns);

/*
 * The answer is in c->a already: the loop will `finish` it, unless it is cancelled before. For calls that sent nothing.
 */
void provider_call_finish_soon(struct provider_call *c);

extern const struct provider_engine provider_http_engine;    /* rows with an api */
extern const struct provider_engine provider_program_engine; /* rows with a program */

/* ---- rows ---- */

extern const struct provider provider_ollama_openai, provider_openai_responses, provider_claude_code_cli,
	provider_ollama_native, provider_anthropic_messages, provider_gemini, provider_azure, provider_openrouter,
	provider_mock;

#define PROVIDER_SYSTEM "You are a helpful assistant. Follow instructions exactly."

#endif
