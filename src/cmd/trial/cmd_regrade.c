/* `trackway trial regrade`: a sealed trial judged again by another verifier, and sealed as a record of its own. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/id.h"
#include "cmd/frame/commands.h"
#include "cmd/frame/field.h"
#include "cmd/frame/stream.h"
#include "cmd/inputs.h"
#include "cmd/trial/run.h"
#include "cmd/trial/sealed.h"
#include "proc/self.h"
#include "trial/run/regrade.h"

struct trial_regrade_opts {
	struct ledger_choice ledger;
	struct str experiment;
	struct opt_maybe json;
};

static const char *const trial_regrade_fields[] = {
	"trial_id", "regrade_of", "class", "reward", "reward_before", "verifier_completed", "error", NULL,
};

static const struct opt trial_regrade_options[] = {
	{ OPT_STR, 0, "experiment", offsetof(struct trial_regrade_opts, experiment), "ID",
	  "experiment_id of the new record (default: the first one's with -regraded)" },
	LEDGER_OPTION(struct trial_regrade_opts),
	{ OPT_OPTIONAL, 0, "json", offsetof(struct trial_regrade_opts, json), "FIELDS",
	  "as JSON; only the named fields" },
	OPT_LAST,
};

struct regrade_done {
	struct str id, old;
	struct finish_facts before, after;
	bool sealed;
};

static bool regrade_sealed(void *context, const struct seal_result *r, struct err *err)
{
	struct regrade_done *d = context;

	d->sealed = r->outcome == SEAL_ADDED;
	return d->sealed || err_set(err, ERR_DATA, "the ledger does not take the new record: %s", r->code);
}

static bool regrade_seal(struct arena *a, struct ledger *l, struct regrade_done *d, struct str record, struct str dir,
			 struct err *err)
{
	struct seal_options o = { .ledger = l, .each = regrade_sealed, .context = d };
	struct sealer *s = sealer_open(&o);
	bool done = finish_seal(a, s, d->id, record, ARENA_JOIN(a, dir, STR("/artifacts")), err) &&
		    ledger_publish(l, err);

	sealer_close(s);
	return done;
}

static bool regrade_in(struct arena *a, const struct trial_regrade_opts *o, struct args args, struct ledger *l,
		       struct str dir, struct regrade_done *d, struct err *err)
{
	struct regrade_how how = { .dir = dir, .task = args.items[1], .id = d->id, .experiment = o->experiment,
				   .program = self_path(a) };
	struct index_row row;
	struct str record;

	if (!trial_sealed_record(a, l, args.frame, args.items[0], &row, &how.record, err) ||
	    !trial_sealed_files(a, l, args.frame, &row, ARENA_JOIN(a, dir, STR("/artifacts")), err) ||
	    !regrade_run(a, &how, &record, err))
		return false;
	d->old = row.id;
	return finish_read(a, how.record, &d->before) && finish_read(a, record, &d->after) &&
	       regrade_seal(a, l, d, record, dir, err);
}

static void show_regrade(struct opt_maybe json, const struct regrade_done *d)
{
	struct json_writer w;
	struct buf out;

	buf_init(&out);
	if (json.given) {
		field_begin_document(&w, &out, JSON_COMPACT, "trial-regrade");
		field_put_text(&w, json, "trial_id", d->id);
		field_put_text(&w, json, "regrade_of", d->old);
		field_put_word(&w, json, "class", trial_class_name(d->after.class));
		field_put_double(&w, json, "reward", d->after.reward);
		field_put_double(&w, json, "reward_before", d->before.reward);
		field_put_bool(&w, json, "verifier_completed", d->after.verifier_completed);
		field_put_text_or_null(&w, json, "error", d->after.error);
		field_end_document(&w);
	} else {
		term_add_text(&out, d->id);
		buf_printf(&out, "  reward %.3g (was %.3g)  %s  regrade of ", d->after.reward, d->before.reward,
			   trial_class_name(d->after.class));
		term_add_text(&out, d->old);
		buf_add_byte(&out, '\n');
	}
	stream_write(stdout, buf_str(&out));
	buf_free(&out);
}

static int trial_regrade_main(struct arena *a, const void *options, struct args args, struct err *err)
{
	const struct trial_regrade_opts *o = options;
	struct regrade_done d = { .sealed = false };
	char place[] = "/tmp/trackway-regrade-XXXXXX", id[ID_UUID_TEXT];
	struct id_series ids;
	struct ledger ledger;
	bool done;

	id_series_init(&ids);
	id_format_uuid(id, id_series_next_uuid7(&ids, clock_wall_ns() / 1000000));
	d.id = arena_copy(a, str_of(id, sizeof(id)));
	if (!ledger_args_open(&ledger, a, args.frame, &o->ledger, LEDGER_WRITE, err))
		return EXIT_FAIL;
	if (mkdtemp(place)) {
		done = regrade_in(a, o, args, &ledger, str_from(place), &d, err);
		tree_remove(str_from(place));
	} else {
		done = err_system(err, errno, "no directory can be made in /tmp");
	}
	ledger_close(&ledger);
	if (!done)
		return EXIT_FAIL;
	show_regrade(o->json, &d);
	return EXIT_YES;
}

static const struct example trial_regrade_examples[] = {
	{ "trackway trial regrade 01a1f063-bb54-7361-b1bb-b108c7378b17 tasks/sort", "by the task's verifier of today" },
	{ NULL, NULL },
};

const struct command trial_regrade_command = {
	.name = "trial regrade",
	.summary = "judge a sealed trial again with another verifier",
	.usage = "TRIAL TASKDIR [--ledger DIR]",
	.description =
		"Puts the workspace together as the agent left it, from the task's files and those that were sealed "
		"with the trial, and runs the verifier of TASKDIR on it. The agent does not run. The task may differ "
		"in tests/ and solution/ only; anything else is refused, with the first member of the lock that "
		"differs.\n\n"
		"The result is a record of its own with its own trial_id. It names the first one in "
		"outputs.agent_result.trackway.regrade_of; nothing is rewritten. Tokens and costs are those of the "
		"first trial.\n\n"
		"The exit status is 0 whatever the reward, 3 when it could not be judged.",
	.examples = trial_regrade_examples,
	.options = trial_regrade_options,
	.env = ledger_env,
	.fields = trial_regrade_fields,
	.options_size = sizeof(struct trial_regrade_opts),
	.args = ARGS_DIR,
	.args_min = 2,
	.args_max = 2,
	.run = trial_regrade_main,
};
