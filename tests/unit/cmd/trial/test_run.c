/* The fields that `trial run --json=...` knows; its output is in tests/cli/trial-run. */
#include "cmd/trial/run.h"

#include "cmd/frame/opt.h"
#include "harness/test.h"

TEST(every_field_can_be_asked_for_and_no_other)
{
	struct opt_maybe one = { .given = true };
	struct err err = { .kind = ERR_NONE };

	for (const char *const *f = trial_run_fields; *f; f++) {
		one.value = str_from(*f);
		CHECK(opt_check_fields(one, trial_run_fields, &err));
	}
	one.value = STR("reward");
	CHECK(!opt_check_fields(one, trial_run_fields, &err));
}
