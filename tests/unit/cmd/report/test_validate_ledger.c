#include "cmd/report/validate_ledger.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "cmd/report/rules.h"
#include "harness/test.h"
#include "ledger/check/check.h"

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

static struct validate_output output_of(struct arena *a)
{
	static struct frame frame = { .quiet = true };

	return (struct validate_output){ .arena = a, .frame = &frame, .form = VALIDATE_TEXT };
}

TEST(a_directory_is_a_ledger_by_what_is_in_it)
{
	struct home *p = make();
	char path[128];
	FILE *f;

	CHECK(validate_is_ledger(str_from(p->ledger)));
	CHECK(!validate_is_ledger(str_from(p->dir)));
	CHECK(!validate_is_ledger(STR("no/such/directory")));
	snprintf(path, sizeof(path), "%s/checkpoint", p->dir); /* as programs that train models have one */
	f = fopen(path, "w");
	CHECK(f && fclose(f) == 0);
	CHECK(!validate_is_ledger(str_from(p->dir)));
	CHECK(!validate_is_ledger(str_from(path)));
	end(p);
}

TEST(a_ledger_counts_as_one_file_that_is_valid_or_not)
{
	struct home *p = make();
	struct validate_output o = output_of(&p->arena);
	struct err err = { .kind = ERR_NONE };
	char path[128];

	validate_output_init(&o);
	CHECK(validate_ledger(&o, str_from(p->ledger), 0, &err));
	CHECK_INT(o.counts.files, 1);
	CHECK_INT(o.counts.valid, 1);
	snprintf(path, sizeof(path), "%s/checkpoint", p->ledger);
	CHECK(remove(path) == 0);
	CHECK(validate_ledger(&o, str_from(p->ledger), 0, &err));
	CHECK_INT(o.counts.files, 2);
	CHECK_INT(o.counts.invalid, 1);
	CHECK(o.counts.errors > 0);
	CHECK_STR(str_from(o.code), STR("LG001"));
	CHECK_INT(validate_output_end(&o, true, &err), 1);
	end(p);
}
