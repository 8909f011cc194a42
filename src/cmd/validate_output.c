#include "cmd/validate_output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "cmd/inputs.h"
#include "cmd/rules.h"
#include "cmd/stream.h"
#include "cmd/validate_text.h"

const char *const validate_fields[] = {
	"path", "format", "verdict", "errors", "warnings", "events", "findings", "mode", "infos", "interrupted",
	"variant", "bytes", "looks_like", "error", "findings_not_listed", "codes", NULL,
};

size_t validate_output_limit(enum validate_form form)
{
	static const size_t limits[] = {
		[VALIDATE_TEXT] = REPORT_LIMIT,   [VALIDATE_JSON] = 1000,
		[VALIDATE_SARIF] = REPORT_SARIF_LIMIT, [VALIDATE_GITHUB] = REPORT_GITHUB_LIMIT,
		[VALIDATE_JUNIT] = REPORT_LIMIT,
	};

	return limits[form];
}

/* ---- beginning ---- */

static void init_form(struct validate_output *o)
{
	switch (o->form) {
	case VALIDATE_TEXT:
		break;
	case VALIDATE_JSON:
		json_write_init(&o->writer, &o->text, JSON_COMPACT);
		json_write_begin_object(&o->writer);
		json_write_key(&o->writer, STR("schema"));
		json_write_string(&o->writer, STR("trackway.validate/1"));
		json_write_key(&o->writer, STR("files"));
		json_write_begin_array(&o->writer);
		break;
	case VALIDATE_SARIF:
		report_sarif_init(&o->sarif, o->arena);
		break;
	case VALIDATE_GITHUB:
		report_github_init(&o->github);
		break;
	case VALIDATE_JUNIT:
		report_junit_init(&o->junit);
		break;
	}
}

void validate_output_init(struct validate_output *o)
{
	static const struct term file = { .width = REPORT_WIDTH };
	bool is_text = o->form == VALIDATE_TEXT;

	buf_init(&o->text);
	buf_init(&o->alone);
	buf_init(&o->held);
	spool_init(&o->spool);
	map_init(&o->names, o->arena);
	for (size_t i = 0; i < o->named_count; i++) {
		bool added;

		map_add(&o->names, o->named[i], &added);
	}
	o->began_ns = clock_mono_ns();
	progress_init(&o->progress, o->frame, STDERR_FILENO, o->began_ns);
	report_init(&o->report, is_text && !o->path.p ? &o->frame->out : &file, o->all);
	o->report.find_rule = rules_find;
	o->report.errors_only = is_text && o->frame->quiet;
	init_form(o);
}

/* Hands on what there is; a document to be written to a file waits until it is whole. */
static void put(struct validate_output *o)
{
	if (!o->path.p)
		stream_write(stdout, buf_str(&o->text));
	else if (o->failure.kind == ERR_NONE)
		(void)spool_add(&o->spool, buf_str(&o->text), &o->failure); /* told at the end */
	buf_clear(&o->text);
}

void validate_output_show_progress(void *output, const struct source *from)
{
	struct validate_output *o = output;

	inputs_show_progress(&o->progress, "validate", from);
}

/* ---- JSON ---- */

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
	for (size_t i = 0; i < list->counts_count; i++) {
		json_write_key(&o->writer, str_from(list->counts[i].code));
		json_write_u64(&o->writer, list->counts[i].count);
	}
	json_write_end_object(&o->writer);
}

static void add_object(struct validate_output *o, const struct validate_part *part, const char *verdict)
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

static void end_json(struct validate_output *o)
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
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		json_write_key(&o->writer, str_from(members[i].name));
		json_write_u64(&o->writer, members[i].count);
	}
	json_write_end_object(&o->writer);
	buf_add_byte(&o->text, '\n');
}

/* ---- a file ---- */

static bool is_named(const struct validate_output *o, struct str name)
{
	return map_find(&o->names, name) != NULL;
}

/* An empty file has no content to go by: then the name a format usually has decides. */
static bool has_usual_name(struct str name)
{
	for (size_t i = 0; dialects[i]; i++)
		if (dialects[i]->file && str_eq(str_basename(name), str_from(dialects[i]->file)))
			return true;
	return false;
}

static bool is_of_another_kind(const struct validate_output *o, const struct validate_part *part)
{
	if (part->dialect || part->failure || is_named(o, part->name))
		return false;
	return part->bytes > 0 || !has_usual_name(part->name);
}

static void skip(struct validate_output *o, const struct validate_part *part)
{
	struct buf text;

	o->counts.skipped++;
	if (!o->frame->verbose)
		return;
	progress_erase(&o->progress);
	buf_init(&text);
	buf_add_str(&text, STR("skipped "));
	term_add_text(&text, part->name);
	if (part->looks_like)
		buf_printf(&text, ": it looks like %s", part->looks_like);
	buf_add_byte(&text, '\n');
	inputs_print(buf_str(&text));
	buf_free(&text);
}

static void count(struct validate_output *o, const struct validate_part *part, bool is_valid)
{
	struct validate_counts *c = &o->counts;

	c->files++;
	c->errors += part->findings->errors;
	c->warnings += part->findings->warnings;
	c->infos += part->findings->infos;
	c->interrupted += is_valid && part->tally.interrupted;
	if (part->failure)
		c->unread++;
	else if (is_valid)
		c->valid++;
	else
		c->invalid++;
}

/* What there is to say about one file depends on whether it stays the only one. */
static void add_text(struct validate_output *o, const struct validate_part *part, bool is_valid)
{
	buf_add_str(&o->text, buf_str(&o->held));
	buf_clear(&o->held);
	report_add_list(&o->text, &o->report, part->name, part->findings);
	if (o->frame->quiet || part->failure)
		return;
	if (o->counts.files == 1) {
		validate_text_add_alone(&o->alone, part, is_valid, clock_mono_ns() - o->began_ns);
		if (!is_valid)
			validate_text_add_one(&o->held, part);
	} else if (!is_valid) {
		validate_text_add_one(&o->text, part);
	}
}

static void add_in_form(struct validate_output *o, const struct validate_part *part, bool is_valid)
{
	switch (o->form) {
	case VALIDATE_TEXT:
		add_text(o, part, is_valid);
		break;
	case VALIDATE_JSON:
		add_object(o, part, part->failure ? "unreadable" : is_valid ? "valid" : "invalid");
		break;
	case VALIDATE_SARIF:
		report_sarif_add_list(&o->sarif, &o->report, part->name, part->findings);
		if (part->failure)
			report_sarif_add_error(&o->sarif, part->name, str_from(part->failure->text));
		break;
	case VALIDATE_GITHUB:
		report_github_add_list(&o->github, part->name, part->findings);
		if (part->failure)
			report_github_add_error(&o->github, part->name, str_from(part->failure->text));
		break;
	case VALIDATE_JUNIT:
		if (part->failure)
			report_junit_add_error(&o->junit, part->name, str_from(part->failure->text));
		else
			report_junit_add(&o->junit, &o->report, part->name,
					 part->dialect ? part->dialect->name : "unknown", part->findings, !is_valid);
		break;
	}
}

void validate_output_add(struct validate_output *o, const struct validate_part *part)
{
	bool is_valid = !part->failure && part->findings->errors == 0 &&
			!(o->warnings_as_errors && part->findings->warnings);

	if (is_of_another_kind(o, part)) {
		skip(o, part);
		return;
	}
	progress_erase(&o->progress);
	o->report.rules = part->dialect ? part->dialect->rules : NULL;
	count(o, part, is_valid);
	add_in_form(o, part, is_valid);
	put(o);
	if (part->failure)
		inputs_print_failure(o->frame, part->failure);
}

void validate_output_add_failure(void *output, struct str name, const struct err *why)
{
	struct validate_output *o = output;
	struct findings none;
	struct validate_part part = { .name = name, .findings = &none, .failure = why };

	findings_init(&none, o->arena, 1);
	validate_output_add(o, &part);
}

/* ---- the end ---- */

/* The table is added to what the step wrote there before, as far as there is room. */
static bool append_summary(const struct validate_output *o, struct str sentence, struct err *err)
{
	const char *path = arena_copy(o->arena, o->step_summary).p;
	int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
	struct stat st;
	struct buf text;
	bool done;

	if (fd < 0)
		return err_system(err, errno, "%s: cannot open", path);
	buf_init(&text);
	if (fstat(fd, &st) == 0 && (uint64_t)st.st_size < REPORT_GITHUB_SUMMARY)
		report_github_add_summary(&o->github, sentence, REPORT_GITHUB_SUMMARY - (size_t)st.st_size, &text);
	done = file_write_all(fd, buf_str(&text), err) || err_context(err, path);
	buf_free(&text);
	close(fd);
	return done;
}

static void end_github(struct validate_output *o)
{
	struct err err = { .kind = ERR_NONE };
	struct buf sentence;

	buf_init(&sentence);
	validate_text_add_all(&sentence, &o->counts, clock_mono_ns() - o->began_ns);
	report_github_end(&o->github, &o->text);
	if (!o->frame->quiet)
		buf_add_str(&o->text, buf_str(&sentence));
	if (o->step_summary.n && !append_summary(o, str_trim(buf_str(&sentence)), &err))
		inputs_print_failure(o->frame, &err); /* the annotations stand; the table is an extra */
	buf_free(&sentence);
}

static void end_text(struct validate_output *o)
{
	if (o->frame->quiet || (o->counts.files == 1 && o->counts.unread))
		return;
	if (o->counts.files == 1)
		buf_add_str(&o->text, buf_str(&o->alone));
	else if (o->counts.files)
		validate_text_add_all(&o->text, &o->counts, clock_mono_ns() - o->began_ns);
	if (o->counts.files == 1)
		validate_text_add_skipped(&o->text, &o->counts);
}

static void end_form(struct validate_output *o)
{
	switch (o->form) {
	case VALIDATE_TEXT:
		end_text(o);
		break;
	case VALIDATE_JSON:
		end_json(o);
		break;
	case VALIDATE_SARIF:
		report_sarif_end(&o->sarif, &o->text);
		report_sarif_free(&o->sarif);
		break;
	case VALIDATE_GITHUB:
		end_github(o);
		report_github_free(&o->github);
		break;
	case VALIDATE_JUNIT:
		report_junit_end(&o->junit, &o->text);
		report_junit_free(&o->junit);
		break;
	}
}

static bool release(void *context, int fd, struct err *err)
{
	return spool_release(context, fd, err);
}

static bool write_file(struct validate_output *o, struct err *err)
{
	if (o->failure.kind != ERR_NONE) {
		*err = o->failure;
		return false;
	}
	return file_replace_by(o->path, release, &o->spool, 0666, err);
}

static int conclude(const struct validate_output *o)
{
	const struct validate_counts *c = &o->counts;
	struct err err = { .kind = ERR_NONE };

	if (c->unread)
		return EXIT_CANNOT;
	if (c->files == 0 && c->skipped) {
		err_set(&err, ERR_DATA, "nothing to check: no file is of a known format (%llu of other kinds)%s",
			(unsigned long long)c->skipped,
			ERR_HELP "'trackway formats' lists what is known; --as FORMAT takes files as one of them");
		inputs_print_failure(o->frame, &err);
		return EXIT_CANNOT;
	}
	return c->invalid ? EXIT_NO : EXIT_YES;
}

int validate_output_end(struct validate_output *o, bool whole, struct err *err)
{
	int status = EXIT_FAIL;

	progress_erase(&o->progress);
	end_form(o);
	put(o);
	if (!whole)
		status = EXIT_CANNOT;
	else if (!o->path.p || write_file(o, err))
		status = conclude(o);
	spool_free(&o->spool);
	buf_free(&o->text);
	buf_free(&o->alone);
	buf_free(&o->held);
	return status;
}
