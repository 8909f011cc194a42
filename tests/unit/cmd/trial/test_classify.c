/* A classification as text at 80 columns and as JSON. tests/cli/trial-classify has whole commands. */
#include "base/utf8.h"
#include "cmd/trial/classify_output.h"
#include "dialect/formats.h"
#include "harness/test.h"

static const uint8_t bonds[] = { BOND_EXPLORATION, BOND_EXECUTION };

/* Two turns told by a judge who tries to write on the terminal. */
static struct classify_trial judged(struct classify_turn turns[2])
{
	struct classify_trial t = {
		.from = { .path = STR("a\x1b[2J.jsonl"), .from = &trajectory_dialect },
		.turns = turns, .sequence = { bonds, 2 }, .bond_counts = { 1, 0, 0, 1 }, .dominant = BOND_EXECUTION,
		.mean_confidence = 0.7, .low_confidence = 1,
	};

	turns[0] = (struct classify_turn){ .bond = BOND_EXPLORATION, .confidence = 0.5,
					   .rationale = STR("it asks\x1b[31m and asks and asks and asks and asks and asks") };
	turns[1] = (struct classify_turn){ .bond = BOND_EXECUTION, .confidence = 0.9 };
	t.transitions = bond_count_transitions(t.sequence);
	t.matrix = bond_normalise(&t.transitions);
	return t;
}

TEST(no_line_is_wider_than_the_screen_and_nothing_acts_on_it)
{
	static const size_t widths[] = { 80, 120 };

	for (size_t i = 0; i < COUNT(widths); i++) {
		struct classify_turn turns[2];
		struct classify_trial t = judged(turns);
		struct term term = { .width = widths[i] };
		struct str rest;
		struct buf out;

		buf_init(&out);
		classify_output_add_trial(&out, &t, &term);
		CHECK(!memchr(out.p, '\x1b', out.n));
		for (rest = buf_str(&out); rest.n;)
			CHECK(utf8_width(str_cut(rest, '\n', &rest)) <= widths[i]);
		CHECK(str_has(buf_str(&out), STR("   2  execution     0.90\n")));
		buf_free(&out);
	}
}

TEST(what_is_not_known_is_null)
{
	struct classify_turn turns[2];
	struct classify_trial t = judged(turns);
	struct classify_sum sum;
	struct json_writer w;
	struct buf out;

	buf_init(&out);
	json_write_init(&w, &out, JSON_COMPACT);
	classify_output_write_trial(&w, &t);
	CHECK(str_has(buf_str(&out), STR("\"trial_id\":null,\"experiment_id\":null,\"reward\":null,")));
	CHECK(str_has(buf_str(&out), STR("\"cosine_similarity\":null,\"edit_distance\":null,\"normalized_edit_distance\":null,")));
	CHECK(str_has(buf_str(&out), STR("{\"turn\":2,\"bond\":\"execution\",\"confidence\":0.9,\"scores\":null,"
					 "\"indicators\":[],\"rationale\":null}")));
	buf_clear(&out);
	classify_sum_init(&sum);
	json_write_init(&w, &out, JSON_COMPACT);
	classify_output_write_sum(&w, &sum);
	CHECK(str_starts(buf_str(&out), STR("{\"trials\":0,\"classified_turns\":0,\"mean_turn_confidence\":null,"
					    "\"low_confidence_turns\":0,\"low_confidence_share\":null,")));
	CHECK(str_has(buf_str(&out), STR("\"dominant_bond\":null,")));
	classify_sum_free(&sum);
	buf_free(&out);
}

TEST(a_distance_that_is_too_much_work_is_told_so)
{
	struct classify_turn turns[2];
	struct classify_trial t = judged(turns);
	struct term term = { .width = 80 };
	struct buf out;

	t.has_likeness = true;
	t.likeness = (struct bond_likeness){ .cosine = 0.25 };
	buf_init(&out);
	classify_output_add_trial(&out, &t, &term);
	CHECK(str_has(buf_str(&out), STR("cosine similarity 0.250000, edit distance not known: too many turns\n")));
	buf_clear(&out);
	classify_output_add_plain(&out, &t);
	CHECK(str_ends(buf_str(&out), STR("\t1\t0\t0\t1\t0.250000\t\t\n")));
	buf_free(&out);
}
