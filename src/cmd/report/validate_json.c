/* Files are written to the document as they come; skipped ones wait in an array of their own until its end. */
#include "cmd/report/validate_json.h"

#include "cmd/frame/field.h"

const char *const validate_fields[] = {
	"path", "format", "verdict", "errors", "warnings", "events", "findings", "mode", "infos", "interrupted",
	"variant", "bytes", "looks_like", "error", "findings_not_listed", "codes", NULL,
};

void validate_json_begin(struct validate_output *o)
{
	field_begin_document(&o->writer, &o->text, JSON_COMPACT, "validate");
	json_put_array(&o->writer, "files");
	json_write_init(&o->skipped_writer, &o->skipped_files, JSON_COMPACT);
	json_write_begin_array(&o->skipped_writer);
}

static void validate_json_add_codes(struct validate_output *o, const struct findings *list)
{
	if (!report_begin_field(&o->writer, o->json, "codes"))
		return;
	json_write_begin_object(&o->writer);
	for (size_t i = 0; i < list->counts_count; i++)
		json_put_u64(&o->writer, list->counts[i].code, list->counts[i].count);
	json_write_end_object(&o->writer);
}

void validate_json_add(struct validate_output *o, const struct validate_input *part, const char *verdict)
{
	static const char *const modes[] = { "default", "strict", "permissive" };
	const struct findings *list = part->findings;
	struct json_writer *w = &o->writer;

	json_write_begin_object(w);
	field_put_text(w, o->json, "path", part->name);
	field_put_word(w, o->json, "format", part->dialect ? part->dialect->name : NULL);
	field_put_word(w, o->json, "verdict", verdict);
	field_put_u64(w, o->json, "errors", list->errors);
	field_put_u64(w, o->json, "warnings", list->warnings);
	field_put_u64(w, o->json, "events", part->tally.records);
	if (report_begin_field(w, o->json, "findings"))
		report_write_json_list(w, list);
	field_put_word(w, o->json, "mode", modes[o->mode]);
	field_put_u64(w, o->json, "infos", list->infos);
	field_put_bool(w, o->json, "interrupted", part->tally.interrupted);
	if (part->tally.variant)
		field_put_word(w, o->json, "variant", part->tally.variant);
	field_put_u64(w, o->json, "bytes", part->bytes);
	if (part->looks_like)
		field_put_word(w, o->json, "looks_like", part->looks_like);
	if (part->failure)
		field_put_word(w, o->json, "error", part->failure->text);
	field_put_u64(w, o->json, "findings_not_listed",
		      list->errors + list->warnings + list->infos - list->kept_count);
	validate_json_add_codes(o, list);
	json_write_end_object(w);
}

void validate_json_end(struct validate_output *o)
{
	const struct validate_counts *c = &o->counts;
	const struct {
		const char *name;
		uint64_t count;
	} members[] = {
		{ "errors", c->errors }, { "warnings", c->warnings }, { "infos", c->infos },
		{ "valid", c->valid },   { "invalid", c->invalid },   { "unreadable", c->unread },
		{ "skipped", c->skipped },
	};

	json_write_end_array(&o->writer);
	for (size_t i = 0; i < COUNT(members); i++)
		json_put_u64(&o->writer, members[i].name, members[i].count);
	json_write_end_array(&o->skipped_writer);
	json_put_raw(&o->writer, "skipped_files", buf_str(&o->skipped_files));
	json_put_u64(&o->writer, "unchecked", c->logs);
	json_put_array(&o->writer, "unchecked_formats");
	for (size_t i = 0; dialects[i]; i++) {
		if (c->logs_of[i] == 0)
			continue;
		json_write_begin_object(&o->writer);
		json_put_word(&o->writer, "format", dialects[i]->name);
		json_put_u64(&o->writer, "files", c->logs_of[i]);
		json_write_end_object(&o->writer);
	}
	json_write_end_array(&o->writer);
	field_end_document(&o->writer);
}

void validate_json_add_skipped(struct validate_output *o, const struct validate_input *part)
{
	struct json_writer *w = &o->skipped_writer;

	json_write_begin_object(w);
	json_put_text(w, "path", part->name);
	json_put_word(w, "looks_like", part->looks_like);
	json_put_word(w, "format", part->reads ? part->reads->name : NULL);
	json_write_end_object(w);
}

void validate_json_add_unchecked(struct validate_output *o, const struct validate_input *part)
{
	struct findings none = { .errors = 0 };
	struct validate_input told = *part;

	told.findings = &none; /* what it was found to be is in its format */
	told.dialect = part->reads;
	validate_json_add(o, &told, "unchecked");
}
