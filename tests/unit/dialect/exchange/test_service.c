#include "dialect/exchange/service.h"
#include "harness/test.h"

/* A row that passes here can be recorded: clients can be led to us, their requests known, and passed on. */
TEST(every_service_has_what_recording_needs)
{
	const struct service *s;
	size_t at = 0, count = 0, defaults = 0;

	while ((s = service_next(&at))) {
		CHECK(s->name && s->name[0]);
		test_case("%s", s->name);
		CHECK(!s->host || str_starts(str_from(s->host), STR("https://")) || str_starts(str_from(s->host), STR("http://")));
		CHECK(!s->endpoint || str_starts(str_from(s->endpoint), str_from(s->host)));
		CHECK(!s->version || s->version[0] == '/' || s->version[0] == '\0');
		CHECK(!s->signs[SERVICE_SIGNS - 1].n); /* ended */
		CHECK(s->variables && s->variables[0].name);
		for (const struct service_variable *v = s->variables; v->name; v++) {
			CHECK(v->path && (v->path[0] == '/' || v->path[0] == '\0'));
			CHECK(!(v->flags & SERVICE_BARE) || service_is_told(s)); /* its requests do not name it */
			CHECK(s->host || (v->flags & SERVICE_IF_SET));           /* there is no address for it */
		}
		for (const struct service_path *row = s->paths; row && row->begins.n; row++)
			CHECK(row->begins.p[0] == '/' && service_version_first(s, row->begins) == 0);
		CHECK(!service_is_root(str_from(s->name))); /* else its paths would be taken for its name */
		CHECK(service_find(str_from(s->name)) == s);
		defaults += s->is_default;
		count++;
	}
	CHECK(count > 0);
	CHECK_INT(defaults, 1);
}

TEST(a_service_of_several_apis_is_given_once)
{
	const struct service *s, *other;
	size_t at = 0;

	while ((s = service_next(&at))) {
		size_t after = at;

		while ((other = service_next(&after)))
			CHECK(other != s && strcmp(other->name, s->name) != 0);
	}
}

/* Of two services that read one variable the user could lead only one. */
TEST(a_variable_is_of_one_service)
{
	const struct service *s, *other;
	size_t at = 0;

	while ((s = service_next(&at))) {
		size_t after = at;

		while ((other = service_next(&after)))
			for (const struct service_variable *v = s->variables; v->name; v++)
				for (const struct service_variable *o = other->variables; o->name; o++)
					CHECK(strcmp(v->name, o->name) != 0);
	}
}

TEST(a_version_is_known_at_both_ends_of_a_path)
{
	static const struct {
		const char *service, *path;
		size_t first, last;
	} cases[] = {
		{ "openai", "/v1/chat", 3, 0 },       { "openai", "/x/v1", 0, 3 },        { "openai", "/v1", 3, 3 },
		{ "gemini", "/v1beta/models", 7, 0 }, { "gemini", "/v1/models?x", 3, 0 }, { "groq", "/openai/v1/chat", 10, 0 },
		{ "groq", "/x/openai/v1", 0, 10 },    { "groq", "/openai/chat", 0, 0 },   { "kimi", "/coding/v1", 10, 10 },
		{ "deepseek", "/beta/chat", 5, 0 },   { "deepseek", "/chat", 0, 0 },      { "openai", "/v1x", 0, 0 },
		{ "openai", "/v/chat", 0, 0 },        { "openai", "", 0, 0 },             { "openai", "/", 0, 0 },
		{ "openai", "v1", 0, 0 },             { "openai", "/version", 0, 0 },     { "nobody", "/v4/x/v2alpha1", 3, 9 },
		{ "openai", "/v1?x", 3, 0 },          { "openai", "/v999999/x", 0, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct service *s = service_find(str_from(cases[i].service));

		test_case("%s %s", cases[i].service, cases[i].path);
		CHECK_INT(service_version_first(s, str_from(cases[i].path)), cases[i].first);
		CHECK_INT(service_version_last(s, str_from(cases[i].path)), cases[i].last);
	}
}

TEST(paths_of_a_service_are_known_by_how_they_begin)
{
	const struct service *s = service_find(STR("anthropic"));

	CHECK(service_find_path(s, STR("/messages")) && service_find_path(s, STR("/messages/count_tokens?beta=true")));
	CHECK(!service_find_path(s, STR("/message")) && !service_find_path(s, STR("/api/hello")) && !service_find_path(s, STR("")));
	CHECK(!service_find_path(NULL, STR("/messages")) && !service_find_path(service_find(STR("azure")), STR("/messages")));
}

TEST(a_part_of_a_path_ends_where_the_next_one_begins)
{
	static const struct {
		const char *path;
		bool begins;
	} cases[] = {
		{ "/v1", true }, { "/v1/x", true }, { "/v1?x", true }, { "/v1beta", false }, { "/", false }, { "", false }, { "/x/v1", false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].path);
		CHECK(service_path_begins(str_from(cases[i].path), STR("/v1")) == cases[i].begins);
	}
}

TEST(names_that_begin_paths_of_services_are_taken)
{
	static const char *const taken[] = { "v1", "v1beta", "api" };
	static const char *const free[] = { "", "v", "v2", "openai", "groq", "apis" };

	for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++) {
		test_case("%s", taken[i]);
		CHECK(service_is_root(str_from(taken[i])));
	}
	for (size_t i = 0; i < sizeof(free) / sizeof(free[0]); i++) {
		test_case("%s", free[i]);
		CHECK(!service_is_root(str_from(free[i])));
	}
}
