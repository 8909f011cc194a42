#include "kit.h"
#include "sink/export/parts.h"

#define HEAD "{\"@context\":[\"https://w3id.org/ro/crate/1.3/context\",\"https://w3id.org/ro/terms/workflow-run/context\"],\n" \
	"\"@graph\":[\n{\"@id\":\"ro-crate-metadata.json\",\"@type\":\"CreativeWork\",\"conformsTo\":{\"@id\":" \
	"\"https://w3id.org/ro/crate/1.3\"},\"about\":{\"@id\":\"./\"}},\n"
#define REST "{\"@id\":\"#operator\",\"@type\":\"Organization\",\"name\":\"whoever ran the agent; the trace does not say\"},\n" \
	"{\"@id\":\"https://w3id.org/ro/wfrun/process/0.6\",\"@type\":[\"CreativeWork\",\"Profile\"],\"name\":\"Process Run Crate\"," \
	"\"version\":\"0.6\"},\n{\"@id\":\"#license\",\"@type\":\"CreativeWork\",\"name\":\"no licence is stated\",\"description\":" \
	"\"Ask whoever ran the agent before you use these records.\"}\n]}\n"

TEST(a_run_is_an_action_of_its_software)
{
	CHECK_STR(kit_export("ro-crate", NODE("\"m\"", "model_call", "", 1, 2, MODEL("\"big\"", 1, 2, ",\"stop_reason\":\"error\""))),
		  STR(HEAD "{\"@id\":\"./\",\"@type\":\"Dataset\",\"name\":\"Agent run trace-on\",\"description\":\"What AI agents did: model "
		      "calls, tool calls and their times, as agent-trace/v1, without content.\",\"datePublished\":"
		      "\"1970-01-01T00:00:02.000+00:00\",\"license\":{\"@id\":\"#license\"},\"conformsTo\":{\"@id\":"
		      "\"https://w3id.org/ro/wfrun/process/0.6\"},\"mentions\":{\"@id\":\"#run-1\"}},\n"
		      "{\"@id\":\"#model-1\",\"@type\":\"CreativeWork\",\"name\":\"big\",\"description\":\"The model that the agent asked.\"},\n"
		      "{\"@id\":\"#software-1\",\"@type\":\"SoftwareApplication\",\"name\":\"f\",\"softwareVersion\":\"unknown\",\"version\":"
		      "\"unknown\",\"softwareRequirements\":[{\"@id\":\"#model-1\"}]},\n"
		      "{\"@id\":\"#run-1\",\"@type\":\"CreateAction\",\"name\":\"agent run trace-on\",\"identifier\":\"trace-one\",\"description\":"
		      "\"model calls: 1, tool calls: 0, ended with: error\",\"instrument\":{\"@id\":\"#software-1\"},\"agent\":{\"@id\":"
		      "\"#operator\"},\"startTime\":\"1970-01-01T00:00:01.000+00:00\",\"endTime\":\"1970-01-01T00:00:02.000+00:00\","
		      "\"actionStatus\":\"http://schema.org/FailedActionStatus\"},\n" REST));
}

TEST(a_run_results_in_the_trace_that_holds_it)
{
	struct export_part items[] = {
		{ .path = STR("one"), .bytes = 1, .first_run = 0 }, { .path = STR("two"), .bytes = 2, .first_run = 2 },
	};
	struct export_parts parts = { .items = items, .count = 2 };
	struct kit k;

	kit_open(&k);
	for (int i = 0; i < 3; i++)
		kit_add(&k, STR(NODE("\"a\"", "system", "", 1, 1, "")), "x");
	k.parts = &parts;
	kit_write(&k, "ro-crate");
	CHECK(str_has(buf_str(&k.out), STR("\"hasPart\":[{\"@id\":\"one\"},{\"@id\":\"two\"}],\"mentions\":[{\"@id\":\"#run-1\"},")));
	CHECK(str_has(buf_str(&k.out), STR("{\"@id\":\"two\",\"@type\":\"File\",\"name\":\"two\",")));
	for (int i = 0; i < 3; i++) {
		struct str run = arena_printf(&k.arena, "{\"@id\":\"#run-%d\",\"@type\"", i + 1);
		struct str rest = str_skip(buf_str(&k.out), str_find(buf_str(&k.out), run));

		CHECK(str_ends(str_cut(rest, '\n', &rest), i < 2 ? STR("\"result\":{\"@id\":\"one\"}},") : STR("\"result\":{\"@id\":\"two\"}},")));
	}
	kit_free(&k);
}

TEST(the_version_of_the_software_is_that_of_the_summary)
{
	struct str out = kit_export("ro-crate", NODE("\"a\"", "system", "", 1, 1, "")
		"{\"schema_version\":\"agent-trace/v1\",\"event_type\":\"summary\",\"trace_id\":\"trace-one\",\"exit_status\":\"error\","
		"\"error_message\":\"no\\nluck\",\"framework_version\":{\"f\":\"7\",\"g\":1}}");

	CHECK(str_has(out, STR("\"softwareVersion\":\"7\"")));
	CHECK(str_has(out, STR("\"error\":\"no luck\"")));
}
