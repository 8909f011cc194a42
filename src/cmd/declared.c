/* A wrong file is the user's to mend, so whatever is wrong in it is an error of usage. */
#include "cmd/declared.h"

#include <assert.h>

#include "base/file.h"
#include "json/canon.h"

bool declared_read(struct arena *a, struct str path, enum declared_kind kind, struct audit_policy *out,
		   struct str *text, struct err *err)
{
	static const struct {
		bool (*parse)(struct arena *a, struct str text, struct audit_policy *out, struct err *err);
	} kinds[] = {
		[DECLARED_POLICY] = { audit_policy_parse },
		[DECLARED_BUDGET] = { audit_budget_parse },
		[DECLARED_SET] = { audit_set_parse },
	};
	struct str read;

	if (!file_read(a, path, AUDIT_POLICY_MAX, &read, err))
		return false;
	if (text)
		*text = read;
	if (kinds[kind].parse(a, read, out, err))
		return true;
	err->kind = ERR_USAGE;
	return err_context(err, path.p);
}

/* A text that was read already, in its canonical form: the order and spelling of a log. */
static struct str declared_canonical(struct arena *a, struct str text)
{
	struct json_parser *parser = json_parser_open((struct json_options){ .max_depth = 0 });
	struct canon *canon = canon_open(CANON_JCS);
	struct buf out = { 0 };
	enum json_code code;
	struct val v;
	uint32_t bad;
	bool good;

	good = json_parse_copy(parser, text, &v, NULL) && canon_value(canon, v, &out, &bad, &code);
	assert(good); /* it was parsed before, and has neither numbers beyond a double nor lone surrogates */
	(void)good;
	canon_close(canon);
	json_parser_close(parser);
	return arena_take(a, &out);
}

bool declared_for_run(struct arena *a, struct str budget, struct str set, struct recording_options *o, struct err *err)
{
	struct audit_policy p = { 0 };
	struct str text;

	if (budget.p) {
		if (!declared_read(a, budget, DECLARED_BUDGET, &p, &text, err))
			return false;
		o->budget = declared_canonical(a, text);
	}
	if (set.p) {
		if (!declared_read(a, set, DECLARED_SET, &p, &text, err))
			return false;
		o->retrieval_set = declared_canonical(a, text);
		o->retrieval_digests = audit_set_digests(a, &p);
	}
	return true;
}
