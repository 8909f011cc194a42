/*
 * Lines of text, each with the only spelling that is taken. *why is set before each step, so that any refusal has its
 * sentence.
 */
#include "ledger/proof.h"

#include "base/crypto/base64.h"
#include "base/num.h"

#define FIRST STR("c2sp.org/tlog-proof@v1")
#define EXTRA STR("extra ")
#define INDEX STR("index ")

static bool is_base64(struct str text)
{
	struct buf bytes;
	bool is;

	buf_init(&bytes);
	is = base64_parse(&bytes, text);
	buf_free(&bytes);
	return is;
}

/* The hashes and the empty line that ends them. */
static bool parse_path(struct str *rest, struct tree_proof *out, const char **why)
{
	struct str line;

	for (out->count = 0;; out->count++) {
		*why = "the proof has no empty line before its checkpoint";
		if (!note_next_line(rest, &line))
			return false;
		if (line.n == 0)
			return true;
		*why = "the proof has more than 63 hashes";
		if (out->count == TREE_PROOF_MAX)
			return false;
		*why = "the proof has a line that is not a hash in base64";
		if (!base64_parse_bytes(out->hashes[out->count].b, SHA256_SIZE, line))
			return false;
	}
}

bool proof_parse(struct str text, struct proof *out, const char **why)
{
	struct str rest = text, line;

	out->extra = str_of(NULL, 0);
	*why = "the proof is longer than 2 MiB";
	if (text.n > 2 * NOTE_MAX)
		return false;
	*why = "it is not a proof: its first line is not c2sp.org/tlog-proof@v1";
	if (!note_next_line(&rest, &line) || !str_eq(line, FIRST))
		return false;
	*why = "the proof does not say the index of its entry";
	if (!note_next_line(&rest, &line))
		return false;
	if (str_starts(line, EXTRA)) {
		out->extra = str_skip(line, EXTRA.n);
		if (!is_base64(out->extra)) {
			*why = "what the proof has as extra is not base64";
			return false;
		}
		if (!note_next_line(&rest, &line))
			return false;
	}
	if (!str_starts(line, INDEX) || !num_parse_u64(str_skip(line, INDEX.n), &out->index))
		return false;
	if (!parse_path(&rest, &out->path, why))
		return false;
	out->checkpoint = rest;
	return true;
}

void proof_add_text(struct buf *out, const struct proof *p)
{
	char digits[NUM_U64_MAX];

	buf_add_str(out, FIRST);
	buf_add_byte(out, '\n');
	if (p->extra.p) {
		buf_add_str(out, EXTRA);
		buf_add_str(out, p->extra);
		buf_add_byte(out, '\n');
	}
	buf_add_str(out, INDEX);
	buf_add(out, digits, num_format_u64(digits, p->index));
	buf_add_byte(out, '\n');
	for (size_t i = 0; i < p->path.count; i++) {
		base64_add(out, str_of(p->path.hashes[i].b, SHA256_SIZE));
		buf_add_byte(out, '\n');
	}
	buf_add_byte(out, '\n');
	buf_add_str(out, p->checkpoint);
}

bool checkpoint_check(struct str note, const struct key *log, struct checkpoint *out, const char **why)
{
	struct checkpoint c;
	struct note n;

	*why = "the key is that of a witness, not of a log";
	if (log->kind != KEY_LOG)
		return false;
	if (!note_parse(note, &n, why))
		return false;
	switch (note_check(&n, log, NULL)) {
	case NOTE_ABSENT:
		*why = "the checkpoint is not signed by this key";
		return false;
	case NOTE_BAD:
		*why = "the signature of the checkpoint is wrong: it was changed after it was signed";
		return false;
	case NOTE_GOOD:
		break;
	}
	if (!checkpoint_parse(n.text, &c, why))
		return false;
	*why = "the checkpoint is of another log than the key";
	if (!str_eq(c.origin, log->name))
		return false;
	if (out)
		*out = c;
	return true;
}

/* Whether the hashes lead from the entry to the root of the checkpoint, whoever signed that. */
static bool is_in_tree(struct sha256 *s, const struct proof *p, struct str entry, const struct checkpoint *c,
		       const char **why)
{
	*why = "the index of the proof is beyond the size of the checkpoint";
	if (p->index >= c->size)
		return false;
	*why = "the hashes of the proof do not lead from the entry to the root: one of them, the entry or the index "
	       "was changed";
	return tree_includes(s, p->index, c->size, merkle_leaf(s, entry), p->path.hashes, p->path.count, c->root);
}

bool proof_check_unsigned(struct sha256 *s, const struct proof *p, struct str entry, const char **why)
{
	struct checkpoint c;
	struct note n;

	return note_parse(p->checkpoint, &n, why) && checkpoint_parse(n.text, &c, why) &&
	       is_in_tree(s, p, entry, &c, why);
}

bool proof_check(struct sha256 *s, const struct proof *p, struct str entry, const struct key *log,
		 struct checkpoint *out, const char **why)
{
	struct checkpoint c;

	if (!checkpoint_check(p->checkpoint, log, &c, why) || !is_in_tree(s, p, entry, &c, why))
		return false;
	if (out)
		*out = c;
	return true;
}
