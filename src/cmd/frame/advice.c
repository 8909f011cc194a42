/*
 * Two tables: one by the advice of an error, one by the code of a rule. A row that names an option is used only by
 * commands that have it.
 */
#include "cmd/frame/advice.h"

#include "cmd/frame/opt.h"

static const struct advice {
	const char *words;
	const char *option; /* of the command, without which the words would be of no use; NULL for none */
} errors[] = {
	[ADVICE_RECORD_LIMIT] = { "; --max-record raises it", "max-record" },
	[ADVICE_PERMISSIVE] = { "'--permissive' reads it as agent-trace/v1", "permissive" },
	[ADVICE_LEDGER_KEY] = { "if the key is the right one (--vkey), put back a good copy of the file 'checkpoint'; "
				"'trackway ledger verify' says more", NULL },
	[ADVICE_LEDGER_NETWORK] = { "--force-network allows it at your own risk", "force-network" },
	[ADVICE_REPAIR_INDEX] = { "'trackway ledger fsck --repair-index' rebuilds it", NULL },
	[ADVICE_ACCEPT_PENDING] = { "'trackway ledger fsck --accept-pending' signs it", NULL },
	[ADVICE_DROP_PENDING] = { "'trackway ledger fsck --drop-pending' drops it", NULL },
	[ADVICE_DECIDE_PENDING] = { "if it is yours, 'trackway ledger fsck --accept-pending' accepts it, else "
				    "'trackway ledger fsck --drop-pending' drops it", NULL },
	[ADVICE_WITNESS_KEY] = { "'trackway ledger witness --name NAME --knows VKEY' makes one", NULL },
	[ADVICE_WITNESS_STATE] = { "give it another directory with --state", "state" },
	[ADVICE_WITNESS_NEW] = { ", or start over with another --state", "state" },
	[ADVICE_REPLACE_FILES] = { ", or add --force to replace files of the same names", "force" },
	[ADVICE_COMPARE_TARGETS] = { ": --a TARGET --b TARGET", "a" },
	[ADVICE_RUN_ID] = { ": --run-id ID", "run-id" },
	[ADVICE_RESUME] = { "continue it with --resume and its path, or give the new run another --run-id", "resume" },
	[ADVICE_START] = { "--start TIME lays its spans out from that time: --start 2026-01-31T12:00:00Z", "start" },
	[ADVICE_UPSTREAM] = { ": --upstream NAME=URL", "upstream" },
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

#define SUMMARY "'trackway bench summary DIR --write' rebuilds "
#define RESUME "'trackway bench run --resume DIR' continues it"
#define REPAIR "'trackway ledger fsck --repair-index' rebuilds it"

const struct advice_rule advice_rules[] = {
	{ "AT010", "write \"agent-trace/v1\"; --permissive checks other versions as if they were v1" },
	{ "AT020", "write the field; only optional ones may be left out, and none with --strict" },
	{ "AT023", "remove it, or validate without --strict: additive fields are allowed there" },
	{ "BR060", "copy the whole directory; " SUMMARY "summaries" },
	{ "BR064", RESUME },
	{ "BR065", RESUME },
	{ "BR067", SUMMARY "it from the results" },
	{ "BR069", SUMMARY "it" },
	{ "BR071", SUMMARY "both from the results" },
	{ "BR072", SUMMARY "it, and then it is checked as a whole" },
	{ "BS013", "read the suite, then allow it with --allow-commands; where there is no sandbox, with "
		   "--allow-commands=unsandboxed" },
	{ "E_TRAILING", "put each value on a line of its own; --lines reads them (validate: --as jsonl)" },
	{ "LG003", "check that the key is the right one (--vkey); if it is, somebody changed the checkpoint" },
	{ "LG017", REPAIR },
	{ "LG018", "remove it; " REPAIR " from the object" },
	{ "LG031", REPAIR },
	{ "LG035", "give the log's public key with --vkey" },
	{ "LG039", "find out who can write to .state; 'trackway ledger fsck --drop-pending' drops the entry" },
	{ "LG040", "if the entry is yours, 'trackway ledger fsck --accept-pending' accepts it, once; otherwise "
		   "'--drop-pending' drops it" },
	{ "V001", "name the format with --as; 'trackway formats' lists them" },
	{ "V002", "check that whatever wrote it could write; --as says what it should have been" },
	{ NULL, NULL },
};

const char *advice_for_rule(const struct rule *r)
{
	for (const struct advice_rule *a = advice_rules; a->code; a++)
		if (strcmp(a->code, r->code) == 0)
			return a->help;
	return r->help;
}
