/*
 * Asks one tool after the other and writes what each said, or why it said nothing. Paths and complaints of tools do not
 * get in, since an inventory is shared with the results.
 */
#include "bench/run/inventory.h"

#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/build.h"
#include "base/clock.h"
#include "bench/run/machine.h"
#include "bench/run/resources.h"
#include "bench/suite/tool.h"
#include "json/put.h"

/* What a tool said, or why it did not. */
struct told {
	bool ok;
	struct str text;
};

static struct told ask_version(struct arena *a, const char *program, const char *name)
{
	const char *argv[] = { program, "--version", NULL };
	struct told t = { .ok = false };

	t.ok = tool_ask(a, argv, &t.text);
	if (t.ok)
		t.text = machine_version(a, t.text, str_from(name));
	if (t.ok && t.text.n == 0)
		t = (struct told){ false, arena_printf(a, "%s: told no version", name) };
	return t;
}

/* The one that is asked: see provider/claude_code_cli.c. */
static const char *find_claude(void)
{
	const char *given = getenv("CLAUDE_CODE_CLI");

	return given && *given ? given : "claude";
}

static void put_error(struct json_writer *w, struct str why)
{
	json_write_begin_object(w);
	json_put_text(w, "error", why);
	json_write_end_object(w);
}

static void put_told(struct json_writer *w, const char *name, struct told t)
{
	json_put_key(w, name);
	if (t.ok)
		json_write_string(w, t.text);
	else
		put_error(w, t.text);
}

/* An empty text is null. */
static void put_text(struct json_writer *w, const char *name, struct str text)
{
	json_put_text_or_null(w, name, text.n ? text : str_of(NULL, 0));
}

/* What the system does not tell is null; the number of processors is at least 1. */
static void put_host(struct json_writer *w, struct arena *a)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct utsname u = { .sysname = "" };
	struct resources r;

	resources_take(&r, a, STR("."));
	uname(&u);
	json_put_object(w, "host");
	put_text(w, "hostname", str_from(u.nodename));
	put_text(w, "sysname", str_from(u.sysname));
	put_text(w, "release", str_from(u.release));
	put_text(w, "machine", str_from(u.machine));
	put_text(w, "os", machine_os(resources_read_file(a, "/etc/os-release")));
	put_text(w, "cpu_model", machine_cpu_model(resources_read_file(a, "/proc/cpuinfo")));
	json_put_i64(w, "cpu_count", cpus > 0 ? cpus : 1);
	json_put_i64_or_null(w, "ram_bytes", r.mem_total);
	json_put_raw(w, "gpus", r.gpus);
	json_write_end_object(w);
}

static void put_models(struct json_writer *w, struct arena *a)
{
	static const char *const argv[] = { "ollama", "list", NULL };
	struct str said;

	json_put_key(w, "ollama_list");
	if (tool_ask(a, argv, &said))
		json_write_raw(w, machine_ollama_list(a, said));
	else
		put_error(w, said);
}

void inventory_write(struct buf *out, struct arena *scratch)
{
	struct told python = ask_version(scratch, "python3", "Python");
	struct told ollama = ask_version(scratch, "ollama", "ollama");
	struct told claude = ask_version(scratch, find_claude(), "claude");
	struct json_writer w;
	char stamp[36];

	json_write_init(&w, out, JSON_PRETTY);
	json_write_begin_object(&w);
	put_text(&w, "schema", STR("trackway.bench-inventory/1"));
	stamp_format_ns(stamp, (int64_t)clock_wall_ns(), 3);
	put_text(&w, "taken_at", str_from(stamp));
	put_host(&w, scratch);
	json_put_object(&w, "tools");
	put_text(&w, "trackway", STR(BUILD_VERSION));
	put_told(&w, "ollama", ollama);
	put_told(&w, "claude", claude);
	put_told(&w, "python3", python);
	json_write_end_object(&w);
	put_told(&w, "python_version", python);
	put_models(&w, scratch);
	put_told(&w, "claude_version", claude);
	json_write_end_object(&w);
	buf_add_byte(out, '\n');
}
