/* A report of the library as JSON, the same as `trackway validate --json` writes for a file. */
#include "json/put.h"
#include "lib/outcome.h"

static void add_text(struct json_writer *w, const char *name, const char *p, size_t n)
{
	json_put_text(w, name, str_of(p, n));
}

/*
 * Line 0 and column 0 become null, as "no place". An offset of 0 counts only where the column says that there is one.
 */
static void add_finding(struct json_writer *w, const struct tw_finding *f)
{
	static const char *const severities[] = { "info", "warning", "error" };

	json_write_begin_object(w);
	json_put_word(w, "code", f->code);
	json_put_word(w, "severity", severities[f->severity]);
	json_put_u64_or_null(w, "line", f->line, f->line != 0);
	json_put_u64_or_null(w, "column", f->column, f->column != 0);
	json_put_u64_or_null(w, "byte_offset", f->byte_offset, f->line != 0 && (f->column || f->byte_offset));
	add_text(w, "pointer", f->pointer, f->pointer_size);
	add_text(w, "message", f->message, f->message_size);
	json_write_end_object(w);
}

static void add_findings(struct json_writer *w, const struct tw_report *r)
{
	json_put_array(w, "findings");
	for (size_t i = 0; i < r->finding_count; i++)
		add_finding(w, &r->findings[i]);
	json_write_end_array(w);
}

static void add_codes(struct json_writer *w, const struct tw_report *r)
{
	json_put_object(w, "codes");
	for (size_t i = 0; i < r->counts_count; i++)
		json_put_u64(w, r->counts[i].code, r->counts[i].count);
	json_write_end_object(w);
}

/* Names and order as in cmd/report/validate_output.c; tests/integration/lib holds the two together. */
static void add_report(struct json_writer *w, const struct tw_report *r)
{
	static const char *const modes[] = { "default", "strict", "permissive" };

	json_write_begin_object(w);
	add_text(w, "path", r->name.p, r->name.n);
	json_put_word(w, "format", tw_report_format(r));
	json_put_word(w, "verdict", tw_report_verdict_name(r));
	json_put_u64(w, "errors", r->errors);
	json_put_u64(w, "warnings", r->warnings);
	json_put_u64(w, "events", r->tally.records);
	add_findings(w, r);
	json_put_word(w, "mode", modes[r->mode]);
	json_put_u64(w, "infos", r->infos);
	json_put_bool(w, "interrupted", r->tally.interrupted);
	if (r->tally.variant)
		json_put_word(w, "variant", r->tally.variant);
	json_put_u64(w, "bytes", r->bytes);
	if (r->looks_like)
		json_put_word(w, "looks_like", r->looks_like);
	if (r->error)
		json_put_word(w, "error", r->error);
	json_put_u64(w, "findings_not_listed", r->errors + r->warnings + r->infos - r->finding_count);
	add_codes(w, r);
	json_write_end_object(w);
}

char *tw_report_json(const struct tw_report *r)
{
	struct json_writer w;
	struct buf text;

	buf_init(&text);
	json_write_init(&w, &text, JSON_COMPACT);
	add_report(&w, r);
	buf_add_byte(&text, '\0');
	return text.p; /* the caller's, for tw_text_free */
}
