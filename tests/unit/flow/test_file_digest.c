/* The digest of a file's bytes: what sha256sum says, or nothing. */
#include "flow/file_digest.h"

#include "unit/source/scratch.h"

TEST(the_digest_is_that_of_the_bytes)
{
	struct scratch s = scratch_enter();
	char hex[SHA256_HEX];
	struct digest d;

	scratch_write("abc", STR("abc"));
	CHECK(file_digest(STR("abc"), &d));
	digest_hex(hex, d);
	CHECK_STR(str_of(hex, sizeof(hex)), STR("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
	scratch_leave(&s);
}

TEST(what_is_no_regular_file_has_none_and_is_not_waited_for)
{
	struct scratch s = scratch_enter();
	struct digest d;

	CHECK(mkfifo("pipe", 0600) == 0 && mkdir("directory", 0700) == 0);
	CHECK(!file_digest(STR("pipe"), &d));
	CHECK(!file_digest(STR("directory"), &d));
	CHECK(!file_digest(STR("absent"), &d));
	CHECK(!file_digest(STR("/dev/zero"), &d));
	scratch_leave(&s);
}
