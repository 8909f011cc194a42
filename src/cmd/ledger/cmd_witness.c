/* `trackway ledger witness`: the key, memory and logs of a witness; witness_serve.c serves. */
#include <stdio.h>

#include "cmd/frame/commands.h"
#include "cmd/inputs.h"
#include "cmd/ledger/args.h"
#include "cmd/ledger/witness_serve.h"
#include "notary/witness_key.h"

struct witness_opts {
	struct str listen, name, state, key;
	struct opt_list logs;
};

static const struct witness_opts defaults = { .listen = { "127.0.0.1:0", 11 } };

static const struct opt options[] = {
	{ OPT_STR, 0, "listen", offsetof(struct witness_opts, listen), "ADDR:PORT",
	  "where to listen; port 0, the default, picks a free port" },
	{ OPT_LIST, 0, "knows", offsetof(struct witness_opts, logs), "KEY|FILE",
	  "the public key of a log it may cosign; may be given several times" },
	{ OPT_STR, 0, "name", offsetof(struct witness_opts, name), "NAME",
	  "the name of the witness, such as lab.example.org/witness; part of its key" },
	{ OPT_STR, 0, "state", offsetof(struct witness_opts, state), "DIR",
	  "its memory (default: in the key directory, under its name)" },
	{ OPT_STR, 0, "key", offsetof(struct witness_opts, key), "FILE",
	  "its private key (default: the one of the state, made at the first start)" },
	OPT_LAST,
};

/*
 * The keys of --knows, in the arena. A witness without any would refuse everybody, and one of a witness is a mistake.
 */
static bool read_logs(struct arena *a, const struct opt_list *given, struct key **out, struct err *err)
{
	*out = arena_array(a, struct key, given->count);
	if (given->count == 0)
		return usage_set(err, "add --knows with the key that 'trackway ledger head' prints for it",
				 "a witness needs --knows: the logs it may cosign");
	for (size_t i = 0; i < given->count; i++) {
		struct str text;

		if (!ledger_args_read_vkey(a, given->items[i], &text, err))
			return false;
		if (!key_parse(text, &(*out)[i]) || (*out)[i].kind != KEY_LOG)
			return usage_set(err, "'trackway ledger head' prints the key of a log",
					 "--knows: this is the key of a witness: %.*s", STR_ARG(given->items[i]));
	}
	return true;
}

/* From --key, or from the state; the state is beside the key when nobody says otherwise. */
static bool open_key(struct arena *a, const struct witness_opts *o, struct signer *signer, struct str *state,
		     bool *made, struct err *err)
{
	struct str keys;

	*made = false;
	if (!o->key.p && !o->name.p)
		return usage_set(err, "a name looks like a web address without http, such as lab.example.org/witness",
				 "a witness needs a --name");
	if (o->name.p && !key_is_name(o->name))
		return usage_set(err, "no spaces, control characters and '+'; such as lab.example.org/witness",
				 "--name cannot be '%.*s'", STR_ARG(o->name));
	if (!keys_home(a, &keys, err))
		return false;
	if (o->key.p) {
		if (!witness_key_load(a, o->key, signer, err))
			return false;
		if (o->name.p && !str_eq(o->name, signer->key.name))
			return usage_set(err, "leave --name out", "%.*s is the key of %.*s", STR_ARG(o->key),
					 STR_ARG(signer->key.name));
	}
	*state = o->state.p ? o->state : witness_state_home(a, keys, o->key.p ? signer->key.name : o->name);
	return o->key.p || witness_key_open(a, keys, *state, o->name, signer, made, err);
}

/* The command: reads keys and logs, then serves until a signal. */
static int witness_run(struct arena *a, const void *given, struct args args, struct err *err)
{
	const struct witness_opts *o = given;
	struct witness_service service = { .listen = o->listen, .log_count = o->logs.count, .frame = args.frame };
	struct signer signer;
	struct key *logs;
	bool made;

	if (!read_logs(a, &o->logs, &logs, err) || !open_key(a, o, &signer, &service.state, &made, err))
		return EXIT_FAIL;
	if (made && !args.frame->quiet)
		fprintf(stderr, "witness: made a key for %.*s\n", STR_ARG(signer.key.name));
	service.signer = &signer;
	service.logs = logs;
	return witness_serve(a, &service, err);
}

static const struct example examples[] = {
	{ "trackway ledger witness --name w.test --knows trials.vkey & sleep 1; kill $!",
	  "a witness for a second; prints its address and its key" },
	{ NULL, NULL },
};

const struct command ledger_witness_command = {
	.name = "ledger witness",
	.summary = "cosign the heads of other ledgers, for as long as they only grow",
	.usage = "--name NAME --knows KEY|FILE... [--listen ADDR:PORT] [--state DIR]",
	.description =
		"A witness remembers the last head of each log it knows, and cosigns a new one only if it "
		"continues that head (C2SP tlog-witness: POST /add-checkpoint). A ledger whose entries were "
		"removed or rewritten, even by the owner of its key, gets no more cosignatures; readers who ask "
		"for them ('trackway ledger verify --policy') notice. Two machines that each run a witness can "
		"cosign each other's ledgers.\n\n"
		"The first line of standard output is the base URL, the second the witness's public key: "
		"'trackway ledger cosign' and a policy need both. The key is made at the first start, in the key "
		"directory (TRACKWAY_KEYS). It runs until SIGINT or SIGTERM (exit status 130 or 143); -v prints "
		"each request.\n\n"
		"Its memory is on disk before an answer leaves. Do not restore it from an old copy: the witness "
		"would cosign what it has refused before. doc/witness.md has the details.",
	.examples = examples,
	.options = options,
	.defaults = &defaults,
	.options_size = sizeof(struct witness_opts),
	.args = ARGS_NONE,
	.run = witness_run,
};
