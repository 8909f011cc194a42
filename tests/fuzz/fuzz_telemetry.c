/*
 * Telemetry from both ends. As a document: the walk over it ends, counts at least what it lists, and gives each a
 * rule and a pointer. As a log: whatever it says, the payload that is made of it has nothing on the blocklist.
 */
#include "fuzz/fuzz.h"

#include "dialect/record/blocklist.h"
#include "flow/trace_load.h"
#include "json/json.h"
#include "sink/telemetry/payload.h"
#include "source/memory.h"

static uint64_t count_blocked(struct str text, bool *is_json)
{
	struct json_parser *p = json_parser_open((struct json_options){ .allow_duplicates = true, .allow_lone = true });
	struct arena a;
	struct blocked_list list = { .arena = &a };
	struct val v;

	arena_init(&a);
	*is_json = json_parse_copy(p, text, &v, NULL);
	if (*is_json)
		blocklist_check(&list, v);
	FUZZ_CHECK(list.total >= list.count && list.count <= BLOCKED_KEPT);
	for (size_t i = 0; i < list.count; i++) {
		FUZZ_CHECK(list.items[i].rule != NULL);
		FUZZ_CHECK(list.items[i].pointer.n == 0 || list.items[i].pointer.p[0] == '/');
	}
	arena_free(&a);
	json_parser_close(p);
	return list.total;
}

static void add_entry(void *context, const struct trace_entry *e)
{
	payload_add(context, e);
}

static bool end_input(void *context, const struct convert_input *input, struct err *err)
{
	(void)input;
	(void)err;
	payload_end_input(context);
	return true;
}

static void check_log(struct str text)
{
	struct memory_file file = { STR("t.jsonl"), text };
	struct memory memory = { .files = &file, .count = 1 };
	struct source_io io = memory_io(&memory);
	struct log_flow f = { .jobs = 1, .permissive = true, .input = end_input };
	struct err err = { .kind = ERR_NONE };
	struct payload p;
	struct arena a;
	struct buf out;
	bool is_json;

	arena_init(&a);
	buf_init(&out);
	payload_init(&p);
	f.context = &p;
	f.from = source_open(&a, &file.path, 1, (struct source_options){ .shape = SOURCE_CONTENT, .io = &io }, &err);
	FUZZ_CHECK(f.from != NULL);
	if (trace_visit(&f, add_entry, &err) && p.nodes) {
		FUZZ_CHECK(payload_write(&p, &out, &err));
		FUZZ_CHECK(count_blocked(buf_str(&out), &is_json) == 0 && is_json);
	}
	source_close(f.from);
	payload_free(&p);
	buf_free(&out);
	arena_free(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = str_of(data, size);
	bool is_json;

	count_blocked(text, &is_json);
	payload_is_local_only(text);
	check_log(text);
	return 0;
}
