#include "trial/beneath.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "harness/test.h"

TEST(a_name_leads_nowhere_but_below_its_directory)
{
	static const struct {
		const char *name;
		enum beneath state;
	} cases[] = {
		{ "in/a.txt", BENEATH_FOUND },   { "a.txt", BENEATH_ABSENT },     { "in", BENEATH_NO_FILE },
		{ "../x", BENEATH_OUTSIDE },     { "in/../in/a.txt", BENEATH_OUTSIDE }, { "/etc/passwd", BENEATH_OUTSIDE },
		{ "", BENEATH_OUTSIDE },         { ".key", BENEATH_HIDDEN },      { "in/.key", BENEATH_HIDDEN },
		{ "link", BENEATH_LINK },        { "up/in/a.txt", BENEATH_LINK }, { "in/a.txt/b", BENEATH_NO_FILE },
		{ "pipe", BENEATH_NO_FILE },     { "large", BENEATH_LARGE },
	};
	struct err err = { .kind = ERR_NONE };
	struct arena a;
	struct str dir;
	int fd;

	arena_init(&a);
	dir = str_from(test_dir());
	CHECK(mkdir(ARENA_JOIN(&a, dir, STR("/in")).p, 0700) == 0);
	CHECK(file_replace(ARENA_JOIN(&a, dir, STR("/in/a.txt")), STR("x"), 0600, &err));
	CHECK(symlink("in/a.txt", ARENA_JOIN(&a, dir, STR("/link")).p) == 0);
	CHECK(symlink(".", ARENA_JOIN(&a, dir, STR("/up")).p) == 0);
	CHECK(mkfifo(ARENA_JOIN(&a, dir, STR("/pipe")).p, 0600) == 0);
	CHECK(file_replace(ARENA_JOIN(&a, dir, STR("/large")), STR("x"), 0600, &err));
	CHECK(truncate(ARENA_JOIN(&a, dir, STR("/large")).p, (off_t)BENEATH_MAX + 1) == 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		enum beneath state;

		test_case("%s", cases[i].name);
		fd = -1;
		state = beneath_open(&a, dir, str_from(cases[i].name), &fd);
		CHECK_INT(state, cases[i].state);
		CHECK(beneath_why(state) && (fd >= 0) == (state == BENEATH_FOUND || state == BENEATH_LARGE));
		if (fd >= 0)
			close(fd);
	}
	CHECK_INT(beneath_open(&a, STR("/nowhere/at/all"), STR("a"), &fd), BENEATH_ABSENT);
	arena_free(&a);
}

TEST(a_name_tells_its_media_type)
{
	CHECK_STR(beneath_media(STR("a.jsonl")), STR("application/jsonl"));
	CHECK_STR(beneath_media(STR("a.json")), STR("application/json"));
	CHECK_STR(beneath_media(STR("a")), STR("application/octet-stream"));
}
