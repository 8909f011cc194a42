/* `trackway mock`: options and script of the mock server; mock_serve.c serves. */
#include <stdio.h>

#include "base/file.h"
#include "cmd/frame/commands.h"
#include "cmd/listen.h"
#include "cmd/mock_serve.h"

#define SCRIPT_MOST ((size_t)64 << 20)

struct mock_opts {
	struct str listen, script, log;
	bool dry_run;
	struct opt_list hosts, origins;
};

static const struct mock_opts defaults = { .listen = { "127.0.0.1:0", 11 } };

static const struct opt mock_options[] = {
	{ OPT_STR, 0, "listen", offsetof(struct mock_opts, listen), "ADDR:PORT",
	  "where to listen; port 0, the default, picks a free port" },
	{ OPT_STR, 0, "script", offsetof(struct mock_opts, script), "FILE",
	  "the rules for answers (default: repeat the user's last text)" },
	{ OPT_STR, 0, "log", offsetof(struct mock_opts, log), "FILE|-",
	  "add a line of JSON for each request: path, model, status, time; no content" },
	{ OPT_FLAG, 'n', "dry-run", offsetof(struct mock_opts, dry_run), NULL, "only check the script" },
	{ OPT_LIST, 0, "allow-host", offsetof(struct mock_opts, hosts), "NAME",
	  "also accept requests with this Host (default: only 127.0.0.1, localhost and [::1])" },
	{ OPT_LIST, 0, "allow-origin", offsetof(struct mock_opts, origins), "ORIGIN",
	  "also accept requests from this web page, as https://app.example.com (default: none)" },
	OPT_LAST,
};

/* No path gives an empty script. An error in the script is told with where a script is described. */
static bool mock_read_script(struct arena *a, struct str path, struct mock_script *out, struct err *err)
{
	struct err why = { .kind = ERR_NONE };
	struct str text;

	*out = (struct mock_script){ .rules = NULL, .count = 0 };
	if (!path.p)
		return true;
	if (!file_read(a, path, SCRIPT_MOST, &text, err))
		return false;
	if (mock_script_parse(a, text, path, out, &why))
		return true;
	return err_set(err, why.kind, "%s" ERR_HELP "'trackway mock --help' describes a script", why.text);
}

/* The command. The script and the guard are checked before anything listens. */
static int mock_run(struct arena *a, const void *options, struct args args, struct err *err)
{
	const struct mock_opts *o = options;
	struct mock_script script = { .rules = NULL, .count = 0 };
	struct mock_service service = {
		.listen = o->listen,
		.log = o->log,
		.script = o->script.p ? &script : NULL,
		.script_name = o->script,
		.quiet = args.frame->quiet,
	};

	if (o->dry_run && !o->script.p) {
		usage_set(err, "add --script FILE", "--dry-run needs a script to check");
		return EXIT_FAIL;
	}
	if (!listen_guard(o->hosts, o->origins, &service.guard, err) ||
	    !mock_read_script(a, o->script, &script, err))
		return EXIT_FAIL;
	if (!o->dry_run)
		return mock_serve(a, &service, err);
	printf("%.*s: %zu rule%s\n", STR_ARG(o->script), script.count, script.count == 1 ? "" : "s");
	return EXIT_YES;
}

static const struct example examples[] = {
	{ "trackway mock --script mock.json & sleep 1; kill $!", "a server for a second" },
	{ "trackway mock --listen 127.0.0.1:0 --log requests.jsonl & sleep 1; kill $!", "echo, and keep a log" },
	{ "trackway mock --script mock.json --dry-run", "check a script" },
	{ NULL, NULL },
};

const struct command mock_command = {
	.name = "mock",
	.summary = "a deterministic model server, for tests and demonstrations",
	.usage = "[--listen ADDR:PORT] [--script FILE] [--log FILE|-]",
	.description =
		"Serves the APIs of OpenAI (chat completions, Responses, embeddings), Anthropic (messages), Gemini "
		"(generateContent), Cohere (chat) and Ollama (chat, generate, embed), streamed and not, on this "
		"machine. The first line of standard output is the base URL. It runs until SIGINT or SIGTERM (exit "
		"status 130 or 143).\n\n"
		"Without a script it repeats the last text of a user or tool. A script has rules: the first that "
		"matches "
		"answers, and a request that none matches gets a 404 in the provider's shape:\n\n"
		"  {\"schema\": \"trackway.mock/1\", \"rules\": [{\n"
		"    \"match\": {\"path\", \"model\", \"contains\", \"last\", \"nth\"},\n"
		"    \"reply\": {\"text\", \"reasoning\",\n"
		"              \"tool_calls\": [{\"name\", \"arguments\" or \"input\"}],\n"
		"              \"usage\": {\"input\", \"output\", \"cache_read\"}, \"finish\"},\n"
		"    \"pace\":  {\"ttft_ms\", \"itl_ms\", \"chunk\": \"word\"|N},\n"
		"    \"fault\": {\"status\", \"headers\", \"cut_after\", \"bad_json\", \"stall_ms\"}}]}\n\n"
		"Every member is optional. The same requests in the same order give the same bytes in every run: ids "
		"are made from the request, and times in answers are fixed. doc/mock.md has the details.",
	.examples = examples,
	.options = mock_options,
	.defaults = &defaults,
	.options_size = sizeof(struct mock_opts),
	.args = ARGS_NONE,
	.run = mock_run,
};
