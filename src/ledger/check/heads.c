/* Chooses the key, reads the checkpoint, and holds every other head that is known against the tree. */
#include <stdio.h>
#include <stdlib.h>

#include "base/ascii.h"
#include "ledger/check/private.h"
#include "ledger/dir/signer_head.h"

#define NUMBER_MAX 20

/* ---- the key ---- */

/* A secret of ours is the best reason to trust a key: the one whose name and number a line of the checkpoint has. */
static bool find_own_key(struct check_run *r)
{
	struct err ignored = { .kind = ERR_NONE };
	struct signer s;
	bool found = false;

	for (size_t i = 0; r->keys.n && r->note && i < r->note->count && !found; i++) {
		struct key k = { .name = r->note->lines[i].name, .kind = KEY_LOG };

		memcpy(k.id, r->note->lines[i].id, sizeof(k.id));
		found = keys_find_id(&r->arena, r->keys, &k, &s, &found, &ignored) && s.key.kind == KEY_LOG;
		if (found)
			r->key = s.key;
		explicit_bzero(s.seed, sizeof(s.seed));
	}
	return found;
}

/* The key that the user gave, or that follows from the main log's, or that is ours. */
static bool find_trusted_key(struct check_run *r, const struct key *main_key, struct err *err)
{
	struct ledger_check *c = r->check;
	struct log *open = c->ledger ? c->ledger->logs[r->part] : NULL;

	if (open) {
		r->key = open->key;
		r->out->key_is_trusted = open->key_is_trusted;
	} else if (main_key) {
		key_init(&r->key, ARENA_JOIN(&r->arena, main_key->name, STR(LEDGER_SECOND)), KEY_LOG, main_key->public);
	} else if (c->vkey.p) {
		if (!key_parse(arena_copy(&r->arena, c->vkey), &r->key) || r->key.kind != KEY_LOG)
			return err_set(err, ERR_USAGE, "this is not the public key of a log: %.*s"
				       ERR_HELP "it is one line, ORIGIN+ID+BASE64; 'trackway ledger head' prints it",
				       STR_ARG(str_trim(c->vkey)));
		r->out->key_is_trusted = true;
	} else {
		r->out->key_is_trusted = find_own_key(r);
		r->has_key = r->out->key_is_trusted;
		return true;
	}
	r->has_key = true;
	return true;
}

/*
 * A key that was given and is that of another log would leave nothing right, from the first checkpoint to the head that
 * it signed elsewhere. One error says it; the rest is looked at with the key that lies there, which is not trusted.
 */
static bool is_key_of_another(struct check_run *r, const struct key *main_key, const struct key *beside)
{
	return r->check->vkey.p && !main_key && r->note && note_check(r->note, beside, NULL) == NOTE_GOOD &&
	       note_check(r->note, &r->key, NULL) == NOTE_ABSENT;
}

static void tell_key_of_another(struct check_run *r, const struct key *beside)
{
	struct str has = key_text(&r->arena, beside), given = key_text(&r->arena, &r->key);

	check_note(r, LG_NOT_SIGNED, "checkpoint: it is signed by %.*s, and not by the key that was given, %.*s",
		   STR_ARG(has), STR_ARG(given));
	r->key = *beside;
	r->out->key_is_trusted = false;
}

bool check_choose_key(struct check_run *r, const struct key *main_key, struct err *err)
{
	struct key beside;
	enum check_got got;

	if (!find_trusted_key(r, main_key, err))
		return false;
	if (r->log)
		return true;
	got = check_read(r, STR("vkey"), NOTE_MAX, &r->file, err);
	if (got == CHECK_FAILED)
		return false;
	if (got == CHECK_ABSENT && r->check->local && r->has_key)
		check_note(r, LG_VKEY, "vkey: it is missing");
	if (got == CHECK_ABSENT)
		return true;
	if (!key_parse(arena_copy(&r->arena, buf_str(&r->file)), &beside) || beside.kind != KEY_LOG) {
		check_note(r, LG_VKEY, "vkey: it is not a key");
	} else if (!r->has_key) {
		r->key = beside;
		r->has_key = true;
	} else if (is_key_of_another(r, main_key, &beside)) {
		tell_key_of_another(r, &beside);
	} else if (!key_eq(&beside, &r->key)) {
		check_note(r, LG_VKEY, "vkey: it is the key of '%.*s', and not the one that is trusted here",
			   STR_ARG(beside.name));
	}
	return true;
}

/* ---- the checkpoint ---- */

/* Signatures cost more than all the rest of a small log; the newest checkpoint is usually kept under a second name. */
static enum note_verdict check_signature(struct check_run *r, struct str bytes, const struct note *note)
{
	bool is_newest = str_eq(bytes, r->note_bytes);
	enum note_verdict verdict;

	if (!r->has_key || (is_newest && r->note_is_good))
		return NOTE_GOOD;
	verdict = note_check(note, &r->key, NULL);
	r->note_is_good = r->note_is_good || (is_newest && verdict == NOTE_GOOD);
	return verdict;
}

/* Any checkpoint that should be one of this log. *why says what it is instead. */
static bool heads_read_head(struct check_run *r, struct str bytes, struct note *note, struct checkpoint *out,
				  enum ledger_rule *rule, const char **why)
{
	enum note_verdict verdict;

	*rule = LG_NOT_A_NOTE;
	if (!note_parse(bytes, note, why) || !checkpoint_parse(note->text, out, why))
		return false;
	verdict = check_signature(r, bytes, note);
	*rule = LG_NOT_SIGNED;
	*why = verdict == NOTE_BAD ? "its signature is wrong" : "it has no signature of this log's key";
	if (verdict != NOTE_GOOD)
		return false;
	*rule = LG_ORIGIN;
	*why = "it is of another log";
	return !r->has_key || str_eq(out->origin, r->key.name);
}

/* *got CHECK_ABSENT also for a database without the row. False with *err when it cannot be read. */
static bool heads_read_checkpoint(struct check_run *r, enum check_got *got, struct buf *out, struct err *err)
{
	struct err why = { .kind = ERR_NONE };
	struct str note;
	struct arena a;

	if (!r->log) {
		*got = check_read(r, STR("checkpoint"), NOTE_MAX + 1, out, err);
		return *got != CHECK_FAILED;
	}
	arena_init(&a);
	buf_clear(out);
	*got = r->log->ops->checkpoint(r->log, &a, &note, &why) ? CHECK_GOT : CHECK_ABSENT;
	if (*got == CHECK_GOT)
		buf_add_str(out, note);
	arena_free(&a);
	if (*got == CHECK_GOT || why.kind == ERR_DATA)
		return true;
	*err = why;
	return false;
}

bool check_load_checkpoint(struct check_run *r, struct err *err)
{
	const char *why;
	enum check_got got;

	if (!heads_read_checkpoint(r, &got, &r->file, err))
		return false;
	if (got == CHECK_ABSENT) {
		check_note(r, LG_NO_CHECKPOINT, "checkpoint: it is missing");
		return true;
	}
	r->note_bytes = arena_copy(&r->arena, buf_str(&r->file));
	r->note = arena_new(&r->arena, struct note);
	if (note_parse(r->note_bytes, r->note, &why))
		return true;
	check_note(r, LG_NOT_A_NOTE, "checkpoint: %s", why);
	r->note = NULL;
	return true;
}

/* The newest head that was kept can stand in for a checkpoint that is damaged: it was one, and is signed. */
static void use_kept(struct check_run *r)
{
	for (size_t i = r->head_count; i > 0; i--) {
		if (r->heads[i - 1].by != CHECK_KEPT && r->heads[i - 1].by != CHECK_SIGNER)
			continue;
		r->size = r->heads[i - 1].size;
		r->root = r->heads[i - 1].root;
		r->root_is_known = true;
		return;
	}
}

void check_checkpoint(struct check_run *r)
{
	struct note *again = arena_new(&r->arena, struct note);
	struct checkpoint head;
	enum ledger_rule rule;
	const char *why;

	if (r->note && !r->has_key)
		check_note(r, LG_NO_KEY, "checkpoint: there is no key to check its signature with");
	if (r->note && heads_read_head(r, r->note_bytes, again, &head, &rule, &why)) {
		r->size = head.size;
		r->root = head.root;
		r->root_is_known = true;
		r->out->signed_well = r->has_key;
	} else {
		if (r->note)
			check_note(r, rule, "checkpoint: %s", why);
		use_kept(r);
	}
	r->committed = r->size;
}

bool check_log_moved(struct check_run *r, bool *moved, struct err *err)
{
	enum check_got got;

	if (!heads_read_checkpoint(r, &got, &r->file, err))
		return false;
	*moved = got == CHECK_GOT && !str_eq(buf_str(&r->file), r->note_bytes);
	return true;
}

/* ---- heads from elsewhere ---- */

void check_add_head(struct check_run *r, uint64_t size, struct digest root, enum check_witness by, struct str name)
{
	mem_grow(r->heads, r->head_count, r->head_cap, 64);
	r->heads[r->head_count++] = (struct check_head){ .size = size, .root = root, .by = by, .name = name };
}

static int compare_heads(const void *a, const void *b)
{
	const struct check_head *x = a, *y = b;

	return x->size != y->size ? (x->size < y->size ? -1 : 1) : (int)x->by - (int)y->by;
}

void check_sort_heads(struct check_run *r)
{
	if (r->head_count)
		qsort(r->heads, r->head_count, sizeof(*r->heads), compare_heads);
}

bool check_is_size(struct str name)
{
	if (name.n == 0 || name.n > NUMBER_MAX || (name.n > 1 && name.p[0] == '0'))
		return false;
	for (size_t i = 0; i < name.n; i++)
		if (!ascii_is_digit(name.p[i]))
			return false;
	return true;
}

/* A file that is no checkpoint of this log, or not of the size in its name, is a finding, and no head. */
static bool collect_kept(struct check_run *r, struct str name, struct note *note, struct err *err)
{
	struct str file = ARENA_JOIN(&r->arena, STR("checkpoints/"), name);
	enum check_got got = check_read(r, file, NOTE_MAX + 1, &r->file, err);
	struct checkpoint head;
	enum ledger_rule rule;
	char number[32];
	const char *why;

	if (got != CHECK_GOT)
		return got == CHECK_ABSENT;
	if (!heads_read_head(r, buf_str(&r->file), note, &head, &rule, &why)) {
		check_note(r, LG_KEPT, "%.*s: %s", STR_ARG(file), why);
		return true;
	}
	snprintf(number, sizeof(number), "%llu", (unsigned long long)head.size);
	if (!str_eq(name, str_from(number)))
		check_note(r, LG_KEPT, "%.*s: it is the checkpoint of %s entries", STR_ARG(file), number);
	else
		check_add_head(r, head.size, head.root, CHECK_KEPT, file);
	return true;
}

/* Files of other names in that directory are for the walk to tell of. */
static bool collect_all_kept(struct check_run *r, struct err *err)
{
	struct note *note = arena_new(&r->arena, struct note);
	struct str *names;
	size_t count;

	if (!check_list(r, &r->arena, check_path(r, STR("checkpoints")), &names, &count, err))
		return false;
	for (size_t i = 0; i < count; i++)
		if (check_is_size(names[i]) && !collect_kept(r, names[i], note, err))
			return false;
	return true;
}

/* A head that cannot be trusted is a finding; only one that cannot be read stops the check. */
static bool collect_signer(struct check_run *r, struct err *err)
{
	struct err why = { .kind = ERR_NONE };
	struct str said, rest;
	struct signer_head h;

	if (!signer_head_read(r->io, r->keys, &r->key, r->key.name, &h, &why)) {
		if (why.kind != ERR_DATA) {
			*err = why;
			return false;
		}
		said = str_cut(str_from(why.text), '\n', &rest); /* the remedy is the rule's */
		check_note(r, LG_HEAD, "checkpoint: what its key signed last is not known: %.*s", STR_ARG(said));
		return true;
	}
	if (h.found)
		check_add_head(r, h.size, h.root, CHECK_SIGNER, STR("checkpoint"));
	return true;
}

bool check_collect_heads(struct check_run *r, struct err *err)
{
	if (!r->log && !collect_all_kept(r, err))
		return false;
	return !r->has_key || collect_signer(r, err);
}

void check_against(struct check_run *r)
{
	struct note *note = arena_new(&r->arena, struct note);
	struct checkpoint head;
	enum ledger_rule rule;
	const char *why;

	if (heads_read_head(r, r->check->against, note, &head, &rule, &why))
		check_add_head(r, head.size, head.root, CHECK_AGAINST, STR("checkpoint"));
	else
		check_note(r, LG_AGAINST, "checkpoint: the older one cannot be held against it: %s", why);
}

/* ---- held against the tree ---- */

void check_hold_heads(struct check_run *r)
{
	while (r->head_at < r->head_count && r->heads[r->head_at].size < r->edge->size)
		r->head_at++; /* inside what nothing gives the hashes of */
	while (r->head_at < r->head_count && r->heads[r->head_at].size == r->edge->size) {
		struct digest root = check_edge_root(r->edge, &r->sha);
		struct check_head *h = r->heads + r->head_at++;

		h->held = digest_eq(root, h->root);
	}
}

/* Notes a head of more entries than the log has: what that means depends on who says so. */
static void tell_longer(struct check_run *r, const struct check_head *h)
{
	switch (h->by) {
	case CHECK_KEPT:
		check_note(r, LG_KEPT, "%.*s: it says %llu entries, and the log has %llu", STR_ARG(h->name), N(h->size),
			   N(r->size));
		break;
	case CHECK_SIGNER:
		if (!r->check->local) { /* copies lag behind, and have no WAL that could tell more */
			check_note(r, LG_OLDER, "checkpoint: it is of %llu entries, and its key signed %llu",
				   N(r->size), N(h->size));
			break;
		}
		check_note(r, LG_ROLLBACK, "checkpoint: the log has %llu entries, and its key signed %llu [E_ROLLBACK]",
			   N(r->committed), N(h->size));
		break;
	case CHECK_AGAINST:
		check_note(r, LG_TAKEN_BACK, "checkpoint: the log has %llu entries, and the older checkpoint %llu",
			   N(r->size), N(h->size));
		break;
	case CHECK_IDS:
		check_note(r, LG_IDS, "%.*s: it is about %llu entries, and the log has %llu", STR_ARG(h->name),
			   N(h->size), N(r->committed));
		break;
	}
}

/* Notes a head of a size that the log has, with another root there. */
static void tell_other(struct check_run *r, const struct check_head *h)
{
	switch (h->by) {
	case CHECK_KEPT:
		if (!r->doubtful)
			check_note(r, LG_KEPT, "%.*s: the log had another root at %llu entries", STR_ARG(h->name),
				   N(h->size));
		break;
	case CHECK_SIGNER:
		check_note(r, LG_FORK,
			   "checkpoint: at %llu entries the log has another root than its key signed [E_FORK]",
			   N(h->size));
		break;
	case CHECK_AGAINST:
		check_note(r, LG_REWRITTEN,
			   "checkpoint: at %llu entries the log has another root than the older checkpoint",
			   N(h->size));
		break;
	case CHECK_IDS:
		if (!r->doubtful)
			check_note(r, LG_IDS, "%.*s: it is of a log that had another root at %llu entries",
				   STR_ARG(h->name), N(h->size));
		break;
	}
}

bool check_tell_heads(struct check_run *r, struct err *err)
{
	bool moved = false, asked = false;

	for (size_t i = 0; i < r->head_count; i++) {
		const struct check_head *h = r->heads + i;
		uint64_t size = h->by == CHECK_SIGNER || h->by == CHECK_IDS ? r->committed : r->size;

		if (h->held && h->by == CHECK_AGAINST)
			r->out->anchored = h->size;
		if (h->size > size && h->by != CHECK_AGAINST && !asked) {
			if (!check_log_moved(r, &moved, err))
				return false;
			asked = true;
		}
		if (h->size > size && !moved)
			tell_longer(r, h);
		else if (h->size <= size && !h->held && !r->lost)
			tell_other(r, h);
	}
	return true;
}

/* ---- witnesses ---- */

void check_policy(struct check_run *r)
{
	const struct policy *p = r->check->policy;
	bool *signed_by = arena_array(&r->arena, bool, p->witness_count + 1);
	struct str why;

	if (!r->note)
		return;
	if (!policy_check(&r->arena, p, r->note, signed_by, &why))
		check_note(r, LG_WITNESSES, "checkpoint: %.*s", STR_ARG(why));
	for (size_t i = 0; i < p->witness_count; i++) {
		uint64_t time = 0;

		if (!signed_by[i] || note_check(r->note, &p->witnesses[i].key, &time) != NOTE_GOOD)
			continue;
		r->out->witnesses++;
		if (time && (!r->out->cosigned_at || time < r->out->cosigned_at))
			r->out->cosigned_at = time;
	}
}
