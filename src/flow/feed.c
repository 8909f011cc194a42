/*
 * One list under a lock, taken whole by the consumer. The producer signals only a consumer that sleeps, so a push costs
 * no system call while it works.
 */
#include "flow/feed.h"

#include <assert.h>
#include <pthread.h>
#include <time.h>

#include "flow/thread.h"

#define MANY 16              /* items in a batch, for the consumer to rest after it */
#define REST_NS 1000000L     /* how long */

struct feed {
	struct feed_work work;
	struct budget *room; /* of items that wait or are being worked on */
	struct feed_item *first, **last;
	bool threaded, stop, hungry;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t more;
};

/* *bytes is what the items held: it is asked before they are taken, since `take` frees them. */
static size_t work_off(struct feed *f, struct feed_item *item, size_t *bytes)
{
	size_t count = 0;

	*bytes = 0;
	while (item) {
		struct feed_item *next = item->next;

		*bytes += item->size;
		f->work.take(f->work.context, item);
		item = next;
		count++;
	}
	f->work.rest(f->work.context);
	return count;
}

static void rest_a_moment(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = REST_NS }, NULL);
}

/* The consumer: takes the whole queue at once, works it off unlocked, and sleeps only when there is nothing. */
static void *feed_run(void *argument)
{
	struct feed *f = argument;

	pthread_mutex_lock(&f->lock);
	for (;;) {
		struct feed_item *batch = f->first;
		size_t bytes;

		if (batch) {
			f->first = NULL;
			f->last = &f->first;
			pthread_mutex_unlock(&f->lock);
			if (work_off(f, batch, &bytes) >= MANY)
				rest_a_moment();
			budget_give(f->room, bytes);
			pthread_mutex_lock(&f->lock);
			continue;
		}
		if (f->stop)
			break;
		f->hungry = true;
		pthread_cond_wait(&f->more, &f->lock);
		f->hungry = false;
	}
	pthread_mutex_unlock(&f->lock);
	return NULL;
}

struct feed *feed_open(struct arena *a, struct budget *room, struct feed_work work)
{
	struct feed *f = arena_new(a, struct feed);

	f->work = work;
	f->room = room;
	f->last = &f->first;
	pthread_mutex_init(&f->lock, NULL);
	pthread_cond_init(&f->more, NULL);
	f->threaded = thread_start(&f->thread, feed_run, f);
	return f;
}

bool feed_push(struct feed *f, struct feed_item *item, bool always)
{
	bool fits, wake;
	size_t bytes;

	assert(!f->stop);
	item->next = NULL;
	if (!f->threaded) {
		work_off(f, item, &bytes);
		return true;
	}
	fits = always || budget_take(f->room, item->size);
	if (always)
		budget_force(f->room, item->size);
	pthread_mutex_lock(&f->lock);
	if (fits) {
		*f->last = item;
		f->last = &item->next;
	}
	wake = fits && f->hungry;
	pthread_mutex_unlock(&f->lock);
	if (wake)
		pthread_cond_signal(&f->more);
	return fits;
}

void feed_close(struct feed *f)
{
	if (f->threaded) {
		pthread_mutex_lock(&f->lock);
		f->stop = true;
		pthread_mutex_unlock(&f->lock);
		pthread_cond_signal(&f->more);
		pthread_join(f->thread, NULL);
	}
	pthread_cond_destroy(&f->more);
	pthread_mutex_destroy(&f->lock);
}
