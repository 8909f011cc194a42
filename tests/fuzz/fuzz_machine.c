/*
 * Any text as what a machine's files and tools say: figures are in their range, what is kept of names is short and
 * harmless, and every list is JSON. The file of resources that is written of them reads back the same.
 */
#include "fuzz/fuzz.h"

#include "bench/run/machine.h"
#include "bench/run/resources.h"
#include "json/json.h"

static void check_list(struct str json, const char *const *numbers)
{
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 4 });
	struct val list, row;
	struct val_iter it;

	FUZZ_CHECK(json_parse_copy(p, json, &list, NULL) && val_is(list, JSON_ARRAY) && val_count(list) <= MACHINE_ROWS);
	it = val_begin(list);
	while (val_next(&it, &row)) {
		FUZZ_CHECK(val_is(val_get(row, STR("name")), JSON_STRING));
		for (size_t i = 0; numbers[i]; i++) {
			struct val v = val_get(row, str_from(numbers[i]));
			int64_t n = -1;

			FUZZ_CHECK(val_is(v, JSON_NULL) || (val_i64(v, &n) && n >= 0));
		}
	}
	json_parser_close(p);
}

static void check_name(struct str name)
{
	FUZZ_CHECK(name.n <= MACHINE_TEXT);
	for (size_t i = 0; i < name.n; i++)
		FUZZ_CHECK((unsigned char)name.p[i] >= ' ' && (unsigned char)name.p[i] != 0x7f);
}

static void check_resources(struct arena *a, struct str text)
{
	struct resources r, again;
	struct buf out;

	buf_init(&out);
	resources_read(&r, a, text);
	resources_write(&out, &r);
	resources_read(&again, a, buf_str(&out));
	FUZZ_CHECK(again.known && again.mem_total == r.mem_total && again.mem_available == r.mem_available);
	FUZZ_CHECK(again.disk_free == r.disk_free && again.load1 == r.load1 && str_eq(again.gpus, r.gpus));
	buf_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const gpu[] = { "memory_total_bytes", "memory_used_bytes", NULL }, *const model[] = { "size_bytes", NULL };
	struct str text = str_of(data, size);
	struct arena a;

	arena_init(&a);
	FUZZ_CHECK(machine_meminfo(text, STR("MemTotal")) >= -1);
	FUZZ_CHECK(machine_load1(text) >= -1);
	FUZZ_CHECK(machine_size(text) >= -1);
	FUZZ_CHECK(machine_cpu_model(text).n <= size && machine_os(text).n <= size);
	check_name(machine_version(&a, text, STR("Python")));
	check_list(machine_gpus(&a, text), gpu);
	check_list(machine_ollama_list(&a, text), model);
	check_resources(&a, text);
	arena_free(&a);
	return 0;
}
