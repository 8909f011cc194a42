/* Addresses: what was taken is written so that it reads the same, and nothing in it could end a header line. */
#include "fuzz/fuzz.h"

#include "net/url.h"

static void check_text(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		FUZZ_CHECK((unsigned char)s.p[i] > ' ' && (unsigned char)s.p[i] < 0x7F);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err = { .kind = ERR_NONE };
	struct url u, again;
	struct arena a;

	arena_init(&a);
	if (url_parse(&a, str_of(data, size), &u, &err)) {
		FUZZ_CHECK(err.kind == ERR_NONE);
		FUZZ_CHECK(u.host.n > 0 && u.host.p[u.host.n] == '\0' && strlen(u.host.p) == u.host.n);
		FUZZ_CHECK(u.port > 0);
		FUZZ_CHECK(u.path.n == 0 || (u.path.p[0] == '/' && u.path.p[u.path.n - 1] != '/'));
		check_text(u.authority);
		check_text(u.path);
		check_text(u.query);
		FUZZ_CHECK(url_parse(&a, url_format(&a, &u), &again, &err));
		FUZZ_CHECK(again.tls == u.tls && again.port == u.port && !again.user.p && !again.query.p);
		FUZZ_CHECK(str_eq(again.host, u.host) && str_eq(again.path, u.path) && str_eq(again.authority, u.authority));
	} else {
		FUZZ_CHECK(err.kind == ERR_USAGE && err.text[0]);
	}
	arena_free(&a);
	return 0;
}
