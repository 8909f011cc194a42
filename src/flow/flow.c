/*
 * A ring of slots under one lock. Reading, working and emitting happen unlocked; only changes of a slot's state are
 * made under it.
 */
#include "flow/flow.h"

#include <assert.h>
#include <pthread.h>

#include "base/arena.h"
#include "base/cpu.h"
#include "base/stop.h"
#include "flow/thread.h"

#define JOBS_MAX 256           /* threads beyond this only cost memory */
#define SPARE 2                /* chunks in flight beyond one per thread: one being read, one being emitted */
#define KEEP ((size_t)4 << 20) /* a chunk's buffer that one giant line made larger than this is given back */
#define LINE 64                /* states of two threads do not share a cache line */

enum slot_state {
	SLOT_READY, /* to be worked on */
	SLOT_BUSY,
	SLOT_DONE,
};

struct slot {
	struct buf bytes;
	struct chunk chunk;
	void *result;
	enum slot_state state;
	bool unread; /* the source failed here: `err` says why, and there is no chunk */
	bool failed; /* the work failed: `err` says why */
	struct err err;
};

/*
 * A ring of slots and three counters that only grow, `emitted` <= `taken` <= `read` for whoever takes. Slot i lives at
 * i % count. From `taken` on slots are ready, before it they are busy or done; since they are taken in
 * order, the counter is the whole queue. The lock guards the counters, the states and the flags below; a
 * slot's other members belong to whoever made its last change of state.
 */
struct ring {
	struct flow *flow;
	struct slot *slots;
	uint64_t count, emitted, taken, read;
	bool ended;   /* the source has no more */
	bool stop;
	bool waiting; /* the calling thread waits for `done` */
	unsigned idle;
	pthread_mutex_t lock;
	pthread_cond_t ready, done;
};

struct worker {
	struct ring *ring;
	void *state;
	pthread_t thread;
};

static struct slot *slot_at(struct ring *r, uint64_t i)
{
	assert(i >= r->emitted && i - r->emitted < r->count); /* older slots are used again */
	return &r->slots[i % r->count];
}

/* The oldest ready slot, now busy, or NULL. Locked. */
static struct slot *slot_take(struct ring *r)
{
	if (r->taken < r->emitted) /* what could not be read was emitted without being taken */
		r->taken = r->emitted;
	assert(r->taken <= r->read);
	while (r->taken < r->read) {
		struct slot *slot = slot_at(r, r->taken++);

		if (slot->state == SLOT_READY) {
			slot->state = SLOT_BUSY;
			return slot;
		}
	}
	return NULL;
}

/* Whether the chunk is padded as the JSON parser wants it, which reads past the end. Only asserts ask. */
__attribute__((unused)) static bool has_pad(const struct chunk *in)
{
	const char *end = in->bytes.p + in->bytes.n;

	return end[0] == 0 && end[SOURCE_PAD - 1] == 0;
}

/* Locked before and after, not during the work. */
static void slot_work(struct ring *r, struct slot *slot, void *state)
{
	bool content;

	pthread_mutex_unlock(&r->lock);
	assert(slot->state == SLOT_BUSY && has_pad(&slot->chunk));
	content = r->flow->work(state, &slot->chunk, slot->result, &slot->err);
	pthread_mutex_lock(&r->lock);
	slot->failed = !content;
	slot->state = SLOT_DONE;
}

/* A worker sleeps when nothing is ready, and wakes the calling thread only when that waits. */
static void *worker_run(void *argument)
{
	struct worker *w = argument;
	struct ring *r = w->ring;

	pthread_mutex_lock(&r->lock);
	while (!r->stop) {
		struct slot *slot = slot_take(r);

		if (slot) {
			slot_work(r, slot, w->state);
			if (r->waiting)
				pthread_cond_signal(&r->done);
			continue;
		}
		r->idle++;
		pthread_cond_wait(&r->ready, &r->lock);
		r->idle--;
	}
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

/* Fills the next free slot. Locked before and after, not while reading. */
static void slot_read(struct ring *r)
{
	struct slot *slot = slot_at(r, r->read);
	enum next more;

	assert(!r->ended);
	pthread_mutex_unlock(&r->lock);
	if (slot->bytes.cap > KEEP) {
		buf_free(&slot->bytes);
		buf_init(&slot->bytes);
	}
	slot->err = (struct err){ .kind = ERR_NONE };
	more = source_next(r->flow->from, &slot->bytes, &slot->chunk, &slot->err);
	slot->unread = more == NEXT_FAIL;
	pthread_mutex_lock(&r->lock);
	r->ended = more == NEXT_END;
	if (r->ended)
		return;
	slot->state = slot->unread ? SLOT_DONE : SLOT_READY;
	r->read++;
	if (r->idle > 0)
		pthread_cond_signal(&r->ready);
}

/* Hands on the oldest slot, which is done. False stops the flow. Locked before and after, not during. */
static bool slot_emit(struct ring *r, struct err *err)
{
	struct slot *slot = slot_at(r, r->emitted);
	struct flow *f = r->flow;
	bool content = false;

	assert(slot->state == SLOT_DONE);
	pthread_mutex_unlock(&r->lock);
	if (slot->unread && f->input_failed && !stop_signal())
		content = f->input_failed(f->context, slot->chunk.input, &slot->err);
	else if (!slot->unread && !slot->failed)
		content = f->emit(f->context, &slot->chunk, slot->result, &slot->err);
	if (!content)
		*err = slot->err;
	pthread_mutex_lock(&r->lock);
	if (content)
		r->emitted++;
	return content;
}

/* Reading now would neither overrun the ring nor keep finished work waiting for a slow writer. */
static bool should_read(const struct ring *r)
{
	if (r->read - r->emitted == r->count)
		return false;
	return r->read == r->emitted || source_is_ready(r->flow->from);
}

/* The calling thread: emit what can be emitted, else read, else help. Locked. */
static bool ring_run(struct ring *r, void *state, struct err *err)
{
	for (;;) {
		bool over = r->ended || stop_signal(); /* asked once: a changed mind would let us wait for nothing */
		struct slot *slot;

		if (r->emitted < r->read && slot_at(r, r->emitted)->state == SLOT_DONE) {
			if (!slot_emit(r, err))
				return false;
		} else if (over && r->emitted == r->read) {
			return r->ended || err_set(err, ERR_IO, "interrupted");
		} else if (!over && should_read(r)) {
			slot_read(r);
		} else if ((slot = slot_take(r))) {
			slot_work(r, slot, state);
		} else {
			r->waiting = true;
			pthread_cond_wait(&r->done, &r->lock);
			r->waiting = false;
		}
	}
}

/* A thread the system refuses is done without: the calling thread works too. Returns how many there are. */
static unsigned workers_start(struct worker *workers, unsigned count)
{
	unsigned started = 0;

	while (started < count && thread_start(&workers[started].thread, worker_run, &workers[started]))
		started++;
	return started;
}

static void workers_stop(struct ring *r, struct worker *workers, unsigned count)
{
	pthread_mutex_lock(&r->lock);
	r->stop = true;
	pthread_cond_broadcast(&r->ready);
	pthread_mutex_unlock(&r->lock);
	for (unsigned i = 0; i < count; i++)
		pthread_join(workers[i].thread, NULL);
}

/* With one job there is one slot: then each chunk is emitted before the next is read. */
static void ring_init(struct ring *r, struct flow *f, struct arena *a, unsigned jobs)
{
	*r = (struct ring){ .flow = f, .count = jobs == 1 ? 1 : jobs + SPARE };
	pthread_mutex_init(&r->lock, NULL);
	pthread_cond_init(&r->ready, NULL);
	pthread_cond_init(&r->done, NULL);
	r->slots = arena_array(a, struct slot, r->count);
	for (uint64_t i = 0; i < r->count; i++) {
		buf_init(&r->slots[i].bytes);
		r->slots[i].result = arena_alloc(a, f->result_size, LINE);
		if (f->result_init)
			f->result_init(r->slots[i].result);
	}
}

static void ring_free(struct ring *r)
{
	for (uint64_t i = 0; i < r->count; i++) {
		buf_free(&r->slots[i].bytes);
		if (r->flow->result_free)
			r->flow->result_free(r->slots[i].result);
	}
	pthread_cond_destroy(&r->done);
	pthread_cond_destroy(&r->ready);
	pthread_mutex_destroy(&r->lock);
}

bool flow_run(struct flow *f, struct err *err)
{
	unsigned jobs = f->jobs ? f->jobs : cpu_get().cores, started;
	struct worker *workers;
	struct arena a;
	struct ring r;
	bool content;

	assert(f->from && f->work && f->emit);
	jobs = jobs < 1 ? 1 : jobs > JOBS_MAX ? JOBS_MAX : jobs;
	arena_init(&a);
	ring_init(&r, f, &a, jobs);
	workers = arena_array(&a, struct worker, jobs);
	for (unsigned i = 0; i < jobs; i++) {
		workers[i].ring = &r;
		workers[i].state = arena_alloc(&a, f->worker_size, LINE);
		if (f->worker_init)
			f->worker_init(workers[i].state, f->context);
	}
	started = workers_start(workers + 1, jobs - 1);
	pthread_mutex_lock(&r.lock);
	content = ring_run(&r, workers[0].state, err);
	pthread_mutex_unlock(&r.lock);
	workers_stop(&r, workers + 1, started);
	for (unsigned i = 0; i < jobs; i++)
		if (f->worker_free)
			f->worker_free(workers[i].state);
	ring_free(&r);
	arena_free(&a);
	return content;
}
