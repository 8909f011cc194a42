/*
 * Records wait in the sealer's batch; before anything else is told or sealed (a review, a refusal), the batch is
 * committed, so that answers come in the order of what was given.
 */
#include "cmd/ledger/adding.h"

#include "base/clock.h"
#include "base/stop.h"
#include "cmd/frame/opt.h"
#include "cmd/inputs.h"
#include "trial/review.h"

#define PUBLISH_NS UINT64_C(1000000000) /* so often in long work, so that readers see it grow */

void adding_open(struct adding *x)
{
	const struct seal_options how = { .ledger = &x->ledger, .each = ledger_add_result, .context = &x->output };

	buf_init(&x->name);
	buf_init(&x->missing);
	arena_init(&x->scratch);
	x->detector = dialect_detect_open();
	x->parser = json_parser_open((struct json_options){ .max_depth = 0 });
	x->published_ns = clock_mono_ns();
	x->sealer = sealer_open(&how);
	ledger_add_init(&x->output);
}

void adding_close(struct adding *x)
{
	sealer_close(x->sealer);
	json_parser_close(x->parser);
	json_parser_close(x->detector);
	arena_free(&x->scratch);
	buf_free(&x->missing);
	buf_free(&x->name);
}

static bool adding_publish(struct adding *x, struct err *err)
{
	x->published_ns = clock_mono_ns();
	return ledger_publish(&x->ledger, err);
}

static bool adding_publish_when_due(struct adding *x, struct err *err)
{
	if (clock_mono_ns() - x->published_ns < PUBLISH_NS)
		return true;
	return seal_commit(x->sealer, err) && adding_publish(x, err);
}

/* What is not taken, behind all that came before it. */
static bool adding_refuse(struct adding *x, struct str path, const char *code, const struct err *why, struct err *err)
{
	if (!seal_commit(x->sealer, err))
		return false;
	ledger_add_refuse(&x->output, path, code, why);
	return true;
}

/* ---- records ---- */

/* Where the files of a record are looked for. */
static struct str dir_of_record(const struct adding *x, const struct intake_record *r)
{
	struct str name = str_basename(r->path);

	if (x->files_from.p)
		return x->files_from;
	if (x->from_stdin)
		return (struct str){ NULL, 0 };
	return r->path.n == name.n ? STR(".") : str_of(r->path.p, r->path.n - name.n);
}

/* Seals one record with the files that it names. */
static bool adding_take_trial(struct adding *x, const struct intake_record *r, struct err *err)
{
	struct seal_extra extra = { .are_mapped = true, .run = x->run };
	struct seal_files files;

	if (x->run && x->records++)
		return usage_set(err, "add them one by one", "--run needs exactly one record, and there are several");
	seal_files_find(&x->scratch, x->parser, r->bytes, dir_of_record(x, r), &files);
	buf_clear(&x->missing);
	seal_files_add_missing(&x->missing, &files, x->require_files ? "; " : "\n");
	if (files.missing_count && x->require_files)
		extra.refusal = str_of(x->missing.p, x->missing.n - 2);
	extra.artifacts = files.artifacts;
	extra.count = files.count;
	ledger_add_expect(&x->output, r, x->require_files ? STR("") : buf_str(&x->missing), 0);
	return seal_add_with(x->sealer, buf_str(&x->name), r->bytes, &extra, err);
}

/* A review is sealed at once: whoever gave it may have added its trial just before. */
static bool adding_take_review(struct adding *x, const struct intake_record *r, struct err *err)
{
	struct err why = { .kind = ERR_NONE };
	struct review_sealed sealed;

	if (!seal_commit(x->sealer, err))
		return false;
	if (review_seal_file(&x->ledger, &x->scratch, r->bytes, &sealed, &why)) {
		ledger_add_review(&x->output, buf_str(&x->name), &sealed);
		return true;
	}
	if (why.kind != ERR_DATA) {
		*err = why;
		return false;
	}
	return adding_refuse(x, buf_str(&x->name), str_has(str_from(why.text), STR("[" SEAL_E_CONFLICT "]")) ?
			     SEAL_E_CONFLICT : SEAL_E_INVALID, &why, err);
}

static bool adding_take(void *context, const struct intake_record *r, struct err *err)
{
	struct adding *x = context;

	arena_reset(&x->scratch);
	buf_clear(&x->name);
	buf_add_str(&x->name, r->path);
	if (r->line)
		buf_printf(&x->name, ":%llu", (unsigned long long)r->line);
	if (!(x->kind == ADD_REVIEW ? adding_take_review(x, r, err) : adding_take_trial(x, r, err)))
		return false;
	if (x->output.waiting == 0)
		ledger_add_flush(&x->output);
	return adding_publish_when_due(x, err);
}

/* A file that is neither is one sentence, not a finding for each of its lines. */
static bool adding_begin_file(void *context, struct str path, struct str head, bool lines, bool *take, struct err *err)
{
	struct err why = { .kind = ERR_NONE };
	struct adding *x = context;

	arena_reset(&x->scratch);
	x->kind = add_kind_of(x->detector, &x->scratch, path, head, lines, &why);
	*take = x->kind != ADD_OTHER;
	return *take || adding_refuse(x, path, ADD_E_KIND, &why, err);
}

/*
 * Input may be slow from here on: what came so far is sealed and told now. With --run the one record waits for the end.
 */
static bool adding_pause(void *context, struct err *err)
{
	struct adding *x = context;

	if (x->output.waiting == 0 || x->run)
		return true;
	if (!seal_commit(x->sealer, err) || !adding_publish(x, err))
		return false;
	ledger_add_flush(&x->output);
	return true;
}

static void adding_fail(void *context, struct str path, const struct err *why)
{
	ledger_add_failure(&((struct adding *)context)->output, path, why);
}

static void adding_tick(void *context, const struct source *from)
{
	inputs_show_progress(&((struct adding *)context)->output.progress, "add", from);
}

/* ---- runs ---- */

static bool adding_take_run(struct adding *x, struct str path, struct err *err)
{
	struct seal_dir dir = { .path = path, .with_content = x->with_content };
	struct intake_record as_given = { .path = path };
	struct err why = { .kind = ERR_NONE };
	struct seal_run hashes = { .records = 0 };

	arena_reset(&x->scratch);
	if (!add_run_read(&x->scratch, &dir, &hashes, &why)) {
		if (why.kind == ERR_DATA)
			return adding_refuse(x, path, ADD_E_RUN, &why, err);
		adding_fail(x, path, &why);
		return true;
	}
	ledger_add_expect(&x->output, &as_given, STR(""), dir.withheld);
	return seal_add_run(x->sealer, path, &dir.source, err) && adding_publish_when_due(x, err);
}

/* One argument: a run, a directory of runs, or what holds records. */
static bool adding_take_argument(struct adding *x, struct str argument, struct err *err)
{
	struct intake in = {
		.arena = x->arena, .begin = adding_begin_file, .record = adding_take, .pause = adding_pause,
		.failed = adding_fail, .tick = adding_tick, .context = x,
	};
	struct err why = { .kind = ERR_NONE };
	struct str path = argument, *runs = NULL;
	size_t count = 0;

	x->from_stdin = str_eq(argument, STR("-"));
	if (!x->from_stdin && !add_run_find(x->arena, argument, &path, &runs, &count, &why)) {
		adding_fail(x, argument, &why);
		return true;
	}
	for (size_t i = 0; i < count && !stop_signal(); i++)
		if (!adding_take_run(x, runs[i], err))
			return false;
	return count || intake_run(&in, &path, 1, err);
}

bool adding_run(struct adding *x, struct args args, struct err *err)
{
	for (size_t i = 0; i < args.count && !stop_signal(); i++)
		if (!adding_take_argument(x, args.items[i], err))
			return false;
	return seal_commit(x->sealer, err) && adding_publish(x, err);
}
