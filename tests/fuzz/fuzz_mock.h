/* What the targets of the mock server share: a request through an endpoint, and whether the answer is well-formed. */
#ifndef FUZZ_FUZZ_MOCK_H
#define FUZZ_FUZZ_MOCK_H

#include "fuzz/fuzz.h"

#include "base/sse.h"
#include "provider/mock_answer.h"

static const char *const fuzz_mock_paths[] = {
	"/v1/chat/completions", "/v1/responses",   "/v1/messages", "/v1/messages/count_tokens", "/api/chat",
	"/api/generate",        "/v1/embeddings",  "/api/embed",   "/api/embeddings",           "/v1/models",
	"/v1beta/models/g:generateContent", "/v1/models/g:streamGenerateContent", "/v1beta/models/g:streamGenerateContent?alt=sse",
	"/v1beta/models/g:countTokens", "/v1/responses/input_tokens", "/v2/chat",
};
#define FUZZ_MOCK_PATHS (sizeof(fuzz_mock_paths) / sizeof(fuzz_mock_paths[0]))

static inline void fuzz_mock_check_stream(struct json_parser *p, struct str text, enum mock_framing framing)
{
	bool lines = framing == MOCK_LINES;
	struct sse_event e;
	struct arena a;
	struct val v;

	arena_init(&a);
	if (framing == MOCK_LIST) {
		FUZZ_CHECK(json_parse_copy(p, text, &v, NULL) && val_is(v, JSON_ARRAY));
		text = STR("");
	}
	while (lines && text.n) {
		struct str line = str_cut(text, '\n', &text);

		FUZZ_CHECK(json_parse_copy(p, line, &v, NULL) && val_is(v, JSON_OBJECT));
	}
	while (!lines && sse_next_in_text(&text, &a, &e))
		FUZZ_CHECK(str_eq(e.data, STR("[DONE]")) || (json_parse_copy(p, e.data, &v, NULL) && val_is(v, JSON_OBJECT)));
	arena_free(&a);
}

/* Adds the answer's bytes to `out`. `whole`: no fault of a script may spoil it. */
static inline void fuzz_mock_ask(struct mock_maker *m, struct json_parser *p, const char *path, struct str body, bool whole,
				 struct buf *out)
{
	struct http_head h = { .side = HTTP_REQUEST, .method = STR("POST"), .target = str_from(path) };
	size_t from = out->n;
	enum mock_next next;
	struct mock_answer x;
	uint64_t delay;
	struct arena a;
	struct val v;

	arena_init(&a);
	mock_answer_make(m, &a, &h, body, &x);
	FUZZ_CHECK(x.status >= 200 && x.status <= 599);
	while ((next = mock_answer_next(&x, out, &delay)) == MOCK_MORE)
		FUZZ_CHECK(out->n - from < ((size_t)1 << 30));
	if (whole) {
		struct str made = str_of(out->n ? out->p + from : NULL, out->n - from);

		FUZZ_CHECK(next == MOCK_DONE);
		if (x.streamed)
			fuzz_mock_check_stream(p, made, x.shape->framing);
		else
			FUZZ_CHECK(json_parse_copy(p, made, &v, NULL) && val_is(v, JSON_OBJECT));
	}
	arena_free(&a);
}

#endif
