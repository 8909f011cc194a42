#include "bench/report/check_pages.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/build.h"
#include "base/file.h"
#include "bench/report/outputs.h"
#include "harness/test.h"

struct setting {
	struct arena arena;
	struct findings findings;
	struct config config;
	struct str dir;
};

static struct str path_of(struct setting *s, const char *name)
{
	return arena_printf(&s->arena, "%.*s/%s", STR_ARG(s->dir), name);
}

static void put(struct setting *s, const char *name, struct str text)
{
	struct err err = { .kind = ERR_NONE };

	if (!file_replace(path_of(s, name), text, 0644, &err))
		FAIL("%s", err.text);
}

static void make_pages(struct setting *s, enum rate_method method)
{
	struct err err = { .kind = ERR_NONE };
	struct summary sum;

	if (!outputs_write(&s->arena, s->dir, &s->config, method, false, &sum, &err))
		FAIL("%s", err.text);
}

/* A run whose pages this version made. */
static void open_run(struct setting *s)
{
	static const char *const files[] = {
		"config.json", "inventory.json", "results.jsonl", "resources_mock__m1__none_before.txt",
		"resources_mock__m1__none_after.txt", "resources_mock__m2__none_before.txt",
		"resources_mock__m2__none_after.txt",
	};
	char dir[] = "/tmp/trackway-pages-XXXXXX", path[200];
	struct err err = { .kind = ERR_NONE };

	*s = (struct setting){ .dir = { NULL, 0 } };
	arena_init(&s->arena);
	CHECK(mkdtemp(dir) != NULL);
	s->dir = arena_copy(&s->arena, str_from(dir));
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		snprintf(path, sizeof(path), "bench/run/%s", files[i]);
		put(s, files[i], test_data(path));
	}
	CHECK(config_read(&s->config, &s->arena, path_of(s, "config.json"), &err));
	make_pages(s, RATE_WILSON);
}

static void close_run(struct setting *s)
{
	if (system(arena_printf(&s->arena, "rm -rf %s", s->dir.p).p) != 0)
		FAIL("cannot clean up");
	arena_free(&s->arena);
}

static void change(struct setting *s, const char *name, const char *was, const char *is)
{
	struct str text = test_read(path_of(s, name).p);
	size_t at = str_find(text, str_from(was));

	if (at == (size_t)-1)
		FAIL("%s has no %s", name, was);
	put(s, name, arena_printf(&s->arena, "%.*s%s%.*s", (int)at, text.p, is, (int)(text.n - at - strlen(was)),
				  text.p + at + strlen(was)));
}

/* Without its last line, as an earlier version left it. */
static void lose_mark(struct setting *s, const char *name)
{
	struct str text = test_read(path_of(s, name).p);

	while (text.n > 1 && text.p[text.n - 2] != '\n')
		text.n--;
	put(s, name, str_of(text.p, text.n - 1));
}

static void expect(struct setting *s, const char *codes, const char *message)
{
	struct run_check c = { .path = s->dir, .arena = &s->arena, .findings = &s->findings };
	struct err err = { .kind = ERR_NONE };
	struct str out = STR(""), said = STR("");

	findings_init(&s->findings, &s->arena, 0);
	if (!run_check_pages(&c, &s->config, &err))
		FAIL("%s", err.text);
	for (size_t i = 0; i < s->findings.kept_count; i++) {
		out = arena_printf(&s->arena, "%.*s%s%s", STR_ARG(out), i ? " " : "", s->findings.kept[i].code);
		said = arena_printf(&s->arena, "%.*s|%.*s", STR_ARG(said), STR_ARG(s->findings.kept[i].message));
	}
	CHECK_STR(out, str_from(codes));
	if (message && str_find(said, str_from(message)) == (size_t)-1)
		FAIL("\"%s\" is not in %.*s", message, STR_ARG(said));
}

TEST(pages_of_this_version_are_compared_byte_for_byte)
{
	struct setting s;

	open_run(&s);
	expect(&s, "", NULL);
	make_pages(&s, RATE_EXACT); /* with other intervals they are other pages */
	expect(&s, "", NULL);
	change(&s, "summary.md", "## Notes", "## Nodes");
	expect(&s, "BR071", "summary.md, line ");
	make_pages(&s, RATE_WILSON);
	change(&s, "report.html", "benchmark report</title>", "a benchmark report</title>");
	expect(&s, "BR071", "report.html, line ");
	close_run(&s);
}

TEST(of_another_versions_pages_the_figures_are_compared)
{
	struct setting s;

	open_run(&s);
	lose_mark(&s, "summary.md");
	expect(&s, "BR072", "summary.md is a page of another version");
	change(&s, "summary.md", "## Notes", "## Nodes");
	expect(&s, "BR072", NULL);
	change(&s, "summary.md", "| m1 | - | - | 4 |", "| m1 | - | - | 5 |");
	expect(&s, "BR071 BR072", "n is 5, but the results give 4");
	make_pages(&s, RATE_WILSON);
	change(&s, "summary.md", "<!-- trackway " BUILD_VERSION, "<!-- trackway 0.0.1");
	expect(&s, "BR072", NULL);
	lose_mark(&s, "report.html");
	expect(&s, "BR072 BR072", "report.html is a page of another version");
	change(&s, "report.html", "<bdi>mock:m2</bdi></th>", "<bdi>mock:m3</bdi></th>");
	expect(&s, "BR072 BR071 BR072", "report.html lacks a target");
	close_run(&s);
}

TEST(another_programs_page_is_not_checked_and_a_link_not_followed)
{
	struct setting s;

	open_run(&s);
	put(&s, "summary.md", STR("# My own words\n"));
	expect(&s, "BR072", "summary.md is another program's page: not checked");
	CHECK(unlink(path_of(&s, "summary.md").p) == 0 && unlink(path_of(&s, "report.html").p) == 0);
	expect(&s, "", NULL);
	CHECK(symlink("/etc/passwd", path_of(&s, "summary.md").p) == 0);
	expect(&s, "", NULL);
	close_run(&s);
}
