#include "tail.h"

#include <pthread.h>
#include <stdbool.h>

#include "flow/thread.h"

/* Buffer i lives at i % TAIL_QUEUE; `consumed` <= `pushed` only grow, and the lock guards both. */
struct tail {
	void (*consume)(void *context, struct str bytes);
	void *context;
	struct buf queue[TAIL_QUEUE];
	uint64_t consumed, pushed;
	bool threaded, stop;
	bool hungry, waiting; /* the consumer waits for `full`, the caller for `empty` */
	uint64_t left;        /* unconsumed buffers at which the caller wants to be woken */
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t full, empty;
};

static void *tail_run(void *argument)
{
	struct tail *t = argument;

	pthread_mutex_lock(&t->lock);
	for (;;) {
		struct buf *next = &t->queue[t->consumed % TAIL_QUEUE];

		if (t->consumed < t->pushed) {
			pthread_mutex_unlock(&t->lock);
			t->consume(t->context, buf_str(next));
			pthread_mutex_lock(&t->lock);
			t->consumed++;
			if (t->waiting && t->pushed - t->consumed <= t->left)
				pthread_cond_signal(&t->empty);
			continue;
		}
		if (t->stop)
			break;
		t->hungry = true;
		pthread_cond_wait(&t->full, &t->lock);
		t->hungry = false;
	}
	pthread_mutex_unlock(&t->lock);
	return NULL;
}

/* Until at most `left` buffers are unconsumed. Locked. */
static void wait_until(struct tail *t, uint64_t left)
{
	t->waiting = true;
	t->left = left;
	while (t->pushed - t->consumed > left)
		pthread_cond_wait(&t->empty, &t->lock);
	t->waiting = false;
}

struct tail *tail_open(struct arena *a, void (*consume)(void *context, struct str bytes), void *context)
{
	struct tail *t = arena_new(a, struct tail);

	t->consume = consume;
	t->context = context;
	pthread_mutex_init(&t->lock, NULL);
	pthread_cond_init(&t->full, NULL);
	pthread_cond_init(&t->empty, NULL);
	for (size_t i = 0; i < TAIL_QUEUE; i++)
		buf_init(&t->queue[i]);
	t->threaded = thread_start(&t->thread, tail_run, t);
	return t;
}

void tail_push(struct tail *t, struct buf *full)
{
	struct buf *slot, empty;

	if (!t->threaded) {
		t->consume(t->context, buf_str(full));
		buf_clear(full);
		return;
	}
	pthread_mutex_lock(&t->lock);
	/* Waking somebody costs as much as hashing some KiB: when full, go on only when there is room for several. */
	if (t->pushed - t->consumed == TAIL_QUEUE)
		wait_until(t, TAIL_QUEUE / 2);
	slot = &t->queue[t->pushed % TAIL_QUEUE];
	empty = *slot;
	*slot = *full;
	*full = empty;
	t->pushed++;
	if (t->hungry)
		pthread_cond_signal(&t->full);
	pthread_mutex_unlock(&t->lock);
	buf_clear(full);
}

void tail_wait(struct tail *t)
{
	pthread_mutex_lock(&t->lock);
	wait_until(t, 0);
	pthread_mutex_unlock(&t->lock);
}

void tail_close(struct tail *t)
{
	if (t->threaded) {
		tail_wait(t);
		pthread_mutex_lock(&t->lock);
		t->stop = true;
		pthread_cond_signal(&t->full);
		pthread_mutex_unlock(&t->lock);
		pthread_join(t->thread, NULL);
	}
	for (size_t i = 0; i < TAIL_QUEUE; i++)
		buf_free(&t->queue[i]);
	pthread_cond_destroy(&t->empty);
	pthread_cond_destroy(&t->full);
	pthread_mutex_destroy(&t->lock);
}
