/* `trackway version`: the version and how the program was built. */
#include "base/build.h"
#include "cmd/frame/command.h"
#include "cmd/frame/commands.h"
#include "cmd/frame/field.h"
#include "cmd/frame/opt.h"
#include "cmd/frame/stream.h"
#include "json/json.h"
#include "json/put.h"

struct version_options {
	struct opt_maybe json;
};

static const struct opt version_table[] = {
	{ OPT_OPTIONAL, 0, "json", offsetof(struct version_options, json), "FIELDS", "as JSON; only the named fields" },
	OPT_LAST,
};

static const char *const fields[] = { "version", "commit", "compiler", "flags", "simd", NULL };

static void version_add_text(struct buf *out, const char *const *values)
{
	for (size_t i = 0; fields[i]; i++)
		buf_printf(out, "%-9s %s\n", fields[i], *values[i] ? values[i] : "unknown");
}

/* `values` has one for each of `fields`; an empty one is null. */
static void version_add_json(struct buf *out, const char *const *values, struct opt_maybe selected)
{
	struct json_writer w;

	field_begin_document(&w, out, JSON_COMPACT, "version");
	for (size_t i = 0; fields[i]; i++) {
		if (!opt_has_field(selected, str_from(fields[i])))
			continue;
		json_put_key(&w, fields[i]);
		if (*values[i])
			json_write_string(&w, str_from(values[i]));
		else
			json_write_null(&w);
	}
	field_end_document(&w);
}

/* The command. The order of `values` is that of `fields`. */
static int version_run(struct arena *a, const void *options, struct args args, struct err *err)
{
	const struct version_options *o = options;
	const char *const values[] = { BUILD_VERSION, build_commit(), build_compiler(), build_flags(), json_variant() };
	struct buf out;

	(void)a;
	(void)args;
	(void)err;
	buf_init(&out);
	if (o->json.given)
		version_add_json(&out, values, o->json);
	else
		version_add_text(&out, values);
	stream_write(stdout, buf_str(&out));
	buf_free(&out);
	return EXIT_YES;
}

static const struct example version_examples[] = {
	{ "trackway version", "the version and how it was built" },
	{ "trackway version --json=version,simd", "two facts for a script" },
	{ NULL, NULL },
};

const struct command version_command = {
	.name = "version",
	.summary = "print the version and how it was built",
	.usage = "[--json[=FIELDS]]",
	.description =
		"The fields are version, commit, compiler, flags and simd, the instruction set that the JSON parser "
		"chose on this machine. What the build did not record is unknown, null in JSON. 'trackway --version' "
		"prints the version alone on one line.",
	.examples = version_examples,
	.options = version_table,
	.fields = fields,
	.options_size = sizeof(struct version_options),
	.run = version_run,
};
