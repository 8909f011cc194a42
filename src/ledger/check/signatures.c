/* Checks the signatures that reviewers put on their reviews with keys of their own. */
#include "ledger/check/private.h"
#include "ledger/signed.h"

/* The bytes of an object, in r->file or in the arena; false when they are not to be had, which is told elsewhere. */
static bool read_object_bytes(struct check_run *r, const struct entry *e, struct str *bytes, struct err *err,
			      bool *failed)
{
	char name[OBJECT_PATH_MAX];
	enum check_got got;
	bool found = false;

	*failed = false;
	if (e->record.size > SIGNED_MAX)
		return false;
	if (r->log) {
		*failed = !r->log->ops->object(r->log, &r->scratch, e->record.digest, bytes, &found, err);
		return !*failed && found;
	}
	object_path(name, e->record.digest);
	got = check_read(r, str_from(name), SIGNED_MAX, &r->file, err);
	*failed = got == CHECK_FAILED;
	*bytes = buf_str(&r->file);
	return got == CHECK_GOT;
}

static bool is_known_signer(const struct check_run *r, const struct key *by)
{
	for (size_t i = 0; i < r->check->reviewer_count; i++)
		if (key_eq(&r->check->reviewers[i], by))
			return true;
	return false;
}

static void tell_good(struct check_run *r, uint64_t index, const struct entry *e, const struct key *by)
{
	r->out->signed_reviews++;
	if (is_known_signer(r, by))
		r->out->known_signers++;
	else if (r->check->reviewer_count)
		check_note(r, LG_SIGNER_UNKNOWN, "entry %llu: the review '%.*s' is signed by %.*s+%02x%02x%02x%02x, "
			   "whose key was not given", N(index), STR_ARG(e->id), STR_ARG(by->name), by->id[0],
			   by->id[1], by->id[2], by->id[3]);
}

bool check_review_signature(struct check_run *r, uint64_t index, const struct entry *e, struct err *err)
{
	const char *why = "";
	struct str bytes;
	struct key by;
	bool failed;

	if (e->kind != ENTRY_REVIEW || !e->record.given || !r->check->objects)
		return true;
	if (!read_object_bytes(r, e, &bytes, err, &failed))
		return !failed;
	switch (signed_check(r->parser, &r->scratch, bytes, &by, &why)) {
	case SIGNED_NOT:
		break;
	case SIGNED_WELL:
		tell_good(r, index, e, &by);
		break;
	case SIGNED_BADLY:
		check_note(r, LG_SIGNATURE, "entry %llu: the review '%.*s': %s", N(index), STR_ARG(e->id), why);
		break;
	}
	return true;
}
