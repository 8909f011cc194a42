#include "dialect/otutl/hold.h"

#include "harness/test.h"

TEST(records_come_out_lowest_seq_first_and_equal_ones_as_they_came)
{
	static const uint64_t seqs[] = { 9, 3, 7, 3, 1, 8, 1, 1, 12, 0, 5, 3 };
	static const uint64_t wanted[] = { 9, 4, 6, 7, 1, 3, 11, 10, 2, 5, 0, 8 }; /* the lines: indexes of the above */
	struct otutl_hold h;

	otutl_hold_init(&h);
	CHECK(otutl_hold_first(&h) == NULL);
	for (size_t i = 0; i < 12; i++) {
		struct otutl_record r = { .seq = seqs[i], .line = i };

		otutl_hold_add(&h, (struct otutl_view){ .record = &r });
	}
	CHECK_INT(otutl_hold_count(&h), 12);
	for (size_t i = 0; i < 12; i++) {
		struct otutl_held held;

		CHECK_INT(otutl_hold_first(&h)->line, wanted[i]);
		held = otutl_hold_take(&h);
		CHECK_INT(held.record.line, wanted[i]);
		otutl_held_free(&held);
	}
	CHECK_INT(otutl_hold_count(&h), 0);
	CHECK_INT(h.bytes, 0);
	otutl_hold_free(&h);
}

TEST(a_held_record_has_its_own_bytes_and_columns)
{
	char line[] = "\xc3\xa9{\"seq\":4}", canon[] = "{canon}", proj[] = "{proj}", id[] = "call_1";
	struct otutl_hole holes[] = { { .key = { 1, 2 }, .at = 3 }, { .key = { 4, 5 }, .at = 6 } };
	struct otutl_record r = {
		.seq = 4,
		.text = str_of(line, sizeof(line) - 1),
		.at = { [OTUTL_AT_SEQ] = 9 },
		.canon_n = 7,
		.proj_n = 6,
		.hole_count = 2,
		.call_id = str_of(id, 6),
	};
	struct otutl_hold h;
	struct otutl_held held;
	struct otutl_view v;

	otutl_hold_init(&h);
	otutl_hold_add(&h, (struct otutl_view){ &r, str_of(canon, 7), str_of(proj, 6), holes });
	CHECK(h.bytes > sizeof(held));
	memset(line, 0, sizeof(line));
	memset(canon, 0, sizeof(canon));
	memset(proj, 0, sizeof(proj));
	memset(id, 0, sizeof(id));
	memset(holes, 0, sizeof(holes));
	held = otutl_hold_take(&h);
	v = otutl_held_view(&held);
	CHECK_STR(v.canon, STR("{canon}"));
	CHECK_STR(v.proj, STR("{proj}"));
	CHECK_STR(v.record->call_id, STR("call_1"));
	CHECK_INT(v.holes[1].key.b, 5);
	CHECK_INT(v.holes[1].at, 6);
	CHECK_STR(v.record->text, STR("\xc3\xa9{\"seq\":4}"));
	CHECK_INT(v.record->column[OTUTL_AT_SEQ], 9);
	otutl_held_free(&held);
	otutl_hold_free(&h);
}

TEST(a_long_line_is_not_kept)
{
	static char line[5000];
	struct otutl_record r = { .seq = 4, .text = str_of(line, sizeof(line)), .at = { [OTUTL_AT_TS] = 4000 } };
	struct otutl_hold h;
	struct otutl_held held;

	memset(line, 'x', sizeof(line));
	otutl_hold_init(&h);
	otutl_hold_add(&h, (struct otutl_view){ .record = &r });
	held = otutl_hold_take(&h);
	CHECK_INT(held.record.text.n, 0);
	CHECK_INT(held.record.column[OTUTL_AT_TS], 4001);
	otutl_held_free(&held);
	otutl_hold_free(&h);
}

TEST(what_is_still_held_is_freed)
{
	struct otutl_record r = { .seq = 4, .canon_n = 3 };
	struct otutl_hold h;

	otutl_hold_init(&h);
	for (int i = 0; i < 100; i++)
		otutl_hold_add(&h, (struct otutl_view){ .record = &r, .canon = STR("abc") });
	otutl_hold_free(&h);
}
