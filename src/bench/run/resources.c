/* Reads /proc, asks statvfs and nvidia-smi, and writes what they say as lines that resources_read takes back. */
#include "bench/run/resources.h"

#include <sys/statvfs.h>

#include "base/file.h"
#include "base/num.h"
#include "bench/run/machine.h"
#include "bench/suite/tool.h"
#include "json/json.h"

#define PROC_MAX ((size_t)4 << 20) /* a machine with many processors has a long /proc/cpuinfo */

struct str resources_read_file(struct arena *a, const char *path)
{
	struct err err;
	struct str text;

	return file_read(a, str_from(path), PROC_MAX, &text, &err) ? text : STR("");
}

static int64_t disk_free(struct arena *a, struct str path)
{
	struct statvfs s;

	/* what a user may still write: the rest is kept for root */
	if (statvfs(arena_copy(a, path).p, &s) != 0 || (s.f_frsize && s.f_bavail > INT64_MAX / s.f_frsize))
		return -1;
	return (int64_t)(s.f_bavail * s.f_frsize);
}

static struct str ask_gpus(struct arena *a)
{
	static const char *const argv[] = { "nvidia-smi", "--query-gpu=name,memory.total,memory.used",
					    "--format=csv,noheader,nounits", NULL };
	struct str said;

	return tool_ask(a, argv, &said) ? machine_gpus(a, said) : STR("[]");
}

void resources_take(struct resources *r, struct arena *a, struct str path)
{
	struct str memory = resources_read_file(a, "/proc/meminfo");

	*r = (struct resources){
		.known = true,
		.mem_total = machine_meminfo(memory, STR("MemTotal")),
		.mem_available = machine_meminfo(memory, STR("MemAvailable")),
		.disk_free = disk_free(a, path.n ? path : STR(".")),
		.load1 = machine_load1(resources_read_file(a, "/proc/loadavg")),
		.gpus = ask_gpus(a),
	};
}

/* ---- the file ---- */

#define UNKNOWN "unknown"

static void put_bytes(struct buf *out, const char *name, int64_t bytes)
{
	if (bytes < 0)
		buf_printf(out, "%s: " UNKNOWN "\n", name);
	else
		buf_printf(out, "%s: %lld\n", name, (long long)bytes);
}

void resources_write(struct buf *out, const struct resources *r)
{
	char load[NUM_DOUBLE_MAX];

	put_bytes(out, "mem_total_bytes", r->mem_total);
	put_bytes(out, "mem_available_bytes", r->mem_available);
	put_bytes(out, "disk_free_bytes", r->disk_free);
	if (r->load1 < 0)
		buf_printf(out, "load1: " UNKNOWN "\n");
	else
		buf_printf(out, "load1: %.*s\n", (int)num_format_double(load, r->load1), load);
	buf_printf(out, "gpus: ");
	buf_add_str(out, r->gpus.n ? r->gpus : STR("[]"));
	buf_add_byte(out, '\n');
}

static int64_t read_bytes(struct str text)
{
	int64_t n;

	return num_parse_i64(text, &n) && n >= 0 ? n : -1;
}

static double read_load(struct str text)
{
	double v;

	return num_parse_double(text, &v) == NUM_OK && v >= 0 ? v : -1;
}

/* It is put into summary.json as it stands, so it has to be an array; a file that was edited may have anything. */
static struct str read_gpus(struct arena *a, struct str text)
{
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 4 });
	struct str gpus = STR("[]");
	struct val v;

	if (json_parse_copy(p, text, &v, NULL) && val_is(v, JSON_ARRAY))
		gpus = arena_copy(a, text);
	json_parser_close(p);
	return gpus;
}

void resources_read(struct resources *r, struct arena *a, struct str text)
{
	*r = (struct resources){
		.mem_total = -1, .mem_available = -1, .disk_free = -1, .load1 = -1, .gpus = STR("[]"),
	};
	while (text.n > 0) {
		struct str value, line = str_cut(text, '\n', &text), name = str_trim(str_cut(line, ':', &value));

		value = str_trim(value);
		r->known = true;
		if (str_eq(name, STR("mem_total_bytes")))
			r->mem_total = read_bytes(value);
		else if (str_eq(name, STR("mem_available_bytes")))
			r->mem_available = read_bytes(value);
		else if (str_eq(name, STR("disk_free_bytes")))
			r->disk_free = read_bytes(value);
		else if (str_eq(name, STR("load1")))
			r->load1 = read_load(value);
		else if (str_eq(name, STR("gpus")))
			r->gpus = read_gpus(a, value);
	}
}
