#include "base/ascii.h"

#include <ctype.h>

#include "harness/test.h"

/* The C library in its own locale, where every test begins, has the same classes but for white space. */
TEST(every_byte_is_in_the_classes_that_the_c_library_gives_it)
{
	for (int i = 0; i < 256; i++) {
		char c = (char)i;

		CHECK_INT(ascii_is_digit(c), isdigit(i) != 0);
		CHECK_INT(ascii_is_lower(c), islower(i) != 0);
		CHECK_INT(ascii_is_upper(c), isupper(i) != 0);
		CHECK_INT(ascii_is_alpha(c), isalpha(i) != 0);
		CHECK_INT(ascii_is_alnum(c), isalnum(i) != 0);
		CHECK_INT(ascii_is_hex(c), isxdigit(i) != 0);
		CHECK_INT(ascii_is_blank(c), isblank(i) != 0);
		CHECK_INT(ascii_is_space(c), isspace(i) && i != '\v' && i != '\f');
		CHECK_INT(ascii_is_word(c), isalnum(i) || i == '_');
		CHECK_INT(ascii_is_name(c), isalnum(i) || i == '_' || i == '.' || i == '-');
		CHECK_INT((unsigned char)ascii_lower(c), tolower(i));
		CHECK_INT((unsigned char)ascii_upper(c), toupper(i));
	}
}

TEST(a_nul_is_one_of_no_set)
{
	CHECK(ascii_is_one_of('b', "abc") && !ascii_is_one_of('d', "abc"));
	CHECK(!ascii_is_one_of('\0', "abc") && !ascii_is_one_of('a', ""));
}
