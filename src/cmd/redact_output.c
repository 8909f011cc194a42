#include "cmd/redact_output.h"

#include "cmd/frame/field.h"
#include "cmd/screen/amounts.h"
#include "cmd/screen/term.h"

const char *const redact_report_fields[] = { "mode", "output", "key", "tokens", "values", "bytes", "classes", "secrets",
					     "cleaned", NULL };

static struct redact_sum redact_total(const struct redact_report *r)
{
	struct redact_sum all = { .name = "all" };

	for (size_t i = 0; i < REDACT_CLASSES; i++) {
		all.values += r->classes[i].values;
		all.bytes += r->classes[i].bytes;
	}
	for (size_t i = 0; i < r->secret_count; i++) {
		all.values += r->secrets[i].values;
		all.bytes += r->secrets[i].bytes;
	}
	return all;
}

/* ---- text ---- */

static void redact_add_row(struct buf *out, const char *before, const struct redact_sum *s)
{
	if (s->values == 0)
		return;
	buf_printf(out, "  %s%s  %llu value%s, ", before, s->name, (unsigned long long)s->values,
		   s->values == 1 ? "" : "s");
	amounts_add_bytes(out, s->bytes);
	buf_add_byte(out, '\n');
}

void redact_report_add_text(struct buf *out, const struct redact_report *r)
{
	struct redact_sum all = redact_total(r);

	buf_printf(out, "%s: %llu value%s, ", r->cleaned ? "left out" : "replaced", (unsigned long long)all.values,
		   all.values == 1 ? "" : "s");
	amounts_add_bytes(out, all.bytes);
	if (r->key_id.p && r->tokens_known)
		buf_printf(out, "; %llu different token%s", (unsigned long long)r->tokens, r->tokens == 1 ? "" : "s");
	if (r->key_id.p)
		buf_printf(out, "; key %.*s", STR_ARG(r->key_id));
	buf_add_byte(out, '\n');
	for (size_t i = 0; i < REDACT_CLASSES; i++)
		redact_add_row(out, "", &r->classes[i]);
	for (size_t i = 0; i < r->secret_count; i++)
		redact_add_row(out, "secret ", &r->secrets[i]);
	for (size_t i = 0; r->cleaned && i < SCRUB_NAMES; i++)
		if (r->cleaned[i].values)
			buf_printf(out, "  %s cleaned: %llu\n", r->cleaned[i].name,
				   (unsigned long long)r->cleaned[i].values);
}

/* ---- JSON ---- */

static void redact_put_sums(struct json_writer *w, const char *name, const struct redact_sum *list, size_t count)
{
	json_put_object(w, name);
	for (size_t i = 0; i < count; i++) {
		json_put_object(w, list[i].name);
		json_put_u64(w, "values", list[i].values);
		json_put_u64(w, "bytes", list[i].bytes);
		json_write_end_object(w);
	}
	json_write_end_object(w);
}

static void redact_put_cleaned(struct json_writer *w, const struct redact_report *r)
{
	if (!r->cleaned) {
		json_put_null(w, "cleaned");
		return;
	}
	json_put_object(w, "cleaned");
	for (size_t i = 0; i < SCRUB_NAMES; i++)
		json_put_u64(w, r->cleaned[i].name, r->cleaned[i].values);
	json_write_end_object(w);
}

void redact_report_add_json(struct buf *out, struct opt_maybe fields, const struct redact_report *r)
{
	struct redact_sum all = redact_total(r);
	struct json_writer w;

	json_write_init(&w, out, JSON_PRETTY);
	json_write_begin_object(&w);
	field_put_text(&w, fields, "mode", str_from(r->mode));
	field_put_text(&w, fields, "output", r->output);
	field_put_text_or_null(&w, fields, "key", r->key_id);
	if (opt_has_field(fields, STR("tokens")) && r->key_id.p && r->tokens_known)
		json_put_u64(&w, "tokens", r->tokens);
	else if (opt_has_field(fields, STR("tokens")))
		json_put_null(&w, "tokens");
	field_put_u64(&w, fields, "values", all.values);
	field_put_u64(&w, fields, "bytes", all.bytes);
	if (opt_has_field(fields, STR("classes")))
		redact_put_sums(&w, "classes", r->classes, REDACT_CLASSES);
	if (opt_has_field(fields, STR("secrets")))
		redact_put_sums(&w, "secrets", r->secrets, r->secret_count);
	if (opt_has_field(fields, STR("cleaned")))
		redact_put_cleaned(&w, r);
	json_write_end_object(&w);
	buf_add_byte(out, '\n');
}
