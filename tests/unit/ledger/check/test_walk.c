#include "unit/ledger/made_check.h"

static struct made *make(void)
{
	struct made *m = made_new();

	for (int i = 0; i < 6; i++)
		made_trial(m, LEDGER_MAIN, (char[]){ (char)('a' + i), 0 });
	made_publish(m);
	return m;
}

TEST(files_that_no_log_has_are_named)
{
	static const struct {
		const char *path;
		enum ledger_rule rule;
	} files[] = {
		{ "tile/0/000.bak", LG_STRAY },
		{ "tile/0/000", LG_STRAY },           /* of a log with 256 entries */
		{ "tile/0/000.p/7", LG_STRAY },       /* of one with seven */
		{ "tile/0/001.p/1", LG_STRAY },
		{ "tile/1/000.p/1", LG_STRAY },
		{ "tile/8/000", LG_STRAY },
		{ "tile/entries/000.p/07", LG_STRAY },
		{ "tile/readme", LG_STRAY },
		{ "objects/notes.txt", LG_STRAY },
		{ "objects/sha256/ab/short", LG_STRAY },
		{ "objects/sha256/00/11111111111111111111111111111111111111111111111111111111111111", LG_STRAY },
		{ "objects/md5/ab/c", LG_STRAY },
		{ "checkpoints/latest", LG_STRAY },
		{ "records/exp/new.json", LG_RECORD_STRAY },
		{ "records/new.json", LG_RECORD_STRAY },
		{ "checkpoints/007", LG_STRAY },
		{ "checkpoints/999999999999999999999999", LG_STRAY },
		{ "records/other/deep/er.json", LG_RECORD_STRAY },
		{ "records/1/2/3/4/5/6/7/8/9/10/a.json", LG_RECORD_STRAY },
		{ "records/exp/.new.json", LG_RECORD_STRAY },
		{ "records/exp/.tmp-1-2", LG_LINK_STRAY },
		{ "records/other/_deep/er.json", LG_LINK_STRAY },
		{ "artifacts/a/out.txt", LG_LINK_STRAY },
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct made *m = make();
		char name[64];

		test_case("%s", files[i].path);
		made_put(m, STR("?"), "l/%s", files[i].path);
		made_run(m);
		snprintf(name, sizeof(name), "%.30s", files[i].path);
		if (strstr(name, "/10/")) /* a directory is named for what is in it */
			snprintf(name, sizeof(name), "records/1/2/3/4/5/6/7/8/9/10: ");
		CHECK_ONLY(m, files[i].rule, name);
		CHECK_INT(m->findings.errors, files[i].rule == LG_RECORD_STRAY);
	}
}

TEST(files_beside_the_log_are_nobodys_business)
{
	static const char *const paths[] = { "README.md", "notes/a.txt", ".state/index.sqlite", ".git/config" };
	struct made *m = make();

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		made_put(m, STR("?"), "l/%s", paths[i]);
	made_run(m);
	CHECK_CLEAN(m);
	CHECK_INT(m->findings.infos, 0);
}

TEST(temporary_files_that_were_left_behind_are_notes)
{
	static const char *const paths[] = { ".tmp-1-2", "tile/0/.tmp-1-2", "objects/sha256/ab/.tmp9", ".state/.tmp1" };

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		struct made *m = make();

		test_case("%s", paths[i]);
		made_put(m, STR("?"), "l/%s", paths[i]);
		made_run(m);
		CHECK_CLEAN(m);
		CHECK_INT(made_count(m, LG_LEFTOVER, paths[i]), 1);
	}
}

/* A writer that was stopped between its tiles and its checkpoint. */
TEST(tiles_of_entries_that_are_committed_are_no_strays)
{
	struct made *m = make();

	made_publish_at(m, LEDGER_MAIN, 4);
	made_put_frame(m, LEDGER_MAIN, 4, 6);
	made_file(m, "l/checkpoints/6")->gone = true;
	made_run(m);
	CHECK_CLEAN(m);
	CHECK_INT(m->report[0].size, 4);
}

TEST(strays_are_looked_for_only_by_the_owner)
{
	struct made *m = make();
	struct ledger_check c = made_check(m);

	made_put(m, STR("?"), "l/tile/0/000.bak");
	c.local = false;
	made_run_with(m, c);
	CHECK_CLEAN(m);
}

/* What people read must be what was sealed, in a copy without the writer's state too. */
TEST(records_that_nobody_sealed_are_found_in_every_copy)
{
	struct made *m = make();
	struct ledger_check c = made_check(m);

	made_put(m, STR("{}"), "l/records/exp/new.json");
	made_put(m, STR("?"), "l/records/exp/_notes.json");
	c.local = false;
	made_run_with(m, c);
	CHECK_INT(made_count(m, LG_RECORD_STRAY, "records/exp/new.json"), 1);
	CHECK_INT(m->findings.errors, 1);
	CHECK_INT(made_count(m, LG_LINK_STRAY, "records/exp/_notes.json"), 1);
}

/* ---- links that lead back ---- */

struct looping {
	struct disk disk; /* first: for the other functions it is one */
	const struct io_ops *plain;
	const char *at; /* in this directory there are names of itself */
	unsigned listed;
};

static int stat_it(void *own, const char *path, struct io_stat *out)
{
	struct looping *l = own;
	int r = 0;

	if (strstr(path, "/loop"))
		*out = (struct io_stat){ .is_dir = true };
	else
		r = l->plain->stat(own, path, out);
	if (r == 0 && out->is_dir)
		out->inode = strstr(path, l->at) ? 4711 : 0;
	return r;
}

static int list_it(void *own, const char *path, bool (*each)(void *context, const char *name), void *context)
{
	struct looping *l = own;

	if (!strstr(path, l->at))
		return l->plain->list(own, path, each, context);
	CHECK(++l->listed < 100);
	for (char i = '0'; i <= '9'; i++)
		each(context, (char[]){ 'l', 'o', 'o', 'p', i, 0 });
	return 0;
}

TEST(a_directory_that_contains_itself_is_walked_once)
{
	static const struct { const char *at; enum ledger_rule rule; } cases[] = {
		{ "l/tile/x", LG_STRAY }, { "l/records/x", LG_RECORD_STRAY },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct made *m = make();
		struct looping l = { .plain = m->io.ops, .at = cases[i].at };
		struct io_ops ops = *m->io.ops;
		struct io io = { .ops = &ops, .own = &l };
		struct ledger_check c = made_check(m);

		test_case("%s", cases[i].at);
		made_put(m, STR("?"), "%s/y", cases[i].at);
		l.disk = *m->disk;
		ops.stat = stat_it;
		ops.list = list_it;
		c.io = &io;
		made_run_with(m, c);
		CHECK_INT(l.listed, 1);
		CHECK_INT(made_count(m, cases[i].rule, "/x/loop"), 10);
	}
}

/* ---- links that lead out ---- */

/* What is behind "records/away" is some other directory's. */
static void put_away(struct made *m, const char *link, const char *name)
{
	struct disk_file *f = made_put(m, STR("?"), "%s/%s", link, name);

	f->linked = true;
	f->link = strlen(link);
}

TEST(a_directory_behind_a_link_is_named_and_not_walked)
{
	static const struct { const char *link; enum ledger_rule rule; } cases[] = {
		{ "l/records/away", LG_RECORD_STRAY }, { "l/artifacts/away", LG_LINK_STRAY }, { "l/tile/away", LG_STRAY },
		{ "l/objects/away", LG_STRAY },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct made *m = make();

		test_case("%s", cases[i].link);
		put_away(m, cases[i].link, "etc/passwd");
		put_away(m, cases[i].link, "home/owner/new.json");
		made_run(m);
		CHECK_ONLY(m, cases[i].rule, cases[i].link + 2);
		CHECK_INT(made_count(m, cases[i].rule, "passwd"), 0);
	}
}

TEST(the_directory_of_records_itself_may_not_be_a_link)
{
	struct made *m = make();

	for (size_t i = 0; i < m->disk->count; i++)
		if (strncmp(m->disk->files[i].path, "l/records/", 10) == 0) {
			m->disk->files[i].linked = true;
			m->disk->files[i].link = strlen("l/records");
		}
	made_run(m);
	CHECK_INT(made_count(m, LG_RECORD_STRAY, "records: it is a link, and is not followed"), 1);
	CHECK_INT(made_count(m, LG_LINK_GONE, "records/exp/a.json"), 1);
}

TEST(a_name_that_is_a_link_is_not_what_was_sealed)
{
	struct made *m = make();

	made_file(m, "l/records/exp/b.json")->linked = true;
	made_run(m);
	CHECK_ONLY(m, LG_LINK, "records/exp/b.json: it is not the trial 'b' that entry 1 seals");
}
