/*
 * Checks from the outside in: the proof's form, the signed path to the leaf, the witnesses, the entry, the record. The
 * first thing that does not hold is the problem, and nothing after it is looked at.
 */
#include "cmd/ledger/proof.h"

#include <inttypes.h>

#include "base/crypto/merkle.h"
#include "base/file.h"
#include "cmd/frame/field.h"
#include "cmd/ledger/args.h"
#include "cmd/report/report.h"
#include "cmd/screen/amounts.h"

static void set_problem(struct ledger_proof *p, struct str file, const char *why)
{
	p->problem = ARENA_JOIN(p->arena, file, STR(": "), str_from(why));
}

/* The logs that may have signed: the key given, else those of the policy. */
static bool find_keys(struct ledger_proof *p, struct key **keys, size_t *count, struct err *err)
{
	struct str text;

	if (!p->vkey.p) {
		*keys = p->policy->logs;
		*count = p->policy->log_count;
		return true;
	}
	*keys = arena_new(p->arena, struct key);
	*count = 1;
	if (!ledger_args_read_vkey(p->arena, p->vkey, &text, err))
		return false;
	return key_parse(text, *keys) || err_set(err, ERR_DATA, "%.*s: this is not a public key", STR_ARG(p->vkey));
}

/*
 * Whether the hashes lead from the entry to a head that one of the keys signed. False only when the key cannot be read.
 */
static bool check_path(struct ledger_proof *p, struct sha256 *s, const struct proof *proof, struct str entry,
		       struct err *err)
{
	const char *why = "the policy names no log";
	struct str rest;
	struct key *keys;
	size_t count;

	if (!find_keys(p, &keys, &count, err))
		return false;
	for (size_t i = 0; i < count; i++) {
		if (proof_check(s, proof, entry, &keys[i], &p->head, &why)) {
			p->key = keys[i];
			return true;
		}
	}
	if (count == 1 && !str_eq(str_cut(proof->checkpoint, '\n', &rest), keys[0].name))
		why = arena_printf(p->arena, "it is from the log %.*s, but the key is that of %.*s",
				   STR_ARG(str_cut(proof->checkpoint, '\n', &rest)), STR_ARG(keys[0].name)).p;
	set_problem(p, p->proof_file, why);
	return true;
}

/* Whether the policy's quorum cosigned the head in the proof; counts those that did. */
static void check_witnesses(struct ledger_proof *p, const struct proof *proof)
{
	bool *signed_by = arena_array(p->arena, bool, p->policy->witness_count + 1);
	struct note *note = arena_new(p->arena, struct note);
	const char *why = NULL;
	struct str missing;

	if (!note_parse(proof->checkpoint, note, &why)) {
		set_problem(p, p->proof_file, why);
	} else if (!policy_check(p->arena, p->policy, note, signed_by, &missing)) {
		p->problem = ARENA_JOIN(p->arena, p->proof_file, STR(": "), missing);
	} else {
		for (size_t i = 0; i < p->policy->witness_count; i++)
			p->witnesses += signed_by[i];
	}
}

/* A leaf that is no entry of ours is still proven; only a record cannot be compared with it. */
static void read_entry(struct ledger_proof *p, struct str bytes)
{
	struct json_parser *parser = json_parser_open((struct json_options){ .max_depth = ENTRY_DEPTH });
	struct str why;

	p->has_entry = entry_parse(parser, p->arena, bytes, &p->entry, &why);
	json_parser_close(parser);
	if (!p->has_entry && p->record_file.p)
		p->problem = ARENA_JOIN(p->arena, p->entry_file, STR(": it does not name a record: "), why);
}

/* The file is mapped, since a record may be large. Size and digest must be those of the entry. */
static bool ledger_proof_check_record(struct ledger_proof *p, struct sha256 *s, struct err *err)
{
	struct str bytes;

	if (!file_map(p->record_file, &bytes, err))
		return false;
	p->record_digest = sha256_of(s, bytes);
	if (!p->entry.record.given)
		set_problem(p, p->entry_file, "the entry names no record");
	else if (bytes.n != p->entry.record.size || !digest_eq(p->record_digest, p->entry.record.digest))
		set_problem(p, p->record_file, "this is not the record that was sealed: its SHA-256 differs");
	file_unmap(bytes);
	return true;
}

/* All checks in their order. False with *err when a file or the key cannot be read. */
static bool ledger_proof_check_all(struct ledger_proof *p, struct sha256 *s, struct err *err)
{
	struct str text, entry;
	const char *why = NULL;
	struct proof proof;

	if (!file_read(p->arena, p->proof_file, NOTE_MAX * 2, &text, err) ||
	    !file_read(p->arena, p->entry_file, ENTRY_MAX + 1, &entry, err))
		return false;
	if (!proof_parse(text, &proof, &why)) {
		set_problem(p, p->proof_file, why);
		return true;
	}
	p->index = proof.index;
	p->leaf = merkle_leaf(s, entry);
	if (!check_path(p, s, &proof, entry, err))
		return false;
	if (!p->problem.p && p->policy)
		check_witnesses(p, &proof);
	if (!p->problem.p)
		read_entry(p, entry);
	return p->problem.p || !p->record_file.p || ledger_proof_check_record(p, s, err);
}

bool ledger_proof_check(struct ledger_proof *p, struct err *err)
{
	struct sha256 s;
	bool done;

	p->problem = str_of(NULL, 0);
	sha256_init(&s);
	done = ledger_proof_check_all(p, &s, err);
	sha256_free(&s);
	return done;
}

/* ---- text ---- */

void ledger_proof_add_text(struct buf *out, const struct ledger_proof *p)
{
	if (p->problem.p) {
		buf_add_str(out, STR("NOT PROVEN: "));
		term_add_text(out, p->problem);
		buf_add_byte(out, '\n');
		return;
	}
	buf_printf(out, "PROVEN: entry %" PRIu64 " of ", p->index);
	term_add_text(out, p->head.origin);
	buf_add_str(out, STR(" is in the log that its key signed\n  log        "));
	amounts_add_things(out, p->head.size, "entry");
	buf_printf(out, ", root %.*s\n  key        ", STR_ARG(ledger_args_hex(p->arena, p->head.root)));
	term_add_text(out, ledger_args_vkey(p->arena, &p->key));
	if (p->policy)
		buf_printf(out, "\n  witnesses  %zu", p->witnesses);
	if (p->has_entry) {
		buf_printf(out, "\n  entry      %s ", entry_kind_name(p->entry.kind));
		term_add_text(out, p->entry.id);
		if (p->entry.experiment.p) {
			buf_add_str(out, STR(" of experiment "));
			term_add_text(out, p->entry.experiment);
		}
		buf_add_str(out, STR(", sealed "));
		term_add_text(out, p->entry.sealed_at);
		buf_add_str(out, STR(" according to its writer"));
	}
	if (p->has_entry && p->entry.record.given) {
		buf_printf(out, "\n  record     sha256 %.*s",
			   STR_ARG(ledger_args_hex(p->arena, p->entry.record.digest)));
		if (p->record_file.p) {
			buf_add_str(out, STR(": that of "));
			term_add_text(out, p->record_file);
		}
	}
	buf_add_byte(out, '\n');
}

/* ---- JSON ---- */

static void write_entry(struct json_writer *w, const struct ledger_proof *p, struct opt_maybe s)
{
	field_put_word(w, s, "kind", entry_kind_name(p->entry.kind));
	field_put_text(w, s, "id", p->entry.id);
	if (p->entry.experiment.p)
		field_put_text(w, s, "experiment_id", p->entry.experiment);
}

void ledger_proof_add_json(struct buf *out, const struct ledger_proof *p, struct opt_maybe s)
{
	struct json_writer w;

	field_begin_document(&w, out, JSON_COMPACT, "ledger-verify");
	field_put_text(&w, s, "mode", STR("proof"));
	field_put_bool(&w, s, "ok", !p->problem.p);
	field_put_u64(&w, s, "index", p->index);
	field_put_digest(&w, s, "leaf", p->leaf);
	if (!p->problem.p) {
		field_put_text(&w, s, "origin", p->head.origin);
		field_put_u64(&w, s, "size", p->head.size);
		field_put_digest(&w, s, "root", p->head.root);
		field_put_text(&w, s, "vkey", ledger_args_vkey(p->arena, &p->key));
		if (p->has_entry)
			write_entry(&w, p, s);
		if (p->record_file.p)
			field_put_bool(&w, s, "record_matches", true);
		if (p->policy)
			field_put_u64(&w, s, "witnesses", p->witnesses);
	}
	field_put_text_or_null(&w, s, "problem", p->problem);
	field_end_document(&w);
}
