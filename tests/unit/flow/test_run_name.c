#include "flow/run_name.h"

#include "base/buf.h"
#include "harness/convert.h"
#include "harness/test.h"

/* What was given back: the id, and a letter for each event. */
struct seen {
	char id[64];
	char kinds[64];
	size_t count;
};

static bool note(void *context, const struct event *e, struct err *err)
{
	static const char letters[] = "(mscr$en)";
	struct seen *s = context;

	(void)err;
	s->kinds[s->count++] = letters[e->kind];
	for (const struct extra *x = e->extras; x; x = x->next)
		if (x->member && str_eq(x->key, STR("run_id")) && x->json.n < sizeof(s->id))
			memcpy(s->id, x->json.p, x->json.n);
	return true;
}

static struct moment at_noon(void)
{
	return (struct moment){ STR("2026-01-01T12:00:00.000Z"), INT64_C(1767268800000000000), MOMENT_VENDOR };
}

static void add(struct run_name *n, enum event_kind kind, struct str text)
{
	struct event e = { .kind = kind, .ts = at_noon(), .index = -1, .text = text };
	struct err err;

	if (kind == EVENT_RUN_START)
		e.vendor = STR("v");
	if (kind == EVENT_STEP)
		e.step = STR("s");
	CHECK(run_name_add(n, &e, &err));
}

static struct seen name_run(struct run_name *n, struct str text)
{
	struct seen s = { .count = 0 };
	struct err err;

	add(n, EVENT_RUN_START, STR(""));
	add(n, EVENT_STEP, text);
	CHECK(!run_name_is_known(n));
	add(n, EVENT_RUN_END, STR(""));
	CHECK(run_name_is_known(n));
	CHECK(run_name_give(n, note, &s, &err));
	CHECK(!run_name_is_known(n));
	CHECK_STR(str_from(s.kinds), STR("(s)"));
	CHECK_INT(strlen(s.id), 38);
	return s;
}

TEST(a_run_is_named_by_what_it_holds)
{
	struct run_name *n = run_name_open(false), *other = run_name_open(false);
	struct seen first = name_run(n, STR("a")), second = name_run(n, STR("b")), again = name_run(n, STR("a"));
	struct seen same = name_run(other, STR("a"));

	CHECK(strcmp(first.id, second.id) != 0);
	CHECK(strcmp(first.id, again.id) != 0); /* two runs, even if they hold the same */
	CHECK_STR(str_from(first.id), str_from(same.id));
	run_name_close(n);
	run_name_close(other);
	run_name_close(NULL);
}

TEST(a_long_run_is_named_before_its_end_and_goes_on)
{
	struct run_name *n = run_name_open(false);
	struct seen s = { .count = 0 };
	struct err err;
	struct arena a;
	char *text;

	arena_init(&a);
	text = memset(arena_array(&a, char, 600000), 'x', 600000);
	add(n, EVENT_RUN_START, STR(""));
	add(n, EVENT_STEP, str_of(text, 600000));
	CHECK(!run_name_is_known(n));
	add(n, EVENT_STEP, str_of(text, 600000));
	CHECK(run_name_is_known(n));
	CHECK(run_name_give(n, note, &s, &err));
	CHECK_STR(str_from(s.kinds), STR("(ss"));
	name_run(n, STR("the next one"));
	run_name_close(n);
	arena_free(&a);
}
