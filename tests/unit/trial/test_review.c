#include "amend_kit.h"
#include "base/clock.h"
#include "base/id.h"
#include "ledger/check/check.h"
#include "trial/review.h"

static struct review usual(void)
{
	return (struct review){ .kind = STR("annotation"), .reviewer_id = STR("ana"), .judgment = STR("pass") };
}

TEST(a_review_is_written_in_the_order_of_its_fields_with_its_nulls)
{
	static const struct str categories[] = { { "units", 5 }, { "a \"b\"", 5 } };
	struct amend_target t = { .index = 7, .experiment = STR("e-1"), .trial_id = STR("t-1") };
	struct review r = usual();
	struct buf out;

	r.review_id = STR("r-1");
	r.timestamp = STR("2026-03-14T08:30:00Z");
	r.categories = categories;
	r.category_count = 2;
	buf_init(&out);
	review_add_text(&out, &r, &t);
	CHECK_STR(buf_str(&out),
		  STR("{\n  \"review_id\": \"r-1\",\n  \"kind\": \"annotation\",\n  \"experiment_id\": \"e-1\",\n"
		      "  \"trial_id\": \"t-1\",\n  \"index\": 7,\n"
		      "  \"leaf\": \"0000000000000000000000000000000000000000000000000000000000000000\",\n"
		      "  \"reviewer_id\": \"ana\",\n  \"reviewer_discipline\": null,\n"
		      "  \"timestamp\": \"2026-03-14T08:30:00Z\",\n  \"judgment\": \"pass\",\n"
		      "  \"categories\": [\n    \"units\",\n    \"a \\\"b\\\"\"\n  ],\n  \"notes\": null\n}\n"));
	buf_free(&out);
}

TEST(a_review_is_an_entry_of_its_own_that_refers_to_its_trial)
{
	struct err err = { .kind = ERR_NONE };
	struct review r = usual(), second = usual();
	struct amend_target t;
	struct amend_result out;
	struct stamp stamp;
	struct str object;
	struct entry e;
	struct id id;
	struct val v;
	struct kit k;

	kit_begin(&k);
	amend_kit_seal(&k, kit_record(&k, "\"t-0\""), NULL, 0);
	t = amend_kit_seal(&k, kit_record(&k, "\"t-1\""), NULL, 0);
	r.notes = STR("fine");
	kit_must(review_seal(&k.ledger, &k.arena, &t, &r, &out, &err), &err);
	CHECK_INT(out.index, 2);
	CHECK(id_parse_uuid(r.review_id, &id) && id_uuid_version(id) == 7);
	CHECK(stamp_parse(r.timestamp, &stamp));
	e = kit_entry(&k, LEDGER_MAIN, 2);
	CHECK_INT(e.kind, ENTRY_REVIEW);
	CHECK_STR(e.id, r.review_id);
	CHECK_STR(e.experiment, STR("e-1"));
	CHECK_STR(e.ref.trial_id, STR("t-1"));
	CHECK_INT(e.ref.index, 1);
	CHECK(memcmp(e.ref.leaf.b, t.leaf.b, 32) == 0);
	CHECK_STR(e.record.media, STR("application/vnd.review+json"));
	object = kit_object(&k, LEDGER_MAIN, e.record.digest);
	CHECK_INT(object.n, e.record.size);
	CHECK(json_parse_copy(k.parser, object, &v, NULL));
	CHECK(val_text_is(val_get(v, STR("notes")), STR("fine")));
	/* a second opinion stands beside the first */
	kit_must(review_seal(&k.ledger, &k.arena, &t, &second, &out, &err), &err);
	CHECK_INT(out.index, 3);
	/* the same id with other words is refused */
	second.notes = STR("no");
	CHECK(!review_seal(&k.ledger, &k.arena, &t, &second, &out, &err));
	CHECK(str_starts(str_from(err.text), STR("[E_CONFLICT] ")));
	kit_end(&k);
}

TEST(a_review_of_a_partial_trial_stands_in_the_diagnostic_log)
{
	struct err err = { .kind = ERR_NONE };
	struct review r = usual();
	struct amend_target t;
	struct amend_result out;
	struct kit k;

	kit_begin(&k);
	t = amend_kit_seal(&k, kit_replace(&k, kit_record(&k, "\"t-1\""), "\"complete\"", "\"partial\""), NULL, 0);
	kit_must(review_seal(&k.ledger, &k.arena, &t, &r, &out, &err), &err);
	CHECK_INT(kit_size(&k, LEDGER_MAIN), 0);
	CHECK_INT(kit_entry(&k, LEDGER_DIAGNOSTIC, 1).kind, ENTRY_REVIEW);
	kit_end(&k);
}

TEST(a_review_that_breaks_a_rule_is_refused_with_its_code)
{
	struct review bad[4] = { usual(), usual(), usual(), usual() };
	static const char *const codes[] = { "RV008", "RV013", "RV009", "RV012" };
	struct err err = { .kind = ERR_NONE };
	struct amend_target t;
	struct amend_result out;
	struct kit k;

	kit_begin(&k);
	t = amend_kit_seal(&k, kit_record(&k, "\"t-1\""), NULL, 0);
	bad[0].reviewer_id = STR(" ");
	bad[1].judgment = STR("ok");
	bad[2].kind = STR("rant");
	bad[3].timestamp = STR("today");
	for (size_t i = 0; i < 4; i++) {
		test_case("%s", codes[i]);
		CHECK(!review_seal(&k.ledger, &k.arena, &t, &bad[i], &out, &err));
		CHECK_INT(err.kind, ERR_USAGE);
		CHECK(str_starts(str_from(err.text), str_from(codes[i])));
	}
	t.leaf.b[0] ^= 1;
	bad[0].reviewer_id = STR("ana");
	CHECK(!review_seal(&k.ledger, &k.arena, &t, &bad[0], &out, &err));
	CHECK_INT(err.kind, ERR_DATA);
	CHECK_INT(kit_size(&k, LEDGER_MAIN), 1);
	kit_end(&k);
}

/* ---- reviews that come as files ---- */

static struct str signed_review(struct kit *k, const struct amend_target *t)
{
	struct err err = { .kind = ERR_NONE };
	uint8_t seed[ED25519_SEED] = { 5 };
	struct review r = usual();
	struct signer ana;
	struct buf text;

	kit_must(signer_init(&ana, STR("ana.example"), KEY_LOG, seed, &err), &err);
	kit_must(review_sign(&k->arena, t, &r, &ana, &err), &err);
	buf_init(&text);
	review_add_text(&text, &r, t);
	return arena_take(&k->arena, &text);
}

TEST(a_signed_review_is_sealed_byte_for_byte_once)
{
	struct err err = { .kind = ERR_NONE };
	struct review_sealed first, again;
	struct amend_target t;
	struct str text;
	struct kit k;

	kit_begin(&k);
	t = amend_kit_seal(&k, kit_record(&k, "\"t-1\""), NULL, 0);
	text = signed_review(&k, &t);
	kit_must(review_seal_file(&k.ledger, &k.arena, text, &first, &err), &err);
	CHECK(first.is_signed && !first.result.was_there && first.result.index == 1);
	CHECK_STR(first.signer.name, STR("ana.example"));
	CHECK_STR(kit_object(&k, LEDGER_MAIN, first.digest), text);
	kit_must(review_seal_file(&k.ledger, &k.arena, text, &again, &err), &err);
	CHECK(again.result.was_there && again.result.index == 1);
	/* one that names no experiment is of that of its trial */
	t.experiment = (struct str){ NULL, 0 };
	kit_must(review_seal_file(&k.ledger, &k.arena, signed_review(&k, &t), &again, &err), &err);
	CHECK_STR(again.experiment, STR("e-1"));
	kit_end(&k);
}

TEST(a_review_that_was_changed_or_is_of_another_ledger_is_refused)
{
	static const struct {
		const char *from, *to, *why;
	} cases[] = {
		{ "\"pass\"", "\"fail\"", "not one of this review" },
		{ "\"index\": 0", "\"index\": 9", "not one of this review" },
		{ "\"judgment\": \"pass\"", "\"judgment\": \"fine\"", "RV013" },
		{ "\"signature\": \"", "\"signature\": \"A", "RV017" },
		{ "\"vkey\": \"", "\"vkey\": \"+", "RV017" },
	};
	struct amend_target t, others[3];
	struct review_sealed out;
	struct kit k;

	kit_begin(&k);
	t = amend_kit_seal(&k, kit_record(&k, "\"t-1\""), NULL, 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err = { .kind = ERR_NONE };

		test_case("%s", cases[i].to);
		CHECK(!review_seal_file(&k.ledger, &k.arena, kit_replace(&k, signed_review(&k, &t), cases[i].from, cases[i].to),
					&out, &err));
		CHECK(err.kind == ERR_DATA && str_has(str_from(err.text), str_from(cases[i].why)));
	}
	others[0] = others[1] = others[2] = t;
	others[0].leaf.b[0] ^= 1;
	others[1].index++;
	others[2].experiment = STR("e-2");
	for (size_t i = 0; i < 3; i++) {
		struct err err = { .kind = ERR_NONE };

		test_case("signed %zu", i);
		CHECK(!review_seal_file(&k.ledger, &k.arena, signed_review(&k, &others[i]), &out, &err));
		CHECK(err.kind == ERR_DATA && str_has(str_from(err.text), STR("no such entry")));
	}
	CHECK_INT(kit_size(&k, LEDGER_MAIN), 1);
	kit_end(&k);
}

/* What another program, or an owner who does not ask, has sealed. */
TEST(a_check_names_a_review_whose_signature_does_not_hold)
{
	struct err err = { .kind = ERR_NONE };
	struct log_report report[LEDGER_PARTS];
	struct amend_result result;
	struct findings findings;
	struct ledger_check c;
	struct amend_target t;
	struct entry e;
	struct str forged;
	bool conflict;
	struct kit k;

	kit_begin(&k);
	t = amend_kit_seal(&k, kit_record(&k, "\"t-1\""), NULL, 0);
	forged = kit_replace(&k, signed_review(&k, &t), "\"pass\"", "\"fail\"");
	e = (struct entry){ .kind = ENTRY_REVIEW, .id = STR("r-1"), .experiment = t.experiment,
			    .record = { .given = true, .size = forged.n, .media = STR(ENTRY_MEDIA_REVIEW) },
			    .ref = { .given = true, .trial_id = t.trial_id, .index = t.index, .leaf = t.leaf } };
	kit_must(k.ledger.logs[0]->ops->put_objects(k.ledger.logs[0], &forged, 1, &e.record.digest, &err) &&
			 amend_append(&k.ledger, &k.arena, LEDGER_MAIN, &e, &result, &conflict, &err) &&
			 ledger_publish(&k.ledger, &err), &err);
	findings_init(&findings, &k.arena, 0);
	c = (struct ledger_check){ .where = k.dir, .arena = &k.arena, .keys = k.keys, .objects = true, .findings = &findings };
	kit_must(ledger_check_run(&c, report, &err), &err);
	CHECK_INT(findings.errors, 1);
	CHECK_STR(str_from(findings.kept[0].code), STR("LG043"));
	CHECK_INT(report[LEDGER_MAIN].signed_reviews, 0);
	kit_end(&k);
}
