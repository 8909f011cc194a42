/* inventory.json of a benchmark run: the machine and the tools that it was made with. */
#include "dialect/bench/rules.h"
#include "dialect/formats.h"
#include "dialect/record/record.h"
#include "dialect/record/scan.h"

#define SCHEMA "trackway.bench-inventory/1"

#define TOLD PLAIN(T_STRING | T_OBJECT, FIELD_REQUIRED), .object = &error_type
#define TEXT PLAIN(T_STRING, FIELD_EXTRA)

static const struct field error_fields[] = {
	{ "error", T_STRING, FIELD_REQUIRED, CHECK_NOT_BLANK, BENCH_EMPTY, .about = "why there is no answer" },
};

static const struct record_type error_type = {
	.name = "error",
	RECORD_TYPE(error_fields),
	.about = "what is not there",
};

static const struct field gpu_fields[] = {
	{ "name", TEXT, .about = "what it calls itself" },
	{ "memory_total_bytes", EXTRA_COUNT, .about = "its memory" },
	{ "memory_used_bytes", EXTRA_COUNT, .about = "of which in use" },
};

static const struct record_type gpu_type = { .name = "gpu", RECORD_TYPE(gpu_fields),
					     .about = "a graphics processor" };
static const struct field gpu_element = { "gpu", PLAIN(T_OBJECT, FIELD_REQUIRED), .object = &gpu_type };

static const struct field host_fields[] = {
	{ "hostname", TEXT, .about = "its name" },
	{ "sysname", TEXT, .about = "the kernel: Linux" },
	{ "release", TEXT, .about = "the kernel's version" },
	{ "machine", TEXT, .about = "the architecture: x86_64" },
	{ "os", TEXT, .about = "the distribution" },
	{ "cpu_model", TEXT, .about = "the processor" },
	{ "cpu_count", EXTRA_COUNT, .about = "processors that are in use" },
	{ "ram_bytes", EXTRA_COUNT, .about = "memory" },
	{ "gpus", PLAIN(T_ARRAY, FIELD_EXTRA), .each = &gpu_element, .about = "none where nvidia-smi does not answer" },
};

static const struct record_type host_type = { .name = "host", RECORD_TYPE(host_fields), .about = "the machine" };

static const struct field model_fields[] = {
	{ "name", T_STRING, FIELD_REQUIRED, CHECK_NOT_BLANK, BENCH_EMPTY, .about = "the model's name" },
	{ "id", TEXT, .about = "its digest, cut short" },
	{ "size", TEXT, .about = "as it was told, with its unit" },
	{ "size_bytes", EXTRA_COUNT, .about = "the same as a number" },
	{ "modified", TEXT, .about = "as it was told" },
};

static const struct record_type model_type = { .name = "local_model", RECORD_TYPE(model_fields),
					       .about = "a line of 'ollama list'" };
static const struct field model_element = { "local_model", PLAIN(T_OBJECT, FIELD_REQUIRED), .object = &model_type };
static const struct field tool_element = { "tool", TOLD };

static const struct field inventory_fields[] = {
	{ "schema", T_STRING, FIELD_REQUIRED, CHECK_WORD, BENCH_SCHEMA, .words = WORDS(WORD(SCHEMA)),
	  .about = "what the file is" },
	{ "taken_at", T_STRING, FIELD_REQUIRED, CHECK_STAMP, BENCH_STAMP, .about = "when somebody looked" },
	{ "host", PLAIN(T_OBJECT, FIELD_REQUIRED), .object = &host_type, .about = "the machine" },
	{ "tools", PLAIN(T_OBJECT, FIELD_REQUIRED), .each = &tool_element, .about = "versions by name" },
	{ "python_version", TOLD, .about = "of python3" },
	{ "ollama_list", PLAIN(T_ARRAY | T_OBJECT, FIELD_REQUIRED), .object = &error_type,
	  .each = &model_element, .about = "models of Ollama" },
	{ "claude_version", TOLD, .about = "of claude" },
};

static const struct record_type inventory_type = {
	.name = "inventory",
	RECORD_TYPE(inventory_fields),
	.about = "the machine and the tools that a benchmark run was made with",
};

/* Every string is searched for keys, since output of programs is kept as it came. */
static void check_inventory(struct record_scan *s, struct val root, void *fact)
{
	uint32_t at[COUNT(inventory_fields)];

	(void)fact;
	if (record_check_object(s, root, &inventory_type, at))
		record_gather_all(s);
}

/* Only what says so is ours, of whatever version. */
static int bench_inventory_fits(struct val v)
{
	return bench_schema_fits(v, STR("trackway.bench-inventory/"));
}

static const struct record_format format = {
	BENCH_DOCUMENT,
	.on_secret = BENCH_KEY,
	.check = check_inventory,
};

static const struct record_type *const roots[] = { &inventory_type, NULL };

const struct dialect bench_inventory_dialect = {
	.name = "bench-inventory",
	.title = "the machine and the tools of a benchmark run",
	.file = "ID/inventory.json",
	.unit = "inventory",
	.forms = DIALECT_DOCUMENT,
	.rules = bench_rules,
	.fits = bench_inventory_fits,
	.mark = "\"trackway.bench-inventory/",
	DIALECT_RECORDS(format, roots),
};
