/* A binary heap by time, and a timerfd for the one at its top. */
#include "replay/alarm.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"

#define RUNG_AT_ONCE 256 /* then sockets have their turn: those who are late are served as they come */

struct alarms {
	uv_loop_t *loop;
	uv_poll_t *poll; /* NULL: the loop does not know of us */
	int fd;
	bool is_ringing;
	uint64_t armed_ns; /* what the timer is set to; 0: nothing */
	struct alarm **heap;
	size_t count, cap;
};

struct alarms *alarms_open(uv_loop_t *loop, struct err *err)
{
	struct alarms *s;
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);

	if (fd < 0) {
		err_set(err, ERR_IO, "a timer: %s", strerror(errno));
		return NULL;
	}
	s = mem_alloc(sizeof(*s));
	*s = (struct alarms){ .loop = loop, .fd = fd };
	return s;
}

void alarms_close(struct alarms *s)
{
	assert(s->count == 0 && !s->poll);
	close(s->fd);
	mem_free(s->heap);
	mem_free(s);
}

/* ---- the heap ---- */

static void alarm_put(struct alarms *s, size_t i, struct alarm *a)
{
	s->heap[i] = a;
	a->place = i + 1;
}

/* Moves the alarm at this place to where it belongs. */
static void alarm_sift(struct alarms *s, size_t i)
{
	struct alarm *a = s->heap[i];

	while (i > 0 && s->heap[(i - 1) / 2]->at_ns > a->at_ns) {
		alarm_put(s, i, s->heap[(i - 1) / 2]);
		i = (i - 1) / 2;
	}
	for (size_t child = 2 * i + 1; child < s->count; child = 2 * i + 1) {
		if (child + 1 < s->count && s->heap[child + 1]->at_ns < s->heap[child]->at_ns)
			child++;
		if (s->heap[child]->at_ns >= a->at_ns)
			break;
		alarm_put(s, i, s->heap[child]);
		i = child;
	}
	alarm_put(s, i, a);
}

static void alarm_take_out(struct alarms *s, struct alarm *a)
{
	size_t i = a->place - 1;

	assert(a->place > 0 && i < s->count && s->heap[i] == a);
	a->place = 0;
	s->count--;
	if (i == s->count)
		return;
	alarm_put(s, i, s->heap[s->count]);
	alarm_sift(s, i);
}

/* ---- the timer ---- */

static void alarms_event(uv_poll_t *poll, int status, int events);

static void alarms_watch(struct alarms *s)
{
	if (s->poll)
		return;
	s->poll = mem_alloc(sizeof(*s->poll));
	uv_poll_init(s->loop, s->poll, s->fd);
	s->poll->data = s;
	uv_poll_start(s->poll, UV_READABLE, alarms_event);
}

/* Alarms that were unset may leave it set too early: then it finds nothing to do, which costs less than setting it. */
static void alarms_arm(struct alarms *s)
{
	struct itimerspec at = { .it_interval = { .tv_sec = 0 } };

	if (s->is_ringing || s->count == 0)
		return;
	alarms_watch(s);
	if (s->armed_ns && s->armed_ns <= s->heap[0]->at_ns)
		return;
	s->armed_ns = s->heap[0]->at_ns;
	at.it_value.tv_sec = (time_t)(s->armed_ns / 1000000000);
	at.it_value.tv_nsec = (long)(s->armed_ns % 1000000000);
	timerfd_settime(s->fd, TFD_TIMER_ABSTIME, &at, NULL);
}

static void alarms_event(uv_poll_t *poll, int status, int events)
{
	struct alarms *s = poll->data;
	uint64_t times;

	(void)status;
	(void)events;
	if (read(s->fd, &times, sizeof(times)) != (ssize_t)sizeof(times))
		return; /* it was set to another time meanwhile */
	s->armed_ns = 0;
	s->is_ringing = true;
	for (size_t i = 0; i < RUNG_AT_ONCE && s->count && s->heap[0]->at_ns <= clock_mono_ns(); i++) {
		struct alarm *a = s->heap[0];

		alarm_take_out(s, a);
		a->ring(a);
	}
	s->is_ringing = false;
	alarms_arm(s);
}

/* ---- what others call ---- */

void alarms_set(struct alarms *s, struct alarm *a, uint64_t at_ns)
{
	a->at_ns = at_ns ? at_ns : 1; /* 0 would stop the timer */
	if (!a->place) {
		mem_grow(s->heap, s->count, s->cap, 64);
		alarm_put(s, s->count++, a);
	}
	alarm_sift(s, a->place - 1);
	alarms_arm(s);
}

void alarms_unset(struct alarms *s, struct alarm *a)
{
	if (a->place)
		alarm_take_out(s, a);
}

static void alarms_forget(uv_handle_t *poll)
{
	mem_free(poll);
}

void alarms_rest(struct alarms *s)
{
	assert(s->count == 0);
	if (!s->poll)
		return;
	uv_close((uv_handle_t *)s->poll, alarms_forget);
	s->poll = NULL;
}
