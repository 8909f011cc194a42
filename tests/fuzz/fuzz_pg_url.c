/*
 * URLs of databases as they are shown, held against libpq: of one that it takes, the shown form has no password for it;
 * and if we let it pass too, the same user.
 */
#include <stdlib.h>

#include "base/buf.h"
#include "fuzz/fuzz.h"
#include "ledger/pg/private.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *value_of(const PQconninfoOption *options, const char *keyword)
{
	for (; options && options->keyword; options++)
		if (strcmp(options->keyword, keyword) == 0)
			return options->val;
	return NULL;
}

static bool has_control(const char *text)
{
	for (; text && *text; text++)
		if ((unsigned char)*text < 0x20 || *text == 0x7f)
			return true;
	return false;
}

static void check(struct str url, struct str shown)
{
	struct err err = { .kind = ERR_NONE };
	bool good = pg_check_url(url, &err);
	PQconninfoOption *given = PQconninfoParse(url.p, NULL), *seen = PQconninfoParse(shown.p, NULL);
	const char *user = value_of(given, "user"), *same = value_of(seen, "user");

	if (given && (value_of(seen, "password") || value_of(seen, "sslpassword")))
		abort();
	if (good && user && same && !has_control(url.p) && strcmp(user, same) != 0)
		abort();
	PQconninfoFree(given);
	PQconninfoFree(seen);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a;
	struct str url;

	arena_init(&a);
	url = ARENA_JOIN(&a, size && data[0] & 1 ? STR("postgres://") : STR(""), str_of(data, size));
	check(url, log_pg_show_url(&a, url));
	arena_free(&a);
	return 0;
}
