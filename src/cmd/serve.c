/*
 * A loop of libuv with two signal handles. Closing the handles and stopping the server is all it takes to end the loop.
 */
#include "cmd/serve.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>

#include "base/stop.h"
#include "cmd/listen.h"

void serve_init(struct serve *s, void (*stop)(void *own), void *own)
{
	*s = (struct serve){ .stop = stop, .own = own };
	uv_loop_init(&s->loop);
}

void serve_free(struct serve *s)
{
	int status = uv_loop_close(&s->loop);

	assert(status == 0); /* UV_EBUSY: a handle was left open */
	(void)status;
}

bool serve_announce(struct arena *a, struct str host, uint16_t port, struct str more, struct err *err)
{
	printf("%.*s\n%.*s", STR_ARG(listen_url(a, host, port)), STR_ARG(more));
	return fflush(stdout) == 0 || err_system(err, errno, "standard output: cannot write");
}

/* A handle without data was never started: its signal is ignored. */
static bool serve_watches(const struct serve *s, size_t i)
{
	return s->signals[i].data && !uv_is_closing((const uv_handle_t *)&s->signals[i]);
}

static void serve_close_signals(struct serve *s)
{
	for (size_t i = 0; i < 2; i++)
		if (serve_watches(s, i))
			uv_close((uv_handle_t *)&s->signals[i], NULL);
}

static void serve_close(struct serve *s)
{
	serve_close_signals(s);
	s->stop(s->own);
}

/* The handles stay for a second signal, but nothing waits for them. */
static void serve_wait(struct serve *s)
{
	for (size_t i = 0; i < 2; i++)
		if (s->signals[i].data)
			uv_unref((uv_handle_t *)&s->signals[i]);
	s->stop(s->own);
}

static void serve_signalled(uv_signal_t *h, int number)
{
	struct serve *s = h->data;

	if (!s->stopped_by)
		s->stopped_by = number;
	if (s->twice && ++s->times == 1)
		serve_wait(s);
	else
		serve_close(s);
}

/* An ignored signal stays ignored; its handle keeps no data, by which serve_close knows it. */
static void serve_watch(struct serve *s, uv_signal_t *h, int number)
{
	struct sigaction old;

	if (sigaction(number, NULL, &old) != 0 || old.sa_handler == SIG_IGN)
		return;
	uv_signal_init(&s->loop, h);
	h->data = s;
	uv_signal_start(h, serve_signalled, number);
}

void serve_run(struct serve *s)
{
	serve_watch(s, &s->signals[0], SIGINT);
	serve_watch(s, &s->signals[1], SIGTERM);
	s->stopped_by = stop_signal(); /* before we watched */
	if (s->stopped_by)
		serve_close(s);
	uv_run(&s->loop, UV_RUN_DEFAULT);
}

static void serve_pass_over(int number)
{
	(void)number;
}

/* In the place of libuv's handler: between closing its handle and a handler of ours a signal would end the process. */
void serve_finish(struct serve *s)
{
	struct sigaction next = { .sa_handler = serve_pass_over, .sa_flags = (int)(SA_RESETHAND | SA_RESTART) };

	sigemptyset(&next.sa_mask);
	for (size_t i = 0; i < 2; i++)
		if (serve_watches(s, i))
			sigaction(s->signals[i].signum, &next, NULL);
}

void serve_forget(struct serve *s)
{
	serve_close_signals(s);
	uv_run(&s->loop, UV_RUN_DEFAULT);
}

void serve_stop(struct serve *s)
{
	serve_close(s);
	uv_run(&s->loop, UV_RUN_DEFAULT);
}
