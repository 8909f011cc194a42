#include "dialect/exchange/service.h"
#include "harness/test.h"

/* A row that passes here can be recorded: clients can be led to us, their requests known, and passed on. */
TEST(every_service_has_what_recording_needs)
{
	const struct service *s;
	size_t at = 0, count = 0, defaults = 0;

	while ((s = service_next(&at))) {
		bool is_known = s->header || s->signs[0].n || s->owns_path || s->is_default;

		CHECK(s->name && s->name[0]);
		test_case("%s", s->name);
		CHECK(s->host && (str_starts(str_from(s->host), STR("https://")) || str_starts(str_from(s->host), STR("http://"))));
		CHECK(!s->endpoint || str_starts(str_from(s->endpoint), str_from(s->host)));
		CHECK(!s->version || s->version[0] == '/');
		CHECK(s->base_env[0] || s->host_env[0]);
		CHECK(!s->base_env[SERVICE_ENV - 1] && !s->host_env[SERVICE_ENV - 1] && !s->signs[SERVICE_SIGNS - 1].n); /* ended */
		CHECK(is_known);
		CHECK(!service_is_root(str_from(s->name))); /* else its paths would be taken for its name */
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
