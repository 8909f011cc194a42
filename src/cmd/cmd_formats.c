/* `trackway formats`: the table of dialects, or the JSON Schema of one. */
#include "cmd/frame/command.h"
#include "cmd/frame/commands.h"
#include "cmd/frame/field.h"
#include "cmd/frame/opt.h"
#include "cmd/frame/stream.h"
#include "cmd/report/rules.h"
#include "dialect/dialect.h"
#include "dialect/record/schema.h"
#include "json/put.h"

struct formats_opts {
	struct opt_maybe json;
	struct str schema;
	bool strict;
};

static const struct opt formats_options[] = {
	{ OPT_OPTIONAL, 0, "json", offsetof(struct formats_opts, json), "FIELDS", "as JSON; only the named fields" },
	{ OPT_STR, 0, "schema", offsetof(struct formats_opts, schema), "NAME",
	  "print the JSON Schema of a record of this format" },
	{ OPT_FLAG, 0, "strict", offsetof(struct formats_opts, strict), NULL,
	  "with --schema: what 'validate --strict' accepts" },
	OPT_LAST,
};

static bool can_validate(const struct dialect *d)
{
	return d->ops != NULL;
}

static bool can_read(const struct dialect *d)
{
	return d->read != NULL;
}

static bool can_write(const struct dialect *d)
{
	return d->write != NULL;
}

/* All JSON has one. */
static bool can_always(const struct dialect *d)
{
	(void)d;
	return true;
}

static const char *const fields[] = { "name", "title", "file", "record", "form", "can", "cannot", NULL };

/* What can be done with a format, in the order of a file's life. */
static const struct {
	const char *verb;
	bool (*can)(const struct dialect *d);
} deeds[] = {
	{ "validate", can_validate }, { "schema", schema_has },     { "read", can_read },
	{ "write", can_write },  { "hash", can_always },
};

static const char *form_name(const struct dialect *d)
{
	return d->forms == DIALECT_LINES ? "lines" : d->forms == DIALECT_DOCUMENT ? "document" : "either";
}

static void formats_add_text(struct buf *out)
{
	for (size_t i = 0; dialects[i]; i++) {
		const char *comma = "";

		buf_printf(out, "%-18s%-20s", dialects[i]->name, dialects[i]->file);
		for (size_t k = 0; k < COUNT(deeds); k++) {
			if (!deeds[k].can(dialects[i]))
				continue;
			buf_printf(out, "%s%s", comma, deeds[k].verb);
			comma = ", ";
		}
		buf_printf(out, "\n%18s%s\n", "", dialects[i]->title);
	}
}

/* "cannot" stands only in formats that can be written; empty when they hold everything. */
static void formats_add_format(struct json_writer *w, const struct dialect *d, struct opt_maybe selected)
{
	json_write_begin_object(w);
	field_put_word(w, selected, "name", d->name);
	field_put_word(w, selected, "title", d->title);
	field_put_word(w, selected, "file", d->file);
	field_put_word(w, selected, "record", d->unit);
	field_put_word(w, selected, "form", form_name(d));
	if (opt_has_field(selected, STR("can"))) {
		json_put_array(w, "can");
		for (size_t k = 0; k < COUNT(deeds); k++)
			if (deeds[k].can(d))
				json_write_string(w, str_from(deeds[k].verb));
		json_write_end_array(w);
	}
	if (d->write)
		field_put_word(w, selected, "cannot", d->write->cannot ? d->write->cannot : "");
	json_write_end_object(w);
}

static void formats_add_json(struct buf *out, struct opt_maybe selected)
{
	struct json_writer w;

	field_begin_document(&w, out, JSON_COMPACT, "formats");
	json_put_array(&w, "formats");
	for (size_t i = 0; dialects[i]; i++)
		formats_add_format(&w, dialects[i], selected);
	json_write_end_array(&w);
	field_end_document(&w);
}

/* *d becomes the format of --schema; NULL stays without one. */
static bool formats_check_options(const struct formats_opts *o, const struct dialect **d, struct err *err)
{
	if (o->strict && !o->schema.p)
		return usage_set(err, "add --schema NAME", "--strict needs --schema");
	if (o->json.given && o->schema.p)
		return usage_set(err, "a schema is always JSON", "--json and --schema exclude each other");
	if (o->schema.p && !rules_get_format(o->schema, d, err))
		return false;
	if (*d && !schema_has(*d))
		return usage_set(err, "any JSON is valid there", "the format %s has no schema", (*d)->name);
	return true;
}

/* The command: a schema, the list as JSON, or the list as text. */
static int formats_run(struct arena *a, const void *options, struct args args, struct err *err)
{
	const struct formats_opts *o = options;
	const struct dialect *d = NULL;
	struct buf out;

	(void)a;
	(void)args;
	if (!formats_check_options(o, &d, err))
		return EXIT_FAIL;
	buf_init(&out);
	if (d)
		schema_add(&out, d, o->strict ? MODE_STRICT : MODE_DEFAULT);
	else if (o->json.given)
		formats_add_json(&out, o->json);
	else
		formats_add_text(&out);
	stream_write(stdout, buf_str(&out));
	buf_free(&out);
	return EXIT_YES;
}

static const struct example formats_examples[] = {
	{ "trackway formats", "every format, and what can be done with it" },
	{ "trackway formats --json=name,file", "two facts of each for a script" },
	{ "trackway formats --schema results > results.schema.json", "check results in another language" },
	{ NULL, NULL },
};

const struct command formats_command = {
	.name = "formats",
	.summary = "list the formats, or print the JSON Schema of one",
	.usage = "[--json[=FIELDS]] | --schema NAME [--strict]",
	.description =
		"Lists each format with its name, as --as, --from and --to take it, its usual file, and what can "
		"be done with it: read and write are what 'trackway convert' does. In JSON, form is lines (one "
		"record on each), document (one in all) or either, and cannot says what a written format has no "
		"place for.\n\n"
		"With --schema, prints a JSON Schema (draft 2020-12) of one record, made from the tables of "
		"'trackway validate'. It accepts the records in which validate finds no error of the record's "
		"own. No schema can describe rules between records, such as an id that occurs twice: its $comment "
		"lists the codes of those rules.",
	.examples = formats_examples,
	.options = formats_options,
	.fields = fields,
	.options_size = sizeof(struct formats_opts),
	.run = formats_run,
};
