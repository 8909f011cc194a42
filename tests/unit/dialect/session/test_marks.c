/* Marks on their own: what the scan leaves, in which order the fold sees it, and where it says it was. */
#include "dialect/session/marks.h"
#include "unit/dialect/check_feed.h"

enum { MARK_ID, MARK_WHEN, MARK_WORD };

static const struct rule rules[] = {
	{ .code = "X001", .severity = SEV_ERROR }, { .code = "X002", .severity = SEV_ERROR },
	{ .code = "X003", .severity = SEV_INFO },
	{ .code = NULL },
};

struct state {
	struct mark_ids ids;
	struct mark_types types;
	int64_t last;
};

static void marks_check(struct record_scan *s, struct val root, void *fact)
{
	struct val type = val_get(root, STR("type"));

	marks_add_id(s, fact, MARK_ID, val_get(root, STR("id")));
	marks_add_time(s, fact, MARK_WHEN, val_get(root, STR("t")));
	if (!val_is_none(type))
		marks_add(s, fact, MARK_WORD, type)->text = arena_copy(&s->out->arena, record_show(s, type));
}

static void marks_begin_file(struct record_fold *f)
{
	struct state *st = f->state;

	mark_ids_init(&st->ids, f->arena);
	mark_types_init(&st->types, f->arena);
}

/* An id that repeats is told with the line of the first; a time, when it is less than the last. */
static void marks_add_batch(struct record_fold *f, const struct record_batch *b)
{
	struct state *st = f->state;
	bool added;

	for (struct marks_walk w = marks_begin(b); marks_next(&w);) {
		if (w.mark->kind == MARK_ID) {
			struct mark_item *item = mark_ids_add(f, &st->ids, &w, 2, &added);

			CHECK(item && item->is_open);
			if (!added)
				marks_note(f, 0, &w, "line %llu", (unsigned long long)item->at.line);
		} else if (w.mark->kind == MARK_WHEN) {
			if (w.mark->n < st->last)
				marks_note_late(f, 1, marks_place(&w), "earlier");
			st->last = w.mark->n;
		} else {
			mark_types_add(&st->types, f->arena, &w);
		}
	}
}

static void marks_end_file(struct record_fold *f)
{
	mark_types_note(&((struct state *)f->state)->types, f, 2);
}

static const struct record_format format = {
	.on_not_object = RECORD_NO_RULE, .on_blank = RECORD_NO_RULE, .on_torn = RECORD_NO_RULE,
	.on_empty = RECORD_NO_RULE,      .on_secret = RECORD_NO_RULE, .is_log = true,
	.on_glued = 1,                   .fact_size = sizeof(struct marks), .check = marks_check,
	.state_size = sizeof(struct state), .begin = marks_begin_file, .add = marks_add_batch, .finish = marks_end_file,
};

static const struct dialect sample = { .name = "sample", .rules = rules, .ops = &record_ops, .record = &format };

TEST(marks_are_folded_in_the_order_of_lines_however_they_are_cut)
{
	check_feed_expect(&sample, STR("{\"id\":\"a\"}\n{\"id\":\"\"}\n{\"id\":7}\n{\"id\":\"b\"}\n\n{\"id\":\"a\"}\n"), "6:X001");
	check_feed_expect(&sample, STR("{\"t\":\"2026-01-01T00:00:01Z\"}\n{\"t\":\"soon\"}\n{\"t\":\"2026-01-01T00:00:00.999Z\"}\n"),
			  "3:X002");
}

TEST(a_type_that_nobody_knows_is_told_once_with_the_number_of_its_lines)
{
	struct check_feed f;

	check_feed(&f, &sample, STR("{\"type\":\"x\"}\n{\"type\":\"y\"}\n{\"type\":\"x\"}\n"), 1);
	CHECK_STR(check_feed_list(&f), STR("1:X003 2:X003"));
	CHECK(str_has(f.findings.kept[0].message, STR("2 lines of the type \"x\"")));
	CHECK(str_has(f.findings.kept[1].message, STR("1 line of the type \"y\"")));
	arena_free(&f.arena);
}

TEST(values_that_share_a_line_are_all_seen_at_their_own_columns)
{
	struct check_feed f;

	check_feed(&f, &sample, STR("{\"id\":\"a\"}\n{\"id\":\"b\"}{\"id\":\"a\"}{\"id\":\"c\"}\n{\"id\":\"c\"}\n"), 0);
	CHECK_STR(check_feed_list(&f), STR("2:X001 2:X002 3:X001"));
	CHECK_INT(f.tally.records, 5);
	for (size_t i = 0; i < f.findings.kept_count; i++)
		if (f.findings.kept[i].at.line == 2 && strcmp(f.findings.kept[i].code, "X001") == 0)
			CHECK_INT(f.findings.kept[i].at.column, 17);
	arena_free(&f.arena);
}

TEST(many_values_on_one_line_end_and_the_rest_is_left)
{
	struct check_feed f;
	struct buf text = { 0 };

	for (int i = 0; i < 1000; i++)
		buf_add_str(&text, STR("{}"));
	check_feed(&f, &sample, buf_str(&text), 0);
	CHECK_STR(check_feed_list(&f), STR("1:X002"));
	CHECK(f.tally.records < 20);
	arena_free(&f.arena);
	buf_free(&text);
}
