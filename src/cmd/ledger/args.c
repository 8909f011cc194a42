/*
 * Opening checks in this order: is there a ledger, is the key one, can it be opened, can we sign. So the first error is
 * the one that the user can do something about.
 */
#include "cmd/ledger/args.h"

#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/num.h"
#include "cmd/inputs.h"
#include "json/put.h"
#include "ledger/dir/log_dir.h"

#define KEY_FILE_MAX 4096

const struct opt_env ledger_env[] = {
	{ "TRACKWAY_LEDGER", "ledger" },
	{ NULL, NULL },
};

struct str ledger_args_where(const struct ledger_choice *c)
{
	return c->where.n ? c->where : STR(LEDGER_DEFAULT);
}

static bool ledger_args_is_there(struct str path)
{
	struct stat st;

	return stat(path.p, &st) == 0;
}

bool ledger_args_check_there(struct str where, struct err *err)
{
	if (ledger_is_url(where) || log_dir_is_one(&io_system, where))
		return true;
	if (!ledger_args_is_there(where))
		return err_set(err, ERR_DATA, "%.*s: there is no such directory" ERR_HELP
			       "'trackway ledger init --origin NAME' makes a ledger; --ledger or TRACKWAY_LEDGER names "
			       "one elsewhere", STR_ARG(where));
	return err_set(err, ERR_DATA, "%.*s: this is not a ledger: it has no checkpoint and no .state" ERR_HELP
		       "--ledger or TRACKWAY_LEDGER names one elsewhere", STR_ARG(where));
}

static void warn(void *context, const char *sentence)
{
	inputs_warn(context, "%s", sentence);
}

/* Whoever only adds and cannot publish would leave what nobody sees. */
static bool check_signer(const struct ledger *l, struct err *err)
{
	const struct log *main = l->logs[LEDGER_MAIN];

	if (main->signer)
		return true;
	return err_set(err, ERR_DATA, "%.*s: the private key of %.*s is not here, so nothing can be signed" ERR_HELP
		       "put the file %02x%02x%02x%02x.key into the key directory (TRACKWAY_KEYS, else "
		       "~/.config/trackway/keys), or run this where the "
		       "key is", STR_ARG(l->where), STR_ARG(main->origin),
		       main->key.id[0], main->key.id[1], main->key.id[2], main->key.id[3]);
}

bool ledger_args_open(struct ledger *l, struct arena *a, const struct frame *f, const struct ledger_choice *c,
		      enum ledger_access access, struct err *err)
{
	struct frame *context = arena_new(a, struct frame);
	struct ledger_options o = {
		.where = ledger_args_where(c),
		.read_only = access == LEDGER_READ,
		.on_network = access == LEDGER_READ || c->force_network,
		.pending = c->pending,
		.warn = warn,
		.context = context,
	};

	*context = *f;
	if (!ledger_args_check_there(o.where, err) || !ledger_args_read_vkey(a, c->vkey, &o.vkey, err) ||
	    !ledger_open(l, a, &o, err))
		return false;
	if (access != LEDGER_WRITE || check_signer(l, err))
		return true;
	ledger_close(l);
	return false;
}

bool ledger_args_read_vkey(struct arena *a, struct str given, struct str *out, struct err *err)
{
	struct str text;
	struct key key;

	*out = given;
	if (!given.p || key_parse(given, &key))
		return true;
	if (!ledger_args_is_there(given))
		return usage_set(err, "a key is one line, ORIGIN+ID+BASE64; 'trackway ledger head' prints it",
				 "'%.*s' is neither a public key nor a file", STR_ARG(given));
	if (!file_read(a, given, KEY_FILE_MAX, &text, err))
		return false;
	*out = str_trim(text);
	if (key_parse(*out, &key))
		return true;
	return err_set(err, ERR_DATA, "%.*s: it holds no public key" ERR_HELP
		       "a key is one line, ORIGIN+ID+BASE64; 'trackway ledger head' prints it", STR_ARG(given));
}

bool ledger_args_read_signer(struct arena *a, struct str path, struct signer *out, struct err *err)
{
	struct str text;
	struct stat st;

	if (!file_read(a, path, KEY_FILE_MAX, &text, err))
		return false;
	if (stat(path.p, &st) == 0 && S_ISREG(st.st_mode) && st.st_mode & 077)
		return err_set(err, ERR_DATA, "%.*s: others than you can read this private key" ERR_HELP
			       "'chmod 600 %.*s', if nobody has; otherwise make a new one", STR_ARG(path),
			       STR_ARG(path));
	return signer_parse(str_trim(text), out, err) || err_context(err, path.p);
}

struct str ledger_args_vkey(struct arena *a, const struct key *k)
{
	struct buf text;

	buf_init(&text);
	key_add_text(&text, k);
	return arena_take(a, &text);
}

void ledger_args_tick(void *progress, uint64_t done, uint64_t of)
{
	struct progress *p = progress;
	uint64_t now = clock_mono_ns();
	char text[80];

	if (!progress_is_due(p, now))
		return;
	snprintf(text, sizeof(text), "entries %llu of %llu", (unsigned long long)done, (unsigned long long)of);
	progress_show(p, str_from(text), now);
}

struct index *ledger_args_open_index(struct ledger *l, const struct frame *f, struct err *err)
{
	struct progress line;
	struct index *x;

	progress_init(&line, f, STDERR_FILENO, clock_mono_ns());
	x = index_open(l, ledger_args_tick, &line, err);
	progress_erase(&line);
	return x;
}

struct str ledger_args_hex(struct arena *a, struct digest d)
{
	char hex[SHA256_HEX];

	digest_hex(hex, d);
	return arena_copy(a, str_of(hex, sizeof(hex)));
}

bool ledger_args_number(struct str given, const char *option, double *out, struct err *err)
{
	*out = NAN;
	if (!given.p || num_parse_double(given, out) == NUM_OK)
		return true;
	return usage_set(err, "write a number such as 0.5", "%s: '%.*s' is not a number", option, STR_ARG(given));
}
