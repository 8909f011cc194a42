#include "bench/run/inventory.h"

#include <unistd.h>

#include "base/build.h"
#include "base/clock.h"
#include "harness/convert.h"
#include "json/json.h"
#include "unit/bench/tools_in_path.h"

struct taken {
	struct arena arena;
	struct buf text;
	struct json_parser *parser;
	struct val root;
};

static void take(struct taken *t)
{
	arena_init(&t->arena);
	buf_init(&t->text);
	t->parser = json_parser_open((struct json_options){ .max_depth = 0 });
	inventory_write(&t->text, &t->arena);
	CHECK(t->text.n > 0 && t->text.p[t->text.n - 1] == '\n');
	CHECK(json_parse_copy(t->parser, buf_str(&t->text), &t->root, NULL));
}

static void let_go(struct taken *t)
{
	json_parser_close(t->parser);
	buf_free(&t->text);
	arena_free(&t->arena);
}

static struct str at(struct taken *t, const char *pointer)
{
	struct val v = val_at(t->root, str_from(pointer));

	return val_is(v, JSON_STRING) ? val_text(v, &t->arena) : val_is_none(v) ? STR("(none)") : val_source(v);
}

TEST(the_inventory_has_the_machine_and_its_tools)
{
	static const struct tool_script tools[] = {
		{ "python3", "echo Python 3.11.2" },
		{ "ollama", "if [ $1 = list ]; then printf 'NAME  ID  SIZE  MODIFIED\\nm:1  abc  2.0 GB  now\\n'; "
			    "else echo ollama version is 0.5.7; fi" },
		{ "claude", "echo '1.0.58 (Claude Code)'" },
		{ "nvidia-smi", "echo 'Card, 2, 1'" },
	};
	static const struct {
		const char *pointer, *text;
	} cases[] = {
		{ "/schema", "trackway.bench-inventory/1" },
		{ "/host/sysname", "Linux" },
		{ "/host/gpus/0/memory_total_bytes", "2097152" },
		{ "/tools/trackway", BUILD_VERSION },
		{ "/tools/ollama", "0.5.7" },
		{ "/tools/claude", "1.0.58 (Claude Code)" },
		{ "/python_version", "3.11.2" },
		{ "/ollama_list/0/name", "m:1" },
		{ "/ollama_list/0/size", "2.0 GB" },
		{ "/ollama_list/0/size_bytes", "2000000000" },
		{ "/ollama_list/0/modified", "now" },
		{ "/claude_version", "1.0.58 (Claude Code)" },
	};
	char host[300] = "";
	struct stamp stamp;
	struct taken t;

	tools_only(tools, 4);
	take(&t);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].pointer);
		CHECK_STR(at(&t, cases[i].pointer), str_from(cases[i].text));
	}
	CHECK_STR(convert_strays(&t.arena, "bench-inventory", buf_str(&t.text)), STR(""));
	gethostname(host, sizeof(host) - 1);
	CHECK_STR(at(&t, "/host/hostname"), str_from(host));
	CHECK(stamp_parse(at(&t, "/taken_at"), &stamp));
	CHECK(val_is(val_at(t.root, STR("/host/cpu_count")), JSON_NUMBER));
	CHECK(val_is(val_at(t.root, STR("/host/ram_bytes")), JSON_NUMBER));
	let_go(&t);
	tools_remove(tools, 4);
}

TEST(a_tool_that_is_missing_fails_or_says_nothing_is_an_error_in_its_place)
{
	static const struct tool_script tools[] = {
		{ "python3", ":" },
		{ "ollama", "if [ $1 = list ]; then echo 'could not connect' >&2; exit 1; fi; echo 'client version is 0.6.2'" },
	};
	struct taken t;

	tools_only(tools, 2);
	take(&t);
	CHECK_STR(at(&t, "/python_version/error"), STR("Python: told no version"));
	CHECK_STR(at(&t, "/tools/ollama"), STR("0.6.2"));
	CHECK_STR(at(&t, "/ollama_list/error"), STR("ollama: its server does not answer"));
	CHECK_STR(at(&t, "/claude_version/error"), STR("claude: not found"));
	CHECK_STR(at(&t, "/tools/claude/error"), STR("claude: not found"));
	CHECK_STR(at(&t, "/host/gpus"), STR("[]"));
	let_go(&t);
	tools_remove(tools, 2);
}

TEST(the_claude_that_is_asked_is_the_one_that_is_named)
{
	static const struct tool_script tools[] = { { "claude", "echo wrong" }, { "my-claude", "echo '9.9.9 (Claude Code)'" } };
	char path[300];
	struct taken t;

	tools_only(tools, 2);
	snprintf(path, sizeof(path), "%s/my-claude", getenv("PATH"));
	setenv("CLAUDE_CODE_CLI", path, 1);
	take(&t);
	CHECK_STR(at(&t, "/claude_version"), STR("9.9.9 (Claude Code)"));
	let_go(&t);
	setenv("CLAUDE_CODE_CLI", "/nowhere/of-somebody/claude", 1);
	take(&t);
	CHECK_STR(at(&t, "/claude_version/error"), STR("claude: not found"));
	CHECK_INT(str_find(buf_str(&t.text), STR("somebody")), -1);
	let_go(&t);
	tools_remove(tools, 2);
}

TEST(the_inventory_has_neither_environment_nor_user)
{
	static const struct tool_script tools[] = { { "ollama", "echo \"$HOME is $USER\" >&2; exit 9" } };
	struct taken t;

	setenv("USER", "somebody-with-a-name", 1);
	setenv("LOGNAME", "somebody-with-a-name", 1);
	setenv("HOME", "/nowhere/somebody-with-a-name", 1);
	setenv("OPENAI_API_KEY", "a-key-of-ours", 1);
	tools_only(tools, 1);
	take(&t);
	CHECK_INT(str_find(buf_str(&t.text), STR("somebody")), -1);
	CHECK_INT(str_find(buf_str(&t.text), STR("a-key-of-ours")), -1);
	CHECK_INT(str_find(buf_str(&t.text), str_from(getenv("PATH"))), -1);
	let_go(&t);
	tools_remove(tools, 1);
}
