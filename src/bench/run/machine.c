/* Each text is read line by line, and lines that do not fit are passed over: a tool may say more than it was asked. */
#include "bench/run/machine.h"

#include "base/num.h"
#include "base/utf8.h"
#include "json/put.h"

/* ---- lines and words ---- */

static bool machine_next_line(struct str *text, struct str *line)
{
	if (text->n == 0)
		return false;
	*line = str_trim(str_cut(*text, '\n', text));
	return true;
}

/* At most MACHINE_TEXT bytes, without what a terminal could act upon; the writer of JSON sees to the rest. */
static struct str plain(struct arena *a, struct str text)
{
	struct str s = str_trim(text);
	size_t n = 0;
	char *out;

	s.n = s.n < MACHINE_TEXT ? s.n : MACHINE_TEXT;
	out = arena_alloc(a, s.n + 1, 1);
	for (size_t i = 0; i < s.n;) {
		uint32_t code = 0;
		size_t length = utf8_decode(s.p + i, s.n - i, &code);

		if (length == 0 || code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x2028 || code == 0x2029) {
			i += length ? length : 1;
			continue;
		}
		memcpy(out + n, s.p + i, length);
		n += length;
		i += length;
	}
	return str_trim(str_of(out, n));
}

/* ---- /proc and /etc ---- */

int64_t machine_meminfo(struct str text, struct str name)
{
	struct str line;

	while (machine_next_line(&text, &line)) {
		struct str rest, figure;
		uint64_t kib;

		if (!str_eq(str_trim(str_cut(line, ':', &rest)), name))
			continue;
		figure = str_cut(str_trim(rest), ' ', &rest);
		if (!num_parse_u64(figure, &kib) || kib > INT64_MAX / 1024 || !str_eq(str_trim(rest), STR("kB")))
			return -1;
		return (int64_t)kib * 1024;
	}
	return -1;
}

double machine_load1(struct str text)
{
	struct str rest;
	double load;

	return num_parse_double(str_cut(str_trim(text), ' ', &rest), &load) == NUM_OK && load >= 0 ? load : -1;
}

struct str machine_cpu_model(struct str cpuinfo)
{
	/* x86; older ARM; MIPS, PowerPC; RISC-V; the board, when there is nothing better */
	static const char *const names[] = {
		"model name", "Model Name", "cpu model", "cpu", "uarch", "Hardware", "Model",
	};

	for (size_t i = 0; i < COUNT(names); i++) {
		struct str text = cpuinfo, line, rest;

		while (machine_next_line(&text, &line))
			if (str_eq(str_trim(str_cut(line, ':', &rest)), str_from(names[i])) && str_trim(rest).n > 0)
				return str_trim(rest);
	}
	return STR("");
}

struct str machine_os(struct str os_release)
{
	struct str line, rest;

	while (machine_next_line(&os_release, &line)) {
		if (!str_eq(str_cut(line, '=', &rest), STR("PRETTY_NAME")))
			continue;
		if (rest.n >= 2 && (rest.p[0] == '"' || rest.p[0] == '\'') && rest.p[rest.n - 1] == rest.p[0])
			rest = str_of(rest.p + 1, rest.n - 2);
		return rest;
	}
	return STR("");
}

/* ---- versions ---- */

struct str machine_version(struct arena *a, struct str said, struct str name)
{
	static const struct str is = { "version is ", 11 };
	struct str text = said, line = STR(""), first = STR("");

	while (machine_next_line(&text, &line)) {
		size_t at = str_find(line, is);

		if (at != (size_t)-1)
			return plain(a, str_skip(line, at + is.n));
		if (first.n == 0)
			first = line;
	}
	if (str_starts(first, name) && first.n > name.n && first.p[name.n] == ' ')
		first = str_skip(first, name.n);
	return plain(a, first);
}

/* ---- sizes ---- */

int64_t machine_size(struct str text)
{
	static const struct {
		struct str unit;
		double bytes;
	} units[] = {
		{ { "B", 1 }, 1 },    { { "KB", 2 }, 1e3 },  { { "MB", 2 }, 1e6 },
		{ { "GB", 2 }, 1e9 }, { { "TB", 2 }, 1e12 },
	};
	struct str unit, figure = str_cut(str_trim(text), ' ', &unit);
	double v;

	if (num_parse_double(figure, &v) != NUM_OK || v < 0)
		return -1;
	for (size_t i = 0; i < COUNT(units); i++)
		if (str_eq(str_trim(unit), units[i].unit) && v * units[i].bytes < 9e18)
			return (int64_t)(v * units[i].bytes + 0.5);
	return -1;
}

/* ---- tables ---- */

/* nvidia-smi counts in MiB, without a unit when asked so. -1 for "[N/A]". */
static int64_t mib(struct str text)
{
	uint64_t n;

	return num_parse_u64(str_trim(text), &n) && n <= INT64_MAX >> 20 ? (int64_t)(n << 20) : -1;
}

/* The last comma of a text parts it: a GPU's name may have one, its figures have none. */
static struct str cut_last(struct str *text)
{
	struct str last = *text;

	for (size_t i = text->n; i-- > 0;) {
		if (text->p[i] == ',') {
			last = str_skip(*text, i + 1);
			text->n = i;
			return last;
		}
	}
	return STR("");
}

struct str machine_gpus(struct arena *a, struct str csv)
{
	struct json_writer w;
	struct str line;
	struct buf out;

	buf_init(&out);
	json_write_init(&w, &out, JSON_COMPACT);
	json_write_begin_array(&w);
	for (size_t rows = 0; rows < MACHINE_ROWS && machine_next_line(&csv, &line);) {
		struct str used = cut_last(&line), total = cut_last(&line);

		if (total.n == 0 || str_trim(line).n == 0) /* a complaint, not a row: "No devices were found" */
			continue;
		json_write_begin_object(&w);
		json_put_text(&w, "name", plain(a, line));
		json_put_i64_or_null(&w, "memory_total_bytes", mib(total));
		json_put_i64_or_null(&w, "memory_used_bytes", mib(used));
		json_write_end_object(&w);
		rows++;
	}
	json_write_end_array(&w);
	return arena_take(a, &out);
}

/* Columns are parted by a tab or by two blanks or more: "2.0 GB" and "3 weeks ago" have single ones. */
static struct str next_column(struct str *line)
{
	struct str s = str_trim(*line), column = s;

	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '\t' || (s.p[i] == ' ' && i + 1 < s.n && (s.p[i + 1] == ' ' || s.p[i + 1] == '\t'))) {
			column.n = i;
			break;
		}
	}
	*line = str_skip(s, column.n);
	return column;
}

struct str machine_ollama_list(struct arena *a, struct str table)
{
	struct json_writer w;
	struct str line;
	struct buf out;

	buf_init(&out);
	json_write_init(&w, &out, JSON_COMPACT);
	json_write_begin_array(&w);
	for (size_t rows = 0; rows < MACHINE_ROWS && machine_next_line(&table, &line);) {
		struct str name = next_column(&line), id = next_column(&line), size = next_column(&line);

		if (size.n == 0 || (str_eq(name, STR("NAME")) && str_eq(id, STR("ID"))))
			continue;
		json_write_begin_object(&w);
		json_put_text(&w, "name", plain(a, name));
		json_put_text(&w, "id", plain(a, id));
		json_put_text(&w, "size", plain(a, size));
		json_put_i64_or_null(&w, "size_bytes", machine_size(size));
		json_put_text(&w, "modified", plain(a, line));
		json_write_end_object(&w);
		rows++;
	}
	json_write_end_array(&w);
	return arena_take(a, &out);
}
