/* The record at every moment keeps the rules of its format, and is complete only with all provenance. */
#include "trial/run/record.h"

#include "harness/test.h"
#include "json/json.h"

static struct trial_facts facts_of(void)
{
	return (struct trial_facts){
		.trial_id = STR("t-1"), .experiment = STR("e"), .begun_ns = INT64_C(1795033106646236000),
		.task_id = STR("task"), .task_revision = STR("r"), .instruction = STR("do"), .adapter = STR("a"),
		.adapter_revision = STR("sha256:1"), .model = STR("m"), .configuration = STR("{}"),
		.runtime_image = STR("linux"), .compute_backend = STR("local"), .tool_versions = STR("{}"),
		.inputs = &(const struct trial_file){ .path = { NULL, 0 } }, .total_s = 1.5, .setup_s = -1, .agent_s = -1,
		.verifier_s = -1, .phase = PHASE_ENDED, .verdict = { .completed = true, .reward = 0.5 },
	};
}

/* A member of the record as text. */
static struct str member(struct arena *a, const struct trial_facts *f, const char *pointer)
{
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 0 });
	struct str record = record_write_trial(a, f), text;
	struct err err = { .kind = ERR_NONE };
	struct val root, v;

	if (!record_check_rules(record, &err))
		FAIL("%s", err.text);
	CHECK(json_parse_copy(p, record, &root, NULL));
	v = val_at(root, str_from(pointer));
	text = val_is_none(v) ? STR("(none)") : arena_copy(a, val_source(v));
	json_parser_close(p);
	return text;
}

TEST(every_phase_and_class_gives_a_valid_record)
{
	struct arena a;

	arena_init(&a);
	for (unsigned phase = 0; phase < PHASES; phase++)
		for (unsigned class = 0; class < CLASSES; class++) {
			struct trial_facts f = facts_of();
			bool ended = phase == PHASE_ENDED;

			f.phase = (enum trial_phase)phase;
			f.class = (enum trial_class)class;
			if (class == CLASS_INFRASTRUCTURE)
				f.infrastructure = STR("down");
			if (!ended || class >= CLASS_VERIFIER_FAILED)
				f.verdict = (struct verdict){ .error = STR(VERDICT_MISSING) };
			test_case("%s %s", trial_phase_name(f.phase), trial_class_name(f.class));
			CHECK_STR(member(&a, &f, "/completeness"),
				  ended && class != CLASS_INFRASTRUCTURE ? STR("\"complete\"") : STR("\"partial\""));
			CHECK_STR(member(&a, &f, "/evaluation/reward"),
				  f.verdict.completed ? STR("0.5") : STR("0.0"));
			CHECK_STR(member(&a, &f, "/outputs/agent_result/trackway/class"),
				  ended ? ARENA_JOIN(&a, STR("\""), str_from(trial_class_name(f.class)), STR("\"")) :
					  STR("null"));
			CHECK_STR(member(&a, &f, "/evaluation/validity/errors/0"),
				  !ended ? STR("\"not evaluated\"") :
				  class == CLASS_INFRASTRUCTURE ? STR("\"infrastructure failure: not the model's\"") :
				  class == CLASS_VERIFIER_FAILED ? STR("\"" VERDICT_MISSING "\"") : STR("(none)"));
		}
	arena_free(&a);
}

TEST(missing_provenance_is_partial_and_named)
{
	struct trial_facts f = facts_of();
	struct arena a;

	arena_init(&a);
	f.inputs = NULL;
	CHECK_STR(member(&a, &f, "/completeness"), STR("\"partial\""));
	CHECK_STR(member(&a, &f, "/evaluation/validity/errors/0"), STR("\"missing provenance: inputs.input_files\""));
	f = facts_of();
	f.tool_versions = str_of(NULL, 0);
	CHECK_STR(member(&a, &f, "/evaluation/validity/errors/0"),
		  STR("\"missing provenance: environment.tool_versions\""));
	f = facts_of();
	f.adapter_revision = STR("");
	CHECK_STR(member(&a, &f, "/evaluation/validity/errors/0"), STR("\"missing provenance: agent.adapter_revision\""));
	arena_free(&a);
}

TEST(what_is_not_known_of_costs_is_null)
{
	struct calls c = { .agent = 2, .tokens_in = { .n = 10 }, .tokens_out = { .unknown = true }, .no_price = true,
			   .price_table = STR("sha256:1") };
	struct trial_facts f = facts_of();
	struct arena a;

	arena_init(&a);
	CHECK_STR(member(&a, &f, "/cost"), STR("null"));
	f.calls = &c;
	CHECK_STR(member(&a, &f, "/cost/tokens_in"), STR("10"));
	CHECK_STR(member(&a, &f, "/cost/tokens_out"), STR("null"));
	CHECK_STR(member(&a, &f, "/cost/estimated_cost_usd"), STR("null"));
	CHECK_STR(member(&a, &f, "/cost/advisor_calls"), STR("0"));
	CHECK_STR(member(&a, &f, "/outputs/agent_result/trackway/price_table"), STR("null"));
	c.no_price = false;
	c.usd = 0.25;
	CHECK_STR(member(&a, &f, "/cost/estimated_cost_usd"), STR("0.25"));
	CHECK_STR(member(&a, &f, "/outputs/agent_result/trackway/price_table"), STR("\"sha256:1\""));
	arena_free(&a);
}

TEST(findings_and_errors_are_kept_in_order)
{
	struct trial_facts f = facts_of();
	struct arena a;

	arena_init(&a);
	record_add_error(&a, &f, STR("first"));
	record_add_error(&a, &f, STR("second"));
	record_add_finding(&a, &f, "code", STR("sentence"));
	CHECK_STR(member(&a, &f, "/evaluation/validity/errors/1"), STR("\"second\""));
	CHECK_STR(member(&a, &f, "/outputs/agent_result/trackway/findings/0/message"), STR("\"sentence\""));
	arena_free(&a);
}

TEST(a_record_that_breaks_a_rule_is_a_fault_of_ours)
{
	struct err err = { .kind = ERR_NONE };
	enum trial_class c;

	CHECK(!record_check_rules(STR("{}"), &err));
	CHECK_INT(err.kind, ERR_DATA);
	CHECK(trial_class_parse(STR("agent_timeout"), &c) && c == CLASS_AGENT_TIMEOUT && !trial_class_parse(STR("x"), &c));
}
