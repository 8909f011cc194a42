#include "dialect/identity.h"

#include "harness/test.h"

#define DIGITS "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde"

TEST(a_digest_is_64_digits_in_lower_case)
{
	CHECK(identity_is_digest(STR(DIGITS "f")));
	CHECK(!identity_is_digest(STR(DIGITS)));
	CHECK(!identity_is_digest(STR(DIGITS "F")));
	CHECK(!identity_is_digest(STR(DIGITS "g")));
	CHECK(!identity_is_digest(STR(DIGITS "f0")));
	CHECK(!identity_is_digest(STR("")));
}

TEST(an_identity_is_of_its_ids_and_of_its_place)
{
	struct record_scan s = { .text = STR("") };
	struct identity a = identity_make(&s, STR("a"), VAL_NONE), b = identity_make(&s, STR("b"), VAL_NONE);
	struct identity again = identity_make(&s, STR("a"), VAL_NONE);

	CHECK(a.is_known && a.at == 0 && a.length == 1);
	CHECK(a.hash.a == again.hash.a && a.hash.b == again.hash.b);
	CHECK(a.hash.a != b.hash.a || a.hash.b != b.hash.b);
}
