#include "net/upstream/lookup.h"

#include "unit/net/sockets.h"

struct ask {
	struct lookup lookup; /* first */
	unsigned calls;
	size_t count;
	union dial_address to[DIAL_MOST];
	char why[200];
};

static void ask_found(struct lookup *l, const union dial_address *to, size_t count, const char *why)
{
	struct ask *a = (struct ask *)l;

	a->calls++;
	a->count = count;
	for (size_t i = 0; i < count; i++)
		a->to[i] = to[i];
	snprintf(a->why, sizeof(a->why), "%s", why ? why : "");
}

TEST(an_address_is_no_name)
{
	static const struct { const char *text; int family; } cases[] = { { "127.0.0.1", AF_INET }, { "::1", AF_INET6 } };
	uv_loop_t loop;
	struct lookups *s;

	CHECK(uv_loop_init(&loop) == 0);
	s = lookups_open(&loop);
	for (size_t i = 0; i < 2; i++) {
		struct ask a = { .calls = 0 };

		lookup_begin(s, str_from(cases[i].text), &a.lookup, ask_found);
		CHECK_INT(a.calls, 1); /* at once */
		CHECK_INT(a.count, 1);
		CHECK_INT(a.to[0].any.sa_family, cases[i].family);
	}
	lookups_close(s);
	CHECK(uv_run(&loop, UV_RUN_DEFAULT) == 0);
	lookups_free(s);
	CHECK(uv_loop_close(&loop) == 0);
}

TEST(many_who_ask_for_one_name_wait_for_one_answer_and_the_next_has_it_at_once)
{
	struct ask a[5] = { 0 };
	uv_loop_t loop;
	struct lookups *s;

	CHECK(uv_loop_init(&loop) == 0);
	s = lookups_open(&loop);
	for (size_t i = 0; i < 4; i++)
		lookup_begin(s, STR("localhost"), &a[i].lookup, ask_found);
	CHECK_INT(loop.active_reqs.count, 1);
	lookup_end(&a[1].lookup);
	lookup_end(&a[1].lookup); /* twice is once */
	TURN_UNTIL(&loop, a[0].calls && a[2].calls && a[3].calls);
	if (a[0].count == 0)
		SKIP("localhost is no name on this machine: %s", a[0].why);
	CHECK_INT(a[1].calls, 0);
	CHECK(a[0].count == a[2].count && a[2].count == a[3].count);
	lookup_begin(s, STR("localhost"), &a[4].lookup, ask_found);
	CHECK_INT(a[4].calls, 1);
	CHECK_INT(a[4].count, a[0].count);
	lookup_forget(s, STR("localhost"));
	lookup_begin(s, STR("localhost"), &a[4].lookup, ask_found);
	CHECK_INT(a[4].calls, 1); /* asked anew */
	lookups_close(s);
	CHECK(uv_run(&loop, UV_RUN_DEFAULT) == 0);
	CHECK_INT(a[4].calls, 1); /* nobody is told after the end */
	lookups_free(s);
	CHECK(uv_loop_close(&loop) == 0);
}

TEST(a_name_that_nobody_has_gives_a_reason)
{
	struct ask a = { .calls = 0 };
	uv_loop_t loop;
	struct lookups *s;

	CHECK(uv_loop_init(&loop) == 0);
	s = lookups_open(&loop);
	lookup_begin(s, STR("no-such-host.invalid"), &a.lookup, ask_found);
	CHECK_INT(a.calls, 0);
	CHECK(uv_run(&loop, UV_RUN_DEFAULT) == 0);
	CHECK_INT(a.calls, 1);
	CHECK_INT(a.count, 0);
	CHECK(a.why[0] != '\0');
	lookups_close(s);
	lookups_free(s);
	CHECK(uv_loop_close(&loop) == 0);
}
