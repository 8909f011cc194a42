/* Reviews of sealed trials: made, checked by their rules (RV...), and sealed as entries of their own. */
#ifndef TRIAL_REVIEW_H
#define TRIAL_REVIEW_H

#include "ledger/signed.h"
#include "trial/amend.h"

/* Text that is not there has p NULL. */
struct review {
	struct str review_id; /* p NULL: a new UUIDv7 */
	struct str kind;      /* annotation, adjudication, feedback */
	struct str reviewer_id, reviewer_discipline;
	struct str timestamp; /* p NULL: now */
	struct str judgment;  /* pass, fail, defer */
	const struct str *categories;
	size_t category_count;
	struct str notes;
	struct str vkey, signature; /* of its signer, see ledger/signed.h; p NULL: nobody has signed it */
};

/*
 * Adds the JSON text of a review, indented, in the order of the fields, nulls kept, with a line end. Its id and its
 * time must be given. Nothing is checked here.
 */
void review_add_text(struct buf *out, const struct review *r, const struct amend_target *trial);

/*
 * Checks it, puts the object and appends the entry, in the log of its trial. What is missing (id, time) is filled in,
 * in the arena. ERR_USAGE with the first finding when it breaks a rule; ERR_DATA when the target is not the trial, or
 * ([E_CONFLICT]) another review has this id. *out is untouched on failure. Not published here.
 */
bool review_seal(struct ledger *l, struct arena *a, const struct amend_target *trial, struct review *r,
		 struct amend_result *out, struct err *err);

/*
 * Fills in what is missing (id, time), in the arena, and adds the text if it keeps its rules. ERR_USAGE with the first
 * finding otherwise, and then what was added means nothing.
 */
bool review_make_text(struct arena *a, struct buf *out, struct review *r, const struct amend_target *trial,
		      struct err *err);

/*
 * Signs the review with the reviewer's own key: fills in what is missing and the two members of its signer, in the
 * arena. ERR_USAGE with the first finding when it breaks a rule.
 */
bool review_sign(struct arena *a, const struct amend_target *trial, struct review *r, const struct signer *s,
		 struct err *err);

/* What was sealed of a review that came as a file. Texts lie in the arena. */
struct review_sealed {
	struct amend_result result;
	enum ledger_part part;
	struct str review_id, trial_id, experiment, reviewer_id, judgment;
	bool is_signed;
	struct key signer; /* if it is */
	struct digest digest; /* of its bytes */
};

/*
 * Seals a review that somebody else wrote, byte for byte, in the log of its trial, which it names by index and leaf;
 * the id must be the trial's, and the experiment too if it says one. ERR_DATA when it breaks a rule (with the first
 * finding), its signature does not hold, no log has such a trial, or ([E_CONFLICT]) another review has its id. *out is
 * untouched on failure. Not published here.
 */
bool review_seal_file(struct ledger *l, struct arena *a, struct str bytes, struct review_sealed *out, struct err *err);

#endif
