#include "cmd/replay/batch_output.h"
#include "harness/test.h"
#include "json/json.h"

TEST(what_was_not_measured_is_null_in_the_document)
{
	struct batch_row rows[] = { { .dir = STR("a"), .name = STR("a"), .end = BATCH_UNABLE, .why = STR("gone") },
				    { .dir = STR("b"), .name = STR("b"), .end = BATCH_NOT_BEGUN } };
	struct json_parser *parser = json_parser_open((struct json_options){ .max_depth = 0 });
	struct batch_told t = { .rows = rows, .count = 2, .found = 2, .stopped_by = 2 };
	struct arena a;
	struct buf b;
	struct val v;

	arena_init(&a);
	buf_init(&b);
	batch_tally_rows(&a, &(struct batch_tally_options){ .by = BATCH_BY_MODEL }, rows, 2, &t.tally);
	batch_output_json(&b, &t);
	CHECK(json_parse_copy(parser, buf_str(&b), &v, NULL));
	CHECK(val_text_is(val_get(v, STR("schema")), STR("trackway.replay-batch/1")));
	CHECK(val_is(val_get(v, STR("stopped")), JSON_TRUE));
	CHECK(val_is(val_at(v, STR("/totals/share")), JSON_NULL) && val_is(val_at(v, STR("/totals/interval")), JSON_NULL));
	CHECK(val_text_is(val_at(v, STR("/runs/0/end")), STR("could_not_run")));
	CHECK(val_is(val_at(v, STR("/runs/0/verdict")), JSON_NULL) && val_is(val_at(v, STR("/runs/0/served")), JSON_NULL));
	CHECK(val_is(val_at(v, STR("/runs/1/seconds")), JSON_NULL));
	json_parser_close(parser);
	buf_free(&b);
	arena_free(&a);
}
