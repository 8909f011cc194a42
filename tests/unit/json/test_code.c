#include <string.h>

#include "harness/test.h"
#include "json/json.h"

TEST(every_code_has_a_name_of_its_own)
{
	for (int i = 0; i < JSON_CODES; i++) {
		const char *name = json_code_name((enum json_code)i);

		CHECK(name && name[0]);
		for (int j = 0; j < i; j++)
			CHECK(strcmp(name, json_code_name((enum json_code)j)) != 0);
	}
}

TEST(the_names_are_those_of_the_reports)
{
	CHECK_STR(str_from(json_code_name(JSON_E_DUP_KEY)), STR("E_DUP_KEY"));
	CHECK_STR(str_from(json_code_name(JSON_E_NUM_UNSAFE_INT)), STR("E_NUM_UNSAFE_INT"));
	CHECK_STR(str_from(json_code_name(JSON_E_NUM_PRECISION)), STR("W_NUM_PRECISION"));
	CHECK_STR(str_from(json_code_name(JSON_E_NONCHAR)), STR("W_NONCHAR"));
}
