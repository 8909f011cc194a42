/* The dialect of Codex: it tells rollout lines from those of `codex exec --json` and gives each to its own reader. */
#include "dialect/codex/check.h"
#include "dialect/codex/fold.h"
#include "dialect/codex/private.h"
#include "dialect/codex/rules.h"
#include "dialect/formats.h"
#include "dialect/reading/reading.h"

/* A line may be of either kind of log; the better one counts. */
static int codex_fits(struct val v)
{
	int rollout, exec;

	if (!val_is(v, JSON_OBJECT))
		return 0;
	rollout = codex_rollout_fits(v);
	exec = codex_exec_fits(v);
	return rollout > exec ? rollout : exec;
}

/* Copies the hint that the event has, so that several readers of one line can each add to it. */
struct codex_hint *codex_hint_add(struct reading *r, struct event *e)
{
	struct codex_hint *h = arena_new(r->arena, struct codex_hint);

	*h = *codex_hint_of(e);
	e->hint = h;
	return h;
}

const struct codex_hint *codex_hint_of(const struct event *e)
{
	static const struct codex_hint nothing;

	return e->hint ? e->hint : &nothing;
}

/* One log may hold both, and lines that are neither; each line tells which it is. */
static void codex_read_value(struct reading *r, struct val v)
{
	struct val type = val_get(v, STR("type"));
	bool exec = codex_exec_fits(v) > 0 || val_has(v, STR("log_type"));

	/* an error of exec looks like nothing else */
	exec = exec || (val_text_is(type, STR("error")) && !val_has(v, STR("payload")));
	if (exec)
		codex_exec_read(r, v);
	else
		codex_rollout_read(r, v);
}

static const struct read_ops read_codex = {
	.vendor = "codex",
	.key = "codex/1",
	.assemble = ASSEMBLE_STEP_COSTS,
	.value = codex_read_value,
	.fold_open = codex_fold_open,
	.fold_close = codex_fold_close,
	.fold = codex_fold,
	.fold_end = codex_fold_end,
};

const struct dialect codex_dialect = {
	.name = "codex",
	.title = "Codex: rollout files, exec --json output",
	.file = "rollout.jsonl",
	.unit = "line",
	.forms = DIALECT_LINES | DIALECT_DOCUMENT,
	.rules = codex_rules,
	.fits = codex_fits,
	DIALECT_RECORDS(codex_format, NULL),
	.read = &read_codex,
};
