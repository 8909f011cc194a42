/* `trackway ledger verify`: checks a whole ledger, or one entry by its proof. */
#include <stdio.h>

#include "base/file.h"
#include "cmd/frame/commands.h"
#include "cmd/frame/opt.h"
#include "cmd/frame/stream.h"
#include "cmd/ledger/args.h"
#include "cmd/ledger/proof.h"
#include "cmd/ledger/verify.h"
#include "ledger/io.h"

#define POLICY_MAX ((size_t)1 << 20)

struct verify_opts {
	struct ledger_choice ledger;
	struct str against, policy, proof, entry, record;
	struct opt_list reviewers;
	struct opt_maybe json;
	bool no_objects, all;
};

static const struct opt options[] = {
	LEDGER_VKEY_OPTION(struct verify_opts),
	{ OPT_STR, 0, "against", offsetof(struct verify_opts, against), "FILE",
	  "an older checkpoint, kept elsewhere: the ledger must continue it" },
	{ OPT_STR, 0, "policy", offsetof(struct verify_opts, policy), "FILE",
	  "which logs and witnesses must have signed (C2SP tlog-policy)" },
	{ OPT_LIST, 0, "reviewer-key", offsetof(struct verify_opts, reviewers), "KEY|FILE",
	  "the public key of a reviewer that you know; may be given several times" },
	{ OPT_FLAG, 0, "no-objects", offsetof(struct verify_opts, no_objects), NULL,
	  "do not read the records themselves, only the log" },
	{ OPT_STR, 0, "proof", offsetof(struct verify_opts, proof), "FILE",
	  "check one entry by its proof, without any ledger; needs --entry, and --vkey or --policy" },
	{ OPT_STR, 0, "entry", offsetof(struct verify_opts, entry), "FILE", "the entry to prove" },
	{ OPT_STR, 0, "record", offsetof(struct verify_opts, record), "FILE",
	  "with --proof: also check that this is the entry's record" },
	{ OPT_FLAG, 0, "all", offsetof(struct verify_opts, all), NULL, "list every finding" },
	{ OPT_OPTIONAL, 0, "json", offsetof(struct verify_opts, json), "FIELDS", "as JSON; only the named fields" },
	LEDGER_OPTION(struct verify_opts),
	OPT_LAST,
};

/* A proof and a whole ledger need different options; what belongs to the other one is refused. */
static bool ledger_verify_check_options(const struct verify_opts *o, struct err *err)
{
	if (!o->proof.p && (o->entry.p || o->record.p))
		return usage_set(err, "add --proof FILE", "--entry and --record need --proof");
	if (o->proof.p && !o->entry.p)
		return usage_set(err, "add --entry FILE: 'trackway ledger prove' wrote it beside the proof",
				 "--proof needs the entry that it is of");
	if (o->proof.p && !o->ledger.vkey.p && !o->policy.p)
		return usage_set(err, "add --vkey KEY, as the owner of the ledger gave it to you, or --policy FILE",
				 "--proof needs the public key of the log");
	if (o->proof.p && (o->against.p || o->no_objects))
		return usage_set(err, "leave it out", "--against and --no-objects are about a whole ledger");
	if (o->reviewers.count && o->no_objects)
		return usage_set(err, "leave out --no-objects, or leave out --reviewer-key",
				 "--reviewer-key needs the reviews themselves, and --no-objects does not read them");
	return true;
}

static bool ledger_verify_read_policy(struct arena *a, struct str path, struct policy *out, struct err *err)
{
	struct str text;

	if (!file_read(a, path, POLICY_MAX, &text, err))
		return false;
	return policy_parse(a, text, out, err) || err_context(err, path.p);
}

/* One entry by its files alone. EXIT_NO when the proof does not hold. */
static int verify_proof(struct arena *a, const struct verify_opts *o, const struct policy *policy, struct err *err)
{
	struct ledger_proof p = {
		.arena = a, .proof_file = o->proof, .entry_file = o->entry, .record_file = o->record,
		.vkey = o->ledger.vkey, .policy = policy,
	};
	struct buf out;

	if (!ledger_proof_check(&p, err))
		return EXIT_FAIL;
	buf_init(&out);
	if (o->json.given)
		ledger_proof_add_json(&out, &p, o->json);
	else
		ledger_proof_add_text(&out, &p);
	stream_write(stdout, buf_str(&out));
	buf_free(&out);
	return p.problem.p ? EXIT_NO : EXIT_YES;
}

/* Where it is written, there is more to see: what was not published yet, and what its key signed last. */
static bool has_state(struct arena *a, struct str where)
{
	struct io_stat st;

	if (ledger_is_url(where))
		return true;
	return io_system.ops->stat(io_system.own, ARENA_JOIN(a, where, STR("/.state")).p, &st) == 0;
}

static bool ledger_verify_read_reviewers(struct arena *a, const struct verify_opts *o, const struct key **out,
					 struct err *err)
{
	struct key *keys = arena_array(a, struct key, o->reviewers.count + 1);
	struct str text;

	for (size_t i = 0; i < o->reviewers.count; i++)
		if (!ledger_args_read_vkey(a, o->reviewers.items[i], &text, err) || !key_parse(text, &keys[i]))
			return false;
	*out = keys;
	return true;
}

/* A whole ledger. Local state is checked too where it is there, which a copy does not have. */
static int verify_ledger(struct arena *a, const struct verify_opts *o, const struct frame *f,
			 const struct policy *policy, struct err *err)
{
	struct str where = ledger_args_where(&o->ledger);
	struct ledger_verify v = {
		.arena = a, .frame = f, .where = where, .has_vkey = o->ledger.vkey.p != NULL,
		.has_policy = policy != NULL, .has_objects = !o->no_objects, .all = o->all,
	};
	struct ledger_check c = { .where = where, .policy = policy, .objects = !o->no_objects,
				  .reviewer_count = o->reviewers.count };

	v.has_reviewers = o->reviewers.count > 0;
	if (!ledger_verify_read_reviewers(a, o, &c.reviewers, err))
		return EXIT_FAIL;
	c.local = has_state(a, where);
	if (!ledger_args_check_there(where, err) || !ledger_args_read_vkey(a, o->ledger.vkey, &c.vkey, err) ||
	    (o->against.p && !file_read(a, o->against, NOTE_MAX, &c.against, err)))
		return EXIT_FAIL;
	return ledger_verify_chosen(&v, &c, &o->ledger, err) ? ledger_verify_print(&v, o->json) : EXIT_FAIL;
}

static int verify_run(struct arena *a, const void *given, struct args args, struct err *err)
{
	const struct verify_opts *o = given;
	struct policy policy;

	if (!ledger_verify_check_options(o, err) ||
	    (o->policy.p && !ledger_verify_read_policy(a, o->policy, &policy, err)))
		return EXIT_FAIL;
	if (o->proof.p)
		return verify_proof(a, o, o->policy.p ? &policy : NULL, err);
	return verify_ledger(a, o, args.frame, o->policy.p ? &policy : NULL, err);
}

static const struct example examples[] = {
	{ "trackway ledger verify --vkey trials.vkey", "everything: signatures, tree, entries, records" },
	{ "trackway ledger verify --against ledger/checkpoints/1", "and that nothing was rewritten since then" },
	{ "trackway ledger verify --proof t.tlog-proof --entry t.entry --vkey trials.vkey",
	  "one entry, without the ledger" },
	{ "trackway ledger verify --json=ok,errors", "two facts for a script" },
	{ NULL, NULL },
};

const struct command ledger_verify_command = {
	.name = "ledger verify",
	.summary = "check a ledger, or the proof of one entry",
	.usage = "[--vkey KEY] | --proof FILE --entry FILE --vkey KEY",
	.description =
		"Without --proof, checks the whole ledger and trusts nothing in it: the signature of the head, "
		"every tile and every entry against it, the rules of the entries and what they refer to, and "
		"every record against its digest. Each fault is a finding with a code (LG001 and on; 'trackway "
		"explain' says more). The exit status is 0 when everything holds, and 1 when anything is wrong.\n\n"
		"What this can show depends on what you bring. Without --vkey the public key is the one in your "
		"key directory; without that, the one in the ledger, and then whoever wrote the ledger may have "
		"made the key as well. With --against, no entry can have been changed, inserted or removed since "
		"that checkpoint; later ones are counted apart. With --policy, witnesses must have seen this very "
		"head.\n\n"
		"Reviews that their reviewers signed are checked too. A signature shows who signed only to those who "
		"know the key: --reviewer-key gives those that you know, and the others are named (LG044).\n\n"
		"With --proof and --entry, as 'trackway ledger prove' writes them, one entry is checked without "
		"any ledger. With --record, also that a file is what was sealed.\n\n"
		"In JSON, mode is ledger or proof. Only a ledger has ledger, logs, errors, warnings and findings; "
		"only a proof has index, leaf, problem and what its entry says.",
	.examples = examples,
	.options = options,
	.env = ledger_env,
	.fields = ledger_verify_fields,
	.options_size = sizeof(struct verify_opts),
	.args = ARGS_NONE,
	.run = verify_run,
};
