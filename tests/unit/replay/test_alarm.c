#include "replay/alarm.h"

#include "unit/net/sockets.h"

#define ALARMS 500

struct bell {
	struct alarm alarm; /* first */
	size_t *rung;
	uint64_t *last_ns;
	bool early, disordered;
};

static void bell_ring(struct alarm *a)
{
	struct bell *b = (struct bell *)a;

	b->early = clock_mono_ns() < a->at_ns;
	b->disordered = a->at_ns < *b->last_ns;
	*b->last_ns = a->at_ns;
	++*b->rung;
}

TEST(alarms_ring_in_their_order_and_never_early)
{
	static struct bell bells[ALARMS];
	struct err err = { .kind = ERR_NONE };
	uint64_t now = clock_mono_ns(), last = 0;
	struct alarms *s;
	size_t rung = 0;
	uv_loop_t loop;

	uv_loop_init(&loop);
	s = alarms_open(&loop, &err);
	CHECK(s != NULL);
	for (size_t i = 0; i < ALARMS; i++) {
		bells[i] = (struct bell){ .alarm.ring = bell_ring, .rung = &rung, .last_ns = &last };
		alarms_set(s, &bells[i].alarm, now + 20000000 + (i * 7919 % ALARMS) * 20000);
	}
	alarms_set(s, &bells[3].alarm, now + 25000000); /* moved */
	alarms_unset(s, &bells[4].alarm);
	alarms_unset(s, &bells[4].alarm);
	TURN_UNTIL(&loop, rung == ALARMS - 1);
	for (size_t i = 0; i < ALARMS; i++)
		CHECK(!bells[i].early && !bells[i].disordered && bells[i].alarm.place == 0);
	alarms_rest(s);
	alarms_rest(s);
	alarms_set(s, &bells[0].alarm, 0); /* one that is late; after a rest */
	last = 0;
	uv_run(&loop, UV_RUN_ONCE);
	TURN_UNTIL(&loop, rung == ALARMS);
	alarms_rest(s);
	uv_run(&loop, UV_RUN_DEFAULT);
	alarms_close(s);
	CHECK_INT(uv_loop_close(&loop), 0);
}
