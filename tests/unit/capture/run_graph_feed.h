/*
 * Runs of exchanges in a short notation.
 *
 * A request: messages separated by '|': "s prompt", "u words", "a words", "c ID NAME" (an answer that asked for a call),
 * "r ID words" (a result). An answer: "words", or calls "+ID NAME" separated by '|'; "!500" is an error.
 */
#ifndef UNIT_CAPTURE_RUN_GRAPH_FEED_H
#define UNIT_CAPTURE_RUN_GRAPH_FEED_H

#include <stdlib.h>

#include "capture/graph/run_graph.h"
#include "harness/test.h"
#include "json/json.h"
#include "observer_feed.h"
#include "trackway.h"

struct graphing {
	struct observers *observers;
	struct run_graph *run_graph;
	struct arena arena;
	struct buf lines;
	struct str summary;
	uint64_t number;
	int64_t now; /* milliseconds since FEED_BEGUN */
};

static inline void graphing_line(void *context, struct str line)
{
	struct graphing *w = context;

	CHECK(line.n > 1 && line.p[line.n - 1] == '\n');
	buf_add_str(&w->lines, line);
}

static inline void graphing_open(struct graphing *w, struct run_graph_options o)
{
	static const uint8_t random[10] = { 1, 2, 3 };

	*w = (struct graphing){ .observers = observers_open(&test_room) };
	o.trace = id_uuid7(1750000000000, random);
	o.line = graphing_line;
	o.context = w;
	arena_init(&w->arena);
	buf_init(&w->lines);
	w->run_graph = run_graph_open(&o, FEED_BEGUN - 5);
}

static inline void graphing_close(struct graphing *w)
{
	run_graph_close(w->run_graph);
	observers_close(w->observers);
	arena_free(&w->arena);
	buf_free(&w->lines);
}

/* ---- the notation ---- */

static inline void graphing_message(struct buf *out, struct str part)
{
	struct str rest, id, kind = str_cut(part, ' ', &rest);

	if (str_eq(kind, STR("c"))) {
		id = str_cut(rest, ' ', &rest);
		buf_printf(out, "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"%.*s\",\"type\":\"function\","
				"\"function\":{\"name\":\"%.*s\",\"arguments\":\"{}\"}}]}", STR_ARG(id), STR_ARG(rest));
	} else if (str_eq(kind, STR("r"))) {
		id = str_cut(rest, ' ', &rest);
		buf_printf(out, "{\"role\":\"tool\",\"tool_call_id\":\"%.*s\",\"content\":\"%.*s\"}", STR_ARG(id), STR_ARG(rest));
	} else {
		buf_printf(out, "{\"role\":\"%s\",\"content\":\"%.*s\"}",
			   str_eq(kind, STR("s")) ? "system" : str_eq(kind, STR("a")) ? "assistant" : "user", STR_ARG(rest));
	}
}

static inline struct str graphing_body(struct arena *a, const char *messages, const char *more)
{
	struct str left = str_from(messages), text;
	struct buf out;

	buf_init(&out);
	buf_printf(&out, "{\"model\":\"gpt-4o\"%s,\"messages\":[", more ? more : "");
	for (size_t n = 0; left.n; n++) {
		if (n)
			buf_add_byte(&out, ',');
		graphing_message(&out, str_cut(left, '|', &left));
	}
	buf_add_str(&out, STR("]}"));
	text = arena_copy(a, buf_str(&out));
	buf_free(&out);
	return text;
}

static inline struct str graphing_answer(struct arena *a, uint64_t number, const char *said)
{
	struct str left = str_from(said), text;
	struct buf out;
	size_t n = 0;

	if (said[0] == '!')
		return STR("{\"error\":{\"message\":\"no\",\"type\":\"x\"}}");
	buf_init(&out);
	buf_printf(&out, "{\"id\":\"chatcmpl-%d\",\"object\":\"chat.completion\",\"model\":\"gpt-4o-2024-08-06\",\"choices\":"
			 "[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"%s\"", (int)number, said[0] == '+' ? "" : said);
	while (said[0] == '+' && left.n) {
		struct str call = str_cut(left, '|', &left), name, id = str_cut(call, ' ', &name);

		buf_printf(&out, "%s{\"id\":\"%.*s\",\"type\":\"function\",\"function\":{\"name\":\"%.*s\",\"arguments\":\"{}\"}}",
			   n++ ? "," : ",\"tool_calls\":[", STR_ARG(str_of(id.p + 1, id.n - 1)), STR_ARG(name));
	}
	buf_printf(&out, "%s},\"finish_reason\":\"%s\"}],\"usage\":{\"prompt_tokens\":100,\"completion_tokens\":10}}", n ? "]" : "",
		   n ? "tool_calls" : "stop");
	text = arena_copy(a, buf_str(&out));
	buf_free(&out);
	return text;
}

/* ---- exchanges ---- */

struct asked {
	struct observer *observer;
	struct feed feed;
};

static inline struct asked graphing_ask_feed(struct graphing *w, struct feed f)
{
	struct asked q = { .feed = f };

	q.feed.number = ++w->number;
	q.feed.begun_ns = FEED_BEGUN + w->now * 1000000;
	w->now += 10;
	q.observer = feed_open(w->observers, &q.feed);
	run_graph_request(w->run_graph, observer_seen(q.observer));
	return q;
}

static inline struct asked graphing_ask(struct graphing *w, const char *messages)
{
	return graphing_ask_feed(w, (struct feed){ .path = "/v1/chat/completions", .body = graphing_body(&w->arena, messages, NULL) });
}

static inline void graphing_end(struct graphing *w, struct asked *q)
{
	struct http_head head = { .side = HTTP_RESPONSE, .status = q->feed.status ? q->feed.status : 200 };
	int64_t ns = FEED_BEGUN + w->now * 1000000;
	struct observer_arrival at = { .end = q->feed.answer.n, .ns = ns };

	if (q->feed.how != PROXY_REFUSED)
		observer_head(q->observer, &head, ns);
	if (q->feed.answer.n)
		observer_answer(q->observer, q->feed.answer, &at, 1, false);
	w->now += 10;
	observer_end(q->observer, q->feed.how, ns + 1000000);
	run_graph_answer(w->run_graph, observer_seen(q->observer));
	observer_close(q->observer);
	q->observer = NULL;
}

static inline void graphing_answered(struct graphing *w, struct asked *q, const char *said)
{
	q->feed.answer = graphing_answer(&w->arena, q->feed.number, said);
	q->feed.status = said[0] == '!' ? atoi(said + 1) : 200;
	graphing_end(w, q);
}

/* Asked and answered. */
static inline void graphing_talk(struct graphing *w, const char *messages, const char *said)
{
	struct asked q = graphing_ask(w, messages);

	graphing_answered(w, &q, said);
}

/* ---- what came of it ---- */

/* Valid in strict mode, and not even a warning. */
static inline void graphing_check(struct str lines)
{
	struct tw_validate_options o = { .size = sizeof(o), .format = "agent-trace", .mode = TW_STRICT };
	struct tw_report *r = tw_validate_memory(lines.p, lines.n, "agent-trace.jsonl", &o);

	for (size_t i = 0; i < tw_report_finding_count(r); i++)
		FAIL("%s: %s\n%.*s", tw_report_finding(r, i)->code, tw_report_finding(r, i)->message, STR_ARG(lines));
	CHECK_INT(tw_report_verdict(r), TW_VALID);
	tw_report_free(r);
}

static inline void graphing_finish(struct graphing *w)
{
	run_graph_finish(w->run_graph, "success", str_of(NULL, 0), FEED_BEGUN + w->now * 1000000, &w->summary);
	graphing_check(buf_str(&w->lines));
}

#endif
