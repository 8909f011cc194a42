/* Lines leave for standard output file by file. JSON is kept until the end, so that the document is whole or absent. */
#include "cmd/hash_output.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "cmd/frame/field.h"
#include "cmd/frame/opt.h"
#include "cmd/frame/stream.h"
#include "cmd/inputs.h"
#include "cmd/report/report.h"
#include "cmd/sums.h"
#include "flow/file_digest.h"

const char *const hash_fields[] = {
	"path", "format", "numbers", "sha256", "raw_sha256", "run_id", "run_hash", "run_root", "behavior_hash",
	"canonical_file_sha256", "records", "complete", "runs", "findings", "error", "check", NULL,
};

void hash_output_init(struct hash_output *o)
{
	buf_init(&o->text);
	progress_init(&o->progress, o->frame, STDERR_FILENO, clock_mono_ns());
	if (!o->json.given)
		return;
	field_begin_document(&o->writer, &o->text, JSON_COMPACT, "hash");
	json_put_array(&o->writer, "files");
}

static void hash_output_print(struct hash_output *o)
{
	stream_write(stdout, buf_str(&o->text));
	buf_clear(&o->text);
}

/* ---- standard error ---- */

void hash_output_show_progress(struct hash_output *o, const struct source *from)
{
	inputs_show_progress(&o->progress, "hash", from);
}

/* Prints the findings of a file; with -q only if one of them is an error. */
static void report_findings(const struct hash_output *o, const struct digest_input *part)
{
	struct report report;
	struct buf text;

	if (part->findings->kept_count == 0 || (o->frame->quiet && part->findings->errors == 0))
		return;
	buf_init(&text);
	report_init(&report, &o->frame->err, o->all);
	report.find_rule = otutl_find_rule;
	report_add_list(&text, &report, part->name, part->findings);
	inputs_print(buf_str(&text));
	buf_free(&text);
}

void hash_output_say(struct hash_output *o, const char *format, ...)
{
	va_list args;

	if (o->frame->quiet)
		return;
	progress_erase(&o->progress);
	va_start(args, format);
	inputs_vsay(NULL, format, args);
	va_end(args);
}

/* ---- lines ---- */

/* On a terminal the name is made safe. Elsewhere its bytes stay as they are, so that sha256sum -c finds the file. */
static void hash_output_add_line(struct hash_output *o, enum sum_kind kind, struct digest digest, struct str name)
{
	struct sum sum = { .kind = kind, .digest = digest, .name = name };
	struct buf safe;

	buf_init(&safe);
	if (o->frame->out.is_terminal) {
		term_add_text(&safe, name);
		sum.name = buf_str(&safe);
	}
	sum_add(&o->text, &sum);
	buf_free(&safe);
}

/* A run that breaks rules has no hashes, and then no lines. */
static void add_run_lines(struct hash_output *o, const struct otutl_run *run, struct str name)
{
	if (!run->hashed)
		return;
	hash_output_add_line(o, o->lossy ? SUM_RUN_LOSSY : SUM_RUN, run->run_hash, name);
	hash_output_add_line(o, SUM_ROOT, run->run_root, name);
	if (run->has_behavior)
		hash_output_add_line(o, SUM_BEHAVIOR, run->behavior_hash, name);
	hash_output_add_line(o, SUM_FILE, run->canonical_file, name);
}

/*
 * Whether the digest of the file's own bytes is told too: it is what people compare with sha256sum. Not of JSON lines,
 * which may be long: their file would have to be read twice.
 */
static bool has_raw(const struct digest_input *part)
{
	return (part->has_sha256 && part->format == DIGEST_JSON) || part->format == DIGEST_ZIP;
}

/* Every checksum of a file. Runs get their number only when there are several. */
static void add_lines(struct hash_output *o, const struct digest_input *part)
{
	struct digest raw;

	if (part->has_sha256)
		hash_output_add_line(o, SUM_JCS, part->sha256, part->name);
	if (has_raw(part) && file_digest(part->name, &raw))
		hash_output_add_line(o, SUM_RAW, raw, part->name);
	for (size_t i = 0; i < part->run_count; i++) {
		struct buf name;

		buf_init(&name);
		buf_add_str(&name, part->name);
		if (part->run_count > 1)
			buf_printf(&name, "#%llu", (unsigned long long)i + 1);
		add_run_lines(o, &part->runs[i], buf_str(&name));
		buf_free(&name);
	}
}

/* ---- JSON ---- */

/* Members without a value are left out, not null. */
static void add_run_fields(struct hash_output *o, const struct otutl_run *run)
{
	if (run->run_id.n)
		field_put_text(&o->writer, o->json, "run_id", run->run_id);
	if (run->hashed) {
		field_put_digest(&o->writer, o->json, "run_hash", run->run_hash);
		field_put_digest(&o->writer, o->json, "run_root", run->run_root);
		if (run->has_behavior)
			field_put_digest(&o->writer, o->json, "behavior_hash", run->behavior_hash);
		field_put_digest(&o->writer, o->json, "canonical_file_sha256", run->canonical_file);
	}
	field_put_u64(&o->writer, o->json, "records", run->records);
	field_put_bool(&o->writer, o->json, "complete", run->complete);
}

/* A file of several runs has its hashes in `runs`, so whoever wants those wants that. */
static bool wants_runs(const struct hash_output *o)
{
	static const char *const names[] = {
		"runs", "run_id", "run_hash", "run_root", "behavior_hash", "canonical_file_sha256", "complete",
	};

	for (size_t i = 0; i < COUNT(names); i++)
		if (opt_has_field(o->json, str_from(names[i])))
			return true;
	return false;
}

/* A single run has its hashes among the members of the file; several are listed in `runs`, each with its first line. */
static void add_runs(struct hash_output *o, const struct digest_input *part)
{
	if (part->run_count == 1) {
		add_run_fields(o, &part->runs[0]);
		return;
	}
	field_put_u64(&o->writer, o->json, "records", part->records);
	if (part->run_count == 0 || !wants_runs(o))
		return;
	json_put_array(&o->writer, "runs");
	for (size_t i = 0; i < part->run_count; i++) {
		json_write_begin_object(&o->writer);
		json_put_u64(&o->writer, "first_line", part->runs[i].first_line);
		add_run_fields(o, &part->runs[i]);
		json_write_end_object(&o->writer);
	}
	json_write_end_array(&o->writer);
}

static void begin_file(struct hash_output *o, struct str name)
{
	json_write_begin_object(&o->writer);
	field_put_text(&o->writer, o->json, "path", name);
}

/* One object of `files`. `check` is "ok" or "failed", NULL without --check. */
static void add_file(struct hash_output *o, const struct digest_input *part, const char *check)
{
	struct digest raw;

	begin_file(o, part->name);
	field_put_word(&o->writer, o->json, "format", digest_format_name(part->format));
	if (part->format == DIGEST_OTUTL && o->lossy)
		field_put_word(&o->writer, o->json, "numbers", "es");
	if (part->has_sha256)
		field_put_digest(&o->writer, o->json, "sha256", part->sha256);
	if (has_raw(part) && opt_has_field(o->json, STR("raw_sha256")) && file_digest(part->name, &raw))
		json_put_digest(&o->writer, "raw_sha256", raw);
	if (part->format == DIGEST_OTUTL)
		add_runs(o, part);
	else
		field_put_u64(&o->writer, o->json, "records", part->records);
	if (report_begin_field(&o->writer, o->json, "findings"))
		report_write_json_list(&o->writer, part->findings);
	if (check)
		field_put_word(&o->writer, o->json, "check", check);
	json_write_end_object(&o->writer);
}

/* ---- a file ---- */

void hash_output_add_failure(struct hash_output *o, struct str name, const struct err *why)
{
	progress_erase(&o->progress);
	o->unread = true;
	inputs_print_failure(o->frame, why);
	if (!o->json.given)
		return;
	begin_file(o, name);
	field_put_word(&o->writer, o->json, "format", NULL);
	if (report_begin_field(&o->writer, o->json, "findings")) {
		json_write_begin_array(&o->writer);
		json_write_end_array(&o->writer);
	}
	field_put_word(&o->writer, o->json, "error", why->text);
	json_write_end_object(&o->writer);
}

void hash_output_add(struct hash_output *o, const struct digest_input *part)
{
	if (part->failure) {
		hash_output_add_failure(o, part->name, part->failure);
		return;
	}
	progress_erase(&o->progress);
	o->refused = o->refused || part->findings->errors > 0;
	if (o->json.given) {
		add_file(o, part, NULL);
	} else {
		add_lines(o, part);
		hash_output_print(o);
		report_findings(o, part);
	}
}

void hash_output_add_check(struct hash_output *o, const struct digest_input *part, bool matches)
{
	progress_erase(&o->progress);
	o->refused = o->refused || !matches;
	if (o->json.given) {
		add_file(o, part, matches ? "ok" : "failed");
		return;
	}
	term_add_text(&o->text, part->name);
	buf_add_str(&o->text, matches ? STR(": OK\n") : STR(": FAILED\n"));
	hash_output_print(o);
	if (part->findings->errors)
		report_findings(o, part);
}

int hash_output_end(struct hash_output *o)
{
	progress_erase(&o->progress);
	if (o->json.given) {
		json_write_end_array(&o->writer);
		field_end_document(&o->writer);
		hash_output_print(o);
	}
	buf_free(&o->text);
	return o->unread ? EXIT_CANNOT : o->refused ? EXIT_NO : EXIT_YES;
}
