/*
 * Walks the tables of all formats in one order: formats, then directories that are checked as a whole, then validate
 * itself. Two formats with the same table are met once.
 */
#include "cmd/report/rules.h"

#include "base/ascii.h"
#include "bench/report/check_rules.h"
#include "bench/suite/rules.h"
#include "capture/run_files_rules.h"
#include "cmd/frame/command.h"
#include "cmd/frame/nearest.h"
#include "flow/validate.h"
#include "ledger/check/check.h"

const struct dialect rules_ledger = {
	.name = "ledger",
	.title = "a ledger directory: sealed trial records under a signed tree",
	.file = "checkpoint",
	.unit = "entry",
	.rules = ledger_rules,
};

const struct dialect rules_bench_run = {
	.name = "bench-run",
	.title = "the directory of a benchmark run, as a whole",
	.file = "runs/ID",
	.unit = "result",
	.rules = bench_run_rules,
};

const struct dialect rules_bench_suite = {
	.name = "bench-suite",
	.title = "a suite of prompts, with what their answers are judged by",
	.file = "suite.json",
	.unit = "prompt",
	.rules = suite_rules,
};

const struct dialect rules_run = {
	.name = "run",
	.title = "the directory of a recorded run, as a whole",
	.file = "runs/ID",
	.unit = "file",
	.rules = run_files_rules,
};

/* What has rules and is no file that validate takes for itself; in the order of their groups. */
static const struct dialect *const others[] = { &rules_bench_run, &rules_bench_suite, &rules_ledger, &rules_run };

#define OTHERS COUNT(others)

static bool is_other(const struct dialect *d)
{
	for (size_t i = 0; i < OTHERS; i++)
		if (others[i] == d)
			return true;
	return false;
}

static bool has_rules(const struct dialect *d)
{
	return d->rules && d->rules->code;
}

/* What the parser itself finds, without the rules of I-JSON. */
static bool is_about_json(const struct rule *r)
{
	for (int i = JSON_E_BOM; i <= JSON_E_DEPTH; i++)
		if (strcmp(json_code_name((enum json_code)i), r->code) == 0)
			return true;
	return false;
}

/* Whether an earlier format has the same table. */
static bool is_repeat(size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (dialects[i]->rules == dialects[at]->rules)
			return true;
	return false;
}

bool rules_next_group(size_t *at, struct rules_group *out)
{
	size_t count = 0;

	while (dialects[count])
		count++;
	while (*at < count && (!has_rules(dialects[*at]) || is_repeat(*at)))
		++*at;
	if (*at > count + OTHERS)
		return false;
	if (*at < count)
		*out = (struct rules_group){ dialects[*at]->rules, dialects[*at] };
	else if (*at < count + OTHERS)
		*out = (struct rules_group){ others[*at - count]->rules, others[*at - count] };
	else
		*out = (struct rules_group){ validate_rules, NULL };
	++*at;
	return true;
}

/* Whether a format has this rule of the group. Without a rule (NULL) only its own table counts. */
static bool has_rule(const struct dialect *d, const struct rules_group *g, const struct rule *r)
{
	if (!d->ops && !is_other(d)) /* it is only read */
		return false;
	return has_rules(d) ? d->rules == g->rules : r && is_about_json(r);
}

void rules_add_formats(struct buf *out, const struct rules_group *g, const struct rule *r)
{
	const char *comma = "";

	if (!g->dialect)
		buf_add_str(out, STR("any"));
	if (g->dialect && is_other(g->dialect))
		buf_printf(out, "%s", g->dialect->name);
	for (size_t i = 0; g->dialect && dialects[i]; i++) {
		if (!has_rule(dialects[i], g, r))
			continue;
		buf_printf(out, "%s%s", comma, dialects[i]->name);
		comma = ", ";
	}
}

void rules_add_group(struct buf *out, const struct rules_group *g)
{
	rules_add_formats(out, g, NULL);
}

static const struct dialect *find_format(struct str name)
{
	for (size_t i = 0; dialects[i]; i++)
		if (str_eq_nocase(str_from(dialects[i]->name), name))
			return dialects[i];
	for (size_t i = 0; i < OTHERS; i++)
		if (str_eq_nocase(str_from(others[i]->name), name))
			return others[i];
	return NULL;
}

bool rules_is_of(const struct rules_group *g, const struct rule *r, struct str format)
{
	const struct dialect *d = format.p ? find_format(format) : NULL;

	return !format.p || (d && g->dialect && has_rule(d, g, r));
}

const struct rule *rules_find(const char *code)
{
	struct rules_group g;
	size_t at = 0;

	while (rules_next_group(&at, &g))
		for (const struct rule *r = g.rules; r->code; r++)
			if (strcmp(r->code, code) == 0)
				return r;
	return NULL;
}

struct str rules_cut_code(struct str word)
{
	struct str rest, head = str_cut(word, '[', &rest);

	return head.n < word.n ? str_cut(rest, ']', &word) : word;
}

bool rules_is_code(const struct rule *r, struct str word)
{
	return str_eq_nocase(str_from(r->code), word);
}

const char *rules_severity(const struct rule *r, enum check_mode mode)
{
	enum rule_mode_severity other = mode == MODE_STRICT ? r->in_strict : mode == MODE_PERMISSIVE ? r->in_permissive
												      : RULE_SAME;

	switch (other) {
	case RULE_INFO:
		return severity_name(SEV_INFO);
	case RULE_WARNING:
		return severity_name(SEV_WARNING);
	case RULE_ERROR:
		return severity_name(SEV_ERROR);
	case RULE_SAME:
		break;
	}
	return severity_name(r->severity);
}

bool rules_get_format(struct str name, const struct dialect **out, struct err *err)
{
	struct nearest near;
	char text[200];
	const char *help;

	*out = find_format(name);
	if (*out)
		return true;
	nearest_init(&near, name);
	for (size_t i = 0; dialects[i]; i++)
		nearest_offer(&near, str_from(dialects[i]->name));
	for (size_t i = 0; !near.best.p && name.n > 2 && dialects[i]; i++)
		if (str_starts(str_from(dialects[i]->name), name)) /* "claude" */
			near.best = str_from(dialects[i]->name);
	help = nearest_help(&near, text, sizeof(text), "");
	return usage_set(err, help ? help : "'trackway formats' lists them", "no format is called '%.*s'",
			 STR_ARG(name));
}

/* Among codes equally near, one that begins as the word does is meant more often: AT041 by AT0411. */
static void rules_offer_codes(struct nearest *n, bool with_same_start)
{
	struct rules_group g;
	size_t at = 0;

	while (rules_next_group(&at, &g)) {
		for (const struct rule *r = g.rules; r->code; r++) {
			struct str code = str_from(r->code);

			if (!with_same_start || str_starts(n->word, code) || str_starts(code, n->word))
				nearest_offer(n, code);
		}
	}
}

bool rules_refuse_code(struct str word, struct err *err)
{
	char spelled[64], text[200];
	size_t n = word.n < sizeof(spelled) ? word.n : sizeof(spelled);
	struct nearest near;
	const char *help;

	for (size_t i = 0; i < n; i++)
		spelled[i] = ascii_upper(word.p[i]);
	nearest_init(&near, str_of(spelled, n));
	rules_offer_codes(&near, true);
	rules_offer_codes(&near, false);
	help = nearest_help(&near, text, sizeof(text), "");
	return usage_set(err, help ? help : "'trackway explain' lists all codes", "no rule has the code '%.*s'",
			 STR_ARG(word));
}
