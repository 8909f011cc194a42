/*
 * Gemini CLI: the sessions it keeps, as one document or (from 0.40 on) as lines that are added to, and what it prints
 * with `-o stream-json` and `-o json`.
 */
#include "dialect/gemini_cli/gemini_cli.h"

#include "dialect/formats.h"

static int gemini_cli_fits(struct val v)
{
	int session = gemini_cli_session_fits(v), printed = gemini_cli_print_fits(v);

	return session > printed ? session : printed;
}

static void gemini_cli_read_value(struct reading *r, struct val v)
{
	if (gemini_cli_print_fits(v) > gemini_cli_session_fits(v))
		gemini_cli_print_read(r, v);
	else
		gemini_cli_session_read(r, v);
}

static const struct read_ops read_gemini_cli = {
	.vendor = "gemini-cli",
	.key = "gemini-cli/1",
	.assemble = ASSEMBLE_STEP_COSTS, /* of sessions; what is printed has totals, and its steps have no figures */
	.elements = true,
	.line_elements = true,
	.value = gemini_cli_read_value,
	.fold_open = gemini_cli_fold_open,
	.fold_close = gemini_cli_fold_close,
	.fold = gemini_cli_fold,
	.fold_end = gemini_cli_fold_end,
};

const struct dialect gemini_cli_dialect = {
	.name = "gemini-cli",
	.title = "Gemini CLI: sessions, stream-json and json output",
	.file = "session.json",
	.unit = "message",
	.forms = DIALECT_LINES | DIALECT_DOCUMENT,
	.rules = dialect_no_rules,
	.fits = gemini_cli_fits,
	.read = &read_gemini_cli,
};
