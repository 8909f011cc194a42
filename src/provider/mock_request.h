/*
 * What a client asks the mock server for: which API, which model, streamed or not, and the texts in it. The
 * paths are known by their ends, so that any prefix a client is set up with will do; a version that the service asks
 * for must be in front of the end.
 */
#ifndef PROVIDER_MOCK_REQUEST_H
#define PROVIDER_MOCK_REQUEST_H

#include "json/json.h"
#include "net/http/http.h"

enum mock_provider { MOCK_OPENAI, MOCK_ANTHROPIC, MOCK_OLLAMA, MOCK_GEMINI, MOCK_COHERE };

enum mock_endpoint {
	MOCK_NOWHERE, /* a path nobody knows */
	MOCK_CHAT,
	MOCK_RESPONSES,
	MOCK_MESSAGES,
	MOCK_COUNT_TOKENS,
	MOCK_OLLAMA_CHAT,
	MOCK_OLLAMA_GENERATE,
	MOCK_EMBEDDINGS,
	MOCK_OLLAMA_EMBED,
	MOCK_OLLAMA_EMBED_ONE, /* the older one: a prompt, a vector */
	MOCK_COHERE_CHAT,
	MOCK_GENERATE,         /* Gemini's, whole or as a stream */
	MOCK_MODELS,
	MOCK_MODEL,
	MOCK_TAGS,
	MOCK_VERSION,
	MOCK_HELLO, /* is somebody there? */
};

/* Why a request is refused. */
struct mock_refusal {
	int status; /* 0: it is fine */
	struct str message;
	const char *allow; /* the method that would do, with 405 */
};

struct mock_shape; /* mock_talk.h */

struct mock_request {
	enum mock_endpoint endpoint;
	enum mock_provider provider;
	struct str path;  /* without query */
	struct str model; /* "mock" when the request names none */
	bool stream;
	bool include_usage;
	struct val body;  /* VAL_NONE when there is none */
	struct str *texts; /* of all messages, in order */
	size_t text_count, text_cap;
	uint64_t text_bytes;
	uint64_t times;   /* that this body has come, from 1; whoever counts sets it */
	struct str last;  /* the newest message of a user or tool; empty when there is none */
	const struct mock_shape *shape; /* of an endpoint that is answered by rules, as a model would; NULL of others */
	bool streams;     /* the path asks for a stream, where bodies do not */
	/* Reads the texts of the body; the endpoint's own, NULL where there is no body. */
	void (*read)(struct mock_request *q, struct arena *a, struct mock_refusal *why);
};

/*
 * Method, path and headers alone: `out` is set up so far, and the shape of errors is known. Its texts point into the
 * head. *why is set anew: 404 for an unknown path, 405 with the method that would do, else status 0.
 */
void mock_request_begin(struct mock_request *out, const struct http_head *h, struct mock_refusal *why);

/*
 * The body. Texts point into it or the arena; values into the parser, until it parses again. Nothing is read for
 * endpoints without a body, nor when *why is a refusal already. What is wrong with the body becomes a 400 in *why; of
 * several faults the first.
 */
void mock_request_read(struct mock_request *q, struct arena *a, struct json_parser *p, struct str body,
		       struct mock_refusal *why);

#endif
