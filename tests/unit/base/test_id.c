#include "base/id.h"

#include "harness/test.h"
#include "unit/base/rows.h"

static struct str lower(char out[64], struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		out[i] = (char)(s.p[i] >= 'A' && s.p[i] <= 'Z' ? s.p[i] + 32 : s.p[i]);
	return str_of(out, s.n);
}

static void check_uuid_row(struct str row, struct id id)
{
	struct str variant = row_raw(row, "variant");
	long long want;

	if (row_integer(row, "version", &want))
		CHECK_INT(id_uuid_version(id), want);
	if (variant.n > 0)
		CHECK_INT(id_uuid_variant_ok(id), str_eq(variant, STR("\"RFC4122\"")));
	if (row_integer(row, "unix_ts_ms", &want))
		CHECK_INT(id_uuid7_ms(id), want);
}

TEST(the_corpus_of_uuids_is_judged_read_and_written_back)
{
	struct str rest = test_read(test_shared("corpora/08-ids-time/dev/uuid.jsonl")), row;
	char text[1024], folded[64], out[ID_UUID_TEXT];
	size_t accepted = 0, refused = 0;

	while (row_next(&rest, &row)) {
		struct str s = row_text(row, "text", text);
		struct id id;
		bool ok = id_parse_uuid(s, &id);

		test_case("%.*s", STR_ARG(row_raw(row, "text")));
		CHECK_INT(ok, row_is_true(row, "valid"));
		accepted += ok;
		refused += !ok;
		if (!ok)
			continue;
		check_uuid_row(row, id);
		id_format_uuid(out, id);
		CHECK_STR(str_of(out, ID_UUID_TEXT), lower(folded, s));
	}
	CHECK(accepted > 30 && refused > 10);
}

TEST(the_corpus_of_ulids_is_judged_and_read)
{
	struct str rest = test_read(test_shared("corpora/08-ids-time/dev/ulid.jsonl")), row;
	char text[1024], folded[64], uuid[ID_UUID_TEXT], want[1024];
	size_t accepted = 0, refused = 0;

	while (row_next(&rest, &row)) {
		struct str s = row_text(row, "text", text), as_uuid = row_text(row, "uuid", want);
		struct id id;
		bool ok = id_parse_ulid(s, &id);

		test_case("%.*s", STR_ARG(row_raw(row, "text")));
		CHECK_INT(ok, row_is_true(row, "valid"));
		accepted += ok;
		refused += !ok;
		if (!ok)
			continue;
		id_format_uuid(uuid, id);
		if (as_uuid.n > 0)
			CHECK_STR(str_of(uuid, ID_UUID_TEXT), lower(folded, as_uuid));
	}
	CHECK(accepted > 8 && refused > 4);
}

TEST(only_the_hyphenated_form_of_a_uuid_is_read)
{
	static const struct str cases[] = {
		{ NULL, 0 },
		{ "017f22e2-79b0-7cc3-98c4-dc0c0c07398", 35 },
		{ "017f22e2-79b0-7cc3-98c4-dc0c0c07398ff", 37 },
		{ "017f22e2-79b0-7cc3-98c4-dc0c0c07398g", 36 },
		{ "017f22e2-79b0-7cc3-98c4-dc0c0c07398\0", 36 },
		{ "017f22e2_79b0-7cc3-98c4-dc0c0c07398f", 36 },
		{ "017f22e2-79b0_7cc3-98c4-dc0c0c07398f", 36 },
		{ "017f22e2-79b0-7cc3_98c4-dc0c0c07398f", 36 },
		{ "017f22e2-79b0-7cc3-98c4_dc0c0c07398f", 36 },
		{ "017f22e279-b0-7cc3-98c4-dc0c0c07398f", 36 },
		{ "{17f22e2-79b0-7cc3-98c4-dc0c0c07398}", 36 },
		{ "------------------------------------", 36 },
	};
	struct id id = { { 9 } };

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%zu", i);
		CHECK(!id_parse_uuid(cases[i], &id));
		CHECK_INT(id.b[0], 9);
	}
}

TEST(only_crockfords_characters_up_to_128_bits_make_a_ulid)
{
	static const char good[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZabcdefghjkmnpqrstvwxyz";
	char text[ID_ULID_TEXT];
	struct id id = { { 0 } };

	for (size_t at = 0; at < ID_ULID_TEXT; at++) {
		for (int c = 0; c < 256; c++) {
			bool ok = c != 0 && strchr(good, c) && (at > 0 || c <= '7');

			memset(text, '0', sizeof(text));
			text[at] = (char)c;
			test_case("byte %d at %zu", c, at);
			CHECK_INT(id_parse_ulid(str_of(text, ID_ULID_TEXT), &id), ok);
		}
	}
	CHECK(!id_parse_ulid(str_of(text, ID_ULID_TEXT - 1), &id));
	CHECK(!id_parse_ulid(STR("000000000000000000000000000"), &id));
	CHECK(id_parse_ulid(STR("7zzzzzzzzzzzzzzzzzzzzzzzzz"), &id));
	for (size_t i = 0; i < 16; i++)
		CHECK_INT(id.b[i], 0xff);
	CHECK(!id_parse_ulid(STR("80000000000000000000000000"), &id));
}

TEST(made_identifiers_carry_their_time_and_every_random_bit)
{
	static const uint8_t ones[10] = { 255, 255, 255, 255, 255, 255, 255, 255, 255, 255 }, zeros[10];
	static const struct {
		uint64_t ms;
		const uint8_t *random;
		const char *uuid;
	} cases[] = {
		{ 0, zeros, "00000000-0000-7000-8000-000000000000" },
		{ 0, ones, "00000000-0000-7fff-bfff-ffffffffffff" },
		{ 0xffffffffffff, zeros, "ffffffff-ffff-7000-8000-000000000000" },
		{ 1469922850259, zeros, "01563e3a-b5d3-7000-8000-000000000000" },
	};
	char text[40];

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct id uuid = id_uuid7(cases[i].ms, cases[i].random);

		test_case("%zu", i);
		CHECK_INT(id_uuid_version(uuid), 7);
		CHECK(id_uuid_variant_ok(uuid));
		CHECK_INT(id_uuid7_ms(uuid), cases[i].ms);
		id_format_uuid(text, uuid);
		CHECK_STR(str_of(text, ID_UUID_TEXT), str_from(cases[i].uuid));
	}
}

TEST(a_series_only_grows_whatever_the_clock_does)
{
	static const uint64_t times[] = { 5000, 5000, 5000, 5001, 4000, 0, 5001, 5002, 9000, 8999 };
	struct id_series s;
	struct id last = { { 0 } };

	id_series_init(&s);
	for (size_t i = 0; i < 10000; i++) {
		struct id id = id_series_next_uuid7(&s, times[i % COUNT(times)] + i / 1000);

		test_case("%zu", i);
		CHECK(memcmp(id.b, last.b, sizeof(id.b)) > 0);
		CHECK(id_uuid_version(id) == 7 && id_uuid_variant_ok(id));
		last = id;
	}
	CHECK_INT(id_uuid7_ms(last), 9009);
}

TEST(a_carry_crosses_version_and_variant_and_at_last_the_time)
{
	struct id_series s = { .ms = 7, .begun = true };
	char text[ID_UUID_TEXT];
	struct id id;

	memset(s.random + 2, 0xff, 8);
	s.random[2] = 0x3f;
	s.random[1] = 0x41;
	id = id_series_next_uuid7(&s, 7);
	id_format_uuid(text, id);
	CHECK_STR(str_of(text, ID_UUID_TEXT), STR("00000000-0007-7042-8000-000000000000"));

	memset(s.random, 0xff, 10);
	s.random[0] = 0x0f;
	s.random[2] = 0x3f;
	id = id_series_next_uuid7(&s, 7);
	CHECK_INT(id_uuid7_ms(id), 8);
}

TEST(two_series_do_not_give_the_same)
{
	struct id_series one, two;
	struct id a, b;

	id_series_init(&one);
	id_series_init(&two);
	a = id_series_next_uuid7(&one, 1);
	b = id_series_next_uuid7(&two, 1);
	CHECK(memcmp(a.b, b.b, 16) != 0);
}

TEST(identifiers_are_equal_when_all_their_bytes_are)
{
	struct id a = { { 1 } }, b = a;

	CHECK(id_eq(a, b));
	b.b[15] = 1;
	CHECK(!id_eq(a, b));
}
