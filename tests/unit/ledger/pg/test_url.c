#include <stdlib.h>

#include "harness/test.h"
#include "ledger/pg/private.h"

TEST(a_url_is_shown_without_its_password)
{
	static const struct { const char *url, *shown; } cases[] = {
		{ "postgres://h/db", "postgres://h/db" },
		{ "postgresql://h:5433/db", "postgresql://h:5433/db" },
		{ "postgres://u@h/db", "postgres://u@h/db" },
		{ "postgres://u:secret@h:5433/db?sslmode=require", "postgres://u@h:5433/db?sslmode=require" },
		{ "postgres://u:secret@[::1]:5433/db", "postgres://u@[::1]:5433/db" },
		{ "postgres://u:secret@a:1,b:2/db", "postgres://u@a:1,b:2/db" },
		{ "postgres://h/db?password=secret", "postgres://h/db" },
		{ "postgres://h/db?password=secret&sslmode=require", "postgres://h/db?sslmode=require" },
		{ "postgres://h/db?user=u&sslpassword=secret&x=1", "postgres://h/db?user=u&x=1" },
		{ "postgres://h/db?p%61ssword=secret", "postgres://h/db" },
		{ "postgres:///db?host=/run/pg&user=a@b", "postgres:///db?host=/run/pg&user=a@b" },
		{ "postgres://h:5433/db?user=a@b", "postgres://h:5433/db?user=a@b" },
		{ "postgres://[::1]/db", "postgres://[::1]/db" },
		{ "postgres://", "postgres://" },
		/* Those that we refuse are shown in messages too. */
		{ "postgres://u:se@cret@h/db", "postgres://u@h/db" },
		{ "postgres://u:se/cret@h/db", "postgres://u@h/db" },
		{ "postgres://u:se?cret@h/db", "postgres://u@h/db" },
		{ "postgres://u:se/c?ret@h/db", "postgres://..." },
		{ "postgres://u:secret", "postgres://..." },
		{ "postgres://u:secret/db", "postgres://..." },
		{ "postgres://u\n\033:secret@h/db", "postgres://u__@h/db" },
		{ "secret", "a database" },
		{ "", "a database" },
	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct str shown = log_pg_show_url(&a, str_from(cases[i].url));

		test_case("%s", cases[i].url);
		CHECK_STR(shown, str_from(cases[i].shown));
		CHECK_INT(str_find(shown, STR("cret")), (size_t)-1);
	}
	arena_free(&a);
}

TEST(a_password_that_would_pass_for_a_host_is_refused)
{
	static const struct { const char *url; bool good; } cases[] = {
		{ "postgres://h/db", true },
		{ "postgresql://u:p@h/db", true },
		{ "postgres://u:p%40q@h/db", true },
		{ "postgres://u:p?q@h/db", true },
		{ "postgres:///db?user=a@b", true },
		{ "postgres://u:p@h/db?options=-c%20x&user=a@b", true },
		{ "postgres://u:p@q@h/db", false },
		{ "postgres://u:p/q@h/db", false },
		{ "mysql://h/db", false },
		{ "/a/directory", false },
		{ "", false },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct err err = { .kind = ERR_NONE };

		test_case("%s", cases[i].url);
		CHECK_INT(pg_check_url(str_from(cases[i].url), &err), cases[i].good);
		CHECK_INT(err.kind, cases[i].good ? ERR_NONE : ERR_USAGE);
		CHECK(!strstr(err.text, "p@q") && !strstr(err.text, "p/q"));
	}
	CHECK(!pg_check_url(STR("postgres://h/d\0b"), &(struct err){ .kind = ERR_NONE }));
}
