#include "sink/export/parts.h"

#include "harness/test.h"

TEST(each_trace_has_a_name_a_length_and_a_digest)
{
	struct err err = { .kind = ERR_NONE };
	struct export_parts p;
	char hex[SHA256_HEX];
	struct arena a;
	struct str dir;

	arena_init(&a);
	export_parts_init(&p, &a);
	dir = ARENA_JOIN(&a, str_from(test_dir()), STR("/crate"));
	p.dir = export_dir_open(NULL, dir, false, &err);
	CHECK(p.dir && export_parts_begin(&p, 0, &err) && export_parts_add(&p, STR("ab"), &err) && export_parts_add(&p, STR("c"), &err));
	CHECK(export_parts_begin(&p, 3, &err) && export_parts_end(&p, &err) && export_parts_end(&p, &err));
	CHECK(export_dir_commit(p.dir, &err));
	CHECK_INT(p.count, 2);
	CHECK_INT(p.items[0].bytes, 3);
	CHECK_INT(p.items[1].first_run, 3);
	digest_hex(hex, p.items[0].digest);
	CHECK(str_starts(str_of(hex, SHA256_HEX), STR("ba7816bf8f01cfea")));
	CHECK_STR(p.items[1].path, STR("agent-trace-2.jsonl"));
	CHECK_STR(test_read(ARENA_JOIN(&a, dir, STR("/agent-trace.jsonl")).p), STR("abc"));
	CHECK_STR(test_read(ARENA_JOIN(&a, dir, STR("/agent-trace-2.jsonl")).p), STR(""));
	export_parts_free(&p);
	arena_free(&a);
}
