/* An answer to a verdict. */
#include "bench/validate/judge.h"

/* The names stay the caller's; detect_tools copies what it keeps. */
static const struct str *names_of(struct arena *a, const struct judged *j)
{
	struct str *names = arena_array(a, struct str, j->call_count);

	for (size_t i = 0; i < j->call_count; i++)
		names[i] = j->calls[i].name;
	return names;
}

static const struct validator_call *calls_of(struct arena *a, const struct judged *j)
{
	struct validator_call *calls = arena_array(a, struct validator_call, j->call_count);

	for (size_t i = 0; i < j->call_count; i++)
		calls[i] = (struct validator_call){ .name = j->calls[i].name, .arguments = j->calls[i].arguments };
	return calls;
}

void judge(struct result *r, struct arena *a, const struct suite_prompt *p, enum detector d, const struct judged *j)
{
	struct validator_input in = { .output = j->output, .output_tokens = j->output_tokens };
	struct verdict v;

	r->expects = p->expects;
	r->pass = VERDICT_NULL;
	r->violation = r->parsed = (struct str){ NULL, 0 };
	r->tools = NULL;
	r->tool_count = 0;
	r->tool_success = false;
	r->tool_source = TOOLS_FROM_TEXT;
	if (!r->success)
		return;
	in.tools = detect_tools(a, (struct detect_how){ d, p->expected, p->expected_count }, j->output,
				names_of(a, j), j->call_count);
	if (in.tools.source == TOOLS_FROM_API) {
		in.calls = calls_of(a, j);
		in.call_count = j->call_count;
	}
	r->tools = in.tools.names;
	r->tool_count = in.tools.count;
	r->tool_source = in.tools.source;
	r->tool_success = detect_is_success(&in.tools, p->expected, p->expected_count);
	v = validator_run(p->validator, a, &in);
	r->pass = v.pass;
	if (v.pass == VERDICT_FALSE)
		r->violation = v.violation;
	if (v.parsed.n)
		r->parsed = v.parsed;
}
