/* One reading gives what two readings would have given. */
#include "trial/classify/glance.h"

#include <stdio.h>

#include "harness/test.h"

#define HEADER "{\"version\":1,\"format\":\"aec-bench-trajectory\"}\n"

static const struct transcript_how plain = { .jobs = 1 };

static bool glance_at(struct glance *g, struct arena *a, const char *text)
{
	char *path = test_alloc(1024);
	struct rules rules;
	struct err err = { .kind = ERR_NONE };
	FILE *f;

	snprintf(path, 1024, "%s/trajectory.jsonl", test_dir());
	f = fopen(path, "w");
	CHECK(f && fputs(text, f) >= 0 && fclose(f) == 0);
	rules_builtin(a, &rules);
	return glance_load(g, a, str_from(path), &rules, &plain, &err);
}

TEST(signals_and_bonds_are_those_of_two_readings)
{
	static const char text[] = HEADER
		"{\"step\":1,\"role\":\"assistant\",\"content\":\"Let me verify the result against the table.\"}\n"
		"{\"step\":1,\"role\":\"tool_call\",\"tool_name\":\"bash\",\"command\":\"make test\"}\n"
		"{\"step\":1,\"role\":\"tool_result\",\"stderr\":\"no\",\"exit_code\":2}\n"
		"{\"step\":2,\"role\":\"assistant\",\"content\":\"Perhaps it is one, or maybe the other?\"}\n";
	struct arena a;
	struct glance g;
	struct signals s;
	struct classify_trial t;
	struct rules rules;
	struct err err = { .kind = ERR_NONE };

	arena_init(&a);
	CHECK(glance_at(&g, &a, text) && g.is_classified);
	CHECK(signals_load(&a, g.signals.path, &plain, &s, &err));
	rules_builtin(&a, &rules);
	CHECK(classify_load(&t, &a, g.signals.path, &(struct classify_how){ .rules = &rules, .read = plain }, &err));
	CHECK_INT(g.signals.turns, 2);
	CHECK_INT(g.signals.tool_errors, 1);
	CHECK_INT(s.turns, g.signals.turns);
	CHECK_INT(s.total_messages, g.signals.total_messages);
	CHECK_INT(s.tool_errors, g.signals.tool_errors);
	CHECK_STR(s.first_error, g.signals.first_error);
	CHECK_STR(g.trial.from.path, s.path);
	CHECK_INT(g.trial.sequence.n, t.sequence.n);
	CHECK(memcmp(g.trial.sequence.at, t.sequence.at, t.sequence.n) == 0);
	CHECK(g.trial.mean_confidence == t.mean_confidence);
	arena_free(&a);
}

TEST(a_transcript_without_content_or_turn_has_signals_alone)
{
	struct arena a;
	struct glance g;

	arena_init(&a);
	CHECK(glance_at(&g, &a, HEADER "{\"step\":1,\"role\":\"assistant\",\"content\":\"\"}\n"));
	CHECK(g.signals.has_transcript && !g.is_classified);
	CHECK_INT(g.signals.turns, 1);
	CHECK(glance_at(&g, &a, HEADER "{\"step\":1,\"role\":\"user\",\"content\":\"Do it.\"}\n"));
	CHECK(g.signals.has_transcript && !g.is_classified);
	CHECK_INT(g.signals.turns, 0);
	arena_free(&a);
}

TEST(what_cannot_be_read_is_a_failure)
{
	struct arena a;
	struct glance g;

	arena_init(&a);
	CHECK(!glance_at(&g, &a, "{\"a\":1}\n"));
	CHECK(!g.is_classified);
	arena_free(&a);
}
