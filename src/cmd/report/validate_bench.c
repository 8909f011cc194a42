#include "cmd/report/validate_bench.h"

#include "base/stop.h"
#include "bench/report/check.h"
#include "cmd/report/rules.h"

bool validate_is_bench(struct str path)
{
	return run_check_is_one(path);
}

bool validate_bench(struct validate_output *o, struct str path, size_t limit, struct err *err)
{
	struct validate_input part = { .name = path, .dialect = &rules_bench_run };
	struct err why = { .kind = ERR_NONE };
	struct findings findings;
	struct arena a;
	struct run_check c = { .path = path, .arena = &a, .findings = &findings };
	bool done = true;

	arena_init(&a);
	findings_init(&findings, &a, limit);
	part.findings = &findings;
	if (!run_check(&c, &why)) {
		part.failure = &why;
		done = !stop_signal();
	}
	part.tally.records = c.rows;
	if (done)
		validate_output_add(o, &part);
	else
		*err = why;
	arena_free(&a);
	return done;
}
