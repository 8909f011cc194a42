/* `trackway audit`: finds a log and what is declared for it, and says whether it was kept. */
#include <unistd.h>

#include "base/clock.h"
#include "capture/run_declared.h"
#include "capture/run_files_check.h"
#include "cmd/audit_output.h"
#include "cmd/declared.h"
#include "cmd/frame/commands.h"
#include "cmd/frame/stream.h"
#include "cmd/inputs.h"
#include "cmd/screen/pager.h"
#include "flow/audit_load.h"
#include "store/runs.h"

struct audit_opts {
	struct str policy;
	struct opt_maybe json;
};

static const struct opt audit_options[] = {
	{ OPT_STR, 0, "policy", offsetof(struct audit_opts, policy), "FILE",
	  "what the run may use, instead of what it declares itself" },
	{ OPT_OPTIONAL, 0, "json", offsetof(struct audit_opts, json), "FIELDS", "as JSON; only the named fields" },
	OPT_LAST,
};

static void audit_tick(void *context, const struct source *from)
{
	inputs_show_progress(context, "audit", from);
}

/* The directory of a run has its log under one of two names, and what was declared in its meta.json. */
static bool audit_find(struct arena *a, struct str name, struct str *path, struct run_declared *meta, struct err *err)
{
	struct str log;

	if (!runs_find(a, name, path, err))
		return false;
	*meta = (struct run_declared){ 0 };
	if (!run_files_check_is_one(*path))
		return true;
	if (!run_declared_read(a, *path, meta, err))
		return false;
	log = arena_copy(a, ARENA_JOIN(a, *path, STR("/run.otutl.jsonl")));
	if (!meta->content || access(log.p, F_OK) != 0)
		log = arena_copy(a, ARENA_JOIN(a, *path, STR("/agent-trace.jsonl")));
	*path = log;
	return true;
}

static bool audit_read_log(struct arena *a, struct args args, struct str path, struct audit_list *list, struct err *err)
{
	struct progress line;
	struct log_flow f = { .prices = prices_new(a), .tick = audit_tick, .context = &line };
	bool done;

	f.from = source_open(a, &path, 1, (struct source_options){ .shape = SOURCE_CONTENT, .file_groups = true }, err);
	if (!f.from)
		return false;
	*list = (struct audit_list){ .arena = a };
	progress_init(&line, args.frame, STDERR_FILENO, clock_mono_ns());
	done = audit_load(&f, list, err);
	progress_erase(&line);
	source_close(f.from);
	if (done && list->count == 0)
		return err_set(err, ERR_DATA, "%.*s holds no run", STR_ARG(path));
	return done;
}

/* The two parts as a run has them; false when one of them is wrong. */
static bool audit_parse_own(struct arena *a, struct str budget, struct str set, enum audit_origin origin,
			    struct audit_policy *p, struct err *err)
{
	if ((!budget.p || audit_budget_parse(a, budget, p, err)) && (!set.p || audit_set_parse(a, set, p, err)))
		return true;
	return err_context(err, origin == AUDIT_BY_META ? "meta.json" : "run_start");
}

/* A policy of the user's wins; then what the run says; then what the recorder was told. */
static bool audit_judge_run(struct arena *a, struct audit_run *run, const struct audit_policy *policy,
			    const struct run_declared *meta, struct audit_judged *out, struct err *err)
{
	bool own = run->budget.p || run->retrieval_set.p, by_meta = meta->budget.p || meta->retrieval_set.p;
	struct audit_policy declared = { 0 };

	*out = (struct audit_judged){ .run = run, .answer.verdict = AUDIT_NOT_JUDGED };
	if (policy) {
		out->origin = AUDIT_BY_FILE;
		out->overrides = own || by_meta;
		audit_judge(a, run, policy, &out->answer);
		return true;
	}
	if (own && !audit_parse_own(a, run->budget, run->retrieval_set, AUDIT_BY_RUN_START, &declared, err))
		return false;
	if (!own && by_meta && !audit_parse_own(a, meta->budget, meta->retrieval_set, AUDIT_BY_META, &declared, err))
		return false;
	if (!audit_policy_declares(&declared))
		return true;
	out->origin = own ? AUDIT_BY_RUN_START : AUDIT_BY_META;
	audit_judge(a, run, &declared, &out->answer);
	return true;
}

static bool audit_judge_all(struct arena *a, struct audit_list *list, const struct audit_policy *policy,
			    const struct run_declared *meta, struct audit_report *r, struct err *err)
{
	bool any = false;

	r->runs = arena_array(a, struct audit_judged, list->count);
	for (; r->count < list->count; r->count++) {
		struct audit_judged *j = &r->runs[r->count];

		if (!audit_judge_run(a, list->runs[r->count], policy, meta, j, err))
			return false;
		any = any || j->origin != AUDIT_BY_NOBODY;
		if (j->answer.verdict > r->verdict)
			r->verdict = j->answer.verdict;
	}
	return any || usage_set(err, "give --policy FILE; 'trackway record --budget' declares it for a run",
				"no budget and no retrieval set is declared for %.*s", STR_ARG(r->path));
}

/* The command. What could not be judged is neither yes nor no. */
static int audit_run_command(struct arena *a, const void *options, struct args args, struct err *err)
{
	static const int statuses[] = {
		[AUDIT_KEPT] = EXIT_YES, [AUDIT_NOT_JUDGED] = EXIT_CANNOT, [AUDIT_EXCEEDED] = EXIT_NO,
	};
	const struct audit_opts *o = options;
	struct audit_report r = { .path = args_path(args), .policy = o->policy };
	struct audit_policy policy = { 0 };
	struct run_declared meta;
	struct audit_list list;
	struct str path;
	struct buf out;

	if (o->policy.p && !declared_read(a, o->policy, DECLARED_POLICY, &policy, NULL, err))
		return EXIT_FAIL;
	if (o->policy.p && !audit_policy_declares(&policy)) {
		usage_set(err, "name a limit in budget, or give a retrieval_set", "%.*s declares nothing",
			  STR_ARG(o->policy));
		return EXIT_FAIL;
	}
	if (!audit_find(a, r.path, &path, &meta, err) || !audit_read_log(a, args, path, &list, err) ||
	    !audit_judge_all(a, &list, o->policy.p ? &policy : NULL, &meta, &r, err))
		return EXIT_FAIL;
	buf_init(&out);
	if (o->json.given) {
		audit_add_json(&out, o->json, &r);
		stream_write(stdout, buf_str(&out));
	} else {
		audit_add_text(&out, a, &args.frame->out, &r);
		pager_show(a, args.frame, buf_str(&out));
	}
	buf_free(&out);
	return statuses[r.verdict];
}

static const struct example examples[] = {
	{ "trackway audit run.otutl.jsonl", "against the budget that the run declares" },
	{ "trackway audit agent-trace.jsonl --policy policy.json", "any log, against a policy of yours" },
	{ "trackway audit run.otutl.jsonl --json=verdict,first_offending_seq", "the answer for a script" },
	{ NULL, NULL },
};

const struct command audit_command = {
	.name = "audit",
	.summary = "say whether a run kept its declared tool budget and retrieval set",
	.usage = "LOG|RUN [--policy FILE] [--json]",
	.description =
		"LOG is any log that 'trackway convert' reads, the directory of a recorded run, or the name of one. "
		"What the run may use stands in --policy FILE, else in run_start of an OTUTL log, else in meta.json "
		"of a recorded run ('trackway record --budget FILE --retrieval-set FILE'). --policy wins as a "
		"whole.\n\n"
		"A policy is a JSON object with the members budget and retrieval_set, each if it is wanted:\n\n"
		"  {\"budget\": {\"max_calls\": 20, \"tool_limits\": {\"search\": 5},\n"
		"              \"max_cost_usd\": 0.50, \"max_tokens\": 50000,\n"
		"              \"allowed_tools\": [\"search\", \"mcp://docs/read\"]},\n"
		"   \"retrieval_set\": [\"https://example.org/a\"]}\n\n"
		"A tool is named by its URI (tool://VENDOR/NAME, mcp://SERVER/TOOL, shell://local/PROGRAM), by its "
		"bare name, or as SERVER.TOOL. A limit that is exactly reached is kept. For each breach the answer "
		"has the seq of the OTUTL record at which it happened, also for other logs: the seq that 'trackway "
		"convert --to otutl' gives it.\n\n"
		"What cannot be judged is not kept: a trace without content has no arguments, so nobody knows what was "
		"fetched; a model without a price has no cost. doc/audit.md says what counts as a call, a program and "
		"a fetched URI.\n\n"
		"The exit status is 0 when everything declared was judged and kept, 1 when something was exceeded, 2 "
		"when the policy is wrong or nothing is declared, 3 when the log cannot be read, or something "
		"declared cannot be judged and nothing was exceeded.",
	.examples = examples,
	.options = audit_options,
	.fields = audit_fields,
	.options_size = sizeof(struct audit_opts),
	.args = ARGS_RUNS,
	.args_min = 1,
	.args_max = 1,
	.run = audit_run_command,
};
