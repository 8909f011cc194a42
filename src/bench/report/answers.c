/* One walk over the rows keeps those that fit; they are sorted behind it. */
#include "bench/report/answers.h"

#include <errno.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/mask.h"
#include "base/utf8.h"
#include "bench/report/summary_cells.h"

struct answers_walk {
	struct arena *arena;
	struct answers *out;
	const struct answers_wanted *wanted;
	struct map places;  /* id to its place in the suite + 1; ids without a config.json behind the others */
	struct map targets; /* name to its place */
	struct buf items, prompts, names; /* struct answer, struct str, struct str */
	bool full;
};

/* ---- texts ---- */

/* A copy with what looks like a key hidden; *hidden says whether there was something. */
static struct str answers_mask(struct arena *a, struct str text, bool cut, bool *hidden)
{
	struct buf shown;

	buf_init(&shown);
	*hidden = mask_text(&shown, text, cut ? MASK_CUT : 0, NULL, NULL);
	return shown.n ? arena_take(a, &shown) : STR("");
}

static struct str answers_copy(struct arena *a, struct str text)
{
	return text.p ? arena_copy(a, text) : text;
}

struct str answer_verdict(const struct answer *x)
{
	if (!x->row.success)
		return x->row.failure.p ? x->row.failure : str_from(provider_status_name(x->row.status));
	return x->row.pass == VERDICT_TRUE ? STR("pass") : x->row.pass == VERDICT_FALSE ? STR("fail") :
											   STR("not judged");
}

/* ---- one row ---- */

static bool answers_is_failed(const struct result *r)
{
	return !r->success || r->pass == VERDICT_FALSE;
}

static bool answers_is_target(struct arena *row, const struct result *r, struct str target, struct str wanted)
{
	return str_eq(target, target_long_name(row, wanted)) || str_eq(r->model, wanted) ||
	       str_eq(target_tag(row, r->provider, r->model, r->thinking), wanted);
}

/* `row` is for texts that nobody keeps. */
static bool answers_fits(const struct answers_walk *w, struct arena *row, const struct result *r, struct str target)
{
	const struct answers_wanted *o = w->wanted;
	bool asked = o->target_count == 0;

	if (w->out->prompt ? !str_eq(r->prompt_id, w->out->prompt->id) :
	    o->prompt.p && !str_eq(r->prompt_id, o->prompt) && !str_eq(r->prompt_name, o->prompt))
		return false;
	for (size_t i = 0; !asked && i < o->target_count; i++)
		asked = answers_is_target(row, r, target, o->targets[i]);
	return asked && (!o->repetition || r->repetition == o->repetition) && (!o->failed || answers_is_failed(r));
}

/* Copies what is shown of a row; the walk's own texts end with it. */
static void answers_keep(struct answers_walk *w, const struct result *r, struct answer x)
{
	size_t most = w->wanted->most ? w->wanted->most : r->output.n;
	struct str shown = utf8_cut(r->output, most), *tools;
	struct arena *a = w->arena;

	x.row = *r;
	x.row.run_id = x.row.parsed = str_of(NULL, 0);
	x.row.provider = answers_copy(a, r->provider);
	x.row.model = answers_copy(a, r->model);
	x.row.thinking = answers_copy(a, r->thinking);
	x.row.prompt_id = answers_copy(a, r->prompt_id);
	x.row.prompt_name = answers_copy(a, r->prompt_name);
	x.row.failure = answers_copy(a, r->failure);
	x.row.violation = cell_violation(a, r->violation, SIZE_MAX);
	x.bytes = r->output.n;
	x.cut = r->truncated || shown.n < r->output.n;
	x.row.output = answers_mask(a, shown, x.cut, &x.masked);
	if (r->violation.p)
		x.got = cell_got(a, r->output);
	tools = arena_array(a, struct str, r->tool_count + 1);
	for (size_t i = 0; i < r->tool_count; i++)
		tools[i] = cell_violation(a, r->tools[i], SIZE_MAX);
	x.row.tools = tools;
	buf_add(&w->items, &x, sizeof(x));
}

/* The place of a name, which is put at the end of `list` when it is new. */
static uint64_t answers_place(struct answers_walk *w, struct map *m, struct buf *list, struct str name)
{
	bool added;
	uint64_t *at = map_add(m, name, &added);

	if (added) {
		struct str kept = arena_copy(w->arena, name);

		*at = list->n / sizeof(kept);
		buf_add(list, &kept, sizeof(kept));
	}
	return *at;
}

static bool answers_take(void *own, const struct result *r, struct str line)
{
	struct answers_walk *w = own;
	struct arena row;
	struct answer x = { .place = w->out->rows };
	struct str target;

	(void)line;
	arena_init(&row);
	target = target_name(&row, r->provider, r->model, r->thinking);
	if (!w->out->rows++)
		w->out->run_id = arena_copy(w->arena, r->run_id);
	w->out->repeats |= r->repetition > 1;
	x.order = answers_place(w, &w->places, &w->prompts, r->prompt_id);
	x.target_order = (size_t)answers_place(w, &w->targets, &w->names, target);
	x.target = ((struct str *)(void *)w->names.p)[x.target_order];
	if (answers_fits(w, &row, r, target))
		answers_keep(w, r, x);
	arena_free(&row);
	w->full = w->items.n / sizeof(x) > ANSWERS_MAX;
	return !w->full;
}

/* ---- all of them ---- */

static int answers_compare(const void *a, const void *b)
{
	const struct answer *x = a, *y = b;

	if (x->order != y->order)
		return x->order < y->order ? -1 : 1;
	if (x->target_order != y->target_order)
		return x->target_order < y->target_order ? -1 : 1;
	if (x->row.repetition != y->row.repetition)
		return x->row.repetition < y->row.repetition ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

/* The prompts in the order of the suite, and the one that is asked for. A run of another program may have no config. */
static bool answers_read_config(struct answers_walk *w, struct str path, struct err *err)
{
	struct str file = ARENA_JOIN(w->arena, results_dir(w->arena, path), STR("/config.json"));
	struct config *c = arena_new(w->arena, struct config);

	if (!config_read(c, w->arena, file, err)) {
		bool missing = err->errnum == ENOENT;

		err->kind = missing ? ERR_NONE : err->kind;
		return missing;
	}
	for (size_t i = 0; i < c->prompt_count; i++) {
		struct str id = c->prompts[i].id, wanted = w->wanted->prompt;

		answers_place(w, &w->places, &w->prompts, id);
		if (wanted.p && !w->out->prompt && (str_eq(id, wanted) || str_eq(c->prompts[i].name, wanted)))
			w->out->prompt = &c->prompts[i];
	}
	return true;
}

/* What was asked and by what it was judged, as config.json has it. */
static void answers_tell_prompt(struct answers *out, struct arena *a)
{
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 0 });
	struct buf words;
	struct val v;
	bool hidden;

	out->prompt_text = answers_mask(a, out->prompt->prompt, false, &hidden);
	buf_init(&words);
	if (json_parse_copy(p, out->prompt->canonical, &v, NULL))
		validator_add_words(&words, val_get(v, STR("validator")));
	if (words.n)
		out->judged_by = answers_mask(a, buf_str(&words), false, &hidden);
	buf_free(&words);
	json_parser_close(p);
}

static void answers_finish(struct answers_walk *w)
{
	struct answers *out = w->out;
	size_t n = w->items.n / sizeof(struct answer);

	out->count = n;
	out->items = n ? arena_move_array(w->arena, w->items.p, n, n + 1, sizeof(struct answer)) : NULL;
	if (n)
		qsort(out->items, n, sizeof(struct answer), answers_compare);
	out->prompt_count = w->prompts.n / sizeof(struct str);
	out->target_count = w->names.n / sizeof(struct str);
	out->prompts = arena_move_array(w->arena, w->prompts.p, out->prompt_count, out->prompt_count + 1,
					sizeof(struct str));
	out->targets = arena_move_array(w->arena, w->names.p, out->target_count, out->target_count + 1,
					sizeof(struct str));
	if (out->prompt)
		answers_tell_prompt(out, w->arena);
}

bool answers_read(struct answers *out, struct arena *a, struct str path, const struct answers_wanted *wanted,
		  struct err *err)
{
	struct answers_walk w = { .arena = a, .out = out, .wanted = wanted };
	bool done;

	*out = (struct answers){ .run_id = STR("") };
	map_init(&w.places, a);
	map_init(&w.targets, a);
	buf_init(&w.items);
	buf_init(&w.prompts);
	buf_init(&w.names);
	done = answers_read_config(&w, path, err) && results_walk(path, answers_take, &w, &out->lost, err);
	if (done && w.full)
		done = err_set(err, ERR_LIMIT, "%.*s: more than %u rows are too many to be shown" ERR_HELP
			       "name a prompt or a target", STR_ARG(path), ANSWERS_MAX);
	if (done)
		answers_finish(&w);
	buf_free(&w.items);
	buf_free(&w.prompts);
	buf_free(&w.names);
	return done;
}
