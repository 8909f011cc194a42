/*
 * A table of rules: refused with its name and line, or read; what was read can be written as a table again and says the
 * same, and holding it against a turn ends, whatever the turn.
 */
#include "fuzz/fuzz.h"

#include "json/json.h"
#include "trial/classify/classify.h"

static void check_again(struct arena *a, const struct rules *rules)
{
	struct rules again;
	struct buf text;
	struct err err;

	buf_init(&text);
	for (size_t i = 0; i < rules->count; i++) {
		const struct rules_row *r = &rules->rows[i];

		FUZZ_CHECK(r->count > 0 && r->weight != 0);
		buf_printf(&text, "%s\t%d\t%s\t", bond_names[r->bond], r->weight, rules_kinds[r->kind]);
		buf_add_str(&text, r->field);
		buf_add_str(&text, STR("\twhy\n"));
	}
	FUZZ_CHECK(rules_parse(a, buf_str(&text), STR("again"), &again, &err));
	FUZZ_CHECK(strcmp(again.digest, rules->digest) == 0);
	buf_free(&text);
}

/* The table is the turn as well: words that stand in it are found. */
static void check_turn(struct arena *a, const struct rules *rules, struct str text)
{
	struct json_parser *p = json_parser_open((struct json_options){ .allow_duplicates = true });
	struct turn_call call = { text, text };
	struct turn turn = { .text = text, .thought = text, .calls = &call, .call_count = 1, .all_calls = 1 };
	struct turns turns = { .items = &turn, .count = 1 };
	struct classify_turn out;

	classify_by_rules(&out, a, p, rules, &turns, 0);
	FUZZ_CHECK(out.bond < BONDS && out.confidence > 0 && out.confidence <= 1);
	FUZZ_CHECK(out.bond == bond_strongest(out.score));
	FUZZ_CHECK(!out.strongest[0].row || out.strongest[0].row->bond == out.bond);
	json_parser_close(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = str_of(data, size < TURNS_TEXT ? size : TURNS_TEXT);
	struct rules rules;
	struct arena a;
	struct err err;

	arena_init(&a);
	if (rules_parse(&a, text, STR("own.tsv"), &rules, &err)) {
		check_again(&a, &rules);
		check_turn(&a, &rules, text);
	} else {
		FUZZ_CHECK(str_starts(str_from(err.text), STR("own.tsv:")));
	}
	rules_builtin(&a, &rules);
	check_turn(&a, &rules, text);
	arena_free(&a);
	return 0;
}
