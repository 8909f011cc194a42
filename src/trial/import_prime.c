/*
 * A sample is checked and looked up first; only what is new, or lacks its artifacts, is made into a record. The trial
 * id is made of the evaluation's id and the sample's, so that importing again finds it.
 */
#include "trial/import_prime.h"

#include "dialect/verifiers/fields.h"
#include "trial/import_private.h"

#define CONVERSATION "conversation.jsonl"
#define SAMPLE "prime_sample.json"

/* ---- the evaluation ---- */

static struct str first_text(struct prime *p, struct val object, const char *const *names, size_t count)
{
	struct str text = { NULL, 0 };

	for (size_t i = 0; i < count && !text.p; i++)
		text = import_text(&p->arena, val_get(object, str_from(names[i])));
	return text;
}

/* Names differ between versions of the service: the first that has a text counts. */
static void prime_read_evaluation(struct prime *p, struct str experiment)
{
	static const char *const ids[] = { "evaluation_id", "id" };
	static const char *const models[] = { "model_name", "modelName", "inference_model" };
	static const char *const model[] = { "model" };

	p->id = first_text(p, p->evaluation, ids, 2);
	if (!p->id.p)
		p->id = STR("unknown");
	p->slug = import_slug(&p->arena, p->id);
	p->experiment = experiment.p ? arena_copy(&p->arena, experiment) :
				       ARENA_JOIN(&p->arena, STR("prime-eval-"), p->slug);
	p->model = first_text(p, p->evaluation, models, 3);
	if (!p->model.p)
		p->model = first_text(p, val_get(p->evaluation, STR("metadata")), model, 1);
	if (!p->model.p)
		p->model = STR("unknown");
}

struct prime *prime_open(enum prime_source source, struct str name, struct str evaluation, struct str experiment,
			 struct err *err)
{
	const struct json_options how = { .max_depth = 0, .allow_bom = true };
	struct prime *p = mem_alloc(sizeof(*p));
	struct json_issue issue;

	*p = (struct prime){ .source = source };
	arena_init(&p->arena);
	arena_init(&p->sample_arena);
	buf_init(&p->record);
	buf_init(&p->conversation);
	buf_init(&p->trace);
	for (int i = 0; i < PRIME_PARSERS; i++)
		p->parsers[i] = json_parser_open(how);
	if (!json_parse_copy(p->parsers[PRIME_EVALUATION], evaluation, &p->evaluation, &issue))
		err_set(err, ERR_DATA, "%.*s: line %llu, column %llu: %s", STR_ARG(name),
			(unsigned long long)issue.line, (unsigned long long)issue.column, issue.message);
	else if (!val_is(p->evaluation, JSON_OBJECT))
		err_set(err, ERR_DATA, "%.*s: this is not an evaluation: a JSON object is expected", STR_ARG(name));
	else {
		prime_read_evaluation(p, experiment);
		return p;
	}
	prime_close(p);
	return NULL;
}

void prime_close(struct prime *p)
{
	if (!p)
		return;
	for (int i = 0; i < PRIME_PARSERS; i++)
		json_parser_close(p->parsers[i]);
	buf_free(&p->trace);
	buf_free(&p->conversation);
	buf_free(&p->record);
	arena_free(&p->sample_arena);
	arena_free(&p->arena);
	mem_free(p);
}

struct str prime_experiment(const struct prime *p)
{
	return p->experiment;
}

struct str prime_id(const struct prime *p)
{
	return p->id;
}

/* ---- one sample ---- */

struct val prime_get(const struct prime_sample *s, struct str name)
{
	struct val v = val_get(s->info, name);

	return val_is_unset(v) ? val_get(s->root, name) : v;
}

/* Some versions write `info` as text. */
static struct val read_info(struct prime *p, struct val sample)
{
	struct val info = val_get(sample, STR("info")), inner;

	if (val_is(info, JSON_STRING) &&
	    json_parse_copy(p->parsers[PRIME_INFO], val_text(info, &p->sample_arena), &inner, NULL))
		info = inner;
	return val_is(info, JSON_OBJECT) ? info : VAL_NONE;
}

/* The path that the artifact will have in a ledger's directory, for the record to name. */
static struct str link_name(struct prime_sample *s, struct str name)
{
	struct entry e = {
		.kind = ENTRY_ARTIFACT,
		.id = ARENA_JOIN(s->arena, s->trial_id, STR("/"), name),
		.experiment = s->prime->experiment,
		.ref = { .given = true, .trial_id = s->trial_id },
	};

	return entry_link_name(s->arena, &e);
}

/* Ours keep their names; what was submitted under one of them stands in a directory. */
static void name_submitted(struct prime_sample *s)
{
	if (!s->submitted.p)
		return;
	if (str_eq(s->submitted_name, STR(CONVERSATION)) || str_eq(s->submitted_name, STR(SAMPLE)))
		s->submitted_name = ARENA_JOIN(s->arena, STR("submitted/"), s->submitted_name);
	s->submitted_path = link_name(s, s->submitted_name);
}

/* Makes the record and the artifacts of a sample and hands them to the import; a sample with a fault is refused. */
static bool seal_sample(struct prime_sample *s, struct import *im, struct str name, struct err *err)
{
	struct prime *p = s->prime;
	struct seal_artifact artifacts[3] = {
		{ .name = STR(CONVERSATION), .media = STR("application/jsonl") },
		{ .name = STR(SAMPLE), .media = STR("application/json"), .bytes = s->kept },
	};
	size_t count = 2;

	buf_clear(&p->record);
	buf_clear(&p->conversation);
	s->conversation_path = link_name(s, STR(CONVERSATION));
	prime_read_talk(s, &p->conversation);
	name_submitted(s);
	if (!s->why.p && s->sealed.p)
		buf_add_str(&p->record, s->sealed);
	else if (!s->why.p)
		prime_write_record(s, &p->record);
	if (s->why.p)
		return import_refuse(im, name, p->experiment, s->trial_id, s->why, err);
	artifacts[0].bytes = buf_str(&p->conversation);
	if (s->submitted.p)
		artifacts[count++] = (struct seal_artifact){ .name = s->submitted_name, .bytes = s->submitted,
							     .media = STR("text/markdown") };
	return import_add(im, name, buf_str(&p->record), artifacts, count, err);
}

/* "results.jsonl:3: sample s-1" */
static struct str place_name(struct arena *a, struct prime_place at, struct str sample)
{
	if (!at.line)
		return ARENA_JOIN(a, at.file, STR(": sample "), sample);
	return arena_printf(a, "%.*s:%llu: sample %.*s", STR_ARG(at.file), (unsigned long long)at.line,
			    STR_ARG(sample));
}

/* `id` is what the sample is known by, when it has no id of its own. */
static bool import_sample(struct prime_sample *s, struct import *im, struct prime_place at, struct str id,
			  struct err *err)
{
	struct prime *p = s->prime;
	struct import_question q = { .part = LEDGER_DIAGNOSTIC, .experiment = p->experiment, .artifact = STR(SAMPLE),
				     .bytes = s->kept };
	bool known;

	s->sample_id = import_text(s->arena, val_get(s->root, STR("sample_id")));
	q.from = s->sample_id.p ? s->sample_id : id;
	q.name = place_name(s->arena, at, q.from);
	q.trial_id = ARENA_JOIN(s->arena, STR("prime-"), p->slug, STR("-"), import_slug(s->arena, q.from));
	s->trial_id = q.trial_id;
	s->info = read_info(p, s->root);
	s->metrics = prime_get(s, STR("metrics"));
	s->timing = prime_get(s, STR("timing"));
	s->token_usage = prime_get(s, STR("token_usage"));
	prime_check(s);
	if (s->why.p)
		return import_refuse(im, q.name, p->experiment, s->trial_id, s->why, err);
	if (!import_ask(im, &q, &known, &s->sealed, err))
		return false;
	return known || seal_sample(s, im, q.name, err);
}

/* A trace becomes a sample of the older form, which goes the way of every other. */
static bool import_trace(struct prime *p, struct import *im, struct val trace, struct str kept, struct prime_place at,
			 struct str id, struct err *err)
{
	struct prime_sample s = { .prime = p, .arena = &p->sample_arena, .kept = kept, .is_trace = true };

	buf_clear(&p->trace);
	verifiers_write_trace(s.arena, trace, &p->trace);
	if (!json_parse_copy(p->parsers[PRIME_TRACE], buf_str(&p->trace), &s.root, NULL))
		return import_refuse(im, place_name(s.arena, at, id), p->experiment, (struct str){ NULL, 0 },
				     STR("the trace is nested too deep to be read; take the line out"), err);
	return import_sample(&s, im, at, id, err);
}

/* A trial of each trace; the whole episode is kept with each of them. */
static bool import_episode(struct prime *p, struct import *im, struct val episode, struct prime_place at,
			   struct str id, struct err *err)
{
	struct val traces = val_get(episode, STR("traces")), trace;
	struct str kept = val_source(episode), why;
	struct val_iter it = val_begin(traces);
	struct arena *a = &p->sample_arena;
	size_t count = 0;

	if (!val_is(traces, JSON_ARRAY))
		return import_trace(p, im, episode, kept, at, id, err);
	while (val_next(&it, &trace)) {
		struct str one = count++ ? arena_printf(a, "%.*s-%zu", STR_ARG(id), count) : id;

		if (!import_trace(p, im, trace, kept, at, one, err))
			return false;
	}
	if (count)
		return true;
	why = verifiers_error(a, episode);
	why = ARENA_JOIN(a, STR("the episode has no trace, and so no reward"), why.p ? STR(" (") : STR(""),
			 why.p ? why : STR(""), why.p ? STR(")") : STR(""), STR("; run it again, or leave it out"));
	return import_refuse(im, place_name(a, at, id), p->experiment, (struct str){ NULL, 0 }, why, err);
}

bool prime_import(struct prime *p, struct import *im, struct val sample, struct prime_place at, struct err *err)
{
	struct prime_sample s = { .prime = p, .arena = &p->sample_arena, .root = sample };
	struct str id;

	arena_reset(&p->sample_arena);
	id = arena_printf(&p->sample_arena, "sample-%llu", (unsigned long long)at.n);
	if (!val_is(sample, JSON_OBJECT))
		return import_refuse(im, place_name(s.arena, at, id), p->experiment, (struct str){ NULL, 0 },
				     STR("a sample must be a JSON object; take the line out"), err);
	if (p->source == PRIME_VERIFIERS && verifiers_is_episode(sample))
		return import_episode(p, im, sample, at, id, err);
	s.kept = val_source(sample);
	return import_sample(&s, im, at, id, err);
}
