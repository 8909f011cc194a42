/*
 * Any validator on any answer: the first line is the validator, the rest the answer. A verdict comes, the same one twice;
 * a violation goes with a failure and with nothing else, and parsed_output is a JSON object. Programs are not run.
 */
#include "fuzz/fuzz.h"

#include "bench/validate/validator.h"

static void check_verdict(const struct verdict *v, struct json_parser *p)
{
	struct val parsed;

	FUZZ_CHECK((v->pass == VERDICT_FALSE) == (v->violation.n > 0));
	if (v->parsed.n == 0)
		return;
	FUZZ_CHECK(json_parse_copy(p, v->parsed, &parsed, NULL));
	FUZZ_CHECK(val_is(parsed, JSON_OBJECT));
}

static void judge(const struct validator *v, struct arena *a, struct str answer, struct json_parser *p)
{
	struct validator_call call = { STR("free"), answer };
	struct validator_input in = { .output = answer, .calls = &call, .call_count = answer.n % 2, .output_tokens = (int64_t)answer.n % 9 - 1 };
	struct verdict first, second;

	in.tools = detect_tools(a, (struct detect_how){ answer.n % 3 ? DETECT_DEFAULT : DETECT_REFERENCE, NULL, 0 }, answer, NULL,
				0);
	first = validator_run(v, a, &in);
	second = validator_run(v, a, &in);
	check_verdict(&first, p);
	FUZZ_CHECK(first.pass == second.pass && str_eq(first.violation, second.violation) && str_eq(first.parsed, second.parsed));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct validator_options options = { .allow_commands = false };
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 0 });
	struct json_parser *check = json_parser_open((struct json_options){ .max_depth = 0 });
	struct str answer, first = str_cut(str_of(data, size), '\n', &answer);
	const struct validator *compiled;
	struct findings findings;
	struct problems problems;
	struct arena a;
	struct val v;

	arena_init(&a);
	findings_init(&findings, &a, 10);
	if (json_parse_copy(p, first, &v, NULL)) {
		problems = (struct problems){ .list = &findings, .text = first, .root = v };
		compiled = validator_new(&a, v, &options, &problems);
		FUZZ_CHECK((compiled != NULL) == (findings.errors == 0));
		if (compiled)
			judge(compiled, &a, answer, check);
	}
	json_parser_close(check);
	json_parser_close(p);
	arena_free(&a);
	return 0;
}
