/* `trackway record`: options, addresses and tags for the recorder, which runs the command. */
#include <stdlib.h>
#include <unistd.h>

#include "base/crypto/hmac.h"
#include "base/mask.h"
#include "base/num.h"
#include "base/seed.h"
#include "capture/recording.h"
#include "cmd/frame/command.h"
#include "cmd/declared.h"
#include "cmd/frame/commands.h"
#include "cmd/listen.h"
#include "cmd/record_listen.h"
#include "cmd/record_messages.h"
#include "proc/self.h"
#include "sink/redact_key.h"

struct record_opts {
	struct str output;
	bool content, plain, dot, no_websocket, shell;
	bool intercept, no_intercept, otlp, no_hooks;
	struct opt_list upstreams, tags, hosts, origins;
	struct str framework;
	int rig, engine;
	struct str engine_metrics;
	struct str budget, retrieval_set;
	struct opt_maybe hash_blocks;
	struct str block_key;
	struct record_listen_opts listen;
};

#define FRAMEWORKS "langgraph|crewai|autogen|claude_code|cursor_sdk|raw_openai|unknown"
#define RIGS "h100|h200|b200|gb200|auto"
#define ENGINES "vllm|sglang|dynamo-vllm"

#define SHOWN_MOST 100 /* bytes of what the user gave, in a message */

static const struct record_opts defaults = { .rig = -1, .engine = -1 };

static const struct opt options[] = {
	{ OPT_STR, 'o', "output", offsetof(struct record_opts, output), "DIR",
	  "the directory of the run (default: runs/RUN_ID)" },
	{ OPT_FLAG, 0, "content", offsetof(struct record_opts, content), NULL,
	  "also keep prompts, answers, arguments and results, in files only you can read" },
	{ OPT_FLAG, 0, "shell", offsetof(struct record_opts, shell), NULL,
	  "also see the commands that tools run: their times, CPU time, sizes and exit" },
	{ OPT_LIST, 0, "upstream", offsetof(struct record_opts, upstreams), "NAME=URL",
	  "the address of a service: openai, anthropic, ollama, gemini, or a name of yours" },
	{ OPT_FLAG, 0, "intercept", offsetof(struct record_opts, intercept), NULL,
	  "capture by intercepting TLS to known model services, not by setting their addresses" },
	{ OPT_FLAG, 0, "no-intercept", offsetof(struct record_opts, no_intercept), NULL,
	  "never intercept TLS, also for agents that cannot be captured otherwise" },
	{ OPT_FLAG, 0, "otlp", offsetof(struct record_opts, otlp), NULL,
	  "take only the telemetry (OTLP) that the command sends; no proxy. Its content is never kept" },
	{ OPT_FLAG, 0, "no-hooks", offsetof(struct record_opts, no_hooks), NULL,
	  "do not hand hooks to an agent that takes some (Claude Code)" },
	{ OPT_LIST, 0, "tag", offsetof(struct record_opts, tags), "K=V",
	  "a tag to find the run by, as tag:K=V or tag:K" },
	{ OPT_STR, 0, "budget", offsetof(struct record_opts, budget), "FILE",
	  "declare what the run may use: a JSON object, see 'trackway audit --help'" },
	{ OPT_STR, 0, "retrieval-set", offsetof(struct record_opts, retrieval_set), "FILE",
	  "declare what the run may fetch: a JSON list of URIs" },
	{ OPT_STR, 0, "framework", offsetof(struct record_opts, framework), "NAME",
	  "the agent's framework, instead of detecting it: langgraph, crewai, autogen, claude_code, cursor_sdk, "
	  "raw_openai, unknown" },
	{ OPT_CHOICE, 0, "rig", offsetof(struct record_opts, rig), RIGS, "the hardware the model runs on" },
	{ OPT_CHOICE, 0, "engine", offsetof(struct record_opts, engine), ENGINES, "the engine that serves it" },
	{ OPT_STR, 0, "engine-metrics", offsetof(struct record_opts, engine_metrics), "URL",
	  "read the engine's metrics (vLLM, SGLang) during the run" },
	{ OPT_FLAG, 0, "plain-v1", offsetof(struct record_opts, plain), NULL,
	  "only the fields of the agent-trace/v1 specification" },
	{ OPT_OPTIONAL, 0, "hash-blocks", offsetof(struct record_opts, hash_blocks), "TOKENS",
	  "keep keyed hashes of the prompts' blocks (hash_ids), to replay the run as load (64 tokens a block)" },
	{ OPT_STR, 0, "block-key", offsetof(struct record_opts, block_key), "NAME|FILE",
	  "hash blocks with a key of yours, so that runs can be compared (default: a random one for this run)" },
	{ OPT_FLAG, 0, "dot", offsetof(struct record_opts, dot), NULL,
	  "also draw the run: agent-trace.dot, for Graphviz" },
	{ OPT_FLAG, 0, "no-websocket", offsetof(struct record_opts, no_websocket), NULL,
	  "answer requests for a WebSocket with 426, so that clients use plain HTTP" },
	{ OPT_LIST, 0, "allow-host", offsetof(struct record_opts, hosts), "NAME",
	  "also accept requests with this Host (default: only 127.0.0.1, localhost and [::1])" },
	{ OPT_LIST, 0, "allow-origin", offsetof(struct record_opts, origins), "ORIGIN",
	  "also accept requests from this web page, as https://app.example.com (default: none)" },
	{ OPT_STR, 0, "listen", offsetof(struct record_opts, listen.address), "ADDR:PORT",
	  "run no command: record all clients that come to this address, until Ctrl-C, each run by itself" },
	{ OPT_UINT, 0, "idle", offsetof(struct record_opts, listen.idle), "SECONDS",
	  "with --listen: close a run that was idle for this time (default, also for 0: 600)" },
	{ OPT_LIST, 0, "keep", offsetof(struct record_opts, listen.keep), "DAYS|SIZE",
	  "with --listen: remove closed runs older than this (30d), or the oldest beyond this size (10GiB)" },
	{ OPT_STR, 0, "token-file", offsetof(struct record_opts, listen.token_file), "FILE",
	  "with --listen: accept only clients that send this token" },
	{ OPT_STR, 0, "tls-cert", offsetof(struct record_opts, listen.tls_cert), "FILE",
	  "with --listen: speak TLS with this certificate (PEM)" },
	{ OPT_STR, 0, "tls-key", offsetof(struct record_opts, listen.tls_key), "FILE",
	  "with --listen: the key of the certificate (PEM)" },
	OPT_LAST,
};

/* The n-th of "a|b|c", or an absent text. */
static struct str record_word_of(const char *words, int n)
{
	struct str rest = str_from(words), word = { NULL, 0 };

	for (int i = 0; i <= n; i++)
		word = str_cut(rest, '|', &rest);
	return word;
}

/* Exactly one of FRAMEWORKS; not given (p NULL) is right, too. */
static bool check_framework(struct str given, struct err *err)
{
	struct str rest = str_from(FRAMEWORKS);

	while (given.p && rest.n)
		if (str_eq(str_cut(rest, '|', &rest), given))
			return true;
	return !given.p || usage_set(err, "one of " FRAMEWORKS,
				     "--framework: unknown framework '%.*s'", STR_ARG(given));
}

/* K=V pairs; a tag without a value is allowed, one without a name or given twice is not. */
static bool get_tags(struct arena *a, struct opt_list given, struct recording_options *o, struct err *err)
{
	struct run_tag *tags = arena_array(a, struct run_tag, given.count + 1);

	for (size_t i = 0; i < given.count; i++) {
		tags[i].key = str_cut(given.items[i], '=', &tags[i].value);
		if (tags[i].key.n == 0)
			return usage_set(err, "--tag task=refund", "the tag '%.*s' has no name",
					 STR_ARG(given.items[i]));
		for (size_t k = 0; k < i; k++)
			if (str_eq(tags[k].key, tags[i].key))
				return usage_set(err, "give each tag once", "the tag '%.*s' is given twice",
						 STR_ARG(tags[i].key));
	}
	o->tags = tags;
	o->tag_count = given.count;
	return true;
}

/* The address must parse now: after the run it would be too late to say so. */
static bool check_metrics(struct arena *a, struct str given, struct err *err)
{
	struct url url;

	return !given.p || url_parse(a, given, &url, err) || err_context(err, "--engine-metrics");
}

/* --hash-blocks and --block-key. Keys are those of 'trackway redact', from which one for this purpose is derived. */
static bool get_blocks(struct arena *a, const struct record_opts *given, struct block_options *out, struct err *err)
{
	const struct opt_maybe *blocks = &given->hash_blocks;
	uint8_t key[REDACT_KEY];
	uint64_t tokens = BLOCK_CHAIN_TOKENS;
	struct str path;
	bool made;

	if (!blocks->given)
		return !given->block_key.p || usage_set(err, "add --hash-blocks", "--block-key without --hash-blocks");
	if (blocks->value.p && (!num_parse_u64(blocks->value, &tokens) || tokens < BLOCK_CHAIN_LEAST ||
				tokens > BLOCK_CHAIN_MOST))
		return usage_set(err, "give 16 to 4096, or nothing for 64", "--hash-blocks: a block cannot have '%.*s' "
				 "tokens", STR_ARG(blocks->value));
	if (!given->block_key.p)
		seed_random(key, sizeof(key));
	else if (!redact_key_load(a, given->block_key, key, &path, &made, err))
		return err_context(err, "--block-key");
	out->is_drawn = !given->block_key.p;
	out->tokens = given->plain ? 0 : (unsigned)tokens; /* a plain trace has no place for them */
	out->key = hmac_derive(str_of(key, sizeof(key)), STR(""), STR("trackway hash_ids"));
	explicit_bzero(key, sizeof(key));
	return true;
}

static const char *get_env(const char *name)
{
	return getenv(name);
}

/* Where nothing is passed on, addresses of services do not matter. */
static const char *get_nothing(const char *name)
{
	(void)name;
	return NULL;
}

/* "anthropic, openai, ollama": those that have variables of their own. */
static struct str known_services(const struct routes *r)
{
	struct str names = { "", 0 };

	const struct service *s;
	size_t at = 0;

	while ((s = service_next(&at)))
		names = ARENA_JOIN(r->arena, names, str_from(names.n ? ", " : ""), str_from(s->name));
	return names;
}

/* What is shown is masked: an address without a name may have a password in it. */
static bool get_upstream(struct routes *routes, struct str given, struct err *err)
{
	struct str address, name = str_cut(given, '=', &address);
	struct buf shown;

	if (routes_is_name(name) && address.n)
		return routes_set(routes, name, address, "--upstream", err);
	buf_init(&shown);
	mask_show(&shown, given, SHOWN_MOST);
	err_set(err, ERR_USAGE, "--upstream takes NAME=URL, not '%.*s'" ERR_HELP
		"--upstream openai=http://127.0.0.1:8000/v1; names known to clients are %.*s",
		STR_ARG(buf_str(&shown)), STR_ARG(known_services(routes)));
	buf_free(&shown);
	return false;
}

/* Ways to capture that cannot be combined. */
static bool check_ways(const struct record_opts *given, struct err *err)
{
	if (given->intercept && given->no_intercept)
		return usage_set(err, "give one of them", "--intercept and --no-intercept contradict each other");
	if (given->otlp && (given->intercept || given->upstreams.count))
		return usage_set(err, "leave --otlp out: record takes telemetry also beside the proxy",
				 "--otlp starts no proxy, so %s has nothing to do",
				 given->intercept ? "--intercept" : "--upstream");
	return true;
}

/* What leads the command to us. Without one, in listen mode, and with --otlp nothing does. */
static bool get_plan(struct arena *a, const struct record_opts *given, const char *const *argv, struct routes *routes,
		     struct agent_plan *plan, struct err *err)
{
	enum agent_wish wish = given->intercept      ? AGENT_WISH_INTERCEPTION
			       : given->no_intercept ? AGENT_WISH_ADDRESSES
						     : AGENT_WISH_NONE;

	*plan = (struct agent_plan){ .arena = a };
	if (!given->no_hooks)
		plan->program = self_path(a);
	return !argv || given->otlp ||
	       agents_plan(a, argv, (const char *const *)environ, wish, routes, plan, err);
}

/*
 * From the options to what the recorder needs. Prices are left out of a plain trace, whose fields have no place for a
 * cost.
 */
static bool record_get_options(struct arena *a, const struct record_opts *given, struct recording_options *o,
			       struct routes *routes, struct agent_plan *plan, struct err *err)
{
	const char *const *argv = o->argv;

	if (!check_ways(given, err) || !check_framework(given->framework, err) ||
	    !routes_init(routes, a, given->otlp ? get_nothing : get_env, err))
		return false;
	for (size_t i = 0; i < given->upstreams.count; i++)
		if (!get_upstream(routes, given->upstreams.items[i], err))
			return false;
	if (!get_plan(a, given, argv, routes, plan, err) || !routes_check(routes, err))
		return false;
	*o = (struct recording_options){
		.argv = argv,
		.env = (const char *const *)environ,
		.routes = routes,
		.plan = given->otlp ? NULL : plan,
		.dir = given->output,
		.intercept = argv ? plan->intercept : given->intercept,
		.otlp = given->otlp,
		.content = given->content,
		.plain = given->plain,
		.dot = given->dot,
		.no_websocket = given->no_websocket,
		.shell = given->shell,
		.program = self_path(a),
		.framework = given->framework,
		.rig = record_word_of(RIGS, given->rig),
		.engine = record_word_of(ENGINES, given->engine),
		.engine_metrics = given->engine_metrics,
		.prices = given->plain ? NULL : prices_new(a),
	};
	return check_metrics(a, given->engine_metrics, err) && get_blocks(a, given, &o->blocks, err) &&
	       declared_for_run(a, given->budget, given->retrieval_set, o, err) &&
	       listen_guard(given->hosts, given->origins, &o->guard, err) && get_tags(a, given->tags, o, err);
}

/* The command must stand behind "--", because its options would be taken for ours otherwise. */
static bool get_command(struct arena *a, struct args args, struct recording_options *o, struct err *err)
{
	const char **argv = arena_array(a, const char *, args.count + 1);

	if (args.count == 0)
		return usage_set(err, "trackway record -- python3 agent.py", "the command to run is missing");
	if (args.rest == args.count)
		return usage_set(err, "trackway record -- python3 agent.py",
				 "'--' must stand before the command, here before '%.*s'", STR_ARG(args.items[0]));
	if (args.rest != 0)
		return usage_set(err,
				 "write the command after --, and only options of record before it",
				 "'%.*s' stands before --", STR_ARG(args.items[0]));
	for (size_t i = 0; i < args.count; i++)
		argv[i] = args.items[i].p;
	argv[args.count] = NULL;
	o->argv = argv;
	return true;
}

/* With --listen: no command, but whoever comes. */
static int record_many(struct arena *a, const struct record_opts *given, struct args args, struct err *err)
{
	struct recording_options o = { .argv = NULL };
	struct agent_plan plan = { .agent = NULL };
	struct routes routes;

	if (args.count) {
		usage_set(err, "leave the command out, or --listen", "--listen runs no command, here '%.*s'",
			  STR_ARG(args.items[0]));
		return EXIT_FAIL;
	}
	if (!record_get_options(a, given, &o, &routes, &plan, err))
		return EXIT_FAIL;
	return record_listen(a, args.frame, &given->listen, &o, err);
}

/* The command. Its exit status is the child's own, or 128 and the number of the signal that ended the child. */
static int record_main(struct arena *a, const void *given, struct args args, struct err *err)
{
	const struct record_opts *opts = given;
	struct recording_outcome out;
	struct recording_options o;
	struct agent_plan plan;
	struct routes routes;

	if (opts->listen.address.p)
		return record_many(a, opts, args, err);
	if (!record_listen_is_absent(&opts->listen, err) || !get_command(a, args, &o, err) ||
	    !record_get_options(a, opts, &o, &routes, &plan, err))
		return EXIT_FAIL;
	record_announce(args.frame, &plan);
	if (!recording_run(a, &o, &out, err))
		return EXIT_FAIL;
	record_talk(a, args.frame, &plan, &out);
	return out.end.signal ? 128 + out.end.signal : out.end.status;
}

static const struct example examples[] = {
	{ "trackway record -- python3 agent.py", "run an agent as usual, and keep a trace of what it did" },
	{ "trackway record -o runs/first --tag task=demo -- python3 agent.py",
	  "in a directory of your choice, with a tag" },
	{ "trackway record --upstream openai=http://127.0.0.1:8000/v1 -- python3 agent.py",
	  "with your own model server" },
	{ "trackway record --shell -- python3 agent.py", "with the times of the commands that its tools run" },
	{ "trackway record --otlp -- python3 agent.py", "an instrumented agent, by its telemetry alone" },
	{ "trackway record --listen 127.0.0.1:0 & sleep 1; kill $!", "many clients, for a second" },
	{ NULL, NULL },
};

const struct command record_command = {
	.name = "record",
	.summary = "run an agent and record every model and tool call, without their content",
	.usage = "[-o DIR] [--content] [--upstream NAME=URL]... -- COMMAND... | --listen ADDR:PORT",
	.description =
		"Starts a proxy on this machine, runs the command with an environment that points the clients of "
		"OpenAI, Anthropic, Ollama and Gemini to it, and passes everything on to the real service. The "
		"agent needs no change: content passes unchanged, as it arrives. The exit status is the command's "
		"own, or 128 plus the number of the signal that ended it.\n\n"
		"The trace holds shape, counts and times: each model call with its tokens, first token and end; "
		"each tool call as the conversation shows it; what followed from what. No prompt, no answer, no "
		"argument, no path, no key. With --content the content is kept too, in separate files that only "
		"you can read; the trace stays free of it, and the keys of requests are never written.\n\n"
		"The directory of a run has agent-trace.jsonl, summary.json and meta.json; with --content also "
		"cassette.jsonl (for replay), run.otutl.jsonl and trajectory.jsonl. 'trackway show' and every "
		"command that takes a run find it by its id, as @last, or as tag:KEY=VALUE after --tag.\n\n"
		"--budget and --retrieval-set only declare: nothing is enforced during the run. 'trackway audit' says "
		"afterwards whether the run kept to it. They stand in meta.json, the URIs as digests; with --content "
		"also in run.otutl.jsonl, as they are.\n\n"
		"--hash-blocks keeps keyed hashes of the blocks of each prompt, which tell which prompts begin alike "
		"and nothing else. 'trackway bench load --schedule' replays such a trace as load.\n\n"
		"Requests go to the base URLs of the environment, or to the public addresses; --upstream sets "
		"others. A service with a name of yours is reached at the address in TRACKWAY_UPSTREAM_NAME. A "
		"client with an address in its code ignores the environment: take the address from there, or "
		"nothing can be captured (and record says so). 'trackway record -- env' shows what is set.\n\n"
		"--shell puts shims before the programs that agents run, and in the place of SHELL: tool calls then "
		"have the times, CPU time and sizes of their processes. Arguments and output are kept only with "
		"--content. doc/shell.md says what is seen and what is not.\n\n"
		"Telemetry (OTLP over HTTP) that the command sends becomes part of the run: "
		"OTEL_EXPORTER_OTLP_ENDPOINT is set for it, and where you had set one, your collector gets the same. "
		"--otlp takes only telemetry and sets no address of a service. The content of telemetry is never "
		"kept, not even with --content. doc/otlp.md has the details.\n\n"
		"An https service is verified against the certificates of this machine, or those of "
		"SSL_CERT_FILE. HTTPS_PROXY and NO_PROXY are followed.\n\n"
		"--intercept leaves addresses as they are and takes the place of known model services: the command "
		"gets HTTPS_PROXY and a file of certificates with an authority for this run, whose key stays in "
		"memory. Other hosts pass untouched. Agents that cannot be captured otherwise are intercepted "
		"without it, and a line says so; --no-intercept forbids that. doc/record.md has the details.\n\n"
		"--listen runs no command: it records all clients that come to the address, until SIGINT or SIGTERM "
		"(exit status 130 or 143). It prints the lines that send the clients of a shell to it, and takes "
		"telemetry at the same address; with --otlp nothing else. Each run has a directory below -o "
		"(default: runs). Runs are told apart by the header X-Trackway-Run, by the session of Claude Code or "
		"Codex, or by conversation, and closed after --idle seconds. A full disk stops the recording, never "
		"the traffic; runs that a killed recorder left open are completed at the next start. An address that "
		"other machines can reach needs --token-file, --tls-cert and --tls-key. doc/listen.md has the "
		"details.",
	.examples = examples,
	.options = options,
	.defaults = &defaults,
	.options_size = sizeof(struct record_opts),
	.args = ARGS_WORDS,
	.args_min = 0, /* a command that is missing gets words of its own */
	.args_max = ARGS_MANY,
	.run = record_main,
};
