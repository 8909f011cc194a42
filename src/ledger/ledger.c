/*
 * Opens the main log first, in the engine that the name asks for; the key of the diagnostic log is derived from its
 * key, never looked for.
 */
#include "ledger/ledger.h"

#include "ledger/dir/log_dir.h"
#include "ledger/pg/log_pg.h"

const char *ledger_part_name(enum ledger_part p)
{
	return p == LEDGER_MAIN ? "main" : "diagnostic";
}

bool ledger_is_url(struct str where)
{
	return str_starts(where, STR("postgres://")) || str_starts(where, STR("postgresql://"));
}

static struct str part_dir(struct arena *a, struct str where, enum ledger_part p)
{
	return p == LEDGER_MAIN ? arena_copy(a, where) : ARENA_JOIN(a, where, STR(LEDGER_SECOND));
}

/* The same secret under another name is another key: whoever has one vkey can work out the other. */
static bool diagnostic_signer(struct arena *a, const struct signer *s, struct signer *out, struct err *err)
{
	struct str name = ARENA_JOIN(a, s->key.name, STR(LEDGER_SECOND));

	if (!key_is_name(name))
		return err_set(err, ERR_DATA, "the origin '%.*s' is too long", STR_ARG(s->key.name));
	return signer_init(out, name, KEY_LOG, s->seed, err);
}

/* False when neither the options nor the environment name a directory: readers do without. */
static bool choose_keys_home(struct arena *a, const struct ledger_options *o, struct str *out)
{
	struct err none = { .kind = ERR_NONE };

	*out = o->keys;
	return o->keys.p || keys_home(a, out, &none);
}

/* ---- making ---- */

static bool make_part(struct arena *a, const struct ledger_options *o, struct str keys, enum ledger_part p,
		      const struct signer *s, struct err *err)
{
	struct log_dir_options in_dir = {
		.io = o->io, .dir = part_dir(a, o->where, p), .keys = keys, .signer = s, .on_network = o->on_network,
	};
	struct log_pg_options in_pg = {
		.url = o->where, .keys = keys, .signer = s, .io = o->io, .is_second = p != LEDGER_MAIN,
	};

	if (ledger_is_url(o->where))
		return log_pg_make(&in_pg, s->key.name, err);
	return log_dir_make(&in_dir, s->key.name, err);
}

bool ledger_make(struct arena *a, const struct ledger_options *o, const struct signer *s, struct err *err)
{
	struct signer second;
	struct str keys;

	if (!choose_keys_home(a, o, &keys))
		return keys_home(a, &keys, err);
	return diagnostic_signer(a, s, &second, err) && make_part(a, o, keys, LEDGER_MAIN, s, err) &&
	       make_part(a, o, keys, LEDGER_DIAGNOSTIC, &second, err);
}

/* ---- opening ---- */

struct opening {
	struct ledger *ledger;
	struct arena *arena;
	const struct ledger_options *options;
	struct str keys; /* n 0: none */
	const struct signer *signer;
	const struct key *key;
};

static struct log *ledger_open_part(struct opening *x, enum ledger_part p, struct str origin, struct err *err)
{
	const struct ledger_options *o = x->options;
	struct log_dir_options in_dir = {
		.io = o->io, .dir = part_dir(x->arena, o->where, p), .keys = x->keys, .signer = x->signer,
		.key = x->key, .read_only = o->read_only, .on_network = o->on_network, .pending = o->pending,
		.warn = o->warn, .context = o->context,
	};
	struct log_pg_options in_pg = {
		.url = o->where, .origin = origin, .keys = x->keys, .signer = x->signer, .key = x->key,
		.read_only = o->read_only, .pending = o->pending, .io = o->io, .warn = o->warn, .context = o->context,
		.is_second = p != LEDGER_MAIN, /* it is the same database */
	};

	return x->ledger->is_dir ? log_dir_open(&in_dir, err) : log_pg_open(&in_pg, err);
}

/* The second log's key follows from the first one's: from its secret when we have that, else from its public half. */
static bool derive_key(struct opening *x, struct err *err)
{
	struct ledger *l = x->ledger;
	struct log *main = l->logs[LEDGER_MAIN];
	struct str name = ARENA_JOIN(x->arena, main->key.name, STR(LEDGER_SECOND));

	if (main->signer) {
		if (!signer_init(&l->signers[LEDGER_DIAGNOSTIC], name, KEY_LOG, main->signer->seed, err))
			return false;
		x->signer = &l->signers[LEDGER_DIAGNOSTIC];
		l->keys[LEDGER_DIAGNOSTIC] = x->signer->key;
	} else {
		key_init(&l->keys[LEDGER_DIAGNOSTIC], name, KEY_LOG, main->key.public);
		x->signer = NULL;
	}
	x->key = &l->keys[LEDGER_DIAGNOSTIC];
	return true;
}

/* A reader may have a copy without it. A writer needs both, and a database always has both. */
static bool has_diagnostic(const struct opening *x)
{
	const struct ledger_options *o = x->options;

	if (!x->ledger->is_dir || !o->read_only)
		return true;
	return log_dir_is_one(o->io ? o->io : &io_system, part_dir(x->arena, o->where, LEDGER_DIAGNOSTIC));
}

static bool open_diagnostic(struct opening *x, struct err *err)
{
	struct ledger *l = x->ledger;
	struct log *main = l->logs[LEDGER_MAIN];

	if (!derive_key(x, err))
		return false;
	if (!has_diagnostic(x))
		return true;
	l->logs[LEDGER_DIAGNOSTIC] = ledger_open_part(x, LEDGER_DIAGNOSTIC, x->key->name, err);
	if (!l->logs[LEDGER_DIAGNOSTIC])
		return err_context(err, "the diagnostic log");
	l->logs[LEDGER_DIAGNOSTIC]->key_is_trusted = main->key_is_trusted;
	return true;
}

bool ledger_open(struct ledger *l, struct arena *a, const struct ledger_options *o, struct err *err)
{
	struct opening x = { .ledger = l, .arena = a, .options = o };

	*l = (struct ledger){ .arena = a, .is_dir = !ledger_is_url(o->where), .warn = o->warn, .context = o->context };
	l->where = l->is_dir ? arena_copy(a, o->where) : log_pg_show_url(a, o->where);
	if (!choose_keys_home(a, o, &x.keys))
		x.keys = (struct str){ NULL, 0 };
	if (o->vkey.p) {
		if (!key_parse(arena_copy(a, o->vkey), &l->keys[LEDGER_MAIN]) || l->keys[LEDGER_MAIN].kind != KEY_LOG)
			return err_set(err, ERR_USAGE, "this is not the public key of a log: %.*s"
				       ERR_HELP "it is one line, ORIGIN+ID+BASE64; 'trackway ledger head' prints it",
				       STR_ARG(str_trim(o->vkey)));
		x.key = &l->keys[LEDGER_MAIN];
	}
	l->logs[LEDGER_MAIN] = ledger_open_part(&x, LEDGER_MAIN, (struct str){ NULL, 0 }, err);
	if (!l->logs[LEDGER_MAIN])
		return false;
	l->keys[LEDGER_MAIN] = l->logs[LEDGER_MAIN]->key;
	if (open_diagnostic(&x, err))
		return true;
	ledger_close(l);
	return false;
}

void ledger_close(struct ledger *l)
{
	for (int p = 0; p < LEDGER_PARTS; p++) {
		log_close(l->logs[p]);
		l->logs[p] = NULL;
		explicit_bzero(l->signers[p].seed, sizeof(l->signers[p].seed));
	}
}

bool ledger_publish(struct ledger *l, struct err *err)
{
	for (int p = 0; p < LEDGER_PARTS; p++)
		if (l->logs[p] && !log_publish(l->logs[p], err))
			return p == LEDGER_MAIN ? false : err_context(err, "the diagnostic log");
	return true;
}

void ledger_link(struct ledger *l, enum ledger_part p, const struct entry *e)
{
	struct arena scratch;
	struct str name;

	if (!l->is_dir)
		return;
	arena_init(&scratch);
	name = entry_link_name(&scratch, e);
	if (name.p)
		log_dir_link(l->logs[p], e->record.digest, name.p);
	arena_free(&scratch);
}
