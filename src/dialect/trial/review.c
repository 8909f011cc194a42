/*
 * A review: what a person (or a panel) said about one sealed trial, which it names by its id, its place in the log and
 * the hash of its entry. A file holds one review, or one per line.
 */
#include "base/crypto/base64.h"
#include "base/crypto/ed25519.h"
#include "base/crypto/hex.h"
#include "dialect/formats.h"
#include "dialect/identity.h"
#include "dialect/trial/review_rules.h"
#include "dialect/values.h"


#define NAME(...) \
	{ .types = T_STRING, .need = FIELD_REQUIRED, .check = CHECK_NOT_BLANK, .rule = REVIEW_BLANK, \
	  .name = __VA_ARGS__ }
#define NAME_OR_NULL(...) \
	{ .types = T_STRING, .need = FIELD_OPTIONAL, .check = CHECK_NOT_BLANK, .rule = REVIEW_BLANK, \
	  .name = __VA_ARGS__ }
#define ENUM(rule_, words_, ...) \
	{ .types = T_STRING, .need = FIELD_REQUIRED, .check = CHECK_WORD, .rule = (rule_), .words = (words_), \
	  .name = __VA_ARGS__ }

static const struct field any_text = { .name = "an element", .types = T_STRING, .need = FIELD_REQUIRED };

enum {
	AT_REVIEW, AT_KIND, AT_EXPERIMENT, AT_TRIAL, AT_INDEX, AT_LEAF, AT_REVIEWER, AT_DISCIPLINE, AT_TIMESTAMP,
	AT_JUDGMENT, AT_CATEGORIES, AT_NOTES, AT_SIGNER, AT_COUNT,
};

static const struct field signer_fields[] = {
	NAME("vkey", .about = "the reviewer's public key: name+id+base64"),
	NAME("signature", .about = "Ed25519, in base64, over the canonical review without signer"),
};

static const struct record_type signer_type = {
	.name = "signer", RECORD_TYPE(signer_fields), .closed = true,
	.about = "who signed the review, with a key of their own",
};

static const struct field review_fields[AT_COUNT] = {
	[AT_REVIEW] = NAME("review_id"),
	[AT_KIND] = ENUM(REVIEW_KIND, WORDS(WORD("annotation"), WORD("adjudication"), WORD("feedback")), "kind"),
	[AT_EXPERIMENT] = NAME_OR_NULL("experiment_id", .about = "of the trial"),
	[AT_TRIAL] = NAME("trial_id"),
	[AT_INDEX] = { .name = "index", .types = T_INTEGER, .need = FIELD_REQUIRED, .check = CHECK_NOT_NEGATIVE,
		       .rule = REVIEW_INDEX, .about = "of the trial's entry in its log" },
	[AT_LEAF] = { .name = "leaf", .types = T_STRING, .need = FIELD_REQUIRED,
		      .about = "the RFC 6962 leaf hash of that entry" },
	[AT_REVIEWER] = NAME("reviewer_id"),
	[AT_DISCIPLINE] = NAME_OR_NULL("reviewer_discipline"),
	[AT_TIMESTAMP] = { .name = "timestamp", .types = T_STRING, .need = FIELD_REQUIRED, .check = CHECK_STAMP,
			   .rule = REVIEW_STAMP },
	[AT_JUDGMENT] = ENUM(REVIEW_JUDGMENT, WORDS(WORD("pass"), WORD("fail"), WORD("defer")), "judgment"),
	[AT_CATEGORIES] = { .name = "categories", .types = T_ARRAY, .need = FIELD_OPTIONAL, .each = &any_text,
			    .about = "[] when absent" },
	[AT_NOTES] = { .name = "notes", .types = T_STRING, .need = FIELD_OPTIONAL },
	[AT_SIGNER] = { .name = "signer", .types = T_OBJECT, .need = FIELD_OPTIONAL, .object = &signer_type },
};

static const struct record_type review_type = {
	.name = "review", RECORD_TYPE(review_fields), .closed = true,
	.schema = "\"allOf\":[{\"$comment\":\"RV007, RV011\",\"properties\":{\"categories\":{\"type\":\"array\"},"
		  "\"leaf\":{\"pattern\":\"^[0-9a-f]{64}$\"}}}]",
	.about = "what somebody said about one sealed trial",
};

static const struct record_type *const roots[] = { &review_type, NULL };

/* "name+0123abcd+base64": whether the id belongs to the key is for those who check signatures. */
static bool is_vkey(struct str text)
{
	struct str rest, name = str_cut(text, '+', &rest), id = str_cut(rest, '+', &rest);
	uint8_t bytes[1 + ED25519_PUBLIC];

	return name.n && id.n == 8 && hex_parse(id, bytes, 4) && base64_parse_bytes(bytes, sizeof(bytes), rest);
}

static void check_signer(struct record_scan *s, struct val signer)
{
	struct val vkey = val_get(signer, STR("vkey")), signature = val_get(signer, STR("signature"));
	uint8_t bytes[ED25519_SIGNATURE];

	if (val_is(vkey, JSON_STRING) && !is_vkey(val_text(vkey, s->arena)))
		record_note(s, REVIEW_SIGNER, vkey, "vkey must be name+id+base64 of a public key, found %.*s",
			    STR_ARG(record_show(s, vkey)));
	if (val_is(signature, JSON_STRING) &&
	    !base64_parse_bytes(bytes, sizeof(bytes), val_text(signature, s->arena)))
		record_note(s, REVIEW_SIGNER, signature, "signature must be 64 bytes in base64, found %.*s",
			    STR_ARG(record_show(s, signature)));
}

/* Checks one review; its identity is its id, where it has one. */
static void review_check(struct record_scan *s, struct val root, void *fact)
{
	uint32_t at[AT_COUNT];
	struct val categories, id;

	if (!record_check_object(s, root, &review_type, at))
		return;
	/* a field with a default may be absent but, unlike an optional one, not null */
	categories = val_get(root, STR("categories"));
	if (val_is(categories, JSON_NULL))
		record_note(s, REVIEW_TYPE, categories, "categories must be an array or absent, found null");
	if (at[AT_LEAF] && !identity_is_digest(val_raw(record_at(s, at[AT_LEAF]))))
		record_note(s, REVIEW_LEAF, record_at(s, at[AT_LEAF]),
			    "leaf must be 64 of the digits 0-9 and a-f, found %.*s",
			    STR_ARG(record_show(s, record_at(s, at[AT_LEAF]))));
	if (at[AT_SIGNER] && val_is(record_at(s, at[AT_SIGNER]), JSON_OBJECT))
		check_signer(s, record_at(s, at[AT_SIGNER]));
	id = at[AT_REVIEW] ? record_at(s, at[AT_REVIEW]) : VAL_NONE;
	if (val_text_or_none(id, s->arena).n)
		*(struct identity *)fact = identity_make(s, val_text(id, s->arena), id);
}

static void review_add(struct record_fold *f, const struct record_batch *b)
{
	static const struct identity_kind kind = {
		REVIEW_TWICE, REVIEW_LIMIT, "/review_id", "an earlier review has this id",
	};

	identities_add_all(f, b, &kind);
}

static const struct record_format format = {
	.on_utf8 = REVIEW_UTF8,
	.on_syntax = REVIEW_SYNTAX,
	.on_duplicate = REVIEW_DUPLICATE,
	.on_not_object = REVIEW_NOT_OBJECT,
	.on_missing = REVIEW_MISSING,
	.on_type = REVIEW_TYPE,
	.on_unknown = REVIEW_UNKNOWN,
	.on_blank = RECORD_NO_RULE,
	.on_torn = RECORD_NO_RULE,
	.on_empty = REVIEW_EMPTY,
	.on_secret = RECORD_NO_RULE,
	.fact_size = sizeof(struct identity),
	.check = review_check,
	.state_size = sizeof(struct identities),
	.begin = identities_begin,
	.add = review_add,
};

/* An annotation inside a trial record has neither of the ids. */
static int review_fits(struct val v)
{
	static const struct str parts[] = {
		WORD("trial_id"), WORD("kind"), WORD("leaf"), WORD("reviewer_id"), WORD("judgment"),
	};
	size_t found;

	if (!val_is(v, JSON_OBJECT) || !val_has(v, STR("review_id")))
		return 0;
	found = values_count_names(v, parts, COUNT(parts));
	return found < 2 ? 0 : found < 4 ? 70 : 90;
}

const struct dialect review_dialect = {
	.name = "review",
	.title = "a review of a sealed trial",
	.file = "review.json",
	.unit = "review",
	.forms = DIALECT_DOCUMENT | DIALECT_LINES,
	.rules = review_rules,
	.fits = review_fits,
	.mark = "\"review_id\"",
	DIALECT_RECORDS(format, roots),
};
