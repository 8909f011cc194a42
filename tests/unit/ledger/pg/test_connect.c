#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness/test.h"
#include "ledger/pg/private.h"

TEST(what_can_be_tried_again_is_told_by_its_state)
{
	static const struct { const char *state; bool connected; enum pg_next next; } cases[] = {
		{ "40001", true, PG_RETRY },     { "40P01", true, PG_RETRY },      { "40003", true, PG_RETRY },
		{ "57P01", true, PG_RECONNECT }, { "57P02", true, PG_RECONNECT },  { "57P03", true, PG_RECONNECT },
		{ "08006", true, PG_RECONNECT }, { "08000", true, PG_RECONNECT },  { "40001", false, PG_RECONNECT },
		{ NULL, false, PG_RECONNECT },   { "23505", false, PG_RECONNECT }, { NULL, true, PG_GIVE_UP },
		{ "23505", true, PG_GIVE_UP },   { "23001", true, PG_GIVE_UP },    { "42501", true, PG_GIVE_UP },
		{ "40002", true, PG_GIVE_UP },   { "53100", true, PG_GIVE_UP },    { "55P03", true, PG_RETRY },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%s %d", cases[i].state ? cases[i].state : "none", cases[i].connected);
		CHECK_INT(pg_after(cases[i].state, cases[i].connected), cases[i].next);
	}
}

TEST(pauses_grow_to_a_second_and_ten_seconds_in_all)
{
	unsigned sum = 0;

	CHECK_INT(pg_pause_ms(0), 10);
	CHECK_INT(pg_pause_ms(1), 20);
	CHECK_INT(pg_pause_ms(6), 640);
	CHECK_INT(pg_pause_ms(7), 1000);
	CHECK_INT(pg_pause_ms(UINT_MAX), 1000);
	for (unsigned i = 0; i + 1 < PG_TRIES; i++)
		sum += pg_pause_ms(i);
	CHECK(sum > 5000 && sum < 15000);
	CHECK(pg_pause(0));
}

TEST(patience_ends_with_tries_and_at_once_where_there_is_no_hope)
{
	struct pg_patience p = { .tries = 0 };
	unsigned tries = 0;

	CHECK(!pg_goes_on(&p, PG_DONE) && !pg_goes_on(&p, PG_GIVE_UP));
	CHECK_INT(p.tries, 0);
	CHECK(pg_goes_on(&p, PG_RETRY) && p.tries == 1);
	p.tries = PG_TRIES - 1;
	CHECK(!pg_goes_on(&p, PG_RETRY));
	p.tries = 1; /* a server that is gone is waited for by the clock */
	CHECK(pg_goes_on(&p, PG_RECONNECT));
	p.since_ns -= UINT64_C(1000000) * PG_PATIENCE_MS;
	CHECK(!pg_goes_on(&p, PG_RECONNECT) && !pg_goes_on(&p, PG_RETRY));
	p = (struct pg_patience){ .tries = 0 };
	CHECK(pg_goes_on(&p, PG_RETRY));
	for (p.tries = PG_TRIES - 3; pg_goes_on(&p, PG_RETRY);)
		tries++;
	CHECK_INT(tries, 2);
}

TEST(settings_that_lose_commits_are_refused_and_unknown_ones_told)
{
	static const struct { const char *name, *value; bool good, warned; } cases[] = {
		{ "fsync", "on", true, false },
		{ "fsync", "off", false, false },
		{ "fsync", NULL, true, true },
		{ "full_page_writes", "on", true, false },
		{ "full_page_writes", "off", false, false },
		{ "full_page_writes", NULL, true, true },
		{ "synchronous_commit", "on", true, false },
		{ "synchronous_commit", "remote_apply", true, false },
		{ "synchronous_commit", "local", true, false },
		{ "synchronous_commit", "off", false, false },
		{ "synchronous_commit", NULL, true, true },
		{ "data_checksums", "on", true, false },
		{ "data_checksums", "off", true, true },
		{ "data_checksums", NULL, true, true },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct err err = { .kind = ERR_NONE };
		const char *warning;

		test_case("%s=%s", cases[i].name, cases[i].value ? cases[i].value : "unknown");
		CHECK_INT(pg_check_setting(STR("here"), cases[i].name, cases[i].value, &warning, &err), cases[i].good);
		CHECK_INT(warning != NULL, cases[i].warned);
		if (!cases[i].good)
			CHECK(strstr(err.text, cases[i].name) && strstr(err.text, "= help: "));
	}
}

TEST(arrays_have_the_servers_binary_form)
{
	struct buf b;

	buf_init(&b);
	pg_array_begin(&b, 2);
	pg_array_add(&b, STR("ab"));
	pg_array_add(&b, STR(""));
	CHECK_STR(buf_str(&b), STR("\0\0\0\1\0\0\0\0\0\0\0\x11\0\0\0\2\0\0\0\1\0\0\0\2" "ab\0\0\0\0"));
	pg_array_begin(&b, 0);
	CHECK_STR(buf_str(&b), STR("\0\0\0\0\0\0\0\0\0\0\0\x11"));
	buf_free(&b);
}

TEST(values_are_bound_in_order_with_their_types)
{
	struct pg_bound q;
	struct buf b;

	buf_init(&b);
	pg_array_begin(&b, 0);
	const struct pg_query of = {
		"SELECT",
		{ PG_TEXT(STR("t")), PG_BYTES(str_of(NULL, 0)), PG_NUMBER(0x0102030405060708), PG_ARRAY(&b) },
	};

	pg_bind(&of, &q);
	CHECK_INT(q.count, 4);
	CHECK(q.types[0] == 25 && q.types[1] == 17 && q.types[2] == 20 && q.types[3] == 1001);
	CHECK(q.values[1] != NULL && q.sizes[1] == 0); /* no bytes, and not NULL, which means something else */
	CHECK_STR(str_of(q.values[2], (size_t)q.sizes[2]), STR("\1\2\3\4\5\6\7\10"));
	CHECK_INT(q.sizes[3], b.n);
	buf_free(&b);
}

/* What libpq itself gives for a result that nobody sent. */
TEST(results_are_read_by_width_and_checked)
{
	PGresAttDesc columns[] = { { .name = NULL }, { .name = NULL }, { .name = NULL } };
	char name[] = "c", small[] = { 0, 7 }, large[] = { 0, 0, 0, 1, 0, 0, 0, 0 }, hash[SHA256_SIZE] = { 9 };
	PGresult *r = PQmakeEmptyPGresult(NULL, PGRES_TUPLES_OK);
	struct digest d;

	for (size_t i = 0; i < COUNT(columns); i++)
		columns[i] = (PGresAttDesc){ .name = name, .format = 1 };
	CHECK(PQsetResultAttrs(r, COUNT(columns), columns));
	CHECK(PQsetvalue(r, 0, 0, small, sizeof(small)) && PQsetvalue(r, 0, 1, large, sizeof(large)) &&
	      PQsetvalue(r, 0, 2, hash, sizeof(hash)));
	CHECK_INT(pg_number(r, 0, 0), 7);
	CHECK_INT(pg_number(r, 0, 1), UINT64_C(1) << 32);
	CHECK_STR(pg_bytes(r, 0, 0), str_of(small, 2));
	CHECK(pg_digest(r, 0, 2, &d) && d.b[0] == 9);
	CHECK(!pg_digest(r, 0, 1, &d));
	PQclear(r);
}

/* A port that was free a moment ago. */
static unsigned dead_port(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t n = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	CHECK(fd >= 0 && bind(fd, (struct sockaddr *)&at, n) == 0 && getsockname(fd, (struct sockaddr *)&at, &n) == 0);
	close(fd);
	return ntohs(at.sin_port);
}

TEST(where_nobody_listens_the_message_says_so_without_the_password)
{
	struct err err = { .kind = ERR_NONE };
	struct pg g = { .conn = NULL };
	const struct pg_query q = { .sql = "SELECT 1" };
	struct arena a;
	PGresult *r;

	arena_init(&a);
	g.url = arena_printf(&a, "postgres://u:geheim@127.0.0.1:%u/db", dead_port());
	g.where = log_pg_show_url(&a, g.url);
	CHECK(!pg_open(&g, &err));
	CHECK_INT(err.kind, ERR_IO);
	CHECK(g.conn == NULL);
	CHECK(strstr(err.text, "cannot connect") && strstr(err.text, "refused") && strstr(err.text, "127.0.0.1"));
	CHECK(!strstr(err.text, "geheim"));

	/* a statement connects again, or says that it should be tried later */
	CHECK_INT(pg_try(&g, &q, &r, &err), PG_RECONNECT);
	CHECK(r == NULL);
	CHECK_INT(pg_script(&g, "SELECT 1", &err), PG_RECONNECT);
	pg_close(&g); /* twice does no harm */
	arena_free(&a);
}

TEST(a_url_that_libpq_does_not_take_is_not_repeated)
{
	static const char *const urls[] = {
		"postgres://u:geheim@h:port/db", "postgres://u:geheim@h/db?nonsense=1", "postgres://u:ge%zzheim@h/db",
		"postgres://u:geheim@[::1/db",   "nonsense://u:geheim@h/db",            "postgres://u:geheim@x@h/db",
	};

	for (size_t i = 0; i < COUNT(urls); i++) {
		struct err err = { .kind = ERR_NONE };
		struct pg g = { .url = str_from(urls[i]) };
		struct arena a;

		test_case("%s", urls[i]);
		arena_init(&a);
		g.where = log_pg_show_url(&a, g.url);
		CHECK(!pg_open(&g, &err));
		CHECK(!strstr(err.text, "geheim") && !strstr(err.text, "heim"));
		arena_free(&a);
	}
}
