/* Exchanges given to an observer as the recorder gives them, and observations as text, to compare and to search. */
#ifndef UNIT_CAPTURE_OBSERVER_FEED_H
#define UNIT_CAPTURE_OBSERVER_FEED_H

#include <inttypes.h>

#include "base/buf.h"
#include "capture/observe/observer.h"

#define FEED_BEGUN INT64_C(1750000000000000000)
#define FEED_HEADERS 8

/* More than any test holds of open answers. */
static struct budget test_room = { .limit = (size_t)1 << 30 };

struct feed {
	const char *path;            /* "/v1/messages" */
	const char *provider;        /* NULL: "openai" */
	const char *method;          /* NULL: POST */
	struct http_header headers[FEED_HEADERS], answer_headers[FEED_HEADERS];
	struct str body, answer;
	const char *type;            /* of the answer; NULL: application/json */
	int status;                  /* 0: 200; -1: there is no answer */
	enum proxy_end how;
	uint64_t number;
	int64_t begun_ns;            /* 0: FEED_BEGUN */
	size_t piece;                /* bytes in one call; 0: all */
	size_t first;                /* of the first call, when it is another number */
	bool coarse;                 /* the pieces are the arrivals; else every byte came alone */
};

static inline size_t feed_count(const struct http_header *headers)
{
	size_t n = 0;

	while (n < FEED_HEADERS && headers[n].name.p)
		n++;
	return n;
}

/* Byte i of the answer comes i + 1 microseconds after a second. */
static inline int64_t feed_ns(const struct feed *f, size_t i)
{
	return (f->begun_ns ? f->begun_ns : FEED_BEGUN) + 1000000000 + 1000 * (int64_t)(i + 1);
}

static inline void feed_bytes(struct observer *k, const struct feed *f)
{
	size_t piece = f->piece ? f->piece : f->answer.n, n;

	for (size_t at = 0; at < f->answer.n; at += n) {
		n = at == 0 && f->first ? f->first : piece;
		n = f->answer.n - at < n ? f->answer.n - at : n;

		size_t count = f->coarse ? 1 : n;
		struct observer_arrival *arrivals = mem_alloc(count * sizeof(*arrivals));
		char *copy = mem_alloc(n);

		for (size_t i = 0; i < count; i++) {
			size_t end = f->coarse ? n : i + 1;

			arrivals[i] = (struct observer_arrival){ .end = end, .ns = feed_ns(f, at + end - 1) };
		}
		memcpy(copy, f->answer.p + at, n);
		observer_answer(k, str_of(copy, n), arrivals, count, false);
		mem_free(copy);
		mem_free(arrivals);
	}
}

/* The request: what is known after it is in the observation. */
static inline struct observer *feed_open(struct observers *l, const struct feed *f)
{
	const char *method = f->method ? f->method : "POST";
	int64_t begun = f->begun_ns ? f->begun_ns : FEED_BEGUN;
	struct http_head head = {
		.side = HTTP_REQUEST,
		.method = str_from(method),
		.target = str_from(f->path),
		.headers = f->headers,
		.count = feed_count(f->headers),
	};
	struct arena a;
	struct observer *k;

	arena_init(&a);
	k = observer_open(l, &(struct observer_begin){
				 .number = f->number,
				 .provider = f->provider ? f->provider : "openai",
				 .endpoint = arena_printf(&a, "https://api.example.com%s", f->path),
				 .head = &head,
				 .ns = begun,
			 });
	arena_free(&a);
	observer_request(k, f->body, false, begun + 1000);
	return k;
}

static inline void feed_answer(struct observer *k, const struct feed *f)
{
	struct http_header headers[FEED_HEADERS + 1];
	size_t count = feed_count(f->answer_headers);
	struct http_head head = {
		.side = HTTP_RESPONSE, .status = f->status ? f->status : 200, .headers = headers, .count = count + 1,
	};

	memcpy(headers, f->answer_headers, count * sizeof(headers[0]));
	headers[count] = (struct http_header){ STR("Content-Type"),
					       str_from(f->type ? f->type : "application/json") };
	if (f->status >= 0)
		observer_head(k, &head, feed_ns(f, 0));
	feed_bytes(k, f);
	observer_end(k, f->how, feed_ns(f, f->answer.n + 1));
}

static inline struct observer *feed_run(struct observers *l, const struct feed *f)
{
	struct observer *k = feed_open(l, f);

	feed_answer(k, f);
	return k;
}

static inline void feed_figure(struct buf *out, const char *name, struct figure f)
{
	if (f.state != FIGURE_ABSENT)
		buf_printf(out, " %s=%s%" PRIu64, name, f.source == FIGURE_ESTIMATED ? "~" : "", f.n);
}

static inline void feed_str(struct buf *out, const char *name, struct str s)
{
	if (s.p)
		buf_printf(out, " %s=%.*s", name, STR_ARG(s));
}

/* Everything that a observation holds; times relative to its beginning. */
static inline struct str feed_text(struct buf *out, const struct observation *s)
{
	const char *const roles = "suxrt"; /* system, user, (x) context, (r) said, (t) result */

	buf_clear(out);
	buf_printf(out, "#%" PRIu64 " %s", s->number, s->kind == OBSERVED_OTHER ? "other" : s->api);
	buf_printf(out, " provider=%s status=%d how=%d%s%s%s%s", s->provider, s->status, (int)s->how,
		   s->stream ? " stream" : "", s->partial ? " partial" : "", s->failed ? " failed" : "", s->cut ? " cut" : "");
	feed_str(out, "endpoint", s->endpoint);
	feed_str(out, "model", s->model);
	feed_str(out, "request_id", s->request_id);
	feed_str(out, "answer", s->answer);
	feed_str(out, "previous", s->previous);
	feed_str(out, "session", s->session);
	feed_str(out, "agent", s->agent);
	feed_str(out, "parent_agent", s->parent_agent);
	feed_str(out, "framework", s->framework);
	buf_printf(out, " choice=%s stop=%s", s->tool_choice ? s->tool_choice : "-",
		   s->stop_reason ? s->stop_reason : "-");
	buf_printf(out, " sent=%" PRId64 " byte=%" PRId64 " token=%" PRId64 " content=%" PRId64 " ended=%" PRId64,
		   s->sent_ns - s->begun_ns, s->byte_ns ? s->byte_ns - s->begun_ns : 0,
		   s->token_ns ? s->token_ns - s->begun_ns : 0, s->content_ns ? s->content_ns - s->begun_ns : 0,
		   s->ended_ns - s->begun_ns);
	feed_figure(out, "input", s->usage.input);
	feed_figure(out, "output", s->usage.output);
	feed_figure(out, "cache_read", s->usage.cache_read);
	feed_figure(out, "cache_write", s->usage.cache_write);
	feed_figure(out, "reasoning", s->usage.reasoning);
	buf_printf(out, " digest=%" PRIx64 " messages=", s->digest);
	for (size_t i = 0; i < s->message_count; i++)
		buf_printf(out, "%c%" PRIx64 ",", roles[s->messages[i].role], s->messages[i].mark);
	for (size_t i = 0; i < s->result_count; i++) {
		const struct observation_result *r = &s->results[i];

		buf_printf(out, " result[%zu]", r->message);
		feed_str(out, "call", r->call);
		feed_str(out, "tool", r->tool);
		feed_figure(out, "size", r->size);
		buf_printf(out, " kind=%s%s", r->kind ? r->kind : "-", r->is_error ? " error" : "");
	}
	for (size_t i = 0; i < s->call_count; i++) {
		buf_printf(out, " call");
		feed_str(out, "id", s->calls[i].call);
		feed_str(out, "name", s->calls[i].name);
	}
	return buf_str(out);
}

#endif
