/* Requests to the mock server without a network: a script, a path, a body; the answer's bytes and delays. */
#ifndef UNIT_PROVIDER_MOCK_SAMPLE_H
#define UNIT_PROVIDER_MOCK_SAMPLE_H

#include "base/sse.h"
#include "harness/test.h"
#include "provider/mock_answer.h"

struct sample {
	struct arena arena;
	struct mock_script script;
	struct mock_maker maker;
	struct json_parser *parser; /* of what came out */
	struct mock_answer x;
	struct buf bytes;
	uint64_t waited_ms;
	enum mock_next end;
};

/* `script` NULL: echoes. */
static inline struct sample *sample_open(const char *script)
{
	struct sample *s = test_alloc(sizeof(*s));
	struct err err = { .kind = ERR_NONE };

	arena_init(&s->arena);
	buf_init(&s->bytes);
	s->parser = json_parser_open((struct json_options){ .max_depth = 0 });
	if (script && !mock_script_parse(&s->arena, str_from(script), STR("s.json"), &s->script, &err))
		FAIL("%s", err.text);
	mock_maker_init(&s->maker, script ? &s->script : NULL);
	return s;
}

static inline void sample_close(struct sample *s)
{
	mock_maker_free(&s->maker);
	json_parser_close(s->parser);
	buf_free(&s->bytes);
	arena_free(&s->arena);
}

static inline struct str sample_send(struct sample *s, const char *method, const char *path, struct str body,
				     const struct http_header *headers, size_t count)
{
	struct http_head h = { .side = HTTP_REQUEST, .method = str_from(method), .target = str_from(path),
			       .headers = headers, .count = count };
	uint64_t delay;

	mock_answer_make(&s->maker, &s->arena, &h, body, &s->x);
	buf_clear(&s->bytes);
	s->waited_ms = s->x.delay_ms;
	while ((s->end = mock_answer_next(&s->x, &s->bytes, &delay)) == MOCK_MORE)
		s->waited_ms += delay;
	s->waited_ms += delay;
	return buf_str(&s->bytes);
}

/* The whole body of the answer, in the sample's buffer. */
static inline struct str sample_ask(struct sample *s, const char *path, const char *body)
{
	return sample_send(s, body ? "POST" : "GET", path, str_from(body), NULL, 0);
}

/* The same as JSON. */
static inline struct val sample_json(struct sample *s, const char *path, const char *body)
{
	struct str text = sample_ask(s, path, body);
	struct json_issue issue;
	struct val v;

	if (!json_parse_copy(s->parser, text, &v, &issue))
		FAIL("%s in %.*s", issue.message, STR_ARG(text));
	return v;
}

static inline struct str sample_at(struct sample *s, struct val v, const char *pointer)
{
	struct val found = val_at(v, str_from(pointer));

	if (val_is_none(found))
		return STR("(nothing)");
	return val_is(found, JSON_STRING) ? val_text(found, &s->arena) : val_source(found);
}

static inline bool sample_contains(struct str text, const char *part)
{
	return str_find(text, str_from(part)) != (size_t)-1;
}

static inline struct str sample_header(const struct sample *s, const char *name)
{
	for (size_t i = 0; i < s->x.header_count; i++)
		if (str_eq(s->x.headers[i].name, str_from(name)))
			return s->x.headers[i].value;
	return STR("(none)");
}

/*
 * What a stream says at a pointer, all events of a type (NULL for any) joined. Events that are no JSON, such as [DONE], are
 * passed over.
 */
static inline struct str sample_join(struct sample *s, struct str stream, const char *type, const char *pointer)
{
	struct str joined = STR("");
	struct sse_event e;
	struct val v;

	while (sse_next_in_text(&stream, &s->arena, &e)) {
		struct str part;

		if ((type && !str_eq(e.event, str_from(type))) || !json_parse_copy(s->parser, e.data, &v, NULL))
			continue;
		part = sample_at(s, v, pointer);
		if (!str_eq(part, STR("(nothing)")) && !str_eq(part, STR("null")))
			joined = ARENA_JOIN(&s->arena, joined, part);
	}
	return joined;
}

/* The types of a stream's events, one blank between. */
static inline struct str sample_types(struct sample *s, struct str stream)
{
	struct str types = STR("");
	struct sse_event e;

	while (sse_next_in_text(&stream, &s->arena, &e))
		types = ARENA_JOIN(&s->arena, types, types.n ? STR(" ") : STR(""), e.event.p ? e.event : e.data);
	return types;
}

#define SAMPLE_RULE(rule) "{\"schema\":\"trackway.mock/1\",\"rules\":[" rule "]}"

/* An answer with everything in it. */
#define SAMPLE_FULL \
	SAMPLE_RULE("{\"reply\":{\"text\":\"Let me look.\",\"reasoning\":\"Think first.\",\"tool_calls\":[" \
		    "{\"name\":\"weather\",\"arguments\":{\"city\": \"Paris\", \"unit\": \"c\"}}," \
		    "{\"name\":\"clock\",\"arguments\":{}}]," \
		    "\"usage\":{\"input\":100,\"output\":20,\"cache_read\":40,\"cache_write\":10,\"reasoning\":5}}}")

#endif
