#include "ledger/pg/log_pg.h"

#include <stdlib.h>

#include "harness/test.h"
#include "ledger/pg/private.h"

static struct signer signer_of(const char *name)
{
	static const uint8_t seed[ED25519_SEED] = { 1, 2, 3 };
	struct err err = { .kind = ERR_NONE };
	struct signer s;

	CHECK(signer_init(&s, str_from(name), KEY_LOG, seed, &err));
	return s;
}

/* Port 1 of this machine: a service that nobody has had for decades. */
#define NOWHERE STR("postgres://u:geheim@127.0.0.1:1/db?connect_timeout=2")

TEST(a_log_is_not_made_without_a_key_or_under_a_name_that_is_none)
{
	struct signer s = signer_of("example.org/log");
	struct log_pg_options o = { .url = NOWHERE };
	struct err err = { .kind = ERR_NONE };

	CHECK(!log_pg_make(&o, STR("example.org/log"), &err));
	CHECK_INT(err.kind, ERR_USAGE);
	CHECK(str_starts(str_from(err.text), STR(LOG_E_NO_KEY)));
	o.signer = &s;
	CHECK(!log_pg_make(&o, STR("a name"), &err));
	CHECK_INT(err.kind, ERR_USAGE);
	CHECK(!log_pg_make(&o, STR(""), &err));
}

TEST(a_database_that_is_not_there_is_an_error_without_the_password)
{
	struct signer s = signer_of("example.org/log");
	struct log_pg_options o = { .url = NOWHERE, .signer = &s };
	struct err err = { .kind = ERR_NONE };

	CHECK(log_pg_open(&o, &err) == NULL);
	CHECK_INT(err.kind, ERR_IO);
	CHECK(strstr(err.text, "postgres://u@127.0.0.1:1/db") && !strstr(err.text, "geheim"));
	CHECK(!log_pg_make(&o, s.key.name, &err));
	CHECK(!strstr(err.text, "geheim"));
	o.url = STR("postgres://u:gehei@m@127.0.0.1:1/db");
	CHECK(log_pg_open(&o, &err) == NULL);
	CHECK_INT(err.kind, ERR_USAGE);
	CHECK(!strstr(err.text, "gehei"));
}

TEST(a_log_that_is_open_for_reading_takes_nothing)
{
	struct log_pg l = { .log = { .where = STR("here") }, .pg = { .read_only = true } };
	struct err err = { .kind = ERR_NONE };

	CHECK(!pg_refuse_write(&l, &err));
	CHECK_INT(err.kind, ERR_USAGE);
	l.pg.read_only = false;
	CHECK(pg_refuse_write(&l, &err));
}
