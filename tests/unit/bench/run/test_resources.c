#include "bench/run/resources.h"

#include "unit/bench/tools_in_path.h"

static struct arena *scratch(void)
{
	struct arena *a = test_alloc(sizeof(*a));

	arena_init(a);
	return a;
}

TEST(this_machine_has_memory_a_disk_and_a_load)
{
	static const struct tool_script tools[] = { { "nvidia-smi", "echo 'Card, 100, 1'" } };
	struct resources r;

	tools_only(tools, 1);
	resources_take(&r, scratch(), STR("/tmp"));
	CHECK(r.known && r.mem_total > 0 && r.mem_available > 0 && r.mem_available <= r.mem_total);
	CHECK(r.disk_free >= 0 && r.load1 >= 0);
	CHECK_STR(r.gpus, STR("[{\"name\":\"Card\",\"memory_total_bytes\":104857600,\"memory_used_bytes\":1048576}]"));
	tools_remove(tools, 1);
}

TEST(a_machine_without_cards_has_none_and_a_path_that_is_not_there_no_disk)
{
	struct resources r;

	tools_only(NULL, 0);
	resources_take(&r, scratch(), STR("/nowhere/at/all"));
	CHECK_STR(r.gpus, STR("[]"));
	CHECK_INT(r.disk_free, -1);
	tools_remove(NULL, 0);
}

TEST(the_file_says_the_same_when_it_is_read)
{
	static const struct resources cases[] = {
		{ true, 24000000000, 20000000000, 5000, 0.25, { "[]", 2 } },
		{ true, -1, -1, -1, -1, { "[]", 2 } },
		{ true, 0, 0, 0, 0, { "[{\"name\":\"a: b\"}]", 17 } },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct resources r;
		struct buf out;

		test_case("%zu", i);
		buf_init(&out);
		resources_write(&out, &cases[i]);
		resources_read(&r, scratch(), buf_str(&out));
		CHECK(r.known && r.mem_total == cases[i].mem_total && r.mem_available == cases[i].mem_available);
		CHECK(r.disk_free == cases[i].disk_free && r.load1 == cases[i].load1);
		CHECK_STR(r.gpus, cases[i].gpus);
		buf_free(&out);
	}
}

TEST(the_file_is_lines_that_people_can_read)
{
	struct resources r = { true, 24, 20, -1, 0.08, { "[]", 2 } };
	struct buf out;

	buf_init(&out);
	resources_write(&out, &r);
	CHECK_STR(buf_str(&out), STR("mem_total_bytes: 24\nmem_available_bytes: 20\ndisk_free_bytes: unknown\nload1: 0.08\ngpus: []\n"));
	buf_free(&out);
}

TEST(a_file_that_was_tampered_with_says_nothing_wrong)
{
	static const struct {
		const char *text, *gpus;
		bool known;
		long long total;
	} cases[] = {
		{ "", "[]", false, -1 },
		{ "free -m\ntotal used\n", "[]", true, -1 },
		{ "mem_total_bytes: -5\n", "[]", true, -1 },
		{ "mem_total_bytes: 99999999999999999999\n", "[]", true, -1 },
		{ "mem_total_bytes: 7\r\ngpus: {}\n", "[]", true, 7 },
		{ "gpus: [1,2\n", "[]", true, -1 },
		{ "gpus: [[[[[[[1]]]]]]]\n", "[]", true, -1 },
		{ "gpus: [{}], \"x\": [1]\n", "[]", true, -1 },
		{ "gpus:[ {} ]", "[ {} ]", true, -1 },
		{ "load1: NaN\n", "[]", true, -1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct resources r;

		test_case("%s", cases[i].text);
		resources_read(&r, scratch(), str_from(cases[i].text));
		CHECK_INT(r.known, cases[i].known);
		CHECK_INT(r.mem_total, cases[i].total);
		CHECK_STR(r.gpus, str_from(cases[i].gpus));
		CHECK(r.load1 == -1);
	}
}
