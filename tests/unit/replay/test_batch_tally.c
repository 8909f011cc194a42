#include "replay/batch_tally.h"

#include <math.h>

#include "harness/test.h"

static struct batch_row row(const char *name, const char *provider, enum batch_end end, enum verdict v)
{
	return (struct batch_row){ .name = str_from(name), .dir = str_from(name), .run_id = str_from(name),
				   .provider = str_of(provider, provider ? strlen(provider) : 0), .end = end,
				   .verdict = v, .served = 1, .coverage = 0.5, .isolated = true,
				   .class = v == VERDICT_DIVERGED ? STR("order") : str_of(NULL, 0) };
}

TEST(what_was_not_judged_is_in_no_share)
{
	const struct batch_row rows[] = {
		row("a", "openai", BATCH_JUDGED, VERDICT_EXACT),      row("b", "openai", BATCH_JUDGED, VERDICT_DIVERGED),
		row("c", "ollama", BATCH_JUDGED, VERDICT_EQUIVALENT), row("d", NULL, BATCH_JUDGED, VERDICT_NOT_REPLAYABLE),
		row("e", NULL, BATCH_UNABLE, VERDICT_EXACT),          row("f", NULL, BATCH_INTERRUPTED, VERDICT_DIVERGED),
		row("g", NULL, BATCH_NOT_BEGUN, VERDICT_EXACT),
	};
	struct batch_tally t;
	struct arena a;
	struct interval want = stats_wilson(2, 3, 0.95);

	arena_init(&a);
	batch_tally_rows(&a, &(struct batch_tally_options){ .by = BATCH_BY_VENDOR }, rows, COUNT(rows), &t);
	CHECK(t.all.runs == 7 && t.all.judged == 3 && t.all.replayed == 2);
	CHECK(t.all.unable == 1 && t.all.interrupted == 2 && t.all.verdicts[VERDICT_NOT_REPLAYABLE] == 1);
	CHECK(t.all.interval.low == want.low && t.all.interval.high == want.high);
	CHECK_INT(t.group_count, 3);
	CHECK(!t.groups[0].name.p && t.groups[0].judged == 0 && isnan(t.groups[0].interval.low));
	CHECK_STR(t.groups[2].name, STR("openai"));
	CHECK(t.class_count == 1 && t.classes[0].runs == 1);
	CHECK(batch_tally_holds(&t));
	arena_free(&a);
}

TEST(gates_name_the_runs_at_fault)
{
	struct batch_row rows[] = { row("a", "x", BATCH_JUDGED, VERDICT_EXACT), row("b", "x", BATCH_JUDGED, VERDICT_EXACT) };
	const struct str same[] = { STR("a"), STR("z") };
	struct batch_tally_options o = { .oldest_us = 1000, .same_as = same, .same_count = 2 };
	struct batch_tally t;
	struct arena a;

	arena_init(&a);
	rows[0].served = 0;
	rows[0].has_started = rows[1].has_started = true;
	rows[0].started_us = 999;
	rows[1].started_us = 1000;
	rows[1].sha256 = STR("11");
	rows[1].listed_sha256 = STR("22");
	batch_tally_rows(&a, &o, rows, 2, &t);
	CHECK(!batch_tally_holds(&t));
	CHECK(t.gates[BATCH_GATE_SERVED].count == 1 && t.gates[BATCH_GATE_AGE].count == 1);
	CHECK_STR(t.gates[BATCH_GATE_AGE].failed[0], STR("a"));
	CHECK_STR(t.gates[BATCH_GATE_CASSETTE].failed[0], STR("b"));
	CHECK_INT(t.gates[BATCH_GATE_SAME].count, 2); /* b is new, z is missing */
	arena_free(&a);
}

TEST(the_runs_of_an_earlier_batch_are_read_from_its_document)
{
	const struct str *ids;
	struct arena a;
	struct err err = { .kind = ERR_NONE };
	size_t n;

	arena_init(&a);
	CHECK(batch_tally_read_runs(&a, STR("{\"schema\":\"trackway.replay-batch/1\",\"runs\":[{\"run_id\":\"r1\"},"
					    "{\"run_id\":null}]}"), &ids, &n, &err));
	CHECK_INT(n, 1);
	CHECK_STR(ids[0], STR("r1"));
	CHECK(!batch_tally_read_runs(&a, STR("{\"schema\":\"trackway.replay/1\"}"), &ids, &n, &err));
	CHECK(!batch_tally_read_runs(&a, STR("no"), &ids, &n, &err));
	arena_free(&a);
}
