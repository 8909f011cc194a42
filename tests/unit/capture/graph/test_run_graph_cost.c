/* What a recorded call costs, and what the run does. */
#include "unit/capture/observer_bodies.h"
#include "unit/capture/run_graph_dag.h"

#define BILLED(model_, more_, usage_) \
	"{\"id\":\"c\",\"object\":\"chat.completion\"," \
	"\"model\":\"" model_ "\"" more_ ",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\"," \
	"\"content\":\"a\"},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":1000,\"completion_tokens\":100" usage_ "}}"

/* The service's word before the table's; without either the run has no total, and the model a name. */
TEST(a_call_costs_what_the_service_states_else_what_the_table_says)
{
	static const struct { const char *answer, *source, *unpriced; double usd; } cases[] = {
		{ BILLED("gpt-4o-mini", "", ",\"cost\":0.25"), "api", "", 0.25 },
		{ BILLED("gpt-4o-mini", "", ""), "estimated", "", 0.00021 },
		{ BILLED("homemade", "", ",\"cost\":0.25"), "api", "", 0.25 },
		{ BILLED("homemade", "", ""), NULL, "no price for homemade (1 call)", 0 },
		{ BILLED("gpt-4o-mini", ",\"service_tier\":\"scale\"", ""), NULL, "no price for gpt-4o-mini at tier scale (1 call)", 0 },
	};
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 16 });
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct run_graph_options o = { .prices = prices_new(&a) };
		struct graphing w;
		struct asked q;
		struct buf said;
		struct val v;
		double usd = 0;

		test_case("%zu", i);
		buf_init(&said);
		graphing_open(&w, o);
		q = graphing_ask(&w, "u go");
		q.feed.answer = str_from(cases[i].answer);
		q.feed.status = 200;
		graphing_end(&w, &q);
		price_gaps_say(run_graph_unpriced(w.run_graph), &said);
		CHECK_STR(buf_str(&said), str_from(cases[i].unpriced));
		graphing_finish(&w);
		for (int node = 0; node < 2; node++) {
			if (node)
				v = val_get(graphing_node(&w, p, "model_call", 0), STR("model_call"));
			else
				CHECK(json_parse_copy(p, w.summary, &v, NULL));
			CHECK_INT(val_double(val_get(v, STR("estimated_cost_usd")), &usd), cases[i].source != NULL);
			CHECK(usd == cases[i].usd);
			if (cases[i].source)
				CHECK(val_text_is(val_get(v, STR("cost_source")), str_from(cases[i].source)));
			else
				CHECK(!val_has(v, STR("cost_source")));
		}
		graphing_close(&w);
		buf_free(&said);
	}
	arena_free(&a);
	json_parser_close(p);
}
