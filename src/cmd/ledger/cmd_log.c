/* `trackway ledger log`: entries of one log, newest first. */
#include <inttypes.h>
#include <math.h>

#include "cmd/frame/commands.h"
#include "cmd/ledger/args.h"
#include "cmd/ledger/listing.h"
#include "cmd/screen/amounts.h"
#include "json/put.h"

#define SHOWN 50 /* entries, when nobody says */
#define NO_LIMIT UINT_MAX

struct log_opts {
	struct ledger_choice ledger;
	struct opt_maybe json;
	bool jsonl, plain;
	int part;
	unsigned limit;
};

static const struct log_opts defaults = { .limit = NO_LIMIT };

static const struct opt options[] = {
	{ OPT_UINT, 0, "limit", offsetof(struct log_opts, limit), "N",
	  "only the newest N; 0 for all (default: 50 in the table, else all)" },
	{ OPT_CHOICE, 0, "part", offsetof(struct log_opts, part), "main|diagnostic", "which of the two logs" },
	{ OPT_OPTIONAL, 0, "json", offsetof(struct log_opts, json), "FIELDS",
	  "as one JSON document; only the named fields of each" },
	{ OPT_FLAG, 0, "jsonl", offsetof(struct log_opts, jsonl), NULL, "one JSON object on each line" },
	{ OPT_FLAG, 0, "plain", offsetof(struct log_opts, plain), NULL, "tab-separated fields" },
	LEDGER_VKEY_OPTION(struct log_opts),
	LEDGER_OPTION(struct log_opts),
	OPT_LAST,
};

struct log_view {
	const struct log_opts *options;
	struct listing rows;
	uint64_t all, others;
};

/* The fourth column says what became of a trial, or which entry another kind is about. */
static void ledger_log_add_row(struct grid *g, const struct index_row *row, size_t width)
{
	grid_printf(g, "%" PRIu64, row->index);
	grid_add(g, str_from(entry_kind_name(row->kind)));
	ledger_row_add_cell(g, row->id, width >= 110 ? 48 : 24);
	if (row->kind == ENTRY_TRIAL)
		ledger_row_add_state(&g->cell, row);
	else if (row->ref != UINT64_MAX)
		buf_printf(&g->cell, "of entry %" PRIu64, row->ref);
	grid_add_cell(g);
	ledger_row_add_cell(g, row->sealed_at, 24);
}

/* There are two parts, so !part is the other one; how many it has is told at the end. */
static bool ledger_log_fill(void *own, struct index *x, struct err *err)
{
	struct log_view *v = own;
	struct index_filter f = INDEX_ANY;

	f.part = !v->options->part;
	if (!index_count(x, &f, &v->others, err))
		return false;
	f.part = v->options->part;
	if (!index_count(x, &f, &v->all, err))
		return false;
	f.newest_first = true;
	f.limit = v->options->limit != NO_LIMIT ? v->options->limit : listing_is_table(&v->rows) ? SHOWN : 0;
	return index_list(x, &f, listing_take, &v->rows, err);
}

static void ledger_log_add_sum(struct log_view *v)
{
	struct buf *out = &v->rows.out;

	amounts_add_things(out, v->all, "entry");
	buf_printf(out, " in the %s log", ledger_part_name((enum ledger_part)v->options->part));
	if (v->rows.shown < v->all)
		buf_printf(out, ", shown: the newest %" PRIu64 " (--limit 0 shows all)", v->rows.shown);
	if (v->others)
		buf_printf(out, "; %" PRIu64 " in the %s log", v->others,
			   ledger_part_name((enum ledger_part)!v->options->part));
	buf_add_byte(out, '\n');
}

static void ledger_log_sum(void *own)
{
	struct log_view *v = own;

	if (listing_is_table(&v->rows))
		ledger_log_add_sum(v);
	if (v->rows.json.given)
		json_put_u64(&v->rows.writer, "size", v->all);
}

static int log_run(struct arena *a, const void *given, struct args args, struct err *err)
{
	static const char *const names[] = { "ENTRY", "KIND", "ID", "", "SEALED" };
	const struct log_opts *o = given;
	struct log_view v = { .options = o };

	v.rows = (struct listing){
		.arena = a,
		.frame = args.frame,
		.json = o->json,
		.jsonl = o->jsonl,
		.plain = o->plain,
		.schema = "ledger-log",
		.array = "entries",
		.align = "rllll",
		.names = names,
		.row = ledger_log_add_row,
	};
	if (!listing_check(&v.rows, err))
		return EXIT_FAIL;
	return listing_run(&v.rows, &o->ledger, ledger_log_fill, ledger_log_sum, &v, err);
}

static const struct example examples[] = {
	{ "trackway ledger log", "what was sealed last: trials, reviews and everything else" },
	{ "trackway ledger log --limit 5 --json=index,kind,id", "the newest five, for a script" },
	{ "trackway ledger log --part diagnostic", "the log of partial trials" },
	{ NULL, NULL },
};

const struct command ledger_log_command = {
	.name = "ledger log",
	.summary = "list the entries of a log of any kind, newest first",
	.usage = "[--limit N] [--part main|diagnostic]",
	.description =
		"An entry is a trial, an artifact of one, a review, a supersession or an erasure. The columns of "
		"--plain are those of 'trackway ledger list'; ref is the entry that this one is about. The times "
		"come from the writers.",
	.examples = examples,
	.options = options,
	.env = ledger_env,
	.defaults = &defaults,
	.fields = ledger_row_fields,
	.options_size = sizeof(struct log_opts),
	.args = ARGS_NONE,
	.run = log_run,
};
