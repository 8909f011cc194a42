/* A wrong file is the user's to mend, so whatever is wrong in it is an error of usage. */
#include "cmd/declared.h"

#include "base/file.h"

bool declared_read(struct arena *a, struct str path, enum declared_kind kind, struct audit_policy *out,
		   struct str *text, struct err *err)
{
	static bool (*const parse[])(struct arena *, struct str, struct audit_policy *, struct err *) = {
		[DECLARED_POLICY] = audit_policy_parse,
		[DECLARED_BUDGET] = audit_budget_parse,
		[DECLARED_SET] = audit_set_parse,
	};
	struct str read;

	if (!file_read(a, path, AUDIT_POLICY_MAX, &read, err))
		return false;
	if (text)
		*text = read;
	if (parse[kind](a, read, out, err))
		return true;
	err->kind = ERR_USAGE;
	return err_context(err, path.p);
}
