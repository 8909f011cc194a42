#include "cmd/frame/advice.h"

#include "cmd/frame/commands.h"
#include "cmd/report/rules.h"
#include "harness/test.h"
#include "unit/cmd/sample.h"

static struct err err_of(const char *text, enum err_advice advice)
{
	struct err err = { .kind = ERR_LIMIT, .advice = advice, .errnum = 7 };

	memcpy(err.text, text, strlen(text) + 1);
	return err;
}

TEST(an_error_is_told_with_the_option_that_helps)
{
	struct err err = err_of("too long", ADVICE_RECORD_LIMIT), told = advice_on(&err, &canon_command);

	CHECK_STR(str_from(told.text), STR("too long; --max-record raises it"));
	CHECK(told.kind == ERR_LIMIT && told.errnum == 7);
	told = advice_on(&told, &canon_command); /* said once */
	CHECK_STR(str_from(told.text), STR("too long; --max-record raises it"));
}

TEST(an_option_that_the_command_does_not_have_is_not_named)
{
	struct err err = err_of("too long", ADVICE_RECORD_LIMIT);

	CHECK_STR(str_from(advice_on(&err, &sample_command).text), STR("too long"));
	CHECK_STR(str_from(advice_on(&err, NULL).text), STR("too long"));
	err.advice = ADVICE_NONE;
	CHECK_STR(str_from(advice_on(&err, &canon_command).text), STR("too long"));
}

TEST(help_with_options_takes_the_place_of_a_rules_own)
{
	for (const struct advice_rule *a = advice_rules; a->code; a++) {
		const struct rule *r = rules_find(a->code);

		CHECK(r && r->help && advice_for_rule(r) == a->help);
		CHECK(str_find(str_from(a->help), STR("--")) != (size_t)-1); /* else it could stand in the rule */
	}
	CHECK(advice_for_rule(rules_find("AT001")) == rules_find("AT001")->help);
}
