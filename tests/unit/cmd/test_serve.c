/* A command that serves ends by a signal or by itself, and says where it can be reached. */
#include <signal.h>
#include <unistd.h>

#include "cmd/serve.h"
#include "harness/test.h"

struct server {
	struct serve serve;
	uv_timer_t timer;
	int stops;
};

static void server_stop(void *own)
{
	struct server *s = own;

	if (s->stops++ == 0)
		uv_close((uv_handle_t *)&s->timer, NULL);
}

static void server_on_tick(uv_timer_t *t)
{
	struct server *s = t->data;

	if (s->stops == 0)
		kill(getpid(), SIGTERM);
}

static void server_open(struct server *s)
{
	*s = (struct server){ .stops = 0 };
	serve_init(&s->serve, server_stop, s);
	uv_timer_init(&s->serve.loop, &s->timer);
	s->timer.data = s;
}

TEST(a_signal_stops_the_server_and_is_told)
{
	struct server s;

	server_open(&s);
	uv_timer_start(&s.timer, server_on_tick, 1, 1);
	serve_run(&s.serve);
	CHECK_INT(s.serve.stopped_by, SIGTERM);
	CHECK_INT(s.stops, 1);
	serve_free(&s.serve);
}

TEST(stopping_by_hand_runs_what_is_left_of_the_loop)
{
	struct server s;

	server_open(&s);
	uv_timer_start(&s.timer, server_on_tick, 100000, 0);
	serve_stop(&s.serve);
	CHECK_INT(s.serve.stopped_by, 0);
	CHECK_INT(s.stops, 1);
	serve_free(&s.serve);
}

static void patient_stop(void *own)
{
	struct server *s = own;

	if (++s->stops == 2)
		uv_close((uv_handle_t *)&s->timer, NULL);
}

static void patient_on_tick(uv_timer_t *t)
{
	(void)t;
	kill(getpid(), SIGTERM);
}

TEST(a_server_that_finishes_what_it_does_is_told_of_a_second_signal)
{
	struct server s;

	server_open(&s);
	s.serve.stop = patient_stop;
	s.serve.twice = true;
	uv_timer_start(&s.timer, patient_on_tick, 1, 20);
	serve_run(&s.serve);
	CHECK_INT(s.serve.times, 2);
	CHECK_INT(s.stops, 2);
	CHECK_INT(s.serve.stopped_by, SIGTERM);
	serve_free(&s.serve);
}
