/* Everything that can be wrong with options and files is found before the first transcript is read or sent. */
#include "cmd/trial/classify_job.h"

#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "cmd/bench/args.h"
#include "cmd/frame/field.h"
#include "cmd/frame/stream.h"
#include "cmd/inputs.h"
#include "cmd/report/report.h"
#include "cmd/trial/classify_inputs.h"
#include "cmd/trial/classify_output.h"
#include "store/runs.h"

#define RULES_FILE_MAX ((size_t)1 << 20)
#define REFERENCE_FILE_MAX ((size_t)64 << 20)
#define MS 1000

struct classify_job {
	struct arena *arena;
	const struct classify_opts *o;
	const struct frame *frame;
	struct progress line;
	struct rules rules;
	struct judge_options asking;
	struct classify_judge *judge;
	struct classify_teller teller;
	struct classify_how how;
	struct classify_reference reference;
	bool has_reference;
	struct classify_paths inputs;
	struct classify_sum sum;
	struct buf out;
	struct json_writer w;
	bool shows_trials; /* JSON: that member is wanted */
	uint64_t failed;
};

/* ---- who tells ---- */

static void classify_job_tick(void *context, const struct source *from)
{
	inputs_show_progress(&((struct classify_job *)context)->line, "classify", from);
}

static void classify_job_tell(void *context, struct str text)
{
	struct classify_job *j = context;

	inputs_note(j->frame, "%.*s", STR_ARG(text));
}

static bool classify_job_read_rules(struct classify_job *j, struct err *err)
{
	struct str text;

	if (!j->o->rules.p) {
		rules_builtin(j->arena, &j->rules);
		return true;
	}
	return file_read(j->arena, j->o->rules, RULES_FILE_MAX, &text, err) &&
	       rules_parse(j->arena, text, j->o->rules, &j->rules, err);
}

/* Content leaves the machine, or this process: that is said before the first byte does. */
static void classify_job_announce(struct classify_job *j, struct str where)
{
	inputs_note(j->frame, "what the transcripts say goes to %s:%.*s at %.*s, with keys hidden; %d turns in each "
		    "question", provider_name(j->asking.provider), STR_ARG(j->asking.model), STR_ARG(where),
		    JUDGE_BATCH);
}

static bool classify_job_open_judge(struct classify_job *j, struct err *err)
{
	const struct classify_opts *o = j->o;
	struct bench_who who = { .bases = o->bases, .key_files = o->key_files, .header_file = o->header_file,
				 .mock_script = o->mock_script };
	struct provider_options *reach;
	struct target target;
	struct str where;
	const char *key;

	if (!target_parse(j->arena, o->judge, &target, err) ||
	    !bench_args_providers(j->arena, &who, &target, 1, &reach, NULL, err) ||
	    !bench_args_addresses(&target, reach, 1, err) ||
	    !provider_where(j->arena, target.provider, reach, &where, err))
		return false;
	key = provider_lacks_key(target.provider, reach);
	if (key)
		return usage_set(err, "set it, or name a file with --key-file PROVIDER=FILE",
				 "the judge %.*s needs a key, and %s is not set: nothing was sent", STR_ARG(o->judge),
				 key);
	j->asking = (struct judge_options){
		.provider = target.provider, .reach = *reach, .model = target.model, .thinking = target.thinking,
		.prices = prices_new(j->arena), .timeout_ms = (uint64_t)o->timeout * MS, .whole = o->no_stream,
		.tell = classify_job_tell, .context = j,
	};
	j->judge = classify_judge_open(&j->asking, err);
	if (!j->judge)
		return false;
	j->teller.judge = &j->asking;
	j->teller.prompt_digest = classify_judge_digest(j->arena);
	classify_job_announce(j, where);
	return true;
}

/* ---- the reference ---- */

static bool classify_job_make_reference(struct classify_job *j, struct str path, struct err *err)
{
	struct classify_paths paths = { .arena = j->arena };

	if (!classify_inputs_add(&paths, j->frame, path, true, err) ||
	    !reference_make(&j->reference, j->arena, paths.items, paths.count, &j->how, err))
		return err_context(err, path.p);
	j->reference.classifier = classify_teller_name(j->arena, &j->teller);
	if (j->reference.passed_over)
		inputs_warn(j->frame, "%.*s: good trials that could not be classified: %llu; the first: %s",
			    STR_ARG(path), (unsigned long long)j->reference.passed_over, j->reference.why.text);
	return true;
}

static bool classify_job_read_reference(struct classify_job *j, struct err *err)
{
	struct str path = j->o->reference, text, name = classify_teller_name(j->arena, &j->teller);

	if (file_is_dir(path))
		return classify_job_make_reference(j, path, err);
	if (!file_read(j->arena, path, REFERENCE_FILE_MAX, &text, err))
		return false;
	if (!reference_is_one(text))
		return classify_job_make_reference(j, path, err);
	if (!reference_read(&j->reference, j->arena, text, path, err))
		return false;
	if (!str_eq(j->reference.classifier, name))
		inputs_warn(j->frame, "%.*s was made by another classifier (%.*s): bonds told by two classifiers "
			    "differ for that reason alone", STR_ARG(path), STR_ARG(j->reference.classifier));
	return true;
}

static bool classify_job_write_reference(struct classify_job *j, struct err *err)
{
	struct buf text;
	bool done;

	buf_init(&text);
	reference_write(&text, &j->reference);
	done = file_replace(j->o->write_reference, buf_str(&text), 0666, err);
	buf_free(&text);
	if (done)
		inputs_note(j->frame, "wrote %.*s: %llu traces, %llu turns", STR_ARG(j->o->write_reference),
			    (unsigned long long)j->reference.bonds.traces,
			    (unsigned long long)j->reference.bonds.turns);
	return done;
}

static bool classify_job_take_reference(struct classify_job *j, struct err *err)
{
	if (!j->o->reference.p)
		return true;
	j->has_reference = classify_job_read_reference(j, err);
	return j->has_reference && (!j->o->write_reference.p || classify_job_write_reference(j, err));
}

/* ---- trials ---- */

static void classify_job_show(struct classify_job *j, const struct classify_trial *t)
{
	const struct term *term = &j->frame->out;

	if (t->from.unreadable)
		inputs_warn(j->frame, "%.*s: lines that could not be read: %llu", STR_ARG(t->from.path),
			    (unsigned long long)t->from.unreadable);
	if (j->o->plain) {
		classify_output_add_plain(&j->out, t);
	} else if (!j->o->json.given) {
		if (j->inputs.count == 1 || j->frame->verbose)
			classify_output_add_trial(&j->out, t, term);
		else
			classify_output_add_line(&j->out, t);
		if (j->inputs.count > 1 && j->frame->verbose)
			buf_add_byte(&j->out, '\n');
	} else if (j->shows_trials) {
		classify_output_write_trial(&j->w, t);
	}
}

/* False with *err when there is no use in going on: a judge that fails would be asked again for each trial. */
static bool classify_job_take(struct classify_job *j, struct str path, struct err *err)
{
	struct err why = { .kind = ERR_NONE };
	struct classify_trial t;
	struct arena a;
	bool done;

	arena_init(&a);
	done = classify_load(&t, &a, path, &j->how, &why);
	progress_erase(&j->line);
	if (done) {
		if (j->has_reference)
			classify_compare(&t, &j->reference.bonds);
		classify_sum_add(&j->sum, &t);
		classify_job_show(j, &t);
	}
	arena_free(&a);
	if (done || (!j->judge && j->inputs.count > 1)) {
		j->failed += !done;
		if (!done)
			inputs_print_failure(j->frame, &why);
		return true;
	}
	*err = why;
	return false;
}

static void classify_job_begin_output(struct classify_job *j)
{
	buf_init(&j->out);
	if (!j->o->json.given)
		return;
	field_begin_document(&j->w, &j->out, JSON_COMPACT, "classify");
	j->shows_trials = report_begin_field(&j->w, j->o->json, "trials");
	if (j->shows_trials)
		json_write_begin_array(&j->w);
}

static void classify_job_end_json(struct classify_job *j)
{
	struct opt_maybe json = j->o->json;

	if (j->shows_trials)
		json_write_end_array(&j->w);
	if (report_begin_field(&j->w, json, "aggregate"))
		classify_output_write_sum(&j->w, &j->sum);
	if (report_begin_field(&j->w, json, "classifier"))
		classify_output_write_teller(&j->w, &j->teller);
	if (report_begin_field(&j->w, json, "reference"))
		classify_output_write_reference(&j->w, j->has_reference ? &j->reference : NULL);
	field_put_double(&j->w, json, "low_confidence_threshold", BONDS_LOW_CONFIDENCE);
	field_end_document(&j->w);
}

static void classify_job_end_output(struct classify_job *j)
{
	if (j->judge)
		j->teller.use = classify_judge_used(j->judge);
	if (j->o->json.given)
		classify_job_end_json(j);
	else if (!j->o->plain && j->sum.trials && j->inputs.count > 1) {
		buf_add_byte(&j->out, '\n');
		classify_output_add_sum(&j->out, &j->sum);
	}
	if (j->judge && !j->o->json.given && !j->o->plain)
		classify_output_add_use(&j->out, &j->teller);
	stream_write(stdout, buf_str(&j->out));
	buf_free(&j->out);
}

static bool classify_job_take_all(struct classify_job *j, struct err *err)
{
	bool done = true;

	classify_sum_init(&j->sum);
	classify_job_begin_output(j);
	for (size_t i = 0; i < j->inputs.count && done; i++)
		done = classify_job_take(j, j->inputs.items[i], err);
	if (done)
		classify_job_end_output(j);
	else
		buf_free(&j->out);
	classify_sum_free(&j->sum);
	return done;
}

static bool classify_job_find_inputs(struct classify_job *j, struct args args, struct err *err)
{
	struct str path;

	j->inputs.arena = j->arena;
	for (size_t i = 0; i < args.count; i++)
		if (!runs_find(j->arena, args.items[i], &path, err) ||
		    !classify_inputs_add(&j->inputs, j->frame, path, false, err))
			return false;
	return true;
}

int classify_job_run(struct arena *a, const struct classify_opts *o, struct args args, struct err *err)
{
	struct classify_job *j = arena_new(a, struct classify_job);
	bool done;

	*j = (struct classify_job){ .arena = a, .o = o, .frame = args.frame, .teller = { .rules = &j->rules } };
	progress_init(&j->line, args.frame, STDERR_FILENO, clock_mono_ns());
	done = classify_job_read_rules(j, err) && classify_job_find_inputs(j, args, err) &&
	       (!o->judge.p || classify_job_open_judge(j, err));
	j->how = (struct classify_how){ .rules = &j->rules, .judge = j->judge,
					.read = { .jobs = o->jobs, .tick = classify_job_tick, .context = j } };
	done = done && classify_job_take_reference(j, err) && classify_job_take_all(j, err);
	classify_judge_close(j->judge);
	if (!done)
		return EXIT_FAIL;
	return j->failed ? EXIT_CANNOT : EXIT_YES;
}

int classify_job_print_rules(void)
{
	stream_write(stdout, rules_builtin_text());
	return EXIT_YES;
}
