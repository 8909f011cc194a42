/* A recorder with many runs, a clock that the test sets, and clients whose exchanges are told to the tap. */
#ifndef UNIT_CAPTURE_LISTEN_STAGE_H
#define UNIT_CAPTURE_LISTEN_STAGE_H

#include <dirent.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "capture/listen/listen_dir.h"
#include "capture/listen/listen_runs.h"
#include "harness/test.h"

#define SECOND INT64_C(1000000000)
#define BEGUN (INT64_C(1790000000) * SECOND)

struct stage {
	struct arena arena;
	struct listen_runs_options o;
	struct listen_runs *runs;
	struct listen_dir *dir; /* gets what is closed; may be NULL */
	struct recorder *recorder;
	struct feed *feed;
	struct tap *tap;
	struct route route;
	struct budget room, lines;
	int64_t now;
	sem_t done;
	uint64_t closed, errors, full, again, troubles, interrupted;
	char last[64]; /* the id of the run that was closed last */
};

static inline int64_t stage_now(void *context)
{
	return ((struct stage *)context)->now;
}

static inline void stage_closed(void *context, const struct listen_closed *c)
{
	struct stage *s = context;

	s->closed++;
	s->errors += strcmp(c->exit_status, "error") == 0;
	s->interrupted += strcmp(c->exit_status, "interrupted") == 0;
	snprintf(s->last, sizeof(s->last), "%.*s", STR_ARG(c->run_id));
	if (s->dir)
		listen_dir_add(s->dir, c);
}

static inline void stage_trouble(void *context, struct str text)
{
	struct stage *s = context;

	(void)text;
	s->troubles++;
}

static inline void stage_full(void *context, const char *why, uint64_t unrecorded)
{
	struct stage *s = context;

	(void)unrecorded;
	s->full += why != NULL;
	s->again += why == NULL;
}

static inline void stage_open(struct stage *s, const char *dir, bool content)
{
	struct recorder_options d = { .room = &s->room };
	struct err err;

	*s = (struct stage){ .route = { .name = STR("openai") }, .room.limit = HANDOFF_ROOM,
			     .lines.limit = (size_t)1 << 20, .now = BEGUN };
	arena_init(&s->arena);
	sem_init(&s->done, 0, 0);
	setenv("TRACKWAY_HOME", arena_printf(&s->arena, "%s/home", dir).p, 1);
	CHECK(url_parse(&s->arena, STR("http://model.example:8000/v1"), &s->route.url, &err));
	s->o = (struct listen_runs_options){
		.dir = arena_printf(&s->arena, "%s/runs", dir), .idle_ns = 600 * SECOND, .content = content,
		.room = &s->lines, .now = stage_now, .closed = stage_closed, .trouble = stage_trouble,
		.full = stage_full, .context = s,
	};
	s->runs = listen_runs_open(&s->o);
	d.choose = listen_runs_chooser(s->runs);
	s->recorder = recorder_open(&s->arena, &d);
	listen_runs_set_recorder(s->runs, s->recorder);
	s->feed = feed_open(&s->arena, &s->room, recorder_work(s->recorder));
	s->tap = tap_open(&s->arena, s->feed, &s->room);
}

static inline void stage_close(struct stage *s)
{
	feed_close(s->feed);
	recorder_flush(s->recorder);
	listen_runs_close(s->runs, NULL);
	recorder_close(s->recorder);
	tap_close(s->tap);
	sem_destroy(&s->done);
	arena_free(&s->arena);
}

struct stage_job {
	struct stage *stage;
	int64_t now;
	int signal;
};

static inline void stage_do(struct recorder *d, struct handoff *w)
{
	struct stage_job *j = w->own;

	j->stage->now = j->now;
	recorder_flush(d);
	if (j->signal)
		listen_runs_interrupt(recorder_context(d), j->signal);
	else
		listen_runs_tick(recorder_context(d));
	if (j->stage->dir)
		listen_dir_keep(j->stage->dir);
	sem_post(&j->stage->done);
	handoff_free(w);
}

/* It is so late now; all that was told before is done. With a signal nothing ticks: what is open is interrupted. */
static inline void stage_turn(struct stage *s, int64_t now, int signal)
{
	struct stage_job j = { s, now, signal };
	struct handoff *w = mem_alloc(sizeof(*w));

	*w = (struct handoff){ .job = stage_do, .own = &j };
	buf_init(&w->body);
	feed_push(s->feed, &w->item, true);
	while (sem_wait(&s->done) != 0)
		;
}

/* Headers are "name", "value" and so on, ended by NULL. */
static inline void *stage_ask(struct stage *s, struct str body, int64_t ns, const char *const *headers)
{
	struct http_header list[8];
	struct http_head h = { .side = HTTP_REQUEST, .method = STR("POST"), .target = STR("/openai/v1/chat/completions"),
			       .headers = list, .framing = HTTP_LENGTH, .length = body.n };
	struct proxy_destination to = { .target = STR("/v1/chat/completions"), .route = &s->route };
	void *x;

	for (; headers && headers[0]; headers += 2)
		list[h.count++] = (struct http_header){ str_from(headers[0]), str_from(headers[1]) };
	x = tap_ops.begin(s->tap, &h, &to, ns);
	tap_ops.request(x, body, ns);
	tap_ops.request_end(x, ns);
	return x;
}

static inline void stage_answer(void *x, int status, struct str body, int64_t ns)
{
	static const struct http_header type = { { "Content-Type", 12 }, { "application/json", 16 } };
	struct http_head h = { .side = HTTP_RESPONSE, .status = status, .headers = &type, .count = 1,
			       .framing = HTTP_LENGTH, .length = body.n };

	tap_ops.head(x, &h, ns);
	tap_ops.answer(x, body, ns);
	tap_ops.end(x, PROXY_WHOLE, ns);
}

/* A question and its answer: `said` is all that was said before, with commas behind, as JSON. */
static inline void stage_talk(struct stage *s, const char *said, const char *asks, const char *answers, int64_t ns,
			      const char *const *headers)
{
	struct arena a;
	struct str q, r;

	arena_init(&a);
	q = arena_printf(&a, "{\"model\":\"m\",\"messages\":[%s{\"role\":\"user\",\"content\":\"%s\"}]}", said, asks);
	r = arena_printf(&a, "{\"id\":\"c%lld\",\"object\":\"chat.completion\",\"model\":\"m\",\"choices\":[{\"index\":0,"
			 "\"message\":{\"role\":\"assistant\",\"content\":\"%s\"},\"finish_reason\":\"stop\"}],"
			 "\"usage\":{\"prompt_tokens\":11,\"completion_tokens\":7,\"total_tokens\":18}}",
			 (long long)ns, answers);
	stage_answer(stage_ask(s, q, ns, headers), 200, r, ns + SECOND / 2);
	arena_free(&a);
}

static inline size_t stage_count(const char *path)
{
	DIR *d = opendir(path);
	struct dirent *e;
	size_t n = 0;

	while (d && (e = readdir(d)))
		n += e->d_name[0] != '.';
	if (d)
		closedir(d);
	return n;
}

/* The text of a file of a run. */
static inline struct str stage_read(struct stage *s, const char *id, const char *name)
{
	return test_read(arena_printf(&s->arena, "%.*s/%s/%s", STR_ARG(s->o.dir), id, name).p);
}

#endif
