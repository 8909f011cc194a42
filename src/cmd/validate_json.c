#include "cmd/validate_json.h"

#include "json/put.h"

const char *const validate_fields[] = {
	"path", "format", "verdict", "errors", "warnings", "events", "findings", "mode", "infos", "interrupted",
	"variant", "bytes", "looks_like", "error", "findings_not_listed", "codes", NULL,
};

void validate_json_begin(struct validate_output *o)
{
	json_write_init(&o->writer, &o->text, JSON_COMPACT);
	json_write_begin_object(&o->writer);
	json_put_text(&o->writer, "schema", STR("trackway.validate/1"));
	json_put_array(&o->writer, "files");
	json_write_init(&o->skipped_writer, &o->skipped_files, JSON_COMPACT);
	json_write_begin_array(&o->skipped_writer);
}

static bool field(struct validate_output *o, const char *name)
{
	return report_begin_field(&o->writer, o->json, name);
}

static void add_number(struct validate_output *o, const char *name, uint64_t n)
{
	if (field(o, name))
		json_write_u64(&o->writer, n);
}

/* NULL is null. */
static void add_string(struct validate_output *o, const char *name, const char *text)
{
	if (!field(o, name))
		return;
	if (text)
		json_write_string(&o->writer, str_from(text));
	else
		json_write_null(&o->writer);
}

static void add_codes(struct validate_output *o, const struct findings *list)
{
	if (!field(o, "codes"))
		return;
	json_write_begin_object(&o->writer);
	for (size_t i = 0; i < list->counts_count; i++)
		json_put_u64(&o->writer, list->counts[i].code, list->counts[i].count);
	json_write_end_object(&o->writer);
}

void validate_json_add(struct validate_output *o, const struct validate_part *part, const char *verdict)
{
	static const char *const modes[] = { "default", "strict", "permissive" };
	const struct findings *list = part->findings;

	json_write_begin_object(&o->writer);
	if (field(o, "path"))
		json_write_string(&o->writer, part->name);
	add_string(o, "format", part->dialect ? part->dialect->name : NULL);
	add_string(o, "verdict", verdict);
	add_number(o, "errors", list->errors);
	add_number(o, "warnings", list->warnings);
	add_number(o, "events", part->tally.records);
	if (field(o, "findings"))
		report_write_json_list(&o->writer, list);
	add_string(o, "mode", modes[o->mode]);
	add_number(o, "infos", list->infos);
	if (field(o, "interrupted"))
		json_write_bool(&o->writer, part->tally.interrupted);
	if (part->tally.variant)
		add_string(o, "variant", part->tally.variant);
	add_number(o, "bytes", part->bytes);
	if (part->looks_like)
		add_string(o, "looks_like", part->looks_like);
	if (part->failure)
		add_string(o, "error", part->failure->text);
	add_number(o, "findings_not_listed", list->errors + list->warnings + list->infos - list->kept_count);
	add_codes(o, list);
	json_write_end_object(&o->writer);
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
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
		json_put_u64(&o->writer, members[i].name, members[i].count);
	json_write_end_array(&o->skipped_writer);
	json_put_raw(&o->writer, "skipped_files", buf_str(&o->skipped_files));
	json_write_end_object(&o->writer);
	buf_add_byte(&o->text, '\n');
}

void validate_json_add_skipped(struct validate_output *o, const struct validate_part *part)
{
	struct json_writer *w = &o->skipped_writer;

	json_write_begin_object(w);
	json_put_text(w, "path", part->name);
	json_write_key(w, STR("looks_like"));
	if (part->looks_like)
		json_write_string(w, str_from(part->looks_like));
	else
		json_write_null(w);
	json_write_end_object(w);
}
