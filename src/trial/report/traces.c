/* Transcripts are read where the ledger's directory has them, and forgotten before the next one. */
#include "trial/report/traces.h"

#include <math.h>
#include <sys/stat.h>

#include "base/file.h"
#include "json/json.h"
#include "trial/seal.h"
#include "trial/signals.h"

#define BONDS 4
#define TRACES_RECORD_MAX ((size_t)64 << 20)
#define CLASSIFICATION_MAX ((size_t)16 << 20)

static const char *const traces_bonds[BONDS] = { "execution", "verification", "deliberation", "exploration" };

/* What is known of one trial. Texts live in the arena that was read into. */
struct trace {
	struct str artifacts; /* the directory; p NULL: none */
	struct signals signals;
	bool is_classified;
	double turns, confidence; /* of the classification */
	double bonds[BONDS];
};

static struct str traces_path(struct arena *a, const struct doc_source *s, const struct ledger *l,
			      const struct trial_fact *f, struct str kind, struct str end)
{
	return ARENA_JOIN(a, l->where, f->part == LEDGER_DIAGNOSTIC ? STR(LEDGER_SECOND) : STR(""), STR("/"), kind,
			  STR("/"), entry_path_part(a, tally_name(s->tally, f, NAME_EXPERIMENT)), STR("/"),
			  entry_path_part(a, tally_name(s->tally, f, NAME_TRIAL)), end);
}

/* One that cannot be read says nothing: it is another program's word, not ours. */
static void traces_read_classes(struct trace *t, struct arena *work)
{
	struct json_parser *p;
	struct val root, bonds;
	struct err err = { .kind = ERR_NONE };
	struct str bytes;

	if (!t->artifacts.p || !file_read(work, ARENA_JOIN(work, t->artifacts, STR("/classification.json")),
					  CLASSIFICATION_MAX, &bytes, &err))
		return;
	p = json_parser_open((struct json_options){ .max_depth = 64 });
	if (json_parse_copy(p, bytes, &root, NULL)) {
		if (val_is(val_get(root, STR("classification")), JSON_OBJECT))
			root = val_get(root, STR("classification"));
		bonds = val_get(root, STR("bond_counts"));
		t->is_classified = val_double(val_get(root, STR("classified_turns")), &t->turns) &&
				   val_is(bonds, JSON_OBJECT);
		for (int i = 0; i < BONDS; i++)
			if (!val_double(val_get(bonds, str_from(traces_bonds[i])), &t->bonds[i]))
				t->bonds[i] = 0;
		if (!val_double(val_get(root, STR("mean_turn_confidence")), &t->confidence))
			t->confidence = NAN;
	}
	json_parser_close(p);
}

/* The file that the record names, in the directory of its artifacts; p NULL when there is none. */
static struct str traces_find(struct arena *a, struct str dir, struct str prefix, struct val outputs)
{
	static const char *const members[] = { "trajectory_path", "conversation_path" };
	struct stat st;

	for (size_t i = 0; i < COUNT(members); i++) {
		struct str name = val_get_text(outputs, str_from(members[i]), a), path;

		if (name.p && str_starts(name, prefix))
			name = str_skip(name, prefix.n);
		if (!name.p || !seal_is_artifact_name(name))
			continue;
		path = ARENA_JOIN(a, dir, STR("/"), entry_path_part(a, name)); /* as entry_link_name does */
		if (stat(path.p, &st) == 0 && S_ISREG(st.st_mode))
			return path;
	}
	return (struct str){ NULL, 0 };
}

static bool traces_read_signals(struct trace *t, struct arena *work, struct str record, struct str prefix,
				const struct traces_how *how, struct err *err)
{
	const struct transcript_how reading = { .jobs = how->jobs };
	struct json_parser *p;
	struct str bytes, path = { NULL, 0 };
	struct val root;

	if (!file_read(work, record, TRACES_RECORD_MAX, &bytes, err))
		return false;
	p = json_parser_open((struct json_options){ .max_depth = 0 });
	if (json_parse_copy(p, bytes, &root, NULL))
		path = traces_find(work, t->artifacts, prefix, val_get(root, STR("outputs")));
	json_parser_close(p);
	return !path.p || signals_load(work, path, &reading, &t->signals, err);
}

static bool traces_read(struct trace *t, struct arena *work, const struct doc_source *s, const struct traces_how *how,
			const struct trial_fact *f, struct err *err)
{
	struct str dir, record, prefix;
	struct stat st;

	*t = (struct trace){ .confidence = NAN };
	if (!how->ledger->is_dir)
		return true;
	dir = traces_path(work, s, how->ledger, f, STR("artifacts"), STR(""));
	record = traces_path(work, s, how->ledger, f, STR("records"), STR(".json"));
	prefix = str_skip(traces_path(work, s, how->ledger, f, STR("artifacts"), STR("/")), how->ledger->where.n + 1);
	if (f->part == LEDGER_DIAGNOSTIC)
		prefix = str_skip(prefix, sizeof(LEDGER_SECOND) - 1);
	if (stat(dir.p, &st) != 0 || !S_ISDIR(st.st_mode))
		return true; /* nothing was sealed with it */
	t->artifacts = dir;
	traces_read_classes(t, work);
	return stat(record.p, &st) != 0 || traces_read_signals(t, work, record, prefix, how, err);
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
	{ "first_error", "first error", SHEET_TEXT, 2 },
	{ "artifacts", "artifacts", SHEET_TEXT, 2 },
};

static struct str traces_keep(struct arena *a, struct str s)
{
	return s.p ? arena_copy(a, s) : s;
}

static void traces_put(struct sheet *x, const struct doc_source *s, const struct trial_fact *f, const struct trace *t)
{
	const char *class = trial_class_word((enum trial_class)f->class);
	bool known = t->signals.has_transcript;

	sheet_add_text(x, tally_name(s->tally, f, NAME_TRIAL));
	sheet_add_text(x, tally_name(s->tally, f, NAME_EXPERIMENT));
	sheet_add_text(x, tally_name(s->tally, f, NAME_TASK));
	sheet_add_text(x, tally_name(s->tally, f, NAME_MODEL));
	sheet_add_text(x, tally_name(s->tally, f, NAME_ADAPTER));
	sheet_add_text(x, str_from(trial_standing_word((enum trial_standing)f->standing)));
	sheet_add_text(x, class ? str_from(class) : (struct str){ NULL, 0 });
	sheet_add_number(x, f->has_reward ? f->reward : NAN);
	sheet_add_number(x, known ? (double)t->signals.turns : NAN);
	sheet_add_number(x, known ? (double)t->signals.tool_calls : NAN);
	sheet_add_number(x, known ? (double)t->signals.tool_errors : NAN);
	sheet_add_number(x, t->signals.timed_results ? t->signals.tool_seconds : NAN);
	sheet_add_number(x, f->findings);
	sheet_add_number(x, f->denied);
	sheet_add_text(x, traces_keep(x->arena, t->signals.first_error));
	sheet_add_text(x, traces_keep(x->arena, t->artifacts));
}

bool traces_make(struct doc *out, const struct doc_source *s, const struct traces_how *how, struct err *err)
{
	struct sheet x = sheet_begin(s->tally->arena, "trials", traces_columns, COUNT(traces_columns));
	size_t shown = 0;
	struct arena work;
	bool good = true;

	*out = (struct doc){ .schema = "report-traces", .title = "Traces" };
	x.empty = "No trial is there.";
	arena_init(&work);
	for (size_t i = 0; good && i < s->tally->count && (!how->limit || shown < how->limit); i++) {
		const struct trial_fact *f = &s->tally->trials[i];
		struct trace t;

		if (f->standing == STANDING_ERASED)
			continue;
		good = traces_read(&t, &work, s, how, f, err);
		if (good)
			traces_put(&x, s, f, &t);
		shown++;
		arena_reset(&work);
	}
	arena_free(&work);
	doc_add(out, x);
	doc_add_basis(out, s);
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
	{ "wrote_output", "wrote output", SHEET_COUNT, 1 },
	{ "classified_trials", "classified", SHEET_COUNT, 2 },
	{ "classified_turns", "turns", SHEET_COUNT, 2 },
	{ "execution", "execution", SHEET_SHARE, 2 },
	{ "verification", "verification", SHEET_SHARE, 2 },
	{ "deliberation", "deliberation", SHEET_SHARE, 2 },
	{ "exploration", "exploration", SHEET_SHARE, 2 },
	{ "mean_turn_confidence", "confidence", SHEET_NUMBER, 2 },
};

/* Of one adapter and model. */
struct behaviour {
	uint64_t transcripts, turns, calls, results, errors, with_errors, timed, wrote, classified;
	double seconds, bonds[BONDS], bond_turns, sure_turns, confidence;
};

static void behaviour_add(struct behaviour *b, const struct trace *t)
{
	b->transcripts += t->signals.has_transcript;
	b->turns += t->signals.turns;
	b->calls += t->signals.tool_calls;
	b->results += t->signals.tool_results;
	b->errors += t->signals.tool_errors;
	b->with_errors += t->signals.tool_errors > 0;
	b->timed += t->signals.timed_results > 0;
	b->seconds += t->signals.tool_seconds;
	b->wrote += t->signals.wrote_output;
	if (!t->is_classified)
		return;
	b->classified++;
	b->bond_turns += t->turns;
	for (int i = 0; i < BONDS; i++)
		b->bonds[i] += t->bonds[i];
	if (isnan(t->confidence))
		return;
	b->sure_turns += t->turns;
	b->confidence += t->confidence * t->turns;
}

static void behaviour_put(struct sheet *x, const struct behaviour *b, const struct board_group *g)
{
	double n = b->transcripts ? (double)b->transcripts : NAN;

	sheet_add_number(x, (double)g->trials);
	sheet_add_number(x, (double)b->transcripts);
	sheet_add_number(x, (double)b->turns / n);
	sheet_add_number(x, (double)b->calls / n);
	sheet_add_number(x, b->results ? (double)b->errors / (double)b->results : NAN);
	sheet_add_number(x, b->transcripts ? (double)b->with_errors : NAN);
	sheet_add_number(x, b->timed ? b->seconds / (double)b->timed : NAN);
	sheet_add_number(x, b->transcripts ? (double)b->wrote : NAN);
	sheet_add_number(x, (double)b->classified);
	sheet_add_number(x, b->classified ? b->bond_turns : NAN);
	for (int i = 0; i < BONDS; i++)
		sheet_add_number(x, b->bond_turns > 0 ? b->bonds[i] / b->bond_turns : NAN);
	sheet_add_number(x, b->sure_turns > 0 ? b->confidence / b->sure_turns : NAN);
}

static struct behaviour *behaviour_of(struct behaviour *list, const struct board *b, const struct trial_fact *f)
{
	for (size_t i = 0; i < b->count; i++)
		if (b->groups[i].sample->names[NAME_MODEL] == f->names[NAME_MODEL] &&
		    b->groups[i].sample->names[NAME_ADAPTER] == f->names[NAME_ADAPTER])
			return &list[i];
	return NULL;
}

bool behaviour_make(struct doc *out, const struct doc_source *s, const struct traces_how *how, struct err *err)
{
	struct sheet x = sheet_begin(s->tally->arena, "rows", behaviour_columns, COUNT(behaviour_columns));
	struct board b = board_make(s->tally, &s->judging, BOARD_BY_MODEL, &s->how);
	struct behaviour *sums = arena_array(s->tally->arena, struct behaviour, b.count + 1);
	struct arena work;
	bool good = true;

	*out = (struct doc){ .schema = "report-behaviour", .title = "Behaviour" };
	x.empty = "No complete trial is there.";
	arena_init(&work);
	for (size_t i = 0; good && i < s->tally->count; i++) {
		const struct trial_fact *f = &s->tally->trials[i];
		struct behaviour *sum = f->standing == STANDING_COUNTED ? behaviour_of(sums, &b, f) : NULL;
		struct trace t;

		if (!sum)
			continue;
		good = traces_read(&t, &work, s, how, f, err);
		if (good)
			behaviour_add(sum, &t);
		arena_reset(&work);
	}
	arena_free(&work);
	for (size_t i = 0; i < b.count; i++) {
		if (!b.groups[i].trials)
			continue;
		sheet_add_text(&x, tally_name(s->tally, b.groups[i].sample, NAME_MODEL));
		sheet_add_text(&x, tally_name(s->tally, b.groups[i].sample, NAME_ADAPTER));
		behaviour_put(&x, &sums[i], &b.groups[i]);
	}
	doc_add(out, x);
	doc_add_basis(out, s);
	return good;
}
