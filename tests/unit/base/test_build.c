#include "base/build.h"

#include "harness/test.h"

TEST(the_build_says_what_it_is)
{
	struct str compiler = str_from(build_compiler());

	CHECK(str_starts(compiler, STR("gcc ")) || str_starts(compiler, STR("clang ")));
	CHECK(build_commit() != NULL && build_flags() != NULL);
	CHECK_STR(str_from(BUILD_VERSION), STR("0.1.0"));
	CHECK_INT(sizeof(BUILD_DATE) - 1, 10);
}

TEST(the_sanitizer_is_known)
{
	bool expected = false;

#if defined(__SANITIZE_ADDRESS__)
	expected = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
	expected = true;
#endif
#endif
	CHECK_INT(build_has_sanitizer(), expected);
}
