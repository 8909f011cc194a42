/* Policies: what is taken names only what is above it, each once, and nobody's word is no quorum unless none is asked for. */
#include "fuzz/fuzz.h"

#include "ledger/policy.h"

static void check_policy(const struct policy *p)
{
	for (size_t i = 0; i < p->log_count; i++)
		FUZZ_CHECK(p->logs[i].kind == KEY_LOG);
	for (size_t i = 0; i < p->witness_count; i++)
		FUZZ_CHECK(p->witnesses[i].key.kind == KEY_WITNESS && p->witnesses[i].name.n > 0);
	for (size_t i = 0; i < p->group_count; i++) {
		const struct policy_group *g = &p->groups[i];

		FUZZ_CHECK(g->threshold >= 1 && g->threshold <= g->member_count);
		for (size_t m = 0; m < g->member_count; m++)
			FUZZ_CHECK(g->members[m] < p->witness_count + i);
	}
	FUZZ_CHECK(p->quorum == SIZE_MAX || p->quorum < p->witness_count + p->group_count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str note = STR("log.example/x\n1\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n\n\xe2\x80\x94 x AAAAAAA=\n");
	struct err err = { .kind = ERR_NONE };
	struct policy p;
	struct arena a;
	struct note n;
	struct str why = STR("");
	const char *reason;

	arena_init(&a);
	FUZZ_CHECK(note_parse(note, &n, &reason));
	if (policy_parse(&a, str_of(data, size), &p, &err)) {
		FUZZ_CHECK(err.kind == ERR_NONE);
		check_policy(&p);
		FUZZ_CHECK(!policy_check(&a, &p, &n, NULL, &why) && why.n > 0);
	} else {
		FUZZ_CHECK((err.kind == ERR_DATA || err.kind == ERR_LIMIT) && err.text[0]);
	}
	arena_free(&a);
	return 0;
}
