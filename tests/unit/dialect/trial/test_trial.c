/* One record per rule: full.json holds every field, edits.tsv the small edits that break one rule each. */
#include <stdio.h>

#include "base/buf.h"
#include "dialect/trial/trial_rules.h"
#include "unit/dialect/check_feed.h"

static struct str replace(const char *text, const char *from, const char *to)
{
	struct str whole = test_data(text), from_str = str_from(from), to_str = str_from(to);
	size_t at = str_find(whole, from_str);
	char *out = test_alloc(whole.n + to_str.n + 1);
	size_t n = at;

	if (at == (size_t)-1)
		FAIL("%s does not hold %s", text, from);
	memcpy(out, whole.p, at);
	memcpy(out + n, to_str.p, to_str.n);
	n += to_str.n;
	memcpy(out + n, whole.p + at + from_str.n, whole.n - at - from_str.n);
	return str_of(out, whole.n - from_str.n + to_str.n);
}

static struct str next_cell(struct str *row)
{
	return str_cut(*row, '\t', row);
}

static const char *terminated(struct str s)
{
	char *out = test_alloc(s.n + 1);

	memcpy(out, s.p, s.n);
	return out;
}

/* One finding with this code at this place, or none for "-". */
static void expect_one(struct str text, size_t lines, struct str code, struct str pointer)
{
	struct check_feed f;

	check_feed(&f, &trial_dialect, text, lines);
	if (str_eq(code, STR("-"))) {
		CHECK_STR(check_feed_list(&f), STR(""));
	} else {
		CHECK_STR(check_feed_list(&f), arena_printf(&f.arena, "1:%.*s", STR_ARG(code)));
		CHECK_STR(f.findings.kept[0].pointer, pointer);
		CHECK(f.findings.kept[0].message.n > 0);
	}
	CHECK_INT(f.tally.records, 1);
	arena_free(&f.arena);
}

TEST(each_edit_of_a_full_record_gives_exactly_its_code)
{
	struct str rest = test_data("trial/edits.tsv");
	bool seen[TRIAL_RULES] = { false };
	size_t rows = 0;

	while (rest.n > 0) {
		struct str row = str_cut(rest, '\n', &rest), shown = row;
		struct str code = next_cell(&row), pointer = next_cell(&row), from = next_cell(&row);
		struct str text;

		if (str_starts(code, STR("#")))
			continue;
		test_case("%.*s", STR_ARG(shown));
		text = replace("trial/full.json", terminated(from), terminated(row));
		expect_one(text, CHECK_DOCUMENT, code, pointer);
		expect_one(text, 0, code, pointer);
		for (size_t i = 0; i < TRIAL_RULES; i++)
			seen[i] = seen[i] || str_eq(code, str_from(trial_rules[i].code));
		rows++;
	}
	CHECK(rows > 200);
	for (size_t i = TRIAL_UNKNOWN; i <= TRIAL_UNPARSEABLE; i++) {
		test_case("%s", trial_rules[i].code);
		CHECK(seen[i]);
	}
}

TEST(what_is_not_a_record_gives_the_code_of_its_fault)
{
	static const struct {
		const char *text, *expected;
	} cases[] = {
		{ "{\"trial_id\": \"\xff\"}", "1:TR001" },
		{ "{\"trial_id\": \"t-1\",\n \"experiment_id\":", "2:TR002" },
		{ "{\"trial_id\": \"t-1\"} x", "1:TR002" },
		{ "{\"trial_id\": \"t-1\",\n\"trial_id\": \"t-1\"}", "2:TR003" },
		{ "[{\"trial_id\": \"t-1\"}]", "1:TR004" },
		{ "null", "1:TR004" },
		{ "", "0:TR031" },
		{ "\n \n", "0:TR031" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct check_feed f;

		test_case("%s", cases[i].text);
		check_feed(&f, &trial_dialect, str_from(cases[i].text), CHECK_DOCUMENT);
		CHECK_STR(check_feed_list(&f), str_from(cases[i].expected));
		arena_free(&f.arena);
	}
}

/* Takes out any of the three fields that a complete record needs. */
static struct str without(unsigned bits, bool null)
{
	static const struct {
		const char *text, *absent, *null;
	} needed[] = {
		{ "\"adapter_revision\":\"sha256:bb\",", "", "\"adapter_revision\":null," },
		{ ",\"tool_versions\":{\"bash\":\"5.2\"}", "", ",\"tool_versions\":null" },
		{ ",\"input_files\":[{\"path\":\"in/beam.json\",\"hash\":\"sha256:cc\",\"source\":\"store/beam\"}]", "",
		  ",\"input_files\":null" },
	};
	struct str text = test_data("trial/full.json");
	char *out = test_alloc(text.n + 64);
	size_t n = 0;

	for (size_t i = 0; i < 3; i++) {
		size_t at = str_find(text, str_from(needed[i].text));
		const char *kept = !(bits >> i & 1) ? needed[i].text : null ? needed[i].null : needed[i].absent;

		CHECK(at != (size_t)-1);
		memcpy(out + n, text.p, at);
		n += at;
		memcpy(out + n, kept, strlen(kept));
		n += strlen(kept);
		at += strlen(needed[i].text);
		text = str_of(text.p + at, text.n - at);
	}
	memcpy(out + n, text.p, text.n);
	return str_of(out, n + text.n);
}

TEST(a_complete_record_names_every_field_of_provenance_it_lacks)
{
	static const char *const names[] = { "agent.adapter_revision", "environment.tool_versions", "inputs.input_files" };

	for (unsigned bits = 0; bits < 8; bits++) {
		for (int null = 0; null < 2; null++) {
			struct check_feed f;

			test_case("%u%s", bits, null ? " null" : "");
			check_feed(&f, &trial_dialect, without(bits, null), CHECK_DOCUMENT);
			CHECK_STR(check_feed_list(&f), str_from(bits ? "1:TR028" : ""));
			for (size_t i = 0; bits && i < 3; i++)
				CHECK_INT(str_find(f.findings.kept[0].message, str_from(names[i])) != (size_t)-1,
					  bits >> i & 1);
			arena_free(&f.arena);
		}
	}
}

TEST(a_partial_record_needs_no_provenance)
{
	struct str text = replace("trial/full.json", "\"adapter_revision\":\"sha256:bb\",", "");
	struct check_feed f;

	check_feed(&f, &trial_dialect, test_data("trial/partial.json"), CHECK_DOCUMENT);
	CHECK_STR(check_feed_list(&f), STR(""));
	arena_free(&f.arena);
	check_feed(&f, &trial_dialect, text, CHECK_DOCUMENT);
	CHECK_STR(check_feed_list(&f), STR("1:TR028"));
	arena_free(&f.arena);
}

TEST(faults_of_one_record_are_all_found)
{
	struct str text = replace("trial/partial.json", "\"reward\": 0", "\"reward\": 2, \"score\": 1");
	struct check_feed f;

	check_feed(&f, &trial_dialect, text, CHECK_DOCUMENT);
	CHECK_INT(f.findings.errors, 3); /* the range, the unknown field, the output that could not be parsed */
	CHECK_INT(f.findings.kept[0].at.line, f.findings.kept[1].at.line);
	arena_free(&f.arena);
}

TEST(a_trial_id_is_unique_in_its_experiment_and_only_there)
{
	check_feed_expect(&trial_dialect, test_data("trial/lines.jsonl"), "");
	check_feed_expect(&trial_dialect, test_data("trial/twice.jsonl"), "3:TR030");
}

TEST(ids_that_only_look_equal_when_joined_are_different)
{
	struct str one = replace("trial/full.json", "\"e-1\"", "\"e-11\""), two = test_data("trial/full.json");
	struct str three = replace("trial/full.json", "\"t-001\"", "\"1t-001\"");
	char *text = test_alloc(one.n + two.n + three.n);

	memcpy(text, one.p, one.n);
	memcpy(text + one.n, two.p, two.n);
	memcpy(text + one.n + two.n, three.p, three.n);
	check_feed_expect(&trial_dialect, str_of(text, one.n + two.n + three.n), "");
}

TEST(the_published_complete_record_is_valid_and_the_legacy_ones_are_not)
{
	struct str complete = test_read(test_shared("aec/trial_record_v1_complete.json"));
	struct str legacy = test_read(test_shared("aec/site_mock_trials_v1.jsonl"));
	struct check_feed f;

	check_feed(&f, &trial_dialect, complete, CHECK_DOCUMENT);
	CHECK_STR(check_feed_list(&f), STR(""));
	arena_free(&f.arena);
	check_feed(&f, &trial_dialect, legacy, 0);
	CHECK_INT(f.findings.errors, 3 * f.tally.records); /* environment, inputs and outputs are missing in each */
	arena_free(&f.arena);
}

TEST(the_modes_make_no_difference)
{
	static const enum check_mode modes[] = { MODE_STRICT, MODE_PERMISSIVE };

	for (size_t i = 0; i < 2; i++) {
		struct check_options options = { .mode = modes[i] };
		struct check_feed f;

		check_feed_with(&f, &trial_dialect, &options, test_data("trial/partial.json"), CHECK_DOCUMENT);
		CHECK_STR(check_feed_list(&f), STR(""));
		arena_free(&f.arena);
		check_feed_with(&f, &trial_dialect, &options,
				replace("trial/full.json", "{\"task_id\"", "{\"x\":1,\"task_id\""), CHECK_DOCUMENT);
		CHECK_STR(check_feed_list(&f), STR("1:TR005"));
		CHECK_INT(f.findings.errors, 1);
		arena_free(&f.arena);
	}
}

TEST(a_record_that_breaks_off_anywhere_is_an_error)
{
	struct str text = test_data("trial/full.json");

	for (size_t n = 0; n < text.n - 1; n++) {
		struct check_feed f;

		test_case("%zu bytes", n);
		check_feed(&f, &trial_dialect, str_of(text.p, n), CHECK_DOCUMENT);
		CHECK_STR(str_from(f.findings.kept[0].code), str_from(n ? "TR002" : "TR031"));
		CHECK_INT(f.findings.errors, 1);
		arena_free(&f.arena);
	}
}

TEST(beyond_a_million_records_ids_are_no_longer_compared)
{
	struct check_options options = { .finding_limit = 1 };
	struct buf text;
	struct check_feed f;

	buf_init(&text);
	for (int i = 0; i < (1 << 20) + 2; i++)
		buf_printf(&text, "{\"trial_id\":\"%d\",\"experiment_id\":\"e\"}\n", i);
	buf_printf(&text, "{\"trial_id\":\"7\",\"experiment_id\":\"e\"}\n");
	check_feed_with(&f, &trial_dialect, &options, buf_str(&text), 0);
	CHECK_INT(check_feed_count(&f, "TR032"), 1);
	CHECK_INT(check_feed_count(&f, "TR030"), 0);
	arena_free(&f.arena);
	buf_free(&text);
}

static int fits(const char *text)
{
	struct json_parser *p = json_parser_open((struct json_options){ 0 });
	struct val v;
	int score;

	CHECK(json_parse_copy(p, str_from(text), &v, NULL));
	score = trial_dialect.fits(v);
	json_parser_close(p);
	return score;
}

TEST(a_record_is_recognised_by_its_ids_and_parts)
{
	CHECK(fits("{\"trial_id\":1,\"experiment_id\":2,\"task\":3,\"agent\":4}") >= 70);
	CHECK_INT(fits("{\"trial_id\":1,\"experiment_id\":2,\"task\":3}"), 0);
	CHECK_INT(fits("{\"trial_id\":1,\"task\":3,\"agent\":4,\"evaluation\":5}"), 0);
	CHECK_INT(fits("{\"step\":1,\"role\":\"user\"}"), 0);
	CHECK_INT(fits("[\"trial_id\",\"experiment_id\",\"task\",\"agent\"]"), 0);
	CHECK_INT(fits("7"), 0);
}

TEST(every_rule_of_a_trial_can_be_explained)
{
	check_feed_rules(trial_rules, "TR", "doc/formats/trial.md");
}
