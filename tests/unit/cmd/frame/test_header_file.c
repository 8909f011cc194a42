#include "cmd/frame/header_file.h"

#include "base/file.h"
#include "harness/test.h"

/* Reads a file with this text. */
static bool read_text(struct arena *a, struct str text, const struct http_header **list, size_t *n, struct err *err)
{
	struct str path = arena_printf(a, "%s/headers", test_dir());

	*err = (struct err){ .kind = ERR_NONE };
	CHECK(file_replace(path, text, 0600, err));
	return header_file_read(a, path, list, n, err);
}

TEST(headers_are_lines_of_name_and_value)
{
	const struct http_header *list = NULL;
	struct arena a;
	struct err err;
	size_t n = 7;

	arena_init(&a);
	CHECK(read_text(&a, STR("# mine\n\nX-A: 1 : 2 \r\n  Authorization:Bearer x"), &list, &n, &err));
	CHECK_INT(n, 2);
	CHECK_STR(list[0].name, STR("X-A"));
	CHECK_STR(list[0].value, STR("1 : 2"));
	CHECK_STR(list[1].name, STR("Authorization"));
	CHECK_STR(list[1].value, STR("Bearer x"));
	CHECK(header_file_read(&a, str_of(NULL, 0), &list, &n, &err));
	CHECK_INT(n, 2); /* without a path nothing changes */
	arena_free(&a);
}

TEST(a_line_that_is_no_header_is_named_and_not_shown)
{
	static const char *const cases[] = { "hush", ":hush", "a b: hush", "X: hush\x01", "X: a\rhush" };
	const struct http_header *list;
	struct arena a;
	struct err err;
	size_t n;

	arena_init(&a);
	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%s", cases[i]);
		CHECK(!read_text(&a, ARENA_JOIN(&a, STR("A: b\n"), str_from(cases[i])), &list, &n, &err));
		CHECK_INT(err.kind, ERR_DATA);
		CHECK(strstr(err.text, "/headers:2: this is not 'Name: value'"));
		CHECK(!strstr(err.text, "hush"));
	}
	CHECK(!header_file_read(&a, STR("/nowhere/headers"), &list, &n, &err));
	CHECK(strstr(err.text, "--header-file: "));
	arena_free(&a);
}
