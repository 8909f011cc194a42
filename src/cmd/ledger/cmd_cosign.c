/* `trackway ledger cosign`: gets a cosignature of the head over the network, from a key here, or from a file. */
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "cmd/frame/commands.h"
#include "cmd/frame/stream.h"
#include "cmd/inputs.h"
#include "cmd/ledger/args.h"
#include "ledger/policy.h"
#include "notary/cosign_http.h"
#include "notary/witness_key.h"

#define FILE_MOST ((size_t)1 << 20)

struct cosign_opts {
	struct ledger_choice ledger;
	struct str witness, witness_vkey, policy, key, state, add;
	unsigned timeout;
	int part; /* enum ledger_part */
};

static const struct cosign_opts defaults = { .timeout = 30 };

static const struct opt options[] = {
	{ OPT_STR, 0, "witness", offsetof(struct cosign_opts, witness), "URL", "ask this witness" },
	{ OPT_STR, 0, "witness-vkey", offsetof(struct cosign_opts, witness_vkey), "KEY|FILE",
	  "the public key of that witness: only its signature counts" },
	{ OPT_STR, 0, "policy", offsetof(struct cosign_opts, policy), "FILE",
	  "ask every witness that has an address in this policy" },
	{ OPT_STR, 0, "key", offsetof(struct cosign_opts, key), "FILE",
	  "act as a witness: print a cosignature made with this private key" },
	{ OPT_STR, 0, "state", offsetof(struct cosign_opts, state), "DIR",
	  "with --key: the memory of the witness (default: that of 'ledger witness')" },
	{ OPT_STR, 0, "add", offsetof(struct cosign_opts, add), "FILE|-",
	  "add the cosignature in this file, as --key printed it on another machine" },
	{ OPT_UINT, 0, "timeout", offsetof(struct cosign_opts, timeout), "SECONDS",
	  "seconds to wait for an answer (30)" },
	{ OPT_CHOICE, 0, "part", offsetof(struct cosign_opts, part), "main|diagnostic", "which of the two logs" },
	LEDGER_VKEY_OPTION(struct cosign_opts),
	LEDGER_OPTION(struct cosign_opts),
	LEDGER_NETWORK_OPTION(struct cosign_opts),
	OPT_LAST,
};

struct cosigning {
	struct arena *a;
	const struct cosign_opts *o;
	const struct frame *frame;
	struct log *log;
	struct policy policy;
	size_t asked, done;
};

/* ---- words ---- */

/* A refusal goes to standard error also with -q; a success to standard output. */
static void print_result(const struct cosigning *x, struct str name, const struct cosign_result *r)
{
	char time[36];
	struct buf line;

	if (r->outcome != COSIGN_DONE) {
		inputs_say("%.*s: refused: %.*s", STR_ARG(name), STR_ARG(r->why));
	} else if (!x->frame->quiet) {
		buf_init(&line);
		term_add_text(&line, name);
		stamp_format(time, (int64_t)r->time, 0, 0);
		buf_printf(&line, ": cosigned %llu entr%s at %s\n", (unsigned long long)r->size,
			   r->size == 1 ? "y" : "ies", time);
		stream_write(stdout, buf_str(&line));
		buf_free(&line);
	}
}

/* The result of one witness: its line is added, or it is told why not. */
static bool settle(struct cosigning *x, struct str name, const struct cosign_result *r, struct err *err)
{
	if (r->outcome == COSIGN_DONE) {
		if (!cosign_add(x->log, r, err))
			return false;
		x->done++;
	}
	print_result(x, name, r);
	return true;
}

/* ---- over the network ---- */

/* A refusal is a result, and told; false with *err only when the witness cannot be asked or the line not be added. */
static bool ask_one(struct cosigning *x, struct str url, const struct key *key, struct err *err)
{
	struct cosign_http *h = cosign_http_open(url, x->o->timeout * 1000, err);
	struct cosign_result r;
	struct cosign_way way;
	bool done;

	if (!h)
		return false;
	way = cosign_way_http(h);
	x->asked++;
	done = cosign_ask(x->a, x->log, key, &way, &r, err) && settle(x, key->name, &r, err);
	cosign_http_close(h);
	return done;
}

/* One that cannot be reached does not keep us from the others. */
static bool ask_all(struct cosigning *x, struct err *err)
{
	const struct policy *p = &x->policy;

	for (size_t i = 0; i < p->witness_count; i++) {
		struct err why = { .kind = ERR_NONE };

		if (p->witnesses[i].url.p && !ask_one(x, p->witnesses[i].url, &p->witnesses[i].key, &why))
			inputs_print_failure(x->frame, &why);
	}
	return x->asked > 0 || err_set(err, ERR_DATA, "%.*s: no witness of the policy has an address" ERR_HELP
				       "write it after the key: witness NAME KEY http://...", STR_ARG(x->o->policy));
}

/* Whether the policy is content with the checkpoint as it is now. */
static bool check_policy(struct cosigning *x, bool *holds, struct err *err)
{
	struct checkpoint c;
	struct note *note;
	struct str why;

	if (!log_read_checkpoint(x->log, x->a, &c, &note, err))
		return false;
	*holds = policy_check(x->a, &x->policy, note, NULL, &why);
	if (!*holds)
		inputs_say("the policy is not satisfied: %.*s", STR_ARG(why));
	return true;
}

/* ---- by hand ---- */

/* The line goes to standard output: the ledger is another's, and only read. */
static bool sign_here(struct cosigning *x, struct err *err)
{
	struct witness_options w = { .logs = &x->log->key, .log_count = 1 };
	struct cosign_result r;
	struct cosign_way way;
	struct signer signer;
	struct witness *here;
	struct str keys;
	bool done;

	if (!x->log->key_is_trusted)
		return err_set(err, ERR_USAGE, "%.*s: the key of this log came from the log itself" ERR_HELP
			       "add --vkey with the key that its owner gave you", STR_ARG(x->log->where));
	if (!witness_key_load(x->a, x->o->key, &signer, err) || !keys_home(x->a, &keys, err))
		return false;
	w.signer = &signer;
	w.dir = x->o->state.p ? x->o->state : witness_state_home(x->a, keys, signer.key.name);
	here = witness_open(&w, err);
	if (!here)
		return false;
	way = cosign_way_here(here);
	x->asked++;
	done = cosign_ask(x->a, x->log, &signer.key, &way, &r, err);
	if (done && r.outcome == COSIGN_DONE) {
		stream_write(stdout, r.line);
		x->done++;
	} else if (done) {
		print_result(x, signer.key.name, &r);
	}
	witness_close(here);
	return done;
}

/* Standard input too. */
static bool read_lines(struct cosigning *x, struct str *out, struct err *err)
{
	struct str path = x->o->add;

	return file_read(x->a, str_eq(path, STR("-")) ? STR("/dev/stdin") : path, FILE_MOST, out, err);
}

/* A cosignature from a file is checked with the witness's key and against the head as it is now. */
static bool add_given(struct cosigning *x, const struct key *key, struct err *err)
{
	struct cosign_result r;
	struct str lines;

	x->asked++;
	return read_lines(x, &lines, err) && cosign_take(x->a, x->log, key, lines, &r, err) &&
	       settle(x, key->name, &r, err);
}

/* ---- what is asked for ---- */

/* Exactly one way to get a cosignature, and the witness's key wherever its line comes from outside. */
static bool ledger_cosign_check_options(const struct cosign_opts *o, struct err *err)
{
	unsigned ways = !!o->witness.p + !!o->policy.p + !!o->key.p + !!o->add.p;

	if (ways != 1)
		return usage_set(err, "--witness URL, --policy FILE, --key FILE or --add FILE",
				 ways ? "give only one way to get a cosignature" : "no witness given");
	if ((o->witness.p || o->add.p) && !o->witness_vkey.p)
		return usage_set(err, "add --witness-vkey with the second line that 'trackway ledger witness' printed",
				 "a cosignature proves nothing without the key of its witness");
	if (o->state.p && !o->key.p)
		return usage_set(err, "leave it out", "--state needs --key");
	if (o->timeout == 0 || o->timeout > 3600)
		return usage_set(err, "1 to 3600 seconds", "--timeout cannot be %u", o->timeout);
	return true;
}

/* Keys of logs and of witnesses look alike, so the kind is checked. */
static bool read_witness_key(struct cosigning *x, struct key *out, struct err *err)
{
	struct str text;

	if (!ledger_args_read_vkey(x->a, x->o->witness_vkey, &text, err))
		return false;
	if (key_parse(text, out) && out->kind == KEY_WITNESS)
		return true;
	return usage_set(err, "the second line that 'trackway ledger witness' printed",
			 "--witness-vkey: this is the key of a log, not of a witness");
}

static bool ledger_cosign_read_policy(struct cosigning *x, struct err *err)
{
	struct str text;

	return file_read(x->a, x->o->policy, FILE_MOST, &text, err) &&
	       (policy_parse(x->a, text, &x->policy, err) || err_context(err, x->o->policy.p));
}

/*
 * *holds: the policy is satisfied, or without one every witness that was asked has cosigned. False with *err when it
 * could not be found out.
 */
static bool cosign(struct cosigning *x, bool *holds, struct err *err)
{
	const struct cosign_opts *o = x->o;
	struct key key;
	bool done;

	if (o->key.p) {
		done = sign_here(x, err);
	} else if (o->policy.p) {
		return ledger_cosign_read_policy(x, err) && ask_all(x, err) && check_policy(x, holds, err);
	} else if (!read_witness_key(x, &key, err)) {
		done = false;
	} else {
		done = o->add.p ? add_given(x, &key, err) : ask_one(x, o->witness, &key, err);
	}
	*holds = x->done == x->asked;
	return done;
}

/* The command. With --key the ledger is only read, since the witness is not its owner. */
static int cosign_run(struct arena *a, const void *given, struct args args, struct err *err)
{
	const struct cosign_opts *o = given;
	struct cosigning x = { .a = a, .o = o, .frame = args.frame };
	bool holds = false, done;
	struct ledger l;

	if (!ledger_cosign_check_options(o, err) ||
	    !ledger_args_open(&l, a, args.frame, &o->ledger, o->key.p ? LEDGER_READ : LEDGER_WRITE, err))
		return EXIT_FAIL;
	x.log = l.logs[o->part];
	done = x.log ? cosign(&x, &holds, err) : err_set(err, ERR_DATA, "%.*s: this copy has no diagnostic log",
							 STR_ARG(l.where));
	ledger_close(&l);
	return !done ? EXIT_FAIL : holds ? EXIT_YES : EXIT_NO;
}

static const struct example examples[] = {
	{ "trackway ledger cosign --key witness.key > line.txt",
	  "as a witness with a copy of the ledger: a cosignature" },
	{ "trackway ledger cosign --add line.txt --witness-vkey witness.vkey", "as the owner: add it to the head" },
	{ NULL, NULL },
};

const struct command ledger_cosign_command = {
	.name = "ledger cosign",
	.summary = "have witnesses cosign the head, so that it cannot be taken back",
	.usage = "--witness URL --witness-vkey KEY | --policy FILE | --key FILE | --add FILE",
	.description =
		"Asks a witness (C2SP tlog-witness) for its cosignature of the published head and adds the line "
		"to the checkpoint. The witness gets a proof that the head continues the last one it saw; nothing "
		"else leaves this machine. The exit status is 1 when a witness refuses: it has seen more entries, "
		"or other ones.\n\n"
		"--policy asks all witnesses of a policy (C2SP tlog-policy) that have an address there; the exit "
		"status is 0 when the policy is satisfied afterwards.\n\n"
		"Without a network: whoever has a copy of the ledger prints a cosignature with --key, by the same "
		"rules and with the same memory as 'trackway ledger witness'; the owner adds it with --add.\n\n"
		"doc/witness.md says how two machines cosign each other, and how people can do it with ssh-keygen "
		"or minisign.",
	.examples = examples,
	.options = options,
	.env = ledger_env,
	.defaults = &defaults,
	.options_size = sizeof(struct cosign_opts),
	.args = ARGS_NONE,
	.run = cosign_run,
};
