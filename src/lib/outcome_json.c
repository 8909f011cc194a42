#include "json/write.h"
#include "lib/outcome.h"

static void add_number(struct json_writer *w, const char *name, uint64_t n)
{
	json_write_key(w, str_from(name));
	json_write_u64(w, n);
}

/* NULL is null. */
static void add_string(struct json_writer *w, const char *name, const char *text)
{
	json_write_key(w, str_from(name));
	if (text)
		json_write_string(w, str_from(text));
	else
		json_write_null(w);
}

static void add_text(struct json_writer *w, const char *name, const char *p, size_t n)
{
	json_write_key(w, str_from(name));
	json_write_string(w, str_of(p, n));
}

/* 0 is null: there is no such place. */
static void add_place(struct json_writer *w, const char *name, uint64_t n, bool is_known)
{
	json_write_key(w, str_from(name));
	if (is_known)
		json_write_u64(w, n);
	else
		json_write_null(w);
}

static void add_finding(struct json_writer *w, const struct tw_finding *f)
{
	static const char *const severities[] = { "info", "warning", "error" };

	json_write_begin_object(w);
	add_string(w, "code", f->code);
	add_string(w, "severity", severities[f->severity]);
	add_place(w, "line", f->line, f->line != 0);
	add_place(w, "column", f->column, f->column != 0);
	add_place(w, "byte_offset", f->byte_offset, f->line != 0 && (f->column || f->byte_offset));
	add_text(w, "pointer", f->pointer, f->pointer_size);
	add_text(w, "message", f->message, f->message_size);
	json_write_end_object(w);
}

static void add_findings(struct json_writer *w, const struct tw_report *r)
{
	json_write_key(w, STR("findings"));
	json_write_begin_array(w);
	for (size_t i = 0; i < r->finding_count; i++)
		add_finding(w, &r->findings[i]);
	json_write_end_array(w);
}

static void add_codes(struct json_writer *w, const struct tw_report *r)
{
	json_write_key(w, STR("codes"));
	json_write_begin_object(w);
	for (size_t i = 0; i < r->counts_count; i++)
		add_number(w, r->counts[i].code, r->counts[i].count);
	json_write_end_object(w);
}

/* Names and order as in cmd/validate_output.c; tests/integration/lib holds the two together. */
static void add_report(struct json_writer *w, const struct tw_report *r)
{
	static const char *const modes[] = { "default", "strict", "permissive" };

	json_write_begin_object(w);
	add_text(w, "path", r->name.p, r->name.n);
	add_string(w, "format", tw_report_format(r));
	add_string(w, "verdict", tw_report_verdict_name(r));
	add_number(w, "errors", r->errors);
	add_number(w, "warnings", r->warnings);
	add_number(w, "events", r->tally.records);
	add_findings(w, r);
	add_string(w, "mode", modes[r->mode]);
	add_number(w, "infos", r->infos);
	json_write_key(w, STR("interrupted"));
	json_write_bool(w, r->tally.interrupted);
	if (r->tally.variant)
		add_string(w, "variant", r->tally.variant);
	add_number(w, "bytes", r->bytes);
	if (r->looks_like)
		add_string(w, "looks_like", r->looks_like);
	if (r->error)
		add_string(w, "error", r->error);
	add_number(w, "findings_not_listed", r->errors + r->warnings + r->infos - r->finding_count);
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
