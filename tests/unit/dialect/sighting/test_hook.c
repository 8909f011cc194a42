/* Members of what a hook was told: ids and names only where they look like some, and of results only their size. */
#include "dialect/sighting/hook.h"

#include "harness/test.h"

struct fixture {
	struct arena arena;
	struct json_parser *parser;
};

static struct val parsed(struct fixture *f, const char *text)
{
	struct val v;

	CHECK(json_parse_copy(f->parser, str_from(text), &v, NULL));
	return v;
}

static void begin(struct fixture *f)
{
	arena_init(&f->arena);
	f->parser = json_parser_open((struct json_options){ .allow_duplicates = true });
}

static void end(struct fixture *f)
{
	json_parser_close(f->parser);
	arena_free(&f->arena);
}

TEST(an_id_that_looks_like_content_is_none)
{
	static const struct { const char *text, *id; } cases[] = {
		{ "{\"id\":\"toolu_01A\"}", "toolu_01A" },
		{ "{\"id\":\"0193b3a1-7c00-7abc-8def-0123456789ab\"}", "0193b3a1-7c00-7abc-8def-0123456789ab" },
		{ "{\"id\":\"a sentence of a person\"}", NULL },
		{ "{\"id\":\"/data/me/secret\"}", NULL },
		{ "{\"id\":7}", NULL },
		{ "{\"id\":null}", NULL },
		{ "{\"id\":\"\"}", NULL },
		{ "{}", NULL },
		{ "[]", NULL },
	};
	struct fixture f;

	begin(&f);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct str id;

		test_case("%s", cases[i].text);
		id = hook_id(&f.arena, parsed(&f, cases[i].text), STR("id"));
		CHECK_INT(id.n > 0, cases[i].id != NULL);
		if (cases[i].id)
			CHECK_STR(id, str_from(cases[i].id));
	}
	end(&f);
}

TEST(a_name_has_nothing_of_its_arguments)
{
	struct fixture f;
	struct str name;

	begin(&f);
	name = hook_name(&f.arena, parsed(&f, "{\"n\":\"mcp__github__search\"}"), STR("n"));
	CHECK_STR(name, STR("mcp__github__search"));
	name = hook_name(&f.arena, parsed(&f, "{\"n\":\"Bash(cat /data/me/canary)\"}"), STR("n"));
	CHECK(str_find(name, STR("canary")) == (size_t)-1);
	CHECK(!hook_name(&f.arena, parsed(&f, "{}"), STR("n")).p);
	end(&f);
}

TEST(milliseconds_are_read_where_they_are_some)
{
	static const struct { const char *text; int64_t ns; } cases[] = {
		{ "{\"ms\":12}", 12000000 }, { "{\"ms\":0.5}", 500000 }, { "{\"ms\":0}", 0 },   { "{\"ms\":-1}", -1 },
		{ "{\"ms\":1e300}", -1 },    { "{\"ms\":\"12\"}", -1 },  { "{\"ms\":null}", -1 }, { "{}", -1 },
	};
	struct fixture f;

	begin(&f);
	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%s", cases[i].text);
		CHECK_INT(hook_ms(parsed(&f, cases[i].text), STR("ms")), cases[i].ns);
	}
	end(&f);
}

TEST(results_have_a_size_and_a_kind)
{
	static const struct { const char *text, *kind; int64_t size; } cases[] = {
		{ "\"four\"", "text", 4 },
		{ "\"\\u00e4\"", "text", 2 },
		{ "\"{\\\"a\\\":1}\"", "json", 7 },
		{ "\"\"", "text", 0 },
		{ "[{\"type\":\"text\",\"text\":\"abc\"},{\"type\":\"text\",\"text\":\"de\"}]", "text", 5 },
		{ "[{\"type\":\"image\",\"data\":\"xxxx\"}]", "image", 32 },
		{ "{\"content\":[{\"type\":\"text\",\"text\":\"abc\"}]}", "text", 3 },
		{ "{\"stdout\":\"ab\",\"stderr\":\"c\",\"interrupted\":false,\"isImage\":false}", "text", 3 },
		{ "{\"stdout\":\"ab\",\"isImage\":true}", "image", 2 },
		{ "{\"type\":\"text\",\"file\":{\"content\":\"line\\n\",\"numLines\":1}}", "text", 5 },
		{ "{\"a\":[1,2]}", "json", 11 },
		{ "[]", "json", 2 },
		{ "[1]", "json", 3 },
		{ "7", "json", 1 },
		{ "null", NULL, -1 },
	};
	struct fixture f;

	begin(&f);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct sighting s = sighting_of(SIGHT_TOOL_END, SIGHT_HOOK);

		test_case("%s", cases[i].text);
		hook_result(&f.arena, parsed(&f, cases[i].text), &s);
		CHECK_INT(s.size, cases[i].size);
		CHECK_INT(s.result_kind.p != NULL, cases[i].kind != NULL);
		if (cases[i].kind)
			CHECK_STR(s.result_kind, str_from(cases[i].kind));
	}
	end(&f);
}
