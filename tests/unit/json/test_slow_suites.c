/* Files that are right or wrong: our own, and the suites of others. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "harness/test.h"
#include "unit/json/slow_bench.h"

/* Every file of the directory, which says what is expected; strict. */
static size_t judge_directory(const char *directory, bool accept)
{
	struct dirent **names;
	int count = scandir(directory, &names, NULL, alphasort);
	size_t files = 0;

	CHECK(count > 0);
	for (int i = 0; i < count; i++) {
		char path[1024];
		struct bench b;

		snprintf(path, sizeof(path), "%s/%s", directory, names[i]->d_name);
		if (names[i]->d_name[0] != '.') {
			test_case("%s", path);
			bench_init(&b);
			CHECK_INT(bench_parse(&b, test_read(path)), accept);
			bench_free(&b);
			files++;
		}
		free(names[i]);
	}
	free(names);
	return files;
}

TEST(our_own_files_are_accepted_and_refused_as_their_directories_say)
{
	CHECK_INT(judge_directory("tests/data/json/accept", true), 23);
	CHECK_INT(judge_directory("tests/data/json/reject", false), 81);
}

struct tally {
	size_t accepts, accepts_right, rejects, rejects_right, either;
};

static struct str get_column(const char *row, int column)
{
	for (; column > 0; column--)
		row += strcspn(row, "\t") + 1;
	return str_of(row, strcspn(row, "\t\n"));
}

static void judge_file(const char *path, struct str expect, struct tally *t)
{
	struct bench b;
	bool got;

	bench_init(&b);
	b.s.options = (struct json_options){ .allow_duplicates = true, .allow_lone = true };
	got = bench_parse(&b, test_read(path));
	if (str_eq(expect, STR("accept"))) {
		t->accepts++;
		t->accepts_right += got;
	} else if (str_eq(expect, STR("reject"))) {
		t->rejects++;
		t->rejects_right += !got;
	} else {
		t->either++;
	}
	if (str_eq(expect, got ? STR("reject") : STR("accept")))
		printf("  %s: expected %.*s: %s\n", path, STR_ARG(expect), got ? "" : b.s.issue.message);
	bench_free(&b);
}

static void judge_suite(const char *directory, const char *table, int column, size_t accepts, size_t rejects)
{
	struct tally t = { 0 };
	char path[1024], row[1024];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", directory, table);
	f = fopen(path, "r");
	CHECK(f != NULL);
	CHECK(fgets(row, sizeof(row), f) != NULL);
	while (fgets(row, sizeof(row), f)) {
		snprintf(path, sizeof(path), "%s/%.*s", directory, STR_ARG(get_column(row, 0)));
		judge_file(path, get_column(row, column), &t);
	}
	fclose(f);
	printf("  %s: accepts %zu of %zu, rejects %zu of %zu, either %zu\n", table, t.accepts_right, t.accepts,
	       t.rejects_right, t.rejects, t.either);
	CHECK_INT(t.accepts, accepts);
	CHECK_INT(t.rejects, rejects);
	CHECK_INT(t.accepts_right, t.accepts);
	CHECK_INT(t.rejects_right, t.rejects);
}

TEST(the_json_test_suite_is_judged_as_rfc_8259_has_it)
{
	const char *directory = test_shared("corpora/01-jsontestsuite/dev");

	judge_suite(directory, "EXPECT.test_parsing.tsv", 5, 65, 129);
}

TEST(the_transform_files_of_the_json_test_suite_are_judged_as_rfc_8259_has_it)
{
	const char *directory = test_shared("corpora/01-jsontestsuite/dev");

	judge_suite(directory, "EXPECT.test_transform.tsv", 5, 11, 2);
}

TEST(further_suites_are_judged_as_rfc_8259_has_it)
{
	const char *directory = test_shared("corpora/01b-json-extra/dev");

	judge_suite(directory, "EXPECT.tsv", 4, 76, 190);
}
