/* Asks the formats, then looks at where the file stands. */
#include "cmd/ledger/add_kind.h"

#include "cmd/ledger/add_run.h"
#include "dialect/formats.h"

#define TAKES "'trackway ledger add' takes trial records, reviews and the directories of runs"

/* Whether the first value has anything of a record: then its rules tell more than we could. */
static bool has_record_names(struct json_parser *p, struct str head, bool lines)
{
	static const char *const names[] = { "trial_id", "experiment_id", "task", "agent", "outputs", "evaluation" };
	struct str rest = head, first = head;
	struct val v;

	while (lines && rest.n) {
		first = str_cut(rest, '\n', &rest);
		if (str_trim(first).n)
			break;
	}
	if (!json_parse_copy(p, first, &v, NULL))
		return true; /* where it breaks is for the rules to say */
	for (size_t i = 0; i < COUNT(names); i++)
		if (val_is(v, JSON_OBJECT) && val_has(v, str_from(names[i])))
			return true;
	return false;
}

/* "Add its directory" is the remedy where there is one. */
static enum add_kind tell_kind(struct arena *a, struct str path, const char *article, const char *what, struct err *why)
{
	struct str name = str_basename(path), dir = str_of(path.p, path.n - name.n);
	enum entry_kind kind;

	dir = dir.n > 1 ? str_of(dir.p, dir.n - 1) : dir.n ? dir : STR(".");
	if (add_run_is_one(arena_copy(a, dir), &kind))
		err_set(why, ERR_DATA, "%.*s is a file of a run: " TAKES ERR_HELP
			"add its directory: trackway ledger add %.*s", STR_ARG(path), STR_ARG(dir));
	else
		err_set(why, ERR_DATA, "%.*s is %s%s: " TAKES ERR_HELP
			"a log that belongs to a trial goes with it: trackway ledger add TRIAL.json --run LOG; "
			"'trackway validate' tells more about the file", STR_ARG(path), article, what);
	return ADD_OTHER;
}

enum add_kind add_kind_of(struct json_parser *detector, struct arena *a, struct str path, struct str head, bool lines,
			  struct err *why)
{
	struct dialect_looks looks = { .like = NULL };
	const struct dialect *d = dialect_detect(detector, head, lines, DIALECT_TO_CHECK, &looks);

	if (d == &trial_dialect)
		return ADD_RECORD;
	if (d == &review_dialect)
		return ADD_REVIEW;
	if (d)
		return tell_kind(a, path, "in the format ", d->name, why);
	if (looks.best)
		return tell_kind(a, path, "in the format ", looks.best->name, why);
	if (looks.like && !looks.is_damaged)
		return tell_kind(a, path, "", looks.like, why);
	return has_record_names(detector, head, lines) ? ADD_RECORD : tell_kind(a, path, "no trial record", "", why);
}
