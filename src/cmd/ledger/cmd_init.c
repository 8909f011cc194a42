/* `trackway ledger init`: makes a ledger and its key, or prints and upgrades the schema of a database. */
#include <stdio.h>

#include "base/file.h"
#include "cmd/frame/commands.h"
#include "cmd/frame/field.h"
#include "cmd/frame/opt.h"
#include "cmd/frame/stream.h"
#include "cmd/inputs.h"
#include "cmd/ledger/args.h"
#include "ledger/dir/log_dir.h"
#include "ledger/pg/log_pg.h"

struct init_opts {
	struct ledger_choice ledger;
	struct str origin, key;
	struct opt_maybe json;
	bool sql, upgrade;
};

static const struct opt options[] = {
	{ OPT_STR, 0, "origin", offsetof(struct init_opts, origin), "NAME",
	  "the name of the log in every signature: best your own domain and a path" },
	{ OPT_STR, 0, "key", offsetof(struct init_opts, key), "FILE",
	  "use this private key (PRIVATE+KEY+...) instead of a new one; its name is the origin" },
	{ OPT_FLAG, 0, "sql", offsetof(struct init_opts, sql), NULL,
	  "only print the schema of a ledger in PostgreSQL" },
	{ OPT_FLAG, 0, "upgrade", offsetof(struct init_opts, upgrade), NULL,
	  "upgrade the schema of a database that an earlier version made; with --sql only print how" },
	{ OPT_OPTIONAL, 0, "json", offsetof(struct init_opts, json), "FIELDS", "as JSON; only the named fields" },
	LEDGER_NETWORK_OPTION(struct init_opts),
	LEDGER_OPTION(struct init_opts),
	OPT_LAST,
};

static const char *const fields[] = { "ledger", "origin", "vkey", "key_file", "diagnostic_vkey", NULL };

#define ORIGIN_HELP "write a name that nobody else uses, such as --origin lab.example.org/trials"

static bool ledger_init_check_options(const struct init_opts *o, struct err *err)
{
	if (!o->origin.p && !o->key.p)
		return usage_set(err, ORIGIN_HELP, "the ledger needs an origin: the name that every signature carries");
	if (o->origin.p && !key_is_name(o->origin))
		return usage_set(err, ORIGIN_HELP, "--origin: '%.*s' is no name: blanks, control characters and '+' "
				 "cannot be in one, and it has at most %d bytes", STR_ARG(o->origin), KEY_NAME_MAX);
	return true;
}

static bool refuse_existing(struct str where, struct err *err)
{
	if (ledger_is_url(where) || !log_dir_is_one(&io_system, where))
		return true;
	return err_set(err, ERR_DATA, "%.*s: there is a ledger already" ERR_HELP
		       "'trackway ledger head' tells whose it is; --ledger names another place", STR_ARG(where));
}

/* A key from elsewhere. */
static bool ledger_init_read_key(struct arena *a, const struct init_opts *o, struct signer *out, struct err *err)
{
	if (!ledger_args_read_signer(a, o->key, out, err))
		return false;
	if (out->key.kind != KEY_LOG)
		return err_set(err, ERR_DATA, "%.*s: this is the key of a witness; a log needs one of its own" ERR_HELP
			       "without --key a new one is made", STR_ARG(o->key));
	if (o->origin.p && !str_eq(o->origin, out->key.name))
		return usage_set(err, "leave --origin out", "the key in %.*s is that of %.*s, not of %.*s",
				 STR_ARG(o->key), STR_ARG(out->key.name), STR_ARG(o->origin));
	return true;
}

static bool get_signer(struct arena *a, const struct init_opts *o, struct str keys, struct signer *out, struct err *err)
{
	if (!o->key.p)
		return keys_make(a, keys, o->origin, KEY_LOG, out, err);
	return ledger_init_read_key(a, o, out, err) && keys_add(a, keys, out, err);
}

/* A URL may have a password in it. */
static struct str show_where(struct arena *a, const struct init_opts *o)
{
	struct str where = ledger_args_where(&o->ledger);

	return ledger_is_url(where) ? log_pg_show_url(a, where) : where;
}

/*
 * The public key goes to standard output alone, so that it can be redirected to a file; what to do next to standard
 * error.
 */
static void ledger_init_print(struct arena *a, const struct init_opts *o, const struct frame *f,
			      const struct signer *s, struct str file)
{
	struct str where = show_where(a, o), vkey = ledger_args_vkey(a, &s->key);
	struct key second;
	struct json_writer w;
	struct buf out;

	buf_init(&out);
	if (o->json.given) {
		key_init(&second, ARENA_JOIN(a, s->key.name, STR(LEDGER_SECOND)), KEY_LOG, s->key.public);
		field_begin_document(&w, &out, JSON_COMPACT, "ledger-init");
		field_put_text_or_null(&w, o->json, "ledger", where);
		field_put_text_or_null(&w, o->json, "origin", s->key.name);
		field_put_text_or_null(&w, o->json, "vkey", vkey);
		field_put_text_or_null(&w, o->json, "key_file", file);
		field_put_text_or_null(&w, o->json, "diagnostic_vkey", ledger_args_vkey(a, &second));
		field_end_document(&w);
	} else {
		buf_printf(&out, "%.*s\n", STR_ARG(vkey));
	}
	stream_write(stdout, buf_str(&out));
	buf_free(&out);
	if (o->json.given)
		return;
	inputs_note(f, "made a ledger of %.*s in %.*s", STR_ARG(s->key.name), STR_ARG(where));
	inputs_note(f, "%s is its public key: give it to everyone who should check.",
		    f->out.is_terminal ? "The line above" : "The line on standard output");
	inputs_note(f, "The private key is in %.*s", STR_ARG(file));
	inputs_note(f, "Keep a copy of that file away from the ledger.");
	inputs_note(f, "Next: trackway ledger add RECORD.json");
}

/* The entries stay as they are: only functions change. */
static bool upgrade(struct arena *a, const struct init_opts *o, const struct frame *f, struct err *err)
{
	struct log_pg_options how = { .url = ledger_args_where(&o->ledger) };
	bool done;

	if (!ledger_is_url(how.url))
		return usage_set(err, "name the database with --ledger postgres://...; a directory needs no upgrade",
				 "--upgrade is for a ledger in PostgreSQL");
	if (!log_pg_upgrade(&how, &done, err))
		return false;
	inputs_note(f, "%.*s: its schema has version 3 %s", STR_ARG(show_where(a, o)), done ? "now" : "already");
	return true;
}

/* The command. The key is stored before the ledger is made: a ledger without its key could never be signed again. */
static int init_run(struct arena *a, const void *given, struct args args, struct err *err)
{
	const struct init_opts *o = given;
	struct ledger_options how = { .where = ledger_args_where(&o->ledger), .on_network = o->ledger.force_network };
	struct signer s;
	struct str file;

	if (o->sql) {
		stream_write(stdout, o->upgrade ? log_pg_upgrade_sql(a) : log_pg_schema(a));
		return EXIT_YES;
	}
	if (o->upgrade)
		return upgrade(a, o, args.frame, err) ? EXIT_YES : EXIT_FAIL;
	if (!ledger_init_check_options(o, err) || !refuse_existing(how.where, err) ||
	    !keys_home(a, &how.keys, err) || !get_signer(a, o, how.keys, &s, err))
		return EXIT_FAIL;
	file = arena_printf(a, "%.*s/%02x%02x%02x%02x.key", STR_ARG(how.keys), s.key.id[0], s.key.id[1], s.key.id[2],
			    s.key.id[3]);
	if (!ledger_make(a, &how, &s, err))
		return EXIT_FAIL;
	ledger_init_print(a, o, args.frame, &s, file);
	return EXIT_YES;
}

static const struct example examples[] = {
	{ "trackway ledger init --origin lab.example.org/more --ledger more", "a new ledger, with a new key" },
	{ "trackway ledger init --origin lab.example.org/b --ledger b --json=key_file", "the same for a script" },
	{ NULL, NULL },
};

const struct command ledger_init_command = {
	.name = "ledger init",
	.summary = "make an empty ledger and the key that signs it",
	.usage = "--origin NAME | --key FILE",
	.description =
		"Makes the directory (or the tables of a database), a private key, and the first signed head, "
		"with no entries. Standard output gets the public key on one line, the vkey: whoever has it can "
		"check every proof and every head.\n\n"
		"The private key goes to TRACKWAY_KEYS, else XDG_CONFIG_HOME/trackway/keys, else "
		"~/.config/trackway/keys, in a file that only you can read. The last head that it signed is kept "
		"beside it: so a ledger that was cut short or restored from an old copy is refused.\n\n"
		"A directory on a network file system is refused, because locks and syncs are not reliable there; "
		"use PostgreSQL to share a ledger.\n\n"
		"--upgrade, with --ledger postgres://..., changes the functions of a database that an earlier "
		"version made: they accepted entries that are not valid, or do not know runs and benchmarks. "
		"Entries stay as they are. It needs the rights of the schema's owner.",
	.examples = examples,
	.options = options,
	.env = ledger_env,
	.fields = fields,
	.options_size = sizeof(struct init_opts),
	.args = ARGS_NONE,
	.run = init_run,
};
