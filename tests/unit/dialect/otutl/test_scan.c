#include "base/crypto/merkle.h"
#include "dialect/otutl/field.h"
#include "dialect/otutl/project.h"
#include "unit/dialect/otutl_feed.h"

#define HEAD "\"ts\":\"2026-05-01T12:00:00.250Z\",\"run_id\":\"019de368-f600-7000-8000-00000000000a\""

struct scanned {
	struct otutl_scanner scanner;
	struct otutl_batch batch;
	struct buf text;
};

static void scan_text(struct scanned *s, struct str text, bool lossy)
{
	struct otutl_chunk in = { .first_line = 10, .origin = 1000 };

	buf_init(&s->text);
	buf_add_str(&s->text, text);
	memset(buf_reserve(&s->text, JSON_PAD), 0, JSON_PAD);
	in.bytes = buf_str(&s->text);
	otutl_scanner_init(&s->scanner, lossy, 0);
	otutl_batch_init(&s->batch);
	otutl_scan(&s->scanner, in, &s->batch);
}

static void scan_free(struct scanned *s)
{
	otutl_batch_free(&s->batch);
	otutl_scanner_free(&s->scanner);
	buf_free(&s->text);
}

static size_t findings_of(const struct scanned *s)
{
	return s->batch.findings.n / sizeof(struct finding);
}

TEST(a_record_has_its_core_fields_its_place_and_its_bytes)
{
	static const char line1[] = "{\"seq\":7,\"type\":\"tool_call\"," HEAD
				    ",\"tool\":\"a:b\",\"args\":{\"z\":1.0,\"a\":[]},\"call_id\":\"k\",\"parent_call_id\":\"p\"}\r\n";
	static const char line2[] = "\n{\"type\":\"cost\",\"seq\":8," HEAD "}\n";
	struct scanned s;
	const struct otutl_record *r;
	struct otutl_view v;
	struct sha256 sha;
	struct digest leaf;

	scan_text(&s, STR("{\"seq\":7,\"type\":\"tool_call\"," HEAD
			  ",\"tool\":\"a:b\",\"args\":{\"z\":1.0,\"a\":[]},\"call_id\":\"k\",\"parent_call_id\":\"p\"}\r\n"
			  "\n{\"type\":\"cost\",\"seq\":8," HEAD "}\n"),
		  false);
	CHECK_INT(otutl_batch_count(&s.batch), 2);
	r = otutl_batch_get(&s.batch, 0);
	CHECK_INT(r->line, 10);
	CHECK_INT(r->offset, 1000);
	CHECK_INT(r->text.n, sizeof(line1) - 3);
	CHECK_INT(r->type, OTUTL_TOOL_CALL);
	CHECK_INT(r->flags, OTUTL_HAS_SEQ | OTUTL_HAS_TS | OTUTL_HAS_RUN_ID | OTUTL_HAS_CALL | OTUTL_HAS_PARENT);
	CHECK_INT(r->seq, 7);
	CHECK_INT(r->ts_seconds, 1777636800);
	CHECK_INT(r->ts_nanos, 250000000);
	CHECK_INT(id_uuid7_ms(r->run_id), 1777636800000);
	CHECK_STR(r->call_id, STR("k"));
	CHECK_INT(r->at[OTUTL_AT_SEQ], 7);
	CHECK(memcmp(r->text.p + r->at[OTUTL_AT_CALL_ID], "k\"", 2) == 0);
	v = otutl_batch_view(&s.batch, 0);
	CHECK_STR(v.canon, STR("{\"args\":{\"a\":[],\"z\":1},\"call_id\":\"k\",\"parent_call_id\":\"p\","
			       "\"run_id\":\"019de368-f600-7000-8000-00000000000a\",\"seq\":7,\"tool\":\"a:b\","
			       "\"ts\":\"2026-05-01T12:00:00.250Z\",\"type\":\"tool_call\"}"));
	CHECK_STR(v.proj, STR("{\"args\":{\"a\":[],\"z\":1},\"call_id\":,\"parent_call_id\":,\"tool\":\"a:b\",\"type\":\"tool_call\"}"));
	CHECK_STR(str_of(v.proj.p + r->args, r->args_n), STR("{\"a\":[],\"z\":1}"));
	CHECK_STR(str_of(v.proj.p + r->tool, r->tool_n), STR("\"a:b\""));
	CHECK_INT(r->hole_count, 2);
	CHECK(v.holes[0].key.a == otutl_key_of(STR("k")).a && v.holes[1].key.a == otutl_key_of(STR("p")).a);
	CHECK_INT(v.proj.p[v.holes[0].at], ',');
	sha256_init(&sha);
	leaf = merkle_leaf(&sha, v.canon);
	CHECK(memcmp(&leaf, &r->leaf, sizeof(leaf)) == 0);
	sha256_free(&sha);

	r = otutl_batch_get(&s.batch, 1);
	CHECK_INT(r->line, 12);
	CHECK_INT(r->offset, 1000 + sizeof(line1) - 1 + 1);
	CHECK_INT(r->text.n, sizeof(line2) - 3);
	CHECK_INT(r->type, OTUTL_COST);
	CHECK_INT(findings_of(&s), 1); /* the blank line, counted with the record after it */
	CHECK_INT(otutl_batch_get(&s.batch, 0)->findings_end, 0);
	CHECK_INT(r->findings_end, 1);
	scan_free(&s);
}

TEST(names_with_escapes_are_names)
{
	struct scanned s;
	const struct otutl_record *r;

	scan_text(&s, STR("{\"s\\u0065q\":1,\"typ\\u0065\":\"run\\u005fend\",\"t\\u0073\":\"2026-05-01T12:00:00.\\u0030\\u003000Z\","
			  "\"run_id\":\"019de368-f600-7000-8000-00000000000\\u0061\"}\n"),
		  false);
	r = otutl_batch_get(&s.batch, 0);
	CHECK_INT(findings_of(&s), 0);
	CHECK_INT(r->type, OTUTL_RUN_END);
	CHECK_INT(r->flags, OTUTL_HAS_SEQ | OTUTL_HAS_TS | OTUTL_HAS_RUN_ID);
	scan_free(&s);
}

/* More members than a shape can have, so that the names are sorted on the spot. */
TEST(an_object_with_very_many_members_is_canonical_too)
{
	struct scanned s;
	struct buf text, want;

	buf_init(&text);
	buf_init(&want);
	buf_add_str(&text, STR("{\"seq\":0,\"type\":\"cost\"," HEAD));
	for (int i = 299; i >= 0; i--)
		buf_printf(&text, ",\"a%03d\":%d", i, i);
	buf_add_str(&text, STR("}\n"));
	buf_add_byte(&want, '{');
	for (int i = 0; i < 300; i++)
		buf_printf(&want, "\"a%03d\":%d,", i, i);
	buf_add_str(&want, STR("\"run_id\":\"019de368-f600-7000-8000-00000000000a\",\"seq\":0,"
			       "\"ts\":\"2026-05-01T12:00:00.250Z\",\"type\":\"cost\"}"));
	scan_text(&s, buf_str(&text), false);
	CHECK_STR(otutl_batch_view(&s.batch, 0).canon, buf_str(&want));
	scan_free(&s);
	buf_free(&text);
	buf_free(&want);
}

TEST(the_canonical_form_is_that_of_the_json_room)
{
	static const char *const records[] = {
		"{}",
		"{\"b\":1,\"a\":{\"d\":[1,2.50,{}],\"c\":null}}",
		"{\"\\ufb33\":1,\"\\ud83d\\ude02\":2,\"\\u20ac\":3,\"\":4,\"\\n\":5}",
		"{\"call_ids\":[\"a\",1,[\"b\"]],\"call_id\":3,\"parent_call_id\":{},\"ext\":{\"z\":1,\"y\":2}}",
		"{\"call_ids\":\"none\",\"call_id\":\"\",\"x\":\"\\u0001\\/\"}",
	};
	struct json_parser *parser = json_parser_open((struct json_options){ 0 });
	struct canon *canon = canon_open(CANON_JCS);

	for (size_t i = 0; i < sizeof(records) / sizeof(records[0]); i++) {
		struct scanned s;
		struct buf want;
		struct val v;
		enum json_code code;
		uint32_t bad;

		test_case("%s", records[i]);
		buf_init(&want);
		CHECK(json_parse_copy(parser, str_from(records[i]), &v, NULL));
		CHECK(canon_value(canon, v, &want, &bad, &code));
		scan_text(&s, str_from(records[i]), false);
		CHECK_STR(otutl_batch_view(&s.batch, 0).canon, buf_str(&want));
		scan_free(&s);
		buf_free(&want);
	}
	canon_close(canon);
	json_parser_close(parser);
}

TEST(lossy_takes_the_numbers_that_the_profile_refuses)
{
	static const char text[] = "{\"seq\":0,\"type\":\"cost\"," HEAD ",\"a\":295147905179352825856,\"b\":1e-400,\"c\":9007199254740993}\n";
	struct scanned s;

	scan_text(&s, str_from(text), false);
	CHECK_INT(findings_of(&s), 3);
	CHECK(otutl_batch_get(&s.batch, 0)->flags & OTUTL_DROPPED);
	CHECK_INT(s.batch.canon.n, 0);
	scan_free(&s);

	scan_text(&s, str_from(text), true);
	CHECK(!(otutl_batch_get(&s.batch, 0)->flags & OTUTL_DROPPED));
	CHECK(str_starts(otutl_batch_view(&s.batch, 0).canon,
			 STR("{\"a\":295147905179352830000,\"b\":0,\"c\":9007199254740992,")));
	CHECK_INT(findings_of(&s), 2); /* W_NUM_PRECISION twice: the digits are gone, and this says so */
	scan_free(&s);

	scan_text(&s, STR("{\"a\":1e400}\n"), true);
	CHECK(otutl_batch_get(&s.batch, 0)->flags & OTUTL_DROPPED);
	scan_free(&s);
}

TEST(one_fault_in_a_record_does_not_hide_another)
{
	struct scanned s;

	scan_text(&s, STR("{\"seq\":\"0\",\"type\":\"tool_call\",\"ts\":\"now\",\"run_id\":1,\"a\":[1e400,9007199254740993]}\n"), false);
	CHECK_INT(findings_of(&s), 8); /* ts, run_id, seq, call_id, tool, args and two numbers */
	scan_free(&s);
}

TEST(a_batch_is_reused_without_traces_of_the_last_one)
{
	struct scanned s;
	struct otutl_chunk empty = { .bytes = STR(""), .first_line = 1 };
	static const char padding[JSON_PAD];

	scan_text(&s, STR("x\n{\"call_id\":\"a\"}\n"), false);
	CHECK_INT(otutl_batch_count(&s.batch), 2);
	empty.bytes = str_of(padding, 0);
	otutl_scan(&s.scanner, empty, &s.batch);
	CHECK_INT(otutl_batch_count(&s.batch), 0);
	CHECK_INT(findings_of(&s), 0);
	CHECK_INT(s.batch.canon.n + s.batch.proj.n + s.batch.holes.n, 0);
	scan_free(&s);
}

TEST(findings_beyond_the_limit_are_counted_only)
{
	struct otutl_chunk in = { .first_line = 1 };
	struct findings list;
	struct otutl_fold *fold;
	struct scanned s;
	struct arena a;
	struct err err;

	arena_init(&a);
	scan_text(&s, STR("x\n{}\n[]\n{}\ny\n"), false);
	CHECK_INT(otutl_batch_findings(&s.batch), 11);
	CHECK_INT(findings_of(&s), 11);
	in.bytes = buf_str(&s.text);
	s.scanner.finding_limit = 1; /* of each code */
	otutl_scan(&s.scanner, in, &s.batch);
	CHECK_INT(otutl_batch_findings(&s.batch), 11);
	CHECK_INT(findings_of(&s), 6);
	findings_init(&list, &a, 3);
	fold = otutl_fold_open(&a, (struct otutl_fold_options){ .findings = &list });
	CHECK(otutl_fold(fold, &s.batch, &err));
	CHECK_INT(list.errors, 11 + 1); /* and E_RUN_START */
	CHECK_INT(list.kept_count, 3);
	otutl_fold_close(fold);
	arena_free(&a);
	scan_free(&s);
}

TEST(dropped_lines_that_follow_each_other_are_one_record)
{
	struct scanned s;

	scan_text(&s, STR("x\n\n[]\n{}\nx\n{"), false);
	CHECK_INT(otutl_batch_count(&s.batch), 4);
	CHECK_INT(otutl_batch_get(&s.batch, 0)->lines, 2);
	CHECK_INT(otutl_batch_get(&s.batch, 0)->findings_end, 3);
	CHECK_INT(otutl_batch_get(&s.batch, 1)->lines, 1);
	CHECK_INT(otutl_batch_get(&s.batch, 2)->lines, 1);
	CHECK(otutl_batch_get(&s.batch, 3)->flags & OTUTL_TORN); /* apart, because it does not count against a hash */
	scan_free(&s);
}

TEST(the_end_of_a_file_inside_a_record_is_torn_and_other_damage_is_not)
{
	static const struct {
		const char *text, *code;
	} cases[] = {
		{ "{", "E_TORN_TAIL" },
		{ "{\"a\":\"x", "E_TORN_TAIL" },
		{ "{\"a\":\"x\\", "E_TORN_TAIL" },
		{ "{\"a\":\"\\ud83d", "E_TORN_TAIL" },
		{ "{\"a\":tr", "E_TORN_TAIL" },
		{ "{\"a\":-", "E_TORN_TAIL" },
		{ "{\"a\":[1,{\"b\":2}", "E_TORN_TAIL" },
		{ "{\"a\":\"}\"", "E_TORN_TAIL" },
		{ "{\"a\":1,\"a\":2", "E_TORN_TAIL" },
		{ "{\"a\":1}}", "E_TRAILING" },
		{ "{\"a\":1,}", "E_SYNTAX" },
		{ "}", "E_SYNTAX" },
		{ "tru", "E_SYNTAX" },
		{ "{\"a\":1}x", "E_TRAILING" },
		{ "{\"a\":1,\"a\":2}", "E_DUP_KEY" },
		{ "{\n", "E_SYNTAX" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct scanned s;

		test_case("%s", cases[i].text);
		scan_text(&s, str_from(cases[i].text), false);
		CHECK_INT(findings_of(&s), 1);
		CHECK_STR(str_from(((const struct finding *)(const void *)s.batch.findings.p)->code), str_from(cases[i].code));
		scan_free(&s);
	}
}

TEST(the_data_of_chunks_adds_up_to_the_result)
{
	static const struct {
		const char *members;
		bool ok;
	} cases[] = {
		{ "\"result\":\"ab\",\"chunks\":[{\"data\":\"a\"},{\"data\":\"b\"}]", true },
		{ "\"result\":\"ab\",\"chunks\":[{\"data\":\"a\"},{\"data\":\"\"},{\"data\":\"\",\"x\":1},{\"data\":\"\\u0062\"}]", true },
		{ "\"result\":\"ab\",\"chunks\":[]", true },
		{ "\"result\":\"ab\",\"chunks\":[{\"t_ms\":1},2,null]", false },
		{ "\"result\":\"\",\"chunks\":[{\"data\":\"\"}]", true },
		{ "\"result\":[1],\"chunks\":[{\"data\":\"a\"}]", true },
		{ "\"chunks\":[{\"data\":\"a\"}]", true },
		{ "\"result\":\"ab\",\"chunks\":{\"data\":\"a\"}", false },
		{ "\"result\":\"ab\",\"chunks\":[{\"data\":\"a\"}]", false },
		{ "\"result\":\"ab\",\"chunks\":[{\"data\":\"ab\"},{\"data\":\"c\"}]", false },
		{ "\"result\":\"ab\",\"chunks\":[{\"data\":\"b\"},{\"data\":\"a\"}]", false },
		{ "\"result\":\"1\",\"chunks\":[{\"data\":1}]", false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct scanned s;
		struct buf text;

		test_case("%s", cases[i].members);
		buf_init(&text);
		buf_printf(&text, "{\"seq\":0,\"type\":\"tool_result\",\"call_id\":\"k\"," HEAD ",%s}\n", cases[i].members);
		scan_text(&s, buf_str(&text), false);
		CHECK_INT(findings_of(&s), !cases[i].ok);
		scan_free(&s);
		buf_free(&text);
	}
}

TEST(members_are_listed_with_their_meaning)
{
	struct json_parser *parser = json_parser_open((struct json_options){ 0 });
	struct val root, fields[OTUTL_MEMBERS];
	struct buf members;

	buf_init(&members);
	CHECK(json_parse_copy(parser, STR("{\"seq\":3,\"x\":1,\"args\":[]}"), &root, NULL));
	otutl_members_read(&members, root, fields);
	CHECK(members.n > 0);
	CHECK_STR(val_raw(fields[OTUTL_M_SEQ]), STR("3"));
	CHECK(val_is(fields[OTUTL_M_ARGS], JSON_ARRAY));
	CHECK(val_is_none(fields[OTUTL_M_TYPE]));
	buf_free(&members);
	json_parser_close(parser);
}
