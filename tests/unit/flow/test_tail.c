#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "flow/tail.h"
#include "harness/test.h"
#include "unit/flow/nothreads.h"

struct heap {
	struct buf all;
	atomic_uint consumed;
	unsigned pause_us;
	bool same_thread;
	pthread_t caller;
};

static void gather(void *context, struct str bytes)
{
	struct heap *h = context;

	h->same_thread = pthread_equal(pthread_self(), h->caller);
	if (h->pause_us)
		usleep(h->pause_us);
	buf_add_str(&h->all, bytes);
	atomic_fetch_add(&h->consumed, 1);
}

static void push_numbers(struct tail *t, struct buf *b, unsigned from, unsigned to)
{
	for (unsigned i = from; i < to; i++) {
		CHECK_INT(b->n, 0);
		buf_printf(b, "%u,", i);
		tail_push(t, b);
	}
}

static void check_numbers(const struct heap *h, unsigned to)
{
	struct buf want;

	buf_init(&want);
	for (unsigned i = 0; i < to; i++)
		buf_printf(&want, "%u,", i);
	CHECK_STR(buf_str(&h->all), buf_str(&want));
	buf_free(&want);
}

TEST(everything_pushed_is_consumed_in_order_before_close_returns)
{
	for (unsigned pause = 0; pause <= 100; pause += 100) {
		struct heap heap = { .pause_us = pause, .caller = pthread_self() };
		struct arena a;
		struct buf b;
		struct tail *t;

		arena_init(&a), buf_init(&b), buf_init(&heap.all);
		t = tail_open(&a, gather, &heap);
		push_numbers(t, &b, 0, 500);
		tail_close(t);
		check_numbers(&heap, 500);
		CHECK(!heap.same_thread);
		buf_free(&b), buf_free(&heap.all), arena_free(&a);
	}
}

TEST(the_queue_is_bounded)
{
	struct heap heap = { .pause_us = 2000, .caller = pthread_self() };
	struct arena a;
	struct buf b;
	struct tail *t;

	arena_init(&a), buf_init(&b), buf_init(&heap.all);
	t = tail_open(&a, gather, &heap);
	for (unsigned i = 0; i < 30; i++) {
		push_numbers(t, &b, i, i + 1);
		CHECK(i + 1 - atomic_load(&heap.consumed) <= TAIL_QUEUE);
	}
	tail_close(t);
	check_numbers(&heap, 30);
	buf_free(&b), buf_free(&heap.all), arena_free(&a);
}

TEST(after_a_wait_the_context_belongs_to_the_caller)
{
	struct heap heap = { .pause_us = 100, .caller = pthread_self() };
	struct arena a;
	struct buf b;
	struct tail *t;

	arena_init(&a), buf_init(&b), buf_init(&heap.all);
	t = tail_open(&a, gather, &heap);
	tail_wait(t);
	for (unsigned round = 0; round < 20; round++) {
		buf_clear(&heap.all);
		push_numbers(t, &b, 0, round % 7);
		tail_wait(t);
		check_numbers(&heap, round % 7);
	}
	tail_close(t);
	buf_free(&b), buf_free(&heap.all), arena_free(&a);
}

TEST(buffers_are_swapped_and_not_copied_and_come_back_with_their_room)
{
	struct heap heap = { .caller = pthread_self() };
	const char *seen[TAIL_QUEUE + 1] = { NULL };
	struct arena a;
	struct buf b;
	struct tail *t;

	arena_init(&a), buf_init(&b), buf_init(&heap.all);
	t = tail_open(&a, gather, &heap);
	for (size_t i = 0; i < 100; i++) {
		memset(buf_reserve(&b, 100000), 'x', 100000);
		b.n = 100000;
		if (i <= TAIL_QUEUE)
			seen[i] = b.p;
		else
			CHECK(b.p == seen[i % (TAIL_QUEUE + 1)]);
		tail_push(t, &b);
		CHECK_INT(b.n, 0);
	}
	tail_close(t);
	CHECK_INT(heap.all.n, 100 * 100000);
	buf_free(&b), buf_free(&heap.all), arena_free(&a);
}

TEST(a_tail_that_is_never_fed_closes)
{
	struct heap heap = { .caller = pthread_self() };
	struct arena a;

	arena_init(&a);
	for (int i = 0; i < 50; i++)
		tail_close(tail_open(&a, gather, &heap));
	CHECK_INT(atomic_load(&heap.consumed), 0);
	arena_free(&a);
}

TEST(without_threads_the_caller_consumes)
{
	struct heap heap = { .caller = pthread_self() };
	struct arena a;
	struct buf b;
	struct tail *t;

	arena_init(&a), buf_init(&b), buf_init(&heap.all);
	nothreads_begin();
	t = tail_open(&a, gather, &heap);
	nothreads_end();
	push_numbers(t, &b, 0, 20);
	check_numbers(&heap, 20);
	CHECK(heap.same_thread);
	tail_wait(t);
	tail_close(t);
	buf_free(&b), buf_free(&heap.all), arena_free(&a);
}
