#include "cmd/replay_output.h"

#include "harness/test.h"

TEST(the_exit_status_tells_the_verdict)
{
	static const struct { enum verdict verdict; int status; } cases[] = {
		{ VERDICT_EXACT, 0 }, { VERDICT_EQUIVALENT, 0 }, { VERDICT_DIVERGED, 1 }, { VERDICT_INCOMPLETE, 1 },
		{ VERDICT_NOT_REPLAYABLE, 3 },
	};

	for (size_t i = 0; i < COUNT(cases); i++)
		CHECK_INT(replay_output_status(&(struct replaying_outcome){ .verdict = cases[i].verdict }), cases[i].status);
}
