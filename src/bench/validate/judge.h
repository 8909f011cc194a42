/* An answer to a verdict: which tools were called, what the validator says. For the runner and for rescoring. */
#ifndef BENCH_VALIDATE_JUDGE_H
#define BENCH_VALIDATE_JUDGE_H

#include "bench/run/result.h"
#include "bench/suite/suite.h"

struct judged {
	struct str output;
	const struct provider_call_made *calls; /* as the service reported them; their arguments may not be known */
	size_t call_count;
	int64_t output_tokens; /* -1 */
};

/*
 * Fills in pass, violation, parsed, tools, tool_count, tool_success, tool_source, expects. Of a row without success
 * only the tools, which are none. Texts are in the arena.
 */
void judge(struct result *r, struct arena *a, const struct suite_prompt *p, enum detector d, const struct judged *j);

#endif
