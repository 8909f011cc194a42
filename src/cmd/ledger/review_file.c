/* Each way a review comes to a file or out of one. What is signed and sealed is decided in the trial room. */
#include "cmd/ledger/review_file.h"

#include <stdio.h>

#include "base/file.h"
#include "cmd/frame/stream.h"
#include "cmd/inputs.h"
#include "ledger/proof.h"
#include "trial/seal.h"

bool review_file_make_key(struct arena *a, const struct frame *f, struct str name, struct err *err)
{
	struct signer signer;
	struct str keys;
	struct buf out;

	if (!keys_home(a, &keys, err) || !keys_make(a, keys, name, KEY_LOG, &signer, err))
		return false;
	buf_init(&out);
	key_add_text(&out, &signer.key);
	buf_add_byte(&out, '\n');
	stream_write(stdout, buf_str(&out));
	buf_free(&out);
	inputs_note(f, "%s is your public key: give it to everyone who should know your signature.",
		    f->out.is_terminal ? "The line above" : "The line on standard output");
	inputs_note(f, "The private key is in %.*s/%02x%02x%02x%02x.key", STR_ARG(keys), signer.key.id[0],
		    signer.key.id[1], signer.key.id[2], signer.key.id[3]);
	return true;
}

/* Without a key, only that entry and proof belong together: nobody is to sign an index that is another entry's. */
static bool check_proof(struct arena *a, const struct proof *p, struct str proof, struct str entry, struct str vkey,
			struct sha256 *sha, struct err *err)
{
	const char *why = "";
	struct str text;
	struct key log;
	bool holds;

	if (vkey.p && !ledger_args_read_vkey(a, vkey, &text, err))
		return false;
	holds = vkey.p ? key_parse(text, &log) && proof_check(sha, p, entry, &log, NULL, &why) :
			 proof_check_unsigned(sha, p, entry, &why);
	return holds || err_set(err, ERR_DATA, "%.*s: the proof does not hold: %s", STR_ARG(proof), why);
}

bool review_file_prove(struct arena *a, const struct frame *f, struct str proof, struct str entry, struct str vkey,
		       struct amend_target *out, struct err *err)
{
	struct json_parser *parser = json_parser_open((struct json_options){ .max_depth = 0 });
	struct str text, bytes, why = STR("");
	const char *fault = "";
	struct sha256 sha;
	struct entry e;
	struct proof p;
	bool done;

	sha256_init(&sha);
	done = file_read(a, proof, NOTE_MAX * 2, &text, err) && file_read(a, entry, ENTRY_MAX + 1, &bytes, err) &&
	       (proof_parse(text, &p, &fault) || err_set(err, ERR_DATA, "%.*s: %s", STR_ARG(proof), fault)) &&
	       check_proof(a, &p, proof, bytes, vkey, &sha, err) &&
	       (entry_parse(parser, a, bytes, &e, &why) ||
		err_set(err, ERR_DATA, "%.*s: this is no entry of a ledger: %.*s", STR_ARG(entry), STR_ARG(why))) &&
	       (e.kind == ENTRY_TRIAL || err_set(err, ERR_DATA, "%.*s: this is the entry of a %s, not of a trial",
						 STR_ARG(entry), entry_kind_name(e.kind)));
	if (done)
		*out = (struct amend_target){ .index = p.index, .leaf = merkle_leaf(&sha, bytes),
					      .experiment = e.experiment, .trial_id = e.id };
	if (done && !vkey.p)
		inputs_note(f, "who sealed the trial was not checked: that takes the log's public key (--vkey)");
	sha256_free(&sha);
	json_parser_close(parser);
	return done;
}

bool review_file_find(struct arena *a, const struct frame *f, const struct ledger_choice *c, struct str word,
		      struct amend_target *out, struct err *err)
{
	struct ledger ledger;
	struct index_row row;
	struct index *x;
	bool done = false;

	if (!ledger_args_open(&ledger, a, f, c, LEDGER_READ, err))
		return false;
	x = ledger_args_open_index(&ledger, f, err);
	if (x) {
		done = ledger_row_find_trial(&ledger, x, a, word, &row, err);
		index_close(x);
	}
	ledger_close(&ledger);
	if (done)
		*out = amend_target_of(&row);
	return done;
}

bool review_file_write(struct arena *a, const struct frame *f, struct str path, const struct amend_target *trial,
		       struct review *r, struct err *err)
{
	struct buf text;
	bool done;

	buf_init(&text);
	done = review_make_text(a, &text, r, trial, err) && file_replace(path, buf_str(&text), 0666, err);
	buf_free(&text);
	if (!done)
		return false;
	if (r->vkey.p)
		inputs_note(f, "wrote %.*s, signed by %.*s", STR_ARG(path), STR_ARG(r->vkey));
	else
		inputs_note(f, "wrote %.*s, which nobody has signed", STR_ARG(path));
	return true;
}

bool review_file_seal(struct ledger_amend *x, struct str path, struct opt_maybe json, struct err *err)
{
	struct ledger_amend_answer answer = { .schema = "ledger-review", .json = json };
	struct review_sealed sealed;
	struct str bytes;

	if (!file_read(x->arena, path, SEAL_RECORD_MAX, &bytes, err))
		return false;
	if (!review_seal_file(&x->ledger, x->arena, bytes, &sealed, err))
		return err_context(err, path.p);
	if (!ledger_publish(&x->ledger, err))
		return false;
	answer.part = sealed.part;
	answer.result = sealed.result;
	answer.id = sealed.review_id;
	answer.said = ARENA_JOIN(x->arena, STR("reviewed trial "), sealed.trial_id, STR(": "), sealed.judgment,
				 STR(" by "), sealed.reviewer_id,
				 sealed.is_signed ? STR(", signed by ") : STR(", not signed"),
				 sealed.is_signed ? key_text(x->arena, &sealed.signer) : STR(""));
	ledger_amend_print(x, &answer);
	return true;
}
