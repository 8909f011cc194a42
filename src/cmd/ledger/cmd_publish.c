/* `trackway ledger publish`: a ledger in PostgreSQL as static files. */
#include "cmd/frame/commands.h"
#include "cmd/inputs.h"
#include "cmd/ledger/args.h"
#include "ledger/pg/log_pg.h"

struct publish_opts {
	struct ledger_choice ledger;
};

static const struct opt options[] = {
	LEDGER_VKEY_OPTION(struct publish_opts),
	LEDGER_OPTION(struct publish_opts),
	OPT_LAST,
};

static bool export_part(struct arena *a, struct ledger *l, enum ledger_part p, struct str dir, struct err *err)
{
	if (!l->logs[p])
		return true;
	if (p == LEDGER_DIAGNOSTIC)
		dir = ARENA_JOIN(a, dir, STR(LEDGER_SECOND));
	return log_pg_export(l->logs[p], &io_system, dir, err);
}

/* The command: both logs of a database, the diagnostic one in a directory below. */
static int publish_run(struct arena *a, const void *given, struct args args, struct err *err)
{
	const struct publish_opts *o = given;
	struct ledger l;
	bool done = true;

	if (!ledger_is_url(ledger_args_where(&o->ledger)) &&
	    !usage_set(err, "copy it without .state, or serve it as it is",
		       "a ledger in a directory is static files already"))
		return EXIT_FAIL;
	if (!ledger_args_open(&l, a, args.frame, &o->ledger, LEDGER_READ, err))
		return EXIT_FAIL;
	for (int p = 0; done && p < LEDGER_PARTS; p++)
		done = export_part(a, &l, (enum ledger_part)p, args.items[0], err);
	ledger_close(&l);
	if (!done)
		return EXIT_FAIL;
	inputs_note(args.frame, "wrote the ledger as static files to %.*s", STR_ARG(args.items[0]));
	inputs_note(args.frame, "Next: trackway ledger verify --ledger %.*s", STR_ARG(args.items[0]));
	return EXIT_YES;
}

static const struct example examples[] = {
	{ "trackway help ledger publish", "how: the database is named with --ledger" },
	{ NULL, NULL },
};

const struct command ledger_publish_command = {
	.name = "ledger publish",
	.summary = "write a ledger out of PostgreSQL as static files",
	.usage = "DIR --ledger postgres://...",
	.description =
		"Writes the tiles, entries, objects and the checkpoint. The checkpoint comes last, so that it "
		"never names what is not there yet. Existing files are left alone: run it again after records "
		"were added. Any web server can serve the directory, and any program that knows C2SP's tlog-tiles "
		"can verify it; readers then need no access to the database.\n\n"
		"Put a password into PGPASSWORD, a service file or ~/.pgpass, where other users of the machine do "
		"not see it.",
	.examples = examples,
	.options = options,
	.env = ledger_env,
	.options_size = sizeof(struct publish_opts),
	.args = ARGS_WORDS,
	.args_min = 1,
	.args_max = 1,
	.run = publish_run,
};
