/* Sentences are put together from counts; what is 0 is left out. */
#include "cmd/report/validate_text.h"

#include "cmd/screen/amounts.h"

static void add_spent(struct buf *out, uint64_t ns)
{
	if (ns < UINT64_C(1000000000))
		buf_printf(out, " (%llu ms)", (unsigned long long)(ns / 1000000));
	else
		buf_printf(out, " (%.2f s)", (double)ns / 1e9);
}

static void add_interrupted(struct buf *out, const struct validate_input *part)
{
	if (part->tally.interrupted)
		buf_add_str(out, STR("; interrupted: the end of the run is missing"));
}

static bool has_findings(const struct findings *list)
{
	return list->errors + list->warnings + list->infos > 0;
}

/* "1 error, 2 warnings in 9 events" */
static void add_faults(struct buf *out, const struct validate_input *part)
{
	report_add_counts(out, part->findings);
	if (part->dialect) {
		buf_add_str(out, STR(" in "));
		amounts_add_things(out, part->tally.records, part->dialect->unit);
	}
	if (part->findings->errors == 0)
		buf_add_str(out, STR("; warnings count as errors"));
}

void validate_text_add_alone(struct buf *out, const struct validate_input *part, bool is_valid, uint64_t spent_ns)
{
	if (!is_valid) {
		add_faults(out, part);
		add_interrupted(out, part);
		add_spent(out, spent_ns);
		buf_add_byte(out, '\n');
		return;
	}
	term_add_text(out, part->name);
	buf_printf(out, ": valid %s", part->dialect ? part->dialect->name : "");
	if (part->tally.variant)
		buf_printf(out, " (%s)", part->tally.variant);
	if (part->dialect) {
		buf_add_str(out, STR(", "));
		amounts_add_things(out, part->tally.records, part->dialect->unit);
	}
	if (has_findings(part->findings)) {
		buf_add_str(out, STR(", "));
		report_add_counts(out, part->findings);
	}
	add_interrupted(out, part);
	buf_add_byte(out, '\n');
}

void validate_text_add_one(struct buf *out, const struct validate_input *part)
{
	term_add_text(out, part->name);
	buf_add_str(out, STR(": "));
	add_faults(out, part);
	add_interrupted(out, part);
	buf_add_byte(out, '\n');
}

static void validate_text_add_share(struct buf *out, uint64_t count, const char *what, const char **comma)
{
	if (count == 0)
		return;
	buf_printf(out, "%s%llu %s", *comma, (unsigned long long)count, what);
	*comma = ", ";
}

void validate_text_add_all(struct buf *out, const struct validate_counts *c, uint64_t spent_ns)
{
	struct findings total = { .errors = c->errors, .warnings = c->warnings, .infos = c->infos };
	const char *comma = ": ";

	amounts_add_things(out, c->files, "file");
	validate_text_add_share(out, c->valid, "valid", &comma);
	if (c->interrupted)
		buf_printf(out, " (%llu interrupted)", (unsigned long long)c->interrupted);
	validate_text_add_share(out, c->invalid, "invalid", &comma);
	validate_text_add_share(out, c->unread, "unreadable", &comma);
	if (has_findings(&total)) {
		buf_add_str(out, STR("; "));
		report_add_counts(out, &total);
	}
	add_spent(out, spent_ns);
	buf_add_byte(out, '\n');
	validate_text_add_skipped(out, c);
}

void validate_text_add_skipped(struct buf *out, const struct validate_counts *c)
{
	uint64_t others = c->skipped - c->logs;

	for (size_t i = 0; dialects[i]; i++)
		if (c->logs_of[i])
			buf_printf(out, "%llu %s log%s: validate has no rules for %s; 'trackway convert' reads %s\n",
				   (unsigned long long)c->logs_of[i], dialects[i]->name, c->logs_of[i] == 1 ? "" : "s",
				   c->logs_of[i] == 1 ? "it" : "them", c->logs_of[i] == 1 ? "it" : "them");
	if (others == 0)
		return;
	amounts_add_things(out, others, "file");
	buf_printf(out, " of %s skipped\n", others == 1 ? "another kind" : "other kinds");
}
