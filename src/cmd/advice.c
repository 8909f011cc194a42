#include "cmd/advice.h"

#include "cmd/opt.h"

static const struct advice {
	const char *words;
	const char *option; /* of the command, without which the words would be of no use; NULL for none */
} errors[] = {
	[ADVICE_RECORD_LIMIT] = { "; --max-record raises it", "max-record" },
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
