/* The index as text: lines in, lines out, and which of them count. */
#include "sink/mirror/index.h"

#include "harness/test.h"
#include "json/json.h"

#define LINE(source, output, run, runs) \
	"{\"source\":\"" source "\",\"output\":\"" output "\",\"run_id\":null,\"format\":\"otutl\",\"run\":" run \
	",\"runs\":" runs ",\"output_size\":5,\"source_stamp\":\"s\",\"maker\":\"m\",\"complete\":true}"

static struct str padded(struct arena *a, const char *text)
{
	size_t n = strlen(text);

	return str_of(memcpy(arena_array(a, char, n + JSON_PAD), text, n), n);
}

static bool collect(void *context, struct str bytes, struct err *err)
{
	(void)err;
	buf_add_str(context, bytes);
	return true;
}

static struct str written(struct mirror_index *x)
{
	struct buf out;
	struct err err;

	buf_init(&out);
	CHECK(mirror_index_write(x, collect, &out, &err));
	return arena_take(x->arena, &out);
}

TEST(lines_come_out_as_they_were_in_the_order_of_sources_and_runs)
{
	const char *text = LINE("b", "b.1", "1", "2") "\n" LINE("b", "b.2", "2", "2") "\n" LINE("a", "a", "1", "1") "\n";
	const char *sorted = LINE("a", "a", "1", "1") "\n" LINE("b", "b.1", "1", "2") "\n" LINE("b", "b.2", "2", "2") "\n";
	struct mirror_index x;
	struct arena a;
	struct err err;

	arena_init(&a);
	mirror_index_init(&x, &a);
	CHECK(mirror_index_read(&x, padded(&a, text), false, &err));
	CHECK_STR(written(&x), str_from(sorted));
	CHECK_INT(mirror_index_get(&x, STR("b"), STR(".otutl.jsonl"))->count, 2);
	CHECK_INT(mirror_index_get(&x, STR("b"), STR(".other"))->count, 0);
	CHECK(mirror_index_owner(&x, STR("b.2")) == mirror_index_get(&x, STR("b"), STR(".otutl.jsonl")));
	CHECK(!mirror_index_owner(&x, STR("b.3")));
	mirror_index_clear(&x, mirror_index_owner(&x, STR("b.2")));
	CHECK(!mirror_index_owner(&x, STR("b.1")));
	CHECK_STR(written(&x), str_from(LINE("a", "a", "1", "1") "\n"));
	arena_free(&a);
}

TEST(a_journal_counts_whole_sources_and_an_index_must_be_one)
{
	static const struct {
		const char *text;
		size_t sources;
		bool is_index;
	} cases[] = {
		{ "", 0, true },
		{ LINE("a", "a", "1", "1") "\n", 1, true },
		{ LINE("a", "a", "1", "1"), 1, true },
		{ LINE("a", "a.1", "1", "2") "\n", 0, true },                                    /* killed before the second */
		{ LINE("a", "a.1", "1", "2") "\n" LINE("b", "b", "1", "1") "\n", 1, true },
		{ LINE("a", "a.1", "1", "2") "\n" LINE("b", "a.2", "2", "2") "\n", 0, true },
		{ LINE("a", "a.2", "2", "2") "\n", 0, true },
		{ LINE("a", "a", "1", "1") "\n{\"source\":\"b\",\"outp", 1, false },             /* torn */
		{ LINE("a", "a", "1", "1") "\n{\"source\":\"b\",\"outp\n" LINE("c", "c", "1", "1") "\n", 2, false },
		{ "{\"title\":1}\n", 0, false },
		{ "[1]\n", 0, false },
		{ "{\"source\":1,\"output\":[],\"format\":{},\"run\":-1,\"runs\":1e99,\"output_size\":\"\"}\n", 0, false },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		for (int is_journal = 0; is_journal < 2; is_journal++) {
			struct mirror_index x;
			size_t sources = 0;
			struct arena a;
			struct err err;

			test_case("%zu %d", i, is_journal);
			arena_init(&a);
			mirror_index_init(&x, &a);
			CHECK_INT(mirror_index_read(&x, padded(&a, cases[i].text), is_journal, &err),
				  is_journal || cases[i].is_index);
			for (size_t s = 0; s < x.count; s++)
				sources += x.all[s]->count > 0;
			if (is_journal)
				CHECK_INT(sources, cases[i].sources);
			arena_free(&a);
		}
	}
}

TEST(a_later_line_replaces_and_an_added_one_is_read_back)
{
	struct index_facts f = {
		.source = STR("in/a\n\"b\""), .output = STR("a"), .run_id = STR("id"), .format = STR("otutl"),
		.source_format = STR("codex"), .stamp = STR("s"), .maker = STR("m"), .run = 1, .runs = 1,
		.source_size = 7, .size = 9, .complete = false,
	};
	struct mirror_index x, y;
	struct index_source *s;
	struct buf lines;
	struct arena a;
	struct err err;

	arena_init(&a), buf_init(&lines);
	mirror_index_init(&x, &a);
	s = mirror_index_get(&x, f.source, STR(".otutl.jsonl"));
	mirror_index_add(&x, s, &f, &lines);
	mirror_index_clear(&x, s);
	f.size = 10;
	mirror_index_add(&x, s, &f, &lines);
	mirror_index_init(&y, &a);
	buf_add_byte(&lines, '\0');
	CHECK(mirror_index_read(&y, padded(&a, lines.p), true, &err));
	s = mirror_index_get(&y, f.source, STR(".otutl.jsonl"));
	CHECK_INT(s->count, 1);
	CHECK_INT(s->first->size, 10);
	CHECK(!s->first->complete);
	CHECK_STR(s->first->output, STR("a"));
	CHECK_STR(written(&y), written(&x));
	buf_free(&lines), arena_free(&a);
}
