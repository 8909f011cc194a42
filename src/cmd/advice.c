#include "cmd/advice.h"

#include "cmd/opt.h"

static const struct advice {
	const char *words;
	const char *option; /* of the command, without which the words would be of no use; NULL for none */
} errors[] = {
	[ADVICE_RECORD_LIMIT] = { "; --max-record raises it", "max-record" },
	[ADVICE_PERMISSIVE] = { "'--permissive' reads it as agent-trace/v1", "permissive" },
	[ADVICE_LEDGER_KEY] = { "if the key is the right one (--vkey), put back a good copy of the file 'checkpoint'; "
				"'trackway ledger verify' tells more" },
	[ADVICE_LEDGER_NETWORK] = { "if you know what you do, --force-network allows it", "force-network" },
	[ADVICE_REPAIR_INDEX] = { "'trackway ledger fsck --repair-index' makes it anew" },
	[ADVICE_ACCEPT_PENDING] = { "'trackway ledger fsck --accept-pending' signs it" },
	[ADVICE_DROP_PENDING] = { "'trackway ledger fsck --drop-pending' leaves it out" },
	[ADVICE_DECIDE_PENDING] = { "if it is yours, 'trackway ledger fsck --accept-pending' takes it, else "
				    "'trackway ledger fsck --drop-pending' leaves it out" },
	[ADVICE_WITNESS_KEY] = { "'trackway ledger witness --name NAME --knows VKEY' makes one" },
	[ADVICE_WITNESS_STATE] = { "give it another directory with --state", "state" },
	[ADVICE_WITNESS_NEW] = { ", or begin anew with another --state", "state" },
	[ADVICE_REPLACE_FILES] = { ", or add --force to replace files of the same names", "force" },
	[ADVICE_PRIME_FILES] = { ", or give --evaluation and --samples", "evaluation" },
};

static bool advice_fits(const struct advice *a, const struct command *c)
{
	return a->words && (!a->option || (c && opt_find_name(c->options, str_from(a->option))));
}

/* Words that begin with a sign go on with the sentence. Others are help, or more of the help that is there. */
static const char *advice_separator(const char *words, const char *text)
{
	if (memchr(";,:", words[0], 3))
		return "";
	return str_find(str_from(text), STR(ERR_HELP)) == (size_t)-1 ? ERR_HELP : "; ";
}

struct err advice_on(const struct err *err, const struct command *c)
{
	const struct advice *a = &errors[err->advice];
	struct err out = *err;

	if (advice_fits(a, c)) {
		err_set(&out, err->kind, "%s%s%s", err->text, advice_separator(a->words, err->text), a->words);
		out.errnum = err->errnum;
	}
	return out;
}

const char *advice_for_rule(const struct rule *r)
{
	return r->help;
}
