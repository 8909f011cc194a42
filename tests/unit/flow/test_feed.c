#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "flow/feed.h"
#include "harness/test.h"
#include "unit/flow/nothreads.h"

struct number {
	struct feed_item item;
	unsigned n;
};

struct heap {
	unsigned next; /* the number that must come now */
	atomic_uint taken, rests;
	bool same_thread;
	pthread_t caller;
	pthread_mutex_t gate; /* held by a test that wants the consumer to wait */
};

static void take(void *context, struct feed_item *item)
{
	struct heap *h = context;
	struct number *n = (struct number *)item;

	pthread_mutex_lock(&h->gate);
	CHECK_INT(n->n, h->next++);
	h->same_thread = pthread_equal(pthread_self(), h->caller);
	pthread_mutex_unlock(&h->gate);
	mem_free(n);
	atomic_fetch_add(&h->taken, 1);
}

static void rest(void *context)
{
	struct heap *h = context;

	atomic_fetch_add(&h->rests, 1);
}

static struct feed *open_feed(struct arena *a, struct heap *h, size_t limit)
{
	*h = (struct heap){ .caller = pthread_self() };
	pthread_mutex_init(&h->gate, NULL);
	arena_init(a);
	struct budget *room = arena_new(a, struct budget);

	room->limit = limit;
	return feed_open(a, room, (struct feed_work){ .take = take, .rest = rest, .context = h });
}

static bool push(struct feed *f, unsigned n, size_t size, bool always)
{
	struct number *item = mem_alloc(sizeof(*item));
	bool taken;

	*item = (struct number){ .item.size = size, .n = n };
	taken = feed_push(f, &item->item, always);
	if (!taken)
		mem_free(item);
	return taken;
}

TEST(everything_pushed_is_taken_in_order_before_close_returns)
{
	struct heap h;
	struct arena a;
	struct feed *f = open_feed(&a, &h, SIZE_MAX);

	for (unsigned i = 0; i < 5000; i++)
		CHECK(push(f, i, 1, false));
	feed_close(f);
	CHECK_INT(h.taken, 5000);
	CHECK(h.rests > 0);
	CHECK(!h.same_thread);
	arena_free(&a);
}

TEST(what_is_above_the_limit_is_refused_at_once_and_fits_again_later)
{
	struct heap h;
	struct arena a;
	struct feed *f = open_feed(&a, &h, 100);

	pthread_mutex_lock(&h.gate);
	CHECK(push(f, 0, 60, false));
	CHECK(!push(f, 9, 60, false));
	CHECK(push(f, 1, 40, false));
	CHECK(!push(f, 9, 1, false));
	CHECK(push(f, 2, 1000, true)); /* small things that matter are always taken */
	pthread_mutex_unlock(&h.gate);
	while (h.taken < 3 || !push(f, 3, 100, false))
		usleep(100);
	feed_close(f);
	CHECK_INT(h.taken, 4);
	arena_free(&a);
}

TEST(without_threads_the_work_is_done_inside_push)
{
	struct heap h;
	struct arena a;
	struct feed *f;

	nothreads_begin();
	f = open_feed(&a, &h, 10);
	CHECK(push(f, 0, 100, false));
	CHECK_INT(h.taken, 1);
	CHECK_INT(h.rests, 1);
	CHECK(h.same_thread);
	nothreads_end();
	feed_close(f);
	arena_free(&a);
}
