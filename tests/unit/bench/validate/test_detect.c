#include "bench/validate/detect.h"

#include "base/buf.h"
#include "harness/test.h"

struct sample {
	const char *text, *tools; /* names with blanks between */
};

static void check_samples(const struct sample *cases, size_t count, struct detect_how d)
{
	for (size_t i = 0; i < count; i++) {
		struct tool_use use;
		struct arena a;
		struct buf got;

		arena_init(&a);
		buf_init(&got);
		test_case("%s", cases[i].text);
		use = detect_tools(&a, d, str_from(cases[i].text), NULL, 0);
		CHECK_INT(use.source, TOOLS_FROM_TEXT);
		for (size_t n = 0; n < use.count; n++) {
			buf_add_str(&got, n ? STR(" ") : STR(""));
			buf_add_str(&got, use.names[n]);
		}
		CHECK_STR(buf_str(&got), str_from(cases[i].tools));
		buf_free(&got);
		arena_free(&a);
	}
}

#define CHECK_SAMPLES(cases, d) \
	check_samples(cases, sizeof(cases) / sizeof(cases[0]), (struct detect_how){ d, NULL, 0 })

TEST(the_reference_detector_finds_what_the_five_patterns_find)
{
	static const struct sample cases[] = {
		{ "", "" },
		{ "`free -h`", "free" },
		{ "`` ` `Free`", "free" },
		{ "run \"du -sh ~\" or 'ps aux'", "du ps" },
		{ "\"free\"", "" },
		{ "$ df -h and # ls", "df ls" },
		{ "$df", "" },
		{ "<tool>Exec</TOOL>", "exec" },
		{ "<tool><tool>a</tool>", "a" },
		{ "[tool: free][TOOL:du][Tool: ps]", "free du" },
		{ "it's a test", "s" },
		{ "```bash\nfree\n```", "bash" },
		{ "# memory", "memory" },
		{ "[tool: a] <tool>b</tool> $ c 'd e' `f` `F`", "f d c b a" },
		{ "`\xC4\xB0x` `\xE2\x84\xAA` `k` `\xC5\xBF` `\xC4\xB1`", "i\xCC\x87x k \xC5\xBF \xC4\xB1" },
		{ "'a\xC2\xA0' $\xE3\x80\x80" "b", "a b" },
		{ "$ $ a", "a" },
		{ "\"\"a \"", "a" },
	};

	CHECK_SAMPLES(cases, DETECT_REFERENCE);
}

TEST(the_default_detector_reads_fenced_blocks_line_by_line)
{
	static const struct sample cases[] = {
		{ "```bash\nfree -h\ndf -h\n```", "free df" },
		{ "```sh\nsudo -u root FOO=1 /usr/bin/free -h\n```", "free" },
		{ "```bash\nenv A=b du -s\nenv\ntime -p ls\nnice -n 5 tar c\ntimeout 5 curl x\n```", "du env ls tar curl" },
		{ "```bash\n# free memory\nfree\n```", "free" },
		{ "```bash\nps aux | grep x && echo 'a | b' ; top\n```", "ps grep echo top" },
		{ "```bash\necho $(date) again\n```", "echo date" },
		{ "```bash\ndocker run \\\n  --rm image\nls\n```", "docker ls" },
		{ "```bash\ncat <<'EOF' > x\nrm -rf\nEOF\nls\n```", "cat ls" },
		{ "```bash\necho \"one\nrm two\"\nls\n```", "echo ls" },
		{ "```bash\nif grep -q a b; then ls; fi\nfor f in *; do wc \"$f\"; done\n```", "grep ls wc" },
		{ "```bash\nsort < in > out\n```", "sort" },
		{ "```console\n$ free -h\n  total used\n# df\n```", "free df" },
		{ "```console\nroot@host:~# free\nMem: 1\n```", "free" },
		{ "```\nfree -h\ntotal used\n```", "free" },
		{ "```\n   total used\nMem: 1\n```", "" },
		{ "- so:\n  ```\n  free\n  ```", "free" },
		{ "```\nFilesystem Size\n```", "" },
		{ "```\n$ free\ntotal\n$ df\n```", "free df" },
		{ "```json\n{\"a\": 1}\n```", "" },
		{ "```python\nimport os\n```", "" },
		{ "~~~sh\nfree\n~~~", "free" },
		{ "````sh\nfree\n```\ndf\n````\nps", "free df" },
		{ "```bash\nfree", "free" },
		{ "  ```bash\r\n  free\r\n  ```\r\n", "free" },
	};

	CHECK_SAMPLES(cases, DETECT_DEFAULT);
}

TEST(the_default_detector_knows_code_from_prose)
{
	static const struct sample cases[] = {
		{ "Use `free -h` or ``du``.", "free du" },
		{ "`$ free`", "free" },
		{ "`MemTotal` in `/proc/meminfo`, `--help`", "" },
		{ "`/usr/bin/free` and `./run.sh`", "free run.sh" },
		{ "it's a test, don't run", "" },
		{ "the users' files aren't here", "" },
		{ "run 'ps aux' now", "ps" },
		{ "run \"free -h\".", "free" },
		{ "\"the answer is\" no", "" },
		{ "\"Free memory\"", "" },
		{ "'free'", "" },
		{ "say 'echo don't' twice", "echo" },
		{ "# memory\n## disk usage", "" },
		{ "$ free -h", "free" },
		{ "Run: $ free -h", "free" },
		{ "it costs $ 5 or US$ more", "" },
		{ "admin@box:/srv$ ls", "ls" },
		{ "mail me@x.org, 5$ fine", "" },
		{ "<tool>exec</tool> [tool: free]", "exec free" },
		{ "[tool: a] <tool>b</tool>\n$ c\n'd e' `f`", "f d c b a" },
		{ "`free` ` `` lost", "free" },
	};

	CHECK_SAMPLES(cases, DETECT_DEFAULT);
}

TEST(a_hash_is_a_prompt_before_an_expected_tool)
{
	static const struct str expected[] = { { "free", 4 }, { "Df", 2 } };
	static const struct sample cases[] = {
		{ "# free -h", "free" },
		{ "  # df -h /", "df" },
		{ "# sudo free -h | grep Mem", "free grep" },
		{ "# memory\n# Free memory\n## free\n#free", "" },
		{ "see # free -h", "" },
		{ "# grep free", "" },
		{ "```\n# free -h\n  total used\n```", "free" },
		{ "```bash\n# df first\nls\n```", "df ls" },
		{ "```python\n# free the lists\n```", "" },
		{ "```bash\ncat <<EOF\n# free\nEOF\n```", "cat" },
		{ "it's # free", "" },
	};

	check_samples(cases, sizeof(cases) / sizeof(cases[0]), (struct detect_how){ DETECT_DEFAULT, expected, 2 });
}

TEST(a_hash_is_a_prompt_where_a_shell_is_shown)
{
	static const struct sample cases[] = {
		{ "```console\n# df -h\n```", "df" },
		{ "```bash\n# free -h\n\n# df -h\n```", "free df" },
		{ "```bash\n# show memory\nfree -h\n```", "free" },
		{ "```\n# settings of mine\nkey = 1\n```", "" },
		{ "# free -h", "" },
	};

	CHECK_SAMPLES(cases, DETECT_DEFAULT);
}

TEST(what_the_service_reports_is_taken_as_it_is)
{
	static const struct str reported[] = { { "Get_Weather", 11 }, { "Get_Weather", 11 } };
	static const struct str expected[] = { { "get_weather", 11 } }, other[] = { { "free", 4 } };
	struct tool_use use;
	struct arena a;

	arena_init(&a);
	use = detect_tools(&a, (struct detect_how){ DETECT_REFERENCE, NULL, 0 }, STR("`free`"), reported, 2);
	CHECK_INT(use.source, TOOLS_FROM_API);
	CHECK_INT(use.count, 2);
	CHECK_STR(use.names[1], STR("Get_Weather"));
	CHECK(detect_is_success(&use, expected, 1));
	CHECK(!detect_is_success(&use, other, 1));
	CHECK(detect_is_success(&use, NULL, 0));
	use.count = 0;
	CHECK(!detect_is_success(&use, NULL, 0));
	arena_free(&a);
}

TEST(names_are_the_same_but_for_the_case_of_ascii_letters)
{
	CHECK(str_eq_nocase(STR("Free"), STR("fREE")));
	CHECK(!str_eq_nocase(STR("free"), STR("fre")));
	CHECK(!str_eq_nocase(STR("a\0b"), STR("a\0c")));
}

TEST(detectors_and_sources_have_names)
{
	enum detector d = DETECT_DEFAULT;

	CHECK(detector_parse(STR("reference"), &d) && d == DETECT_REFERENCE);
	CHECK(detector_parse(STR("default"), &d) && d == DETECT_DEFAULT);
	CHECK(!detector_parse(STR("Reference"), &d));
}
