#include "bench/run/machine.h"

#include "harness/test.h"
#include "json/json.h"

static struct arena *scratch(void)
{
	struct arena *a = test_alloc(sizeof(*a));

	arena_init(a);
	return a;
}

TEST(memory_is_read_in_bytes_or_not_at_all)
{
	static const struct {
		const char *text, *name;
		long long bytes;
	} cases[] = {
		{ "MemTotal:       24515228 kB\nMemFree: 1 kB\nMemAvailable:   20 kB\n", "MemTotal", 24515228LL * 1024 },
		{ "MemTotal:       24515228 kB\nMemFree: 1 kB\nMemAvailable:   20 kB\n", "MemAvailable", 20480 },
		{ "MemTotal: 0 kB", "MemTotal", 0 },
		{ "", "MemTotal", -1 },
		{ "MemTotal", "MemTotal", -1 },
		{ "MemTotal:", "MemTotal", -1 },
		{ "MemTotal: -5 kB", "MemTotal", -1 },
		{ "MemTotal: 5 MB", "MemTotal", -1 },
		{ "MemTotal: 5", "MemTotal", -1 },
		{ "XMemTotal: 5 kB", "MemTotal", -1 },
		{ "MemTotal: 9007199254740991 kB", "MemTotal", 9007199254740991LL * 1024 },
		{ "MemTotal: 9007199254740992 kB", "MemTotal", -1 },
		{ "MemTotal: 99999999999999999999999 kB", "MemTotal", -1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].text);
		CHECK_INT(machine_meminfo(str_from(cases[i].text), str_from(cases[i].name)), cases[i].bytes);
	}
}

TEST(the_load_is_the_first_figure)
{
	static const struct {
		const char *text;
		double load;
	} cases[] = {
		{ "0.08 0.21 0.94 1/345 6789\n", 0.08 }, { "12.5", 12.5 }, { "0.00 0.01", 0 }, { "", -1 }, { "nan 1 2", -1 },
		{ "-1 0 0", -1 }, { "1e999 0 0", -1 }, { ", 0", -1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].text);
		CHECK(machine_load1(str_from(cases[i].text)) == cases[i].load);
	}
}

TEST(the_processor_is_named_as_its_kind_has_it)
{
	static const struct {
		const char *text, *model;
	} cases[] = {
		{ "processor\t: 0\nmodel\t\t: 85\nmodel name\t: Intel(R) Xeon(R) CPU @ 2.80GHz\nmodel name\t: other\n",
		  "Intel(R) Xeon(R) CPU @ 2.80GHz" },
		{ "processor : 0\nBogoMIPS : 243\n\nHardware\t: BCM2835\nModel\t: Raspberry Pi 4\n", "BCM2835" },
		{ "processor : 0\ncpu\t: POWER9, altivec supported\n", "POWER9, altivec supported" },
		{ "hart : 0\nuarch\t: sifive,u74-mc\n", "sifive,u74-mc" },
		{ "model name\t:\nmodel name\t: second\n", "second" },
		{ "nothing here", "" },
		{ "", "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%zu", i);
		CHECK_STR(machine_cpu_model(str_from(cases[i].text)), str_from(cases[i].model));
	}
}

TEST(the_system_is_named_without_quotes)
{
	static const struct {
		const char *text, *os;
	} cases[] = {
		{ "NAME=\"Debian GNU/Linux\"\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n", "Debian GNU/Linux 12 (bookworm)" },
		{ "PRETTY_NAME='Alpine Linux v3.20'", "Alpine Linux v3.20" },
		{ "PRETTY_NAME=Void\n", "Void" },
		{ "PRETTY_NAME=\"", "\"" },
		{ "PRETTY_NAME=\"half\n", "\"half" },
		{ "PRETTY_NAME=\n", "" },
		{ "NOT_PRETTY_NAME=x\n", "" },
		{ "", "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].text);
		CHECK_STR(machine_os(str_from(cases[i].text)), str_from(cases[i].os));
	}
}

TEST(a_version_is_found_in_what_tools_say)
{
	static const struct {
		const char *said, *name, *version;
	} cases[] = {
		{ "Python 3.11.2\n", "Python", "3.11.2" },
		{ "Python 3.14.0a1+ (free-threading)\n", "Python", "3.14.0a1+ (free-threading)" },
		{ "ollama version is 0.5.7\n", "ollama", "0.5.7" },
		{ "Warning: could not connect to a running Ollama instance\nWarning: client version is 0.6.2\n", "ollama", "0.6.2" },
		{ "ollama version is 0.5.1\nWarning: client version is 0.5.4\n", "ollama", "0.5.1" },
		{ "1.0.58 (Claude Code)\n", "claude", "1.0.58 (Claude Code)" },
		{ "\n\n 2.1.0 \nmore", "claude", "2.1.0" },
		{ "Pythonista 3", "Python", "Pythonista 3" },
		{ "a\033[31mred\033[0m\x07 \x7f\xc2\x9b" "b\xff\xfe", "x", "a[31mred[0m b" },
		{ "", "x", "" },
		{ "\n\n", "x", "" },
		{ "\xff\xff", "x", "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].said);
		CHECK_STR(machine_version(scratch(), str_from(cases[i].said), str_from(cases[i].name)), str_from(cases[i].version));
	}
}

TEST(a_huge_line_is_cut_at_a_character)
{
	char *text = test_alloc(1000001);
	struct str v;

	memset(text, 'v', 1000000);
	CHECK_INT(machine_version(scratch(), str_of(text, 1000000), STR("x")).n, MACHINE_TEXT);
	for (size_t i = 0; i + 2 < 1000; i += 3)
		memcpy(text + i, "\xe2\x82\xac", 3); /* 256 is no multiple of three */
	v = machine_version(scratch(), str_of(text, 1000), STR("x"));
	CHECK_INT(v.n, 255);
}

TEST(sizes_count_in_thousands)
{
	static const struct {
		const char *text;
		long long bytes;
	} cases[] = {
		{ "2.0 GB", 2000000000 }, { "986 MB", 986000000 }, { "1.1 KB", 1100 }, { "12 B", 12 }, { "3.5 TB", 3500000000000 },
		{ "  4.7   GB ", 4700000000 }, { "-", -1 }, { "", -1 }, { "GB", -1 }, { "1 XB", -1 }, { "-1 GB", -1 }, { "1e300 GB", -1 },
		{ "9000000 TB", -1 }, { "0.29 GB", 290000000 }, { "2.0GB", -1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].text);
		CHECK_INT(machine_size(str_from(cases[i].text)), cases[i].bytes);
	}
}

TEST(gpus_are_rows_of_three_and_anything_else_is_none)
{
	static const struct {
		const char *csv, *json;
	} cases[] = {
		{ "NVIDIA A100-SXM4-40GB, 40960, 1024\nTesla, T4, 15360, 0\n",
		  "[{\"name\":\"NVIDIA A100-SXM4-40GB\",\"memory_total_bytes\":42949672960,\"memory_used_bytes\":1073741824},"
		  "{\"name\":\"Tesla, T4\",\"memory_total_bytes\":16106127360,\"memory_used_bytes\":0}]" },
		{ "NVIDIA GB10, [N/A], [N/A]\n", "[{\"name\":\"NVIDIA GB10\",\"memory_total_bytes\":null,\"memory_used_bytes\":null}]" },
		{ "No devices were found\n", "[]" },
		{ "", "[]" },
		{ "\n\n,\n,,\n", "[]" },
		{ "a\"\033[2J\\,1,99999999999999999999\n",
		  "[{\"name\":\"a\\\"[2J\\\\\",\"memory_total_bytes\":1048576,\"memory_used_bytes\":null}]" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].csv);
		CHECK_STR(machine_gpus(scratch(), str_from(cases[i].csv)), str_from(cases[i].json));
	}
}

TEST(models_are_read_from_the_table)
{
	static const struct {
		const char *table, *json;
	} cases[] = {
		{ "NAME                       ID              SIZE      MODIFIED     \n"
		  "llama3.2:latest            a80c4f17acd5    2.0 GB    3 weeks ago    \n"
		  "hf.co/bartowski/Qwen:Q4_K_M    845dbda0ea48    986 MB    About an hour ago\n",
		  "[{\"name\":\"llama3.2:latest\",\"id\":\"a80c4f17acd5\",\"size\":\"2.0 GB\",\"size_bytes\":2000000000,"
		  "\"modified\":\"3 weeks ago\"},"
		  "{\"name\":\"hf.co/bartowski/Qwen:Q4_K_M\",\"id\":\"845dbda0ea48\",\"size\":\"986 MB\",\"size_bytes\":986000000,"
		  "\"modified\":\"About an hour ago\"}]" },
		{ "NAME\tID\tSIZE\tMODIFIED\nm:1\tabc\t5.2 GB\t2 days ago\n",
		  "[{\"name\":\"m:1\",\"id\":\"abc\",\"size\":\"5.2 GB\",\"size_bytes\":5200000000,\"modified\":\"2 days ago\"}]" },
		{ "gpt-oss:120b-cloud    569662207105    -         7 seconds ago\n",
		  "[{\"name\":\"gpt-oss:120b-cloud\",\"id\":\"569662207105\",\"size\":\"-\",\"size_bytes\":null,\"modified\":\"7 seconds ago\"}]" },
		{ "NAME    ID    SIZE    MODIFIED\n", "[]" },
		{ "", "[]" },
		{ "something went wrong\n", "[]" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%zu", i);
		CHECK_STR(machine_ollama_list(scratch(), str_from(cases[i].table)), str_from(cases[i].json));
	}
}

TEST(tables_without_end_are_cut)
{
	size_t rows = 3 * MACHINE_ROWS;
	char *text = test_alloc(rows * 12 + 1);
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 0 });
	struct val v;

	for (size_t i = 0; i < rows; i++)
		memcpy(text + i * 12, "a  b  1 B  \n", 12);
	CHECK(json_parse_copy(p, machine_ollama_list(scratch(), str_of(text, rows * 12)), &v, NULL));
	CHECK_INT(val_count(v), MACHINE_ROWS);
	for (size_t i = 0; i < rows; i++)
		memcpy(text + i * 12, "gpu, 10, 20\n", 12);
	CHECK(json_parse_copy(p, machine_gpus(scratch(), str_of(text, rows * 12)), &v, NULL));
	CHECK_INT(val_count(v), MACHINE_ROWS);
	json_parser_close(p);
}
