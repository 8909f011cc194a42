#include "replay/volatile.h"

#include "base/buf.h"
#include "harness/test.h"

/* "type:text;" of all that is found, with '|' where the mask begins inside of it. */
static struct str found(struct buf *out, struct str text)
{
	struct volatile_scan s = volatile_begin(text);
	struct volatile_text t;

	buf_clear(out);
	while (volatile_next(&s, &t)) {
		buf_printf(out, "%s:", volatile_name(t.type));
		buf_add_str(out, str_of(text.p + t.from, t.mask - t.from));
		if (t.mask > t.from)
			buf_add_byte(out, '|');
		buf_add_str(out, str_of(text.p + t.mask, t.end - t.mask));
		buf_add_byte(out, ';');
	}
	return out->n ? buf_str(out) : STR("");
}

TEST(texts_are_known_by_their_looks_and_their_borders)
{
	static const struct { const char *text, *want; } cases[] = {
		{ "", "" },
		{ "nothing here 12", "" },
		{ "id 550e8400-e29b-41d4-a716-446655440000.", "uuid:550e8400-e29b-41d4-a716-446655440000;" },
		{ "task_550E8400-E29B-41D4-A716-446655440000", "uuid:550E8400-E29B-41D4-A716-446655440000;" },
		{ "x550e8400-e29b-41d4-a716-446655440000", "" },
		{ "550e8400-e29b-41d4-a716-446655440000f", "" },
		{ "\\n550e8400-e29b-41d4-a716-446655440000", "uuid:550e8400-e29b-41d4-a716-446655440000;" },
		{ "\\\\n550e8400-e29b-41d4-a716-446655440000", "uuid:550e8400-e29b-41d4-a716-446655440000;" },
		{ "\\u001b550e8400-e29b-41d4-a716-446655440000", "uuid:550e8400-e29b-41d4-a716-446655440000;" },
		{ "(01ARZ3NDEKTSV4RRFFQ69G5FAV)", "ulid:01ARZ3NDEKTSV4RRFFQ69G5FAV;" },
		{ "81ARZ3NDEKTSV4RRFFQ69G5FAV", "" },
		{ "01ARZ3NDEKTSV4RRFFQ69G5FAI", "" },
		{ "01arZ3NDEKTSV4RRFFQ69G5FAV", "" },
		{ "at 2026-07-01T10:00:00Z,", "rfc3339:2026-07-01T10:00:00Z;" },
		{ "2026-07-01T10:00:00.123456+02:00", "rfc3339:2026-07-01T10:00:00.123456+02:00;" },
		{ "2026-07-01 10:00:00", "rfc3339:2026-07-01 10:00:00;" },
		{ "2026-07-01 10:00", "rfc3339:2026-07-01 10:00;" },
		{ "2026-07-01T10:00:00-0500", "rfc3339:2026-07-01T10:00:00-0500;" },
		{ "on 2026-07-01.", "date:2026-07-01;" },
		{ "on 2026-02-30.", "" },
		{ "12026-07-01", "" },
		{ "{\"t\":1782900000}", "epoch:1782900000;" },
		{ "1782900000.5", "epoch:1782900000.5;" },
		{ "1782900000123 1782900000123456 1782900000123456789",
		  "epoch:1782900000123;epoch:1782900000123456;epoch:1782900000123456789;" },
		{ "0.1782900000", "" },
		{ "17829000001", "" },
		{ "see /tmp/abc.d/x.c.", "tmp_path:/tmp/|abc.d;" },
		{ "file:///tmp/abc", "tmp_path:/tmp/|abc;" },
		{ "/tmp/job-7/tmpab_12cd9/x.c /tmp/job-7/tmp.a1B2c3D4e5",
		  "tmp_path:/tmp/|job-7/tmpab_12cd9;tmp_path:/tmp/|job-7/tmp.a1B2c3D4e5;" },
		{ "/tmp/job-7/tmpfiles /tmp/job-7/tmpab_12cd9x", "tmp_path:/tmp/|job-7;tmp_path:/tmp/|job-7;" },
		{ "src/tmp/abc <ws>/tmp/abc /tmp/ /tmpx/a", "" },
		{ "/var/folders/4q/zz0000/T/tmp1/x", "tmp_path:/var/folders/|4q/zz0000/T/tmp1;" },
		{ "http://127.0.0.1:4711/v1 localhost:80, [::1]:65535", "port:127.0.0.1:|4711;port:localhost:|80;port:[::1]:|65535;" },
		{ "example.com:4711 localhost:65536 localhost:0 mylocalhost:80 127.0.0.1:80x", "" },
		{ "0123456789abcdef", "hex:0123456789abcdef;" },
		{ "0123456789abcde", "" },
		{ "0123456789abcdefg", "" },
		{ "4111111111111111", "epoch:4111111111111111;" },
		{ "411111111111111111111", "" },
		{ "aaaaaaaaaaaaaaaa", "" },
	};
	struct buf b;

	buf_init(&b);
	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%s", cases[i].text);
		CHECK_STR(found(&b, str_from(cases[i].text)), str_from(cases[i].want));
	}
	buf_free(&b);
}

TEST(a_time_is_near_within_two_days_of_the_clock)
{
	static const struct { const char *text; bool near; } cases[] = {
		{ "2026-07-01T10:00:00Z", true },
		{ "2026-07-03T10:00:00Z", true },
		{ "2026-07-03T10:00:01Z", false },
		{ "2026-07-03T12:00:00+02:00", true },
		{ "2026-06-29", true },
		{ "2026-07-04", false },
		{ "2031-04-05", false },
		{ "1782900000", true },
		{ "1782900000000", true },
		{ "1782900000000000", true },
		{ "1782900000000000000", true },
		{ "1783172800", false },
		{ "1782900000.25", true },
		{ "550e8400-e29b-41d4-a716-446655440000", true },
	};
	int64_t clock = INT64_C(1782900000) * 1000000; /* 2026-07-01T10:00:00Z */

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct volatile_scan s = volatile_begin(str_from(cases[i].text));
		struct volatile_text t;

		test_case("%s", cases[i].text);
		CHECK(volatile_next(&s, &t));
		CHECK_INT(volatile_is_near(&t, clock), cases[i].near);
		CHECK(!t.is_time || !volatile_is_near(&t, INT64_MAX));
	}
}
