#include "ledger/check/private.h"
#include "unit/ledger/made_check.h"

/* A run with nothing but a disk. */
static struct check_run run_on(struct made *m, struct ledger_check *c)
{
	*c = made_check(m);
	findings_init(&m->findings, &m->arena, 0);
	return (struct check_run){ .check = c, .io = &m->io, .dir = STR("l"), .prefix = STR("diagnostic/") };
}

static void end(struct check_run *r)
{
	buf_free(&r->path);
	buf_free(&r->file);
}

TEST(a_finding_has_the_severity_of_its_rule_and_the_prefix_of_its_log)
{
	struct made *m = made_new();
	struct ledger_check c;
	struct check_run r = run_on(m, &c);

	check_note(&r, LG_LINK_GONE, "records/%s: it is missing", "x");
	check_note(&r, LG_TILE, "tile/0/000: no");
	CHECK_INT(m->findings.warnings, 1);
	CHECK_INT(m->findings.errors, 1);
	CHECK_STR(m->findings.kept[0].message, STR("diagnostic/records/x: it is missing"));
	CHECK_STR(str_from(m->findings.kept[0].code), STR("LG017"));
	end(&r);
}

TEST(findings_that_nobody_wants_to_see_are_counted)
{
	struct made *m = made_new();
	struct ledger_check c;
	struct check_run r = run_on(m, &c);

	findings_init(&m->findings, &m->arena, 2);
	for (int i = 0; i < 100; i++)
		check_note(&r, LG_OBJECT_GONE, "objects/%d", i);
	CHECK_INT(m->findings.errors, 100);
	CHECK_INT(m->findings.kept_count, 2);
	end(&r);
}

TEST(a_file_is_read_whole_or_up_to_a_limit)
{
	struct made *m = made_new();
	struct err err = { .kind = ERR_NONE };
	struct ledger_check c;
	struct check_run r = run_on(m, &c);
	char *large = test_alloc(300000);

	memset(large, 'x', 300000);
	made_put(m, str_of(large, 300000), "l/some/file");
	CHECK_STR(str_from(check_path(&r, STR("some/file"))), STR("l/some/file"));
	CHECK_INT(check_read(&r, STR("some/file"), 1000000, &r.file, &err), CHECK_GOT);
	CHECK_INT(r.file.n, 300000);
	CHECK_INT(check_read(&r, STR("some/file"), 200000, &r.file, &err), CHECK_GOT);
	CHECK_INT(r.file.n, 200000);
	CHECK_INT(check_read_file(&r, "l/some/file", 10, &r.file, &err), CHECK_GOT);
	CHECK_INT(r.file.n, 10);
	end(&r);
}

TEST(what_is_no_file_is_absent_and_what_cannot_be_read_an_error)
{
	struct made *m = made_new();
	struct err err = { .kind = ERR_NONE };
	struct ledger_check c;
	struct check_run r = run_on(m, &c);

	made_put(m, STR("x"), "l/some/file");
	CHECK_INT(check_read(&r, STR("none"), 10, &r.file, &err), CHECK_ABSENT);
	CHECK_INT(check_read(&r, STR("some"), 10, &r.file, &err), CHECK_ABSENT);
	m->disk->deny = EIO;
	CHECK_INT(check_read(&r, STR("some/file"), 10, &r.file, &err), CHECK_FAILED);
	CHECK(err.kind == ERR_IO && strstr(err.text, "l/some/file"));
	end(&r);
}

TEST(a_full_tile_may_stand_for_a_partial_one)
{
	struct made *m = made_new();
	struct tile t = { .level = 0, .n = 0, .width = 7 };
	struct err err = { .kind = ERR_NONE };
	struct ledger_check c;
	struct check_run r = run_on(m, &c);
	bool full;

	CHECK_INT(check_read_tile(&r, &t, &r.file, &full, &err), CHECK_ABSENT);
	made_put(m, STR("full"), "l/tile/0/000");
	CHECK_INT(check_read_tile(&r, &t, &r.file, &full, &err), CHECK_GOT);
	CHECK(full);
	CHECK_STR(buf_str(&r.file), STR("full"));
	made_put(m, STR("part"), "l/tile/0/000.p/7");
	CHECK_INT(check_read_tile(&r, &t, &r.file, &full, &err), CHECK_GOT);
	CHECK(!full);
	CHECK_STR(buf_str(&r.file), STR("part"));
	end(&r);
}

TEST(names_in_a_directory_come_in_order)
{
	struct made *m = made_new();
	struct err err = { .kind = ERR_NONE };
	struct ledger_check c;
	struct check_run r = run_on(m, &c);
	struct str *names;
	size_t count;

	made_put(m, STR(""), "l/d/b");
	made_put(m, STR(""), "l/d/a");
	made_put(m, STR(""), "l/d/c/x");
	CHECK(check_list(&r, &m->arena, "l/d", &names, &count, &err));
	CHECK_INT(count, 3);
	CHECK_STR(names[0], STR("a"));
	CHECK_STR(names[2], STR("c"));
	CHECK(check_list(&r, &m->arena, "l/none", &names, &count, &err));
	CHECK_INT(count, 0);
	end(&r);
}
