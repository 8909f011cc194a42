/* A function for each part of the record, in its order. */
#include "trial/run/record.h"

#include <math.h>

#include "base/clock.h"
#include "dialect/formats.h"
#include "json/put.h"

#define RECORD_PAD 64

static const char *const phase_names[PHASES] = { "setup", "agent", "verifier", "ended" };
static const char *const class_names[CLASSES] = {
	"completed", "agent_failed", "agent_timeout", "verifier_failed", "infrastructure",
};

const char *trial_phase_name(enum trial_phase p)
{
	return phase_names[p];
}

const char *trial_class_name(enum trial_class c)
{
	return class_names[c];
}

bool trial_class_parse(struct str word, enum trial_class *out)
{
	for (unsigned c = 0; c < CLASSES; c++)
		if (str_eq(word, str_from(class_names[c]))) {
			*out = (enum trial_class)c;
			return true;
		}
	return false;
}

void record_add_error(struct arena *a, struct trial_facts *f, struct str sentence)
{
	arena_grow(a, f->errors, f->error_count, f->error_cap, 8);
	f->errors[f->error_count++] = arena_copy(a, sentence);
}

void record_add_finding(struct arena *a, struct trial_facts *f, const char *code, struct str sentence)
{
	arena_grow(a, f->findings, f->finding_count, f->finding_cap, 8);
	f->findings[f->finding_count++] = (struct trial_finding){ str_from(code), arena_copy(a, sentence) };
}

static bool is_complete(const struct trial_facts *f)
{
	return f->phase == PHASE_ENDED && f->class != CLASS_INFRASTRUCTURE && f->adapter_revision.n &&
	       f->tool_versions.p && f->inputs;
}

static void put_seconds(struct json_writer *w, const char *name, double seconds)
{
	json_put_double(w, name, seconds < 0 ? NAN : round(seconds * 1e6) / 1e6);
}

static void put_who(struct json_writer *w, const struct trial_facts *f)
{
	json_put_object(w, "task");
	json_put_text(w, "task_id", f->task_id);
	json_put_text(w, "task_revision", f->task_revision);
	json_write_end_object(w);
	json_put_object(w, "agent");
	json_put_text(w, "adapter", f->adapter);
	json_put_text(w, "model", f->model);
	json_put_text_or_null(w, "adapter_revision", f->adapter_revision);
	json_put_raw(w, "configuration", f->configuration);
	json_write_end_object(w);
	json_put_object(w, "environment");
	json_put_text(w, "runtime_image", f->runtime_image);
	json_put_text(w, "compute_backend", f->compute_backend);
	json_put_raw(w, "tool_versions", f->tool_versions.p ? f->tool_versions : STR("null"));
	json_write_end_object(w);
}

static void put_inputs(struct json_writer *w, const struct trial_facts *f)
{
	json_put_object(w, "inputs");
	json_put_text(w, "instruction", f->instruction);
	json_put_text_or_null(w, "system_prompt", f->system_prompt);
	if (!f->inputs) {
		json_put_null(w, "input_files");
	} else {
		json_put_array(w, "input_files");
		for (size_t i = 0; i < f->input_count; i++) {
			json_write_begin_object(w);
			json_put_text(w, "path", f->inputs[i].path);
			json_put_text(w, "hash", f->inputs[i].hash);
			json_put_text(w, "source", STR("task"));
			json_write_end_object(w);
		}
		json_write_end_array(w);
	}
	json_write_end_object(w);
}

/* ---- outputs.agent_result.trackway ---- */

static void put_end(struct json_writer *w, const char *name, const struct trial_end *e)
{
	const struct sandbox_report *r = &e->report;

	if (!e->ran) {
		json_put_null(w, name);
		return;
	}
	json_put_object(w, name);
	json_put_i64_or_null(w, "exit_status", r->signal ? -1 : r->status);
	json_put_i64_or_null(w, "signal", r->signal ? r->signal : -1);
	json_put_bool(w, "timed_out", r->timed_out);
	json_put_u64(w, "left_behind", r->left_behind);
	json_put_text_or_null(w, "user", r->user);
	json_put_text_or_null(w, "limits", r->limits_by.n ? r->limits_by : str_of(NULL, 0));
	json_write_end_object(w);
}

static void put_denied(struct json_writer *w, const struct trial_facts *f)
{
	const struct trial_end *ends[] = { &f->agent, &f->verifier };

	json_put_array(w, "denied");
	for (size_t k = 0; k < COUNT(ends); k++)
		for (size_t i = 0; ends[k]->ran && i < ends[k]->report.denial_count; i++) {
			const struct sandbox_denial *d = &ends[k]->report.denials[i];

			json_write_begin_object(w);
			json_put_double(w, "t", (double)d->t_ms / 1000);
			json_put_word(w, "phase", k ? "verifier" : "agent");
			json_put_text(w, "call", d->call);
			json_put_text(w, "what", d->what);
			json_put_u64(w, "count", d->count);
			json_put_null(w, "call_id");
			json_write_end_object(w);
		}
	json_write_end_array(w);
	json_put_texts(w, "not_observed", f->agent.report.unseen, f->agent.ran ? f->agent.report.unseen_count : 0);
}

static void put_left_out(struct json_writer *w, const struct trial_facts *f)
{
	json_put_array(w, "left_out");
	for (size_t i = 0; i < f->left_out_count; i++) {
		json_write_begin_object(w);
		json_put_text(w, "path", f->left_out[i].name);
		json_put_word(w, "why", f->left_out[i].why);
		json_write_end_object(w);
	}
	json_write_end_array(w);
	json_put_texts(w, "removed", f->removed, f->removed_count);
}

static void put_calls(struct json_writer *w, const struct trial_facts *f)
{
	const struct calls *c = f->calls;

	json_put_u64_or_null(w, "model_calls", c ? c->agent : 0, c != NULL);
	json_put_u64_or_null(w, "failed_calls", c ? c->failed : 0, c != NULL);
	json_put_texts(w, "models", c ? c->models : NULL, c ? c->model_count : 0);
	json_put_text_or_null(w, "price_table", c && !c->no_price ? c->price_table : str_of(NULL, 0));
}

static void put_trackway(struct json_writer *w, const struct trial_facts *f)
{
	const struct sandbox_report *r = f->agent.ran ? &f->agent.report : &f->verifier.report;

	json_put_object(w, "trackway");
	json_put_word(w, "phase", trial_phase_name(f->phase));
	json_put_word(w, "class", f->phase == PHASE_ENDED ? trial_class_name(f->class) : NULL);
	json_put_text_or_null(w, "infrastructure", f->infrastructure);
	json_put_word(w, "isolation", sandbox_level_name(f->isolation));
	json_put_text_or_null(w, "kernel", r->kernel);
	json_put_text_or_null(w, "limits", r->limits_by.n ? r->limits_by : str_of(NULL, 0));
	put_denied(w, f);
	json_put_key(w, "lock");
	lock_put(w, &f->lock);
	json_put_null(w, "regrade_of");
	json_put_null(w, "plan_leaf");
	json_put_u64(w, "slot", f->slot);
	json_put_u64(w, "attempt", f->attempt_of);
	json_put_word(w, "reward_channel", verdict_channel_name(f->verdict.channel));
	put_end(w, "agent", &f->agent);
	put_end(w, "verifier", &f->verifier);
	put_calls(w, f);
	json_put_array(w, "findings");
	for (size_t i = 0; i < f->finding_count; i++) {
		json_write_begin_object(w);
		json_put_text(w, "code", f->findings[i].code);
		json_put_text(w, "message", f->findings[i].sentence);
		json_write_end_object(w);
	}
	json_write_end_array(w);
	put_left_out(w, f);
	json_write_end_object(w);
}

static const char *output_status(const struct trial_facts *f)
{
	if (f->agent.report.timed_out)
		return "partial";
	if (f->agent_error.p)
		return "failed";
	return f->left_something ? "completed" : "empty";
}

static void put_outputs(struct json_writer *w, const struct trial_facts *f)
{
	json_put_object(w, "outputs");
	if (!f->agent.ran || !f->output_path.p) {
		json_put_null(w, "agent_output");
	} else {
		json_put_object(w, "agent_output");
		json_put_word(w, "status", output_status(f));
		json_put_text(w, "output_path", f->output_path);
		json_put_text(w, "output_format", f->output_format);
		json_put_text_or_null(w, "error_message", f->agent_error);
		json_write_end_object(w);
	}
	json_put_text_or_null(w, "raw_output_path", f->raw_output_path);
	json_put_text_or_null(w, "conversation_path", f->conversation_path);
	json_put_text_or_null(w, "trajectory_path", f->trajectory_path);
	json_put_object(w, "agent_result");
	put_trackway(w, f);
	json_write_end_object(w);
	json_write_end_object(w);
}

/* ---- what it came to ---- */

static void put_missing(struct json_writer *w, const struct trial_facts *f)
{
	if (f->phase != PHASE_ENDED)
		return;
	if (!f->adapter_revision.n)
		json_write_string(w, STR("missing provenance: agent.adapter_revision"));
	if (!f->tool_versions.p)
		json_write_string(w, STR("missing provenance: environment.tool_versions"));
	if (!f->inputs)
		json_write_string(w, STR("missing provenance: inputs.input_files"));
}

static void put_evaluation(struct json_writer *w, const struct trial_facts *f)
{
	const struct verdict *v = &f->verdict;

	json_put_object(w, "evaluation");
	json_put_key(w, "reward");
	if (v->completed && v->reward > 0)
		json_write_double(w, v->reward);
	else
		json_write_raw(w, STR("0.0"));
	json_put_object(w, "validity");
	json_put_bool(w, "output_parseable", v->completed);
	json_put_bool(w, "schema_valid", v->completed);
	json_put_bool(w, "verifier_completed", v->completed);
	json_put_array(w, "errors");
	if (f->phase != PHASE_ENDED)
		json_write_string(w, STR("not evaluated"));
	if (f->infrastructure.p) {
		json_write_string(w, STR("infrastructure failure: not the model's"));
		json_write_string(w, f->infrastructure);
	} else if (v->error.p && f->phase == PHASE_ENDED) {
		json_write_string(w, v->error);
	}
	for (size_t i = 0; i < f->error_count; i++)
		json_write_string(w, f->errors[i]);
	put_missing(w, f);
	json_write_end_array(w);
	json_write_end_object(w);
	json_put_raw(w, "breakdown", v->breakdown.p ? v->breakdown : STR("null"));
	json_put_null(w, "error_taxonomy");
	json_put_null(w, "confidence");
	json_put_null(w, "annotations");
	json_write_end_object(w);
}

static void put_sum(struct json_writer *w, const char *name, const struct calls_sum *s)
{
	json_put_u64_or_null(w, name, s->n, !s->unknown);
}

/* Nobody asked a model: then nothing is 0 tokens, which is known. Nothing is known without the recorder's files. */
static void put_cost(struct json_writer *w, const struct trial_facts *f)
{
	const struct calls *c = f->calls;

	if (!c) {
		json_put_null(w, "cost");
		return;
	}
	json_put_object(w, "cost");
	put_sum(w, "tokens_in", &c->tokens_in);
	put_sum(w, "tokens_out", &c->tokens_out);
	put_sum(w, "cache_read_tokens", &c->cache_read);
	put_sum(w, "cache_write_tokens", &c->cache_write);
	json_put_double(w, "estimated_cost_usd", c->no_price ? NAN : c->usd);
	json_put_u64(w, "advisor_calls", c->advisor);
	put_sum(w, "advisor_input_tokens", &c->advisor_in);
	put_sum(w, "advisor_output_tokens", &c->advisor_out);
	json_write_end_object(w);
}

struct str record_write_trial(struct arena *a, const struct trial_facts *f)
{
	struct json_writer w;
	struct buf out;

	buf_init(&out);
	json_write_init(&w, &out, JSON_PRETTY);
	json_write_begin_object(&w);
	json_put_text(&w, "trial_id", f->trial_id);
	json_put_text(&w, "experiment_id", f->experiment);
	json_put_text_or_null(&w, "dataset_id", f->dataset);
	json_put_text(&w, "timestamp", stamp_new_ns(a, f->begun_ns, 3));
	put_who(&w, f);
	put_inputs(&w, f);
	put_outputs(&w, f);
	put_evaluation(&w, f);
	json_put_object(&w, "timing");
	put_seconds(&w, "total_seconds", f->total_s < 0 ? 0 : f->total_s);
	put_seconds(&w, "agent_seconds", f->agent_s);
	put_seconds(&w, "setup_seconds", f->setup_s);
	put_seconds(&w, "verification_seconds", f->verifier_s);
	json_write_end_object(&w);
	put_cost(&w, f);
	json_put_null(&w, "adaptation");
	json_put_text(&w, "completeness", is_complete(f) ? STR("complete") : STR("partial"));
	json_write_end_object(&w);
	buf_add_byte(&out, '\n');
	return arena_take(a, &out);
}

bool record_check_rules(struct str record, struct err *err)
{
	static const struct check_options how = { .mode = MODE_DEFAULT, .finding_limit = 4 };
	const struct check_ops *ops = trial_dialect.ops;
	void *scanner = ops->scanner_open(&trial_dialect, &how);
	void *batch = ops->batch_open(&trial_dialect);
	void *fold = ops->fold_open(&trial_dialect, &how);
	struct check_tally tally = { .records = 0 };
	struct check_chunk chunk = { .first_line = 1 };
	struct findings findings;
	struct arena a;
	char *padded;
	bool good;

	arena_init(&a);
	padded = arena_array(&a, char, record.n + RECORD_PAD);
	memcpy(padded, record.p, record.n);
	chunk.bytes = str_of(padded, record.n);
	findings_init(&findings, &a, how.finding_limit);
	ops->begin(fold, &findings);
	ops->scan(scanner, &chunk, batch);
	good = ops->fold(fold, batch, err);
	ops->finish(fold, &tally);
	if (good && findings.kept_count)
		good = err_set(err, ERR_DATA, "the record breaks a rule of its own format: %s: %.*s",
			       findings.kept[0].code, STR_ARG(findings.kept[0].message));
	ops->fold_close(fold);
	ops->batch_close(batch);
	ops->scanner_close(scanner);
	arena_free(&a);
	return good;
}
