#include "cmd/report/validate_wholes.h"

#include <stdio.h>
#include <stdlib.h>

#include "harness/test.h"
#include "ledger/ledger.h"

#define RUN "tests/data/bench/run"

struct home {
	char dir[32], ledger[64], keys[64];
	struct arena arena;
};

/* An empty ledger in a directory of its own. */
static struct home *make(void)
{
	struct home *p = test_alloc(sizeof(*p));
	static const uint8_t seed[ED25519_SEED] = { 1, 2, 3 };
	struct ledger_options o = { .io = NULL };
	struct err err = { .kind = ERR_NONE };
	struct signer s;

	snprintf(p->dir, sizeof(p->dir), "/tmp/trackway-validate-XXXXXX");
	CHECK(mkdtemp(p->dir));
	snprintf(p->ledger, sizeof(p->ledger), "%s/l", p->dir);
	snprintf(p->keys, sizeof(p->keys), "%s/k", p->dir);
	CHECK(setenv("TRACKWAY_KEYS", p->keys, 1) == 0);
	arena_init(&p->arena);
	o.where = str_from(p->ledger);
	o.keys = str_from(p->keys);
	CHECK(signer_init(&s, STR("example.org/v"), KEY_LOG, seed, &err));
	if (!keys_add(&p->arena, o.keys, &s, &err) || !ledger_make(&p->arena, &o, &s, &err))
		FAIL("%s", err.text);
	return p;
}

static void end(struct home *p)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf '%s'", p->dir);
	CHECK(system(command) == 0);
	arena_free(&p->arena);
}

TEST(what_is_a_whole_is_remembered_once_and_checked_in_the_order_of_paths)
{
	static struct frame frame = { .quiet = true };
	struct err err = { .kind = ERR_NONE };
	struct validate_wholes w;
	struct validate_output o;
	struct arena a;

	arena_init(&a);
	o = (struct validate_output){ .arena = &a, .frame = &frame, .form = VALIDATE_TEXT };
	validate_output_init(&o);
	validate_wholes_init(&w, &a);
	CHECK(validate_wholes_enter(&w, STR("tests/data/bench")));
	CHECK(validate_wholes_enter(&w, STR(RUN "/config.json")));
	CHECK(validate_wholes_enter(&w, STR("/nonexistent")));
	CHECK_INT(w.count, 0);
	CHECK(validate_wholes_enter(&w, STR(RUN))); /* a run: its files are checked, too */
	CHECK(validate_wholes_enter(&w, STR(RUN)));
	CHECK_INT(w.count, 1);
	CHECK(validate_wholes_check(&w, &o, 10, &err));
	CHECK_INT(o.counts.files, 1);
	CHECK_INT(o.counts.valid, 1);
	CHECK_INT(w.count, 0);
	CHECK(validate_wholes_check(&w, &o, 10, &err));
	CHECK_INT(o.counts.files, 1);
	CHECK_INT(validate_output_end(&o, true, &err), 0);
	arena_free(&a);
}

TEST(a_ledger_is_known_by_what_is_in_it_and_counts_as_one_file)
{
	static struct frame frame = { .quiet = true };
	struct home *p = make();
	struct validate_output o = { .arena = &p->arena, .frame = &frame, .form = VALIDATE_TEXT };
	struct err err = { .kind = ERR_NONE };
	struct validate_wholes w;
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/checkpoint", p->dir); /* as programs that train models have one */
	f = fopen(path, "w");
	CHECK(f && fclose(f) == 0);
	validate_output_init(&o);
	validate_wholes_init(&w, &p->arena);
	CHECK(validate_wholes_enter(&w, str_from(p->dir)));
	CHECK(validate_wholes_enter(&w, str_from(path)));
	CHECK(!validate_wholes_enter(&w, str_from(p->ledger))); /* its files are none of their own */
	CHECK_INT(w.count, 1);
	CHECK(validate_wholes_check(&w, &o, 0, &err));
	CHECK_INT(o.counts.valid, 1);
	snprintf(path, sizeof(path), "%s/checkpoint", p->ledger);
	CHECK(remove(path) == 0);
	CHECK(!validate_wholes_enter(&w, str_from(p->ledger)));
	CHECK(validate_wholes_check(&w, &o, 0, &err));
	CHECK_INT(o.counts.files, 2);
	CHECK_INT(o.counts.invalid, 1);
	CHECK(o.counts.errors > 0);
	CHECK_STR(str_from(o.code), STR("LG001"));
	CHECK_INT(validate_output_end(&o, true, &err), 1);
	end(p);
}
