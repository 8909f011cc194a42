/* `trackway telemetry verify-payload`: holds any JSON document against the blocklist. */
#include <stdio.h>

#include "cmd/frame/commands.h"
#include "cmd/frame/field.h"
#include "cmd/frame/stream.h"
#include "cmd/inputs.h"
#include "cmd/report/report.h"
#include "cmd/screen/amounts.h"
#include "dialect/record/blocklist.h"
#include "json/json.h"

struct verify_payload_opts {
	struct opt_maybe json;
};

static const struct opt verify_payload_options[] = {
	{ OPT_OPTIONAL, 0, "json", offsetof(struct verify_payload_opts, json), "FIELDS",
	  "as JSON; only the named fields" },
	OPT_LAST,
};

static const char *const verify_payload_fields[] = { "path", "verdict", "blocked", "findings", NULL };

/* Reads one document and checks it. */
static bool verify_payload_check(struct arena *a, struct str path, struct blocked_list *list, struct err *err)
{
	struct source *from = source_open(a, &path, 1, (struct source_options){ .shape = SOURCE_DOCUMENT }, err);
	struct json_parser *parser;
	struct json_issue issue;
	struct chunk in;
	struct buf bytes;
	struct val v;
	bool good;

	if (!from)
		return false;
	buf_init(&bytes);
	parser = json_parser_open((struct json_options){ .allow_duplicates = true, .allow_lone = true, .allow_bom = true });
	good = source_next(from, &bytes, &in, err) == NEXT_MORE;
	if (good && !str_eq(in.input->name, path))
		good = usage_set(err, "give one file", "'%.*s' is a directory", STR_ARG(path));
	if (good && !json_parse(parser, in.bytes, &v, &issue))
		good = err_set(err, ERR_DATA, "%.*s:%llu:%llu: no JSON document: %s", STR_ARG(path),
			       (unsigned long long)issue.line, (unsigned long long)issue.column, issue.message);
	if (good)
		blocklist_check(list, v);
	json_parser_close(parser);
	buf_free(&bytes);
	source_close(from);
	return good;
}

/* "/a/prompt: the name is blocked (prompt)", "/a/x: the value is an e-mail address (14 bytes)" */
static void verify_payload_add_line(struct buf *out, const struct blocked *b)
{
	term_add_text(out, b->pointer.n ? b->pointer : STR("(the document)"));
	if (!b->about)
		buf_printf(out, ": the name is blocked (%s)\n", b->rule);
	else
		buf_printf(out, ": the %s is %s (%zu bytes)\n", b->is_name ? "name" : "value", b->about, b->bytes);
}

static void verify_payload_add_text(struct buf *out, struct str path, const struct blocked_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		verify_payload_add_line(out, &list->items[i]);
	term_add_text(out, path);
	if (list->total == 0) {
		buf_add_str(out, STR(": nothing blocked\n"));
		return;
	}
	buf_add_str(out, STR(": "));
	amounts_add_things(out, list->total, "finding");
	buf_add_str(out, STR(", it must not be sent"));
	if (list->total > list->count)
		buf_printf(out, "; the first %zu are shown", list->count);
	buf_add_byte(out, '\n');
}

static void verify_payload_add_json(struct buf *out, struct str path, const struct blocked_list *list,
				    struct opt_maybe selected)
{
	struct json_writer w;

	field_begin_document(&w, out, JSON_COMPACT, "telemetry");
	field_put_text(&w, selected, "path", path);
	field_put_word(&w, selected, "verdict", list->total ? "blocked" : "clean");
	field_put_u64(&w, selected, "blocked", list->total);
	if (report_begin_field(&w, selected, "findings")) {
		json_write_begin_array(&w);
		for (size_t i = 0; i < list->count; i++) {
			json_write_begin_object(&w);
			json_put_text(&w, "pointer", list->items[i].pointer);
			json_put_word(&w, "what", list->items[i].is_name ? "key" : "value");
			json_put_word(&w, "rule", list->items[i].rule);
			json_put_u64(&w, "bytes", list->items[i].bytes);
			json_write_end_object(&w);
		}
		json_write_end_array(&w);
	}
	field_end_document(&w);
}

static int verify_payload_run(struct arena *a, const void *options, struct args args, struct err *err)
{
	const struct verify_payload_opts *o = options;
	struct blocked_list list = { .arena = a };
	struct buf out;

	if (!verify_payload_check(a, args_path(args), &list, err))
		return EXIT_FAIL;
	buf_init(&out);
	if (o->json.given)
		verify_payload_add_json(&out, args_path(args), &list, o->json);
	else
		verify_payload_add_text(&out, args_path(args), &list);
	stream_write(stdout, buf_str(&out));
	buf_free(&out);
	return list.total ? EXIT_NO : EXIT_YES;
}

static const struct example examples[] = {
	{ "trackway telemetry verify-payload value.json", "is there anything in it that must not be sent?" },
	{ "trackway telemetry verify-payload value.json --json", "the same for a script" },
	{ NULL, NULL },
};

const struct command telemetry_verify_command = {
	.name = "telemetry verify-payload",
	.summary = "check that a payload holds nothing that must not be sent",
	.usage = "FILE|- [--json]",
	.description =
		"Reads one JSON document, of any program, and looks at every name and every value in it. These names "
		"are blocked, whatever their case and whether they are written with '-', '_' or neither: prompt, "
		"prompts, messages, output_text, completion, tool_args, tool_arguments, tool_result, tool_results, "
		"content, file_path, file_paths, cwd, env, environment, api_key and every name that ends in it, "
		"authorization, ip, ip_address, username, user, host, hostname, url, endpoint, request_id, trace_id, "
		"node_id, kv_block_id, kv_block_ids, block_hash, raw_block_hash, error_message.\n\n"
		"These values are blocked, also as names and inside arrays: e-mail addresses, absolute paths with two "
		"components or more, IP addresses, 33 or more hex digits in a row, more than 40 characters of base64 "
		"in a row, everything with ://, and texts of more than 200 characters.\n\n"
		"Each is named by its JSON pointer. Its text is never shown; a name on the way that is blocked for its "
		"looks is shown as ***. The exit status is 1 when something is blocked, 3 when the document cannot be "
		"read.",
	.examples = examples,
	.options = verify_payload_options,
	.fields = verify_payload_fields,
	.options_size = sizeof(struct verify_payload_opts),
	.args = ARGS_FILES,
	.args_min = 1,
	.args_max = 1,
	.run = verify_payload_run,
};
