/* Transcripts are read from the objects of the ledger's directory, and forgotten before the next one. */
#include "trial/report/traces.h"

#include <math.h>
#include <sys/stat.h>

#include "base/file.h"
#include "json/json.h"
#include "ledger/tile.h"
#include "trial/seal.h"
#include "trial/classify/glance.h"
#include "trial/classify/reference.h"

/* What is known of one trial. Texts live in the arena that was read into. */
struct trace {
	struct str artifacts; /* the directory; p NULL: none */
	struct glance seen;
};

/* How they are read. */
struct traces_work {
	const struct doc_source *s;
	const struct traces_how *how;
	struct rules rules;
	struct arena arena; /* of one trial */
};

static void traces_begin(struct traces_work *w, const struct doc_source *s, const struct traces_how *how)
{
	*w = (struct traces_work){ .s = s, .how = how };
	rules_builtin(s->tally->arena, &w->rules);
	arena_init(&w->arena);
}

/* The directory of the log. */
static struct str traces_root(struct arena *a, const struct ledger *l, const struct trial_fact *f)
{
	return ARENA_JOIN(a, l->where, f->part == LEDGER_DIAGNOSTIC ? STR(LEDGER_SECOND) : STR(""));
}

/* What was sealed under a name that the record gives; NULL when there is nothing. */
static const struct digest *traces_find(const struct tally *t, const struct trial_fact *f, struct arena *a,
					struct str prefix, struct val outputs)
{
	static const char *const members[] = { "trajectory_path", "conversation_path" };
	const struct digest *found = NULL;

	for (size_t i = 0; i < COUNT(members) && !found; i++) {
		struct str name = val_get_text(outputs, str_from(members[i]), a);

		if (name.p && str_starts(name, prefix))
			name = str_skip(name, prefix.n);
		if (name.p && seal_is_artifact_name(name))
			found = tally_find_artifact(t, f, name);
	}
	return found;
}

/* The object, not the name that stands in artifacts/ for people: a name can be given to something else. */
static bool traces_check(struct traces_work *w, const struct trial_fact *f, const struct digest *d, struct str *path,
			 struct err *err)
{
	const struct ledger *l = w->how->ledger;
	struct sha256 sha;
	struct str bytes;
	bool is_sealed;
	char object[OBJECT_PATH_MAX];

	object_path(object, *d);
	*path = ARENA_JOIN(&w->arena, traces_root(&w->arena, l, f), STR("/"), str_from(object));
	if (!file_map(*path, &bytes, err))
		return err_context(err, "the transcript of a trial");
	sha256_init(&sha);
	is_sealed = digest_eq(sha256_of(&sha, bytes), *d);
	sha256_free(&sha);
	file_unmap(bytes);
	return is_sealed || err_set(err, ERR_DATA, "%.*s: the transcript of trial %.*s is not what was sealed, so "
				    "there is no report" ERR_HELP "'trackway ledger verify' says what else is wrong",
				    STR_ARG(l->where), STR_ARG(tally_name(w->s->tally, f, NAME_TRIAL)));
}

static bool traces_read_transcript(struct traces_work *w, struct trace *t, const struct trial_fact *f,
				   struct str prefix, struct err *err)
{
	const struct transcript_how reading = { .jobs = w->how->jobs };
	struct log *log = w->how->ledger->logs[f->part];
	const struct digest *sealed = NULL;
	struct json_parser *p;
	struct str bytes, path;
	struct val root;
	bool found;

	if (!log->ops->object(log, &w->arena, f->record, &bytes, &found, err))
		return false;
	p = json_parser_open((struct json_options){ .max_depth = 0 });
	if (found && json_parse_copy(p, bytes, &root, NULL))
		sealed = traces_find(w->s->tally, f, &w->arena, prefix, val_get(root, STR("outputs")));
	json_parser_close(p);
	return !sealed || (traces_check(w, f, sealed, &path, err) &&
			   glance_load(&t->seen, &w->arena, path, &w->rules, &reading, err));
}

/* *t lives until the next one is read. */
static bool traces_read(struct traces_work *w, struct trace *t, const struct trial_fact *f, struct err *err)
{
	const struct ledger *l = w->how->ledger;
	struct str dir, names;
	struct stat st;

	arena_reset(&w->arena);
	*t = (struct trace){ .artifacts = { NULL, 0 } };
	if (!l->is_dir)
		return true;
	names = ARENA_JOIN(&w->arena, STR("artifacts/"),
			   entry_path_part(&w->arena, tally_name(w->s->tally, f, NAME_EXPERIMENT)), STR("/"),
			   entry_path_part(&w->arena, tally_name(w->s->tally, f, NAME_TRIAL)), STR("/"));
	dir = ARENA_JOIN(&w->arena, traces_root(&w->arena, l, f), STR("/"), str_of(names.p, names.n - 1));
	if (stat(dir.p, &st) == 0 && S_ISDIR(st.st_mode))
		t->artifacts = dir;
	return traces_read_transcript(w, t, f, names, err);
}

/* What the classification rests on; `r` is NULL where nothing is held against a reference. */
static void traces_add_classifier(struct doc *d, const struct traces_work *w, const struct bond_reference *r)
{
	static const struct sheet_column columns[] = {
		{ "rules", "rules", SHEET_TEXT, 1 },
		{ "low_confidence_threshold", "low confidence below", SHEET_NUMBER, 2 },
		{ "reference_trials", "trials of the reference", SHEET_COUNT, 2 },
		{ "reference_turns", "turns", SHEET_COUNT, 2 },
		{ "reference_sequence_trials", "of its sequence", SHEET_COUNT, 2 },
		{ "reference_sequence", NULL, SHEET_TEXTS, 2 },
	};
	struct arena *a = w->s->tally->arena;
	struct sheet x = sheet_begin(a, "classifier", columns, r ? COUNT(columns) : 2);
	struct str *names = arena_array(a, struct str, r ? r->ideal.n + 1 : 1);

	x.title = "How turns are classified: by the built-in rules";
	x.is_single = true;
	sheet_add_text(&x, arena_copy(a, str_from(w->rules.digest)));
	sheet_add_number(&x, BONDS_LOW_CONFIDENCE);
	if (r) {
		for (size_t i = 0; i < r->ideal.n; i++)
			names[i] = str_from(bond_names[r->ideal.at[i]]);
		sheet_add_number(&x, (double)r->traces);
		sheet_add_number(&x, r->traces ? (double)r->turns : NAN);
		sheet_add_number(&x, r->traces ? (double)r->ideal_traces : NAN);
		sheet_add_texts(&x, r->traces ? names : NULL, r->ideal.n);
	}
	doc_add(d, x);
}

static struct str traces_bond_name(enum bond b)
{
	return b == BONDS ? (struct str){ NULL, 0 } : str_from(bond_names[b]);
}

/* ---- trials ---- */

static const struct sheet_column traces_columns[] = {
	{ "trial_id", "trial", SHEET_TEXT, 0 },
	{ "experiment_id", NULL, SHEET_TEXT, 1 },
	{ "task_id", "task", SHEET_TEXT, 1 },
	{ "model", "model", SHEET_TEXT, 1 },
	{ "adapter", NULL, SHEET_TEXT, 1 },
	{ "standing", "standing", SHEET_TEXT, 1 },
	{ "class", "class", SHEET_TEXT, 1 },
	{ "reward", "reward", SHEET_NUMBER, 1 },
	{ "turns", "turns", SHEET_COUNT, 1 },
	{ "tool_calls", "calls", SHEET_COUNT, 1 },
	{ "tool_errors", "errors", SHEET_COUNT, 1 },
	{ "tool_seconds", "tool time", SHEET_SECONDS, 1 },
	{ "findings", "findings", SHEET_COUNT, 1 },
	{ "denied", "denied", SHEET_COUNT, 1 },
	{ "classified_turns", "classified turns", SHEET_COUNT, 2 },
	{ "execution", "execution", SHEET_COUNT, 2 },
	{ "verification", "verification", SHEET_COUNT, 2 },
	{ "deliberation", "deliberation", SHEET_COUNT, 2 },
	{ "exploration", "exploration", SHEET_COUNT, 2 },
	{ "dominant_bond", "dominant", SHEET_TEXT, 3 },
	{ "mean_turn_confidence", "confidence", SHEET_NUMBER, 3 },
	{ "low_confidence_share", "turns of low confidence", SHEET_SHARE, 3 },
	{ "first_error", "first error", SHEET_TEXT, 4 },
	{ "artifacts", "artifacts", SHEET_TEXT, 4 },
};

static struct str traces_keep(struct arena *a, struct str s)
{
	return s.p ? arena_copy(a, s) : s;
}

static void traces_put_classification(struct sheet *x, const struct glance *g)
{
	double turns = g->is_classified ? (double)g->trial.sequence.n : NAN; /* never 0: without a turn there is none */

	sheet_add_number(x, turns);
	for (int i = 0; i < BONDS; i++)
		sheet_add_number(x, g->is_classified ? (double)g->trial.bond_counts[i] : NAN);
	sheet_add_text(x, traces_bond_name(g->is_classified ? g->trial.dominant : BONDS));
	sheet_add_number(x, g->is_classified ? bond_round(g->trial.mean_confidence) : NAN);
	sheet_add_number(x, bond_round((double)g->trial.low_confidence / turns));
}

static void traces_put(struct sheet *x, const struct doc_source *s, const struct trial_fact *f, const struct trace *t)
{
	const char *class = trial_class_word((enum trial_class)f->class);
	const struct signals *seen = &t->seen.signals;
	bool known = seen->has_transcript;

	sheet_add_text(x, tally_name(s->tally, f, NAME_TRIAL));
	sheet_add_text(x, tally_name(s->tally, f, NAME_EXPERIMENT));
	sheet_add_text(x, tally_name(s->tally, f, NAME_TASK));
	sheet_add_text(x, tally_name(s->tally, f, NAME_MODEL));
	sheet_add_text(x, tally_name(s->tally, f, NAME_ADAPTER));
	sheet_add_text(x, str_from(trial_standing_word((enum trial_standing)f->standing)));
	sheet_add_text(x, class ? str_from(class) : (struct str){ NULL, 0 });
	sheet_add_number(x, f->has_reward ? f->reward : NAN);
	sheet_add_number(x, known ? (double)seen->turns : NAN);
	sheet_add_number(x, known ? (double)seen->tool_calls : NAN);
	sheet_add_number(x, known ? (double)seen->tool_errors : NAN);
	sheet_add_number(x, seen->timed_results ? seen->tool_seconds : NAN);
	sheet_add_number(x, f->findings);
	sheet_add_number(x, f->denied);
	traces_put_classification(x, &t->seen);
	sheet_add_text(x, traces_keep(x->arena, seen->first_error));
	sheet_add_text(x, traces_keep(x->arena, t->artifacts));
}

bool traces_make(struct doc *out, const struct doc_source *s, const struct traces_how *how, struct err *err)
{
	struct sheet x = sheet_begin(s->tally->arena, "trials", traces_columns, COUNT(traces_columns));
	struct traces_work w;
	struct trace t;
	size_t shown = 0;
	bool good = true;

	*out = (struct doc){ .schema = "report-traces", .title = "Traces" };
	x.empty = "No trial is there.";
	x.is_brief = true;
	traces_begin(&w, s, how);
	for (size_t i = 0; good && i < s->tally->count && (!how->limit || shown < how->limit); i++) {
		const struct trial_fact *f = &s->tally->trials[i];

		if (f->standing == STANDING_ERASED)
			continue;
		good = traces_read(&w, &t, f, err);
		if (good)
			traces_put(&x, s, f, &t);
		shown++;
	}
	if (how->limit && shown == how->limit)
		x.title = arena_printf(x.arena, "The first %zu trials", shown).p;
	doc_add(out, x);
	traces_add_classifier(out, &w, NULL);
	doc_add_basis(out, s);
	arena_free(&w.arena);
	return good;
}

/* ---- sums ---- */

static const struct sheet_column behaviour_columns[] = {
	{ "model", "model", SHEET_TEXT, 0 },
	{ "adapter", "adapter", SHEET_TEXT, 0 },
	{ "trials", "trials", SHEET_COUNT, 1 },
	{ "transcripts", "transcripts", SHEET_COUNT, 1 },
	{ "mean_turns", "turns", SHEET_NUMBER, 1 },
	{ "mean_tool_calls", "calls", SHEET_NUMBER, 1 },
	{ "tool_error_rate", "failed calls", SHEET_SHARE, 1 },
	{ "trials_with_errors", "trials with errors", SHEET_COUNT, 1 },
	{ "mean_tool_seconds", "tool time", SHEET_SECONDS, 1 },
	{ "wrote_output", "wrote output", SHEET_COUNT, 2 },
	{ "classified_trials", "classified", SHEET_COUNT, 2 },
	{ "unclassified_trials", "not classified", SHEET_COUNT, 2 },
	{ "classified_turns", "turns", SHEET_COUNT, 2 },
	{ "execution", "execution", SHEET_SHARE, 3 },
	{ "verification", "verification", SHEET_SHARE, 3 },
	{ "deliberation", "deliberation", SHEET_SHARE, 3 },
	{ "exploration", "exploration", SHEET_SHARE, 3 },
	{ "dominant_bond", "dominant", SHEET_TEXT, 3 },
	{ "mean_turn_confidence", "confidence", SHEET_NUMBER, 4 },
	{ "low_confidence_share", "turns of low confidence", SHEET_SHARE, 4 },
	{ "cosine_similarity", "cosine", SHEET_NUMBER, 4 },
	{ "normalized_edit_distance", "edit distance", SHEET_NUMBER, 4 },
};

static const char *const behaviour_notes[] = {
	"Turns are classified by the built-in rules (doc/classify.md). Cosine and edit distance are means over trials, "
	"each held against the reference: the trials of this report with a reward of 1.0, good trials themselves "
	"among them.",
	NULL,
};

/* Of one adapter and model. */
struct behaviour {
	uint64_t transcripts, turns, calls, results, errors, with_errors, timed, wrote;
	double seconds;
	uint64_t classified, bonds[BONDS], bond_turns, low_confidence, compared, measured;
	double confidence, cosine, distance; /* sums over trials: classified, compared, measured */
};

/* A trial that was classified. */
struct behaviour_trial {
	struct behaviour *of;
	struct bond_sequence sequence;
	bool is_good;
};

struct behaviour_trials {
	struct behaviour_trial *items;
	size_t count;
	struct bond_sequence *some; /* room for all */
};

static void behaviour_add_signals(struct behaviour *b, const struct signals *s)
{
	b->transcripts += s->has_transcript;
	b->turns += s->turns;
	b->calls += s->tool_calls;
	b->results += s->tool_results;
	b->errors += s->tool_errors;
	b->with_errors += s->tool_errors > 0;
	b->timed += s->timed_results > 0;
	b->seconds += s->tool_seconds;
	b->wrote += s->wrote_output;
}

static void behaviour_add(struct behaviour *b, struct behaviour_trials *all, struct arena *a,
			  const struct trial_fact *f, const struct glance *g)
{
	struct bond_sequence own = g->trial.sequence;

	behaviour_add_signals(b, &g->signals);
	if (!g->is_classified)
		return;
	b->classified++;
	b->bond_turns += own.n;
	b->low_confidence += g->trial.low_confidence;
	b->confidence += g->trial.mean_confidence;
	for (int i = 0; i < BONDS; i++)
		b->bonds[i] += g->trial.bond_counts[i];
	own.at = (const uint8_t *)arena_copy(a, str_of((const char *)own.at, own.n)).p;
	all->items[all->count++] = (struct behaviour_trial){
		.of = b, .sequence = own, .is_good = f->has_reward && f->reward >= REFERENCE_REWARD,
	};
}

/* A reference of the trials of one row, or (NULL) of the good ones of all. */
static struct bond_reference behaviour_gather(struct behaviour_trials *all, struct arena *a, const struct behaviour *of)
{
	size_t n = 0;

	for (size_t i = 0; i < all->count; i++)
		if (of ? all->items[i].of == of : all->items[i].is_good)
			all->some[n++] = all->items[i].sequence;
	return bond_make_reference(a, all->some, n);
}

static void behaviour_compare(struct behaviour_trials *all, const struct bond_reference *r)
{
	for (size_t i = 0; i < all->count && r->traces; i++) {
		struct behaviour *b = all->items[i].of;
		struct bond_likeness like = bond_compare(all->items[i].sequence, r);

		b->compared++;
		b->cosine += like.cosine;
		b->measured += like.has_distance;
		b->distance += like.normalised;
	}
}

static double behaviour_ratio(double sum, uint64_t n)
{
	return n ? sum / (double)n : NAN;
}

static void behaviour_put(struct sheet *x, const struct behaviour *b, uint64_t trials)
{
	sheet_add_number(x, (double)trials);
	sheet_add_number(x, (double)b->transcripts);
	sheet_add_number(x, behaviour_ratio((double)b->turns, b->transcripts));
	sheet_add_number(x, behaviour_ratio((double)b->calls, b->transcripts));
	sheet_add_number(x, behaviour_ratio((double)b->errors, b->results));
	sheet_add_number(x, b->transcripts ? (double)b->with_errors : NAN);
	sheet_add_number(x, behaviour_ratio(b->seconds, b->timed));
	sheet_add_number(x, b->transcripts ? (double)b->wrote : NAN);
	sheet_add_number(x, (double)b->classified);
	sheet_add_number(x, (double)(trials - b->classified));
	sheet_add_number(x, b->classified ? (double)b->bond_turns : NAN);
	for (int i = 0; i < BONDS; i++)
		sheet_add_number(x, behaviour_ratio((double)b->bonds[i], b->bond_turns));
	sheet_add_text(x, traces_bond_name(bond_dominant(b->bonds)));
	sheet_add_number(x, bond_round(behaviour_ratio(b->confidence, b->classified)));
	sheet_add_number(x, bond_round(behaviour_ratio((double)b->low_confidence, b->bond_turns)));
	sheet_add_number(x, bond_round(behaviour_ratio(b->cosine, b->compared)));
	sheet_add_number(x, bond_round(behaviour_ratio(b->distance, b->measured)));
}

static struct behaviour *behaviour_of(struct behaviour *list, const struct board *b, const struct trial_fact *f)
{
	for (size_t i = 0; i < b->count; i++)
		if (b->groups[i].sample->names[NAME_MODEL] == f->names[NAME_MODEL] &&
		    b->groups[i].sample->names[NAME_ADAPTER] == f->names[NAME_ADAPTER])
			return &list[i];
	return NULL;
}

static void behaviour_put_names(struct sheet *x, const struct doc_source *s, const struct board_group *g)
{
	sheet_add_text(x, tally_name(s->tally, g->sample, NAME_MODEL));
	sheet_add_text(x, tally_name(s->tally, g->sample, NAME_ADAPTER));
}

/* The mean of the trials' matrices, each weighted by its turns: four rows for each row of the report. */
static void behaviour_add_transitions(struct doc *d, const struct traces_work *w, const struct board *b,
				      const struct behaviour *sums, struct behaviour_trials *all)
{
	static const struct sheet_column columns[] = {
		{ "model", "model", SHEET_TEXT, 0 },
		{ "adapter", "adapter", SHEET_TEXT, 0 },
		{ "from", "from", SHEET_TEXT, 0 },
		{ "execution", "execution", SHEET_SHARE, 1 },
		{ "verification", "verification", SHEET_SHARE, 1 },
		{ "deliberation", "deliberation", SHEET_SHARE, 1 },
		{ "exploration", "exploration", SHEET_SHARE, 1 },
	};
	struct sheet x = sheet_begin(w->s->tally->arena, "transitions", columns, COUNT(columns));

	x.title = "What follows what: the mean over trials, weighted by their turns";
	for (size_t i = 0; i < b->count; i++) {
		struct bond_reference mean;

		if (!sums[i].classified)
			continue;
		mean = behaviour_gather(all, w->s->tally->arena, &sums[i]);
		for (int from = 0; from < BONDS; from++) {
			behaviour_put_names(&x, w->s, &b->groups[i]);
			sheet_add_text(&x, str_from(bond_names[from]));
			for (int to = 0; to < BONDS; to++)
				sheet_add_number(&x, bond_round(mean.matrix.to[from][to]));
		}
	}
	doc_add(d, x);
}

static bool behaviour_read(struct traces_work *w, const struct board *b, struct behaviour *sums,
			   struct behaviour_trials *all, struct err *err)
{
	const struct tally *tally = w->s->tally;
	struct trace t;

	for (size_t i = 0; i < tally->count; i++) {
		const struct trial_fact *f = &tally->trials[i];
		struct behaviour *sum = f->standing == w->s->about ? behaviour_of(sums, b, f) : NULL;

		if (!sum)
			continue;
		if (!traces_read(w, &t, f, err))
			return false;
		behaviour_add(sum, all, tally->arena, f, &t.seen);
	}
	return true;
}

bool behaviour_make(struct doc *out, const struct doc_source *s, const struct traces_how *how, struct err *err)
{
	struct arena *a = s->tally->arena;
	struct sheet x = sheet_begin(a, "rows", behaviour_columns, COUNT(behaviour_columns));
	struct board b = board_make(s->tally, &s->judging, BOARD_BY_MODEL, &s->how);
	struct behaviour *sums = arena_array(a, struct behaviour, b.count + 1);
	struct behaviour_trials all = { .items = arena_array(a, struct behaviour_trial, s->tally->count + 1),
					.some = arena_array(a, struct bond_sequence, s->tally->count + 1) };
	struct bond_reference reference;
	struct traces_work w;
	bool good;

	x.is_brief = true;
	*out = (struct doc){ .schema = "report-behaviour", .title = "Behaviour", .notes = behaviour_notes };
	x.title = s->about == STANDING_PARTIAL ? "Partial trials: they back no figure of a leaderboard" : NULL;
	x.empty = s->about == STANDING_PARTIAL ? "No partial trial is there." : "No complete trial is there.";
	traces_begin(&w, s, how);
	good = behaviour_read(&w, &b, sums, &all, err);
	arena_free(&w.arena);
	reference = behaviour_gather(&all, a, NULL);
	behaviour_compare(&all, &reference);
	for (size_t i = 0; i < b.count; i++) {
		if (!b.groups[i].standings[s->about])
			continue;
		behaviour_put_names(&x, s, &b.groups[i]);
		behaviour_put(&x, &sums[i], b.groups[i].standings[s->about]);
	}
	doc_add(out, x);
	behaviour_add_transitions(out, &w, &b, sums, &all);
	traces_add_classifier(out, &w, &reference);
	doc_add_basis(out, s);
	return good;
}
