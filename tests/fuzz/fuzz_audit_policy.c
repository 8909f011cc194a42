/* Policies: one that is taken declares only what can be judged, and its set as digests declares the same set. */
#include "fuzz/fuzz.h"

#include "transform/audit.h"

static void check_policy(struct arena *a, const struct audit_policy *p)
{
	struct audit_policy digests = { 0 };
	struct audit_answer answer;
	struct audit_run *run = audit_run_new(a);
	struct err err;

	FUZZ_CHECK(p->limit_count <= AUDIT_TOOLS_MAX && p->allowed_count <= AUDIT_TOOLS_MAX);
	FUZZ_CHECK(!p->has_cost || p->usd >= 0);
	FUZZ_CHECK(audit_set_parse(a, audit_set_digests(a, p), &digests, &err));
	for (size_t i = 0; i < p->set_count && i < 100; i++)
		FUZZ_CHECK(audit_set_has(p, p->set[i]) &&
			   (str_starts(p->set[i], STR("sha256:")) || audit_set_has(&digests, p->set[i])));
	audit_judge(a, run, p, &answer);
	FUZZ_CHECK(answer.verdict == AUDIT_KEPT && answer.breach_count == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static bool (*const parse[])(struct arena *, struct str, struct audit_policy *, struct err *) = {
		audit_policy_parse, audit_budget_parse, audit_set_parse,
	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < COUNT(parse); i++) {
		struct audit_policy p = { 0 };
		struct err err = { .kind = ERR_NONE };

		if (parse[i](&a, str_of(data, size), &p, &err))
			check_policy(&a, &p);
		else
			FUZZ_CHECK(err.kind == ERR_DATA && str_has(str_from(err.text), STR("line ")));
	}
	arena_free(&a);
	return 0;
}
