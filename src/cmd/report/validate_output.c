/*
 * Each file goes to the form that was chosen and is counted; the exit status is made of the counts. The text of the
 * first file waits, because one file alone is reported in other words than one of several.
 */
#include "cmd/report/validate_output.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/stop.h"
#include "cmd/frame/advice.h"
#include "cmd/frame/stream.h"
#include "cmd/inputs.h"
#include "cmd/report/rules.h"
#include "cmd/report/validate_json.h"
#include "cmd/report/validate_text.h"
#include "dialect/record/record.h"

#define NAMED_SKIPPED 5 /* with -v */

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

/*
 * GitHub and SARIF tell warnings as errors when these make a file invalid, or the report would contradict the exit
 * status.
 */
static void init_form(struct validate_output *o)
{
	switch (o->form) {
	case VALIDATE_TEXT:
		break;
	case VALIDATE_JSON:
		validate_json_begin(o);
		break;
	case VALIDATE_SARIF:
		report_sarif_init(&o->sarif, o->arena);
		o->sarif.promote = o->warnings_as_errors;
		break;
	case VALIDATE_GITHUB:
		report_github_init(&o->github);
		o->github.root = report_find_root(o->arena);
		o->github.promote = o->warnings_as_errors;
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
	buf_init(&o->skipped_files);
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
	o->report.limited = o->limited;
	if (is_text && o->frame->quiet) /* what makes a file invalid is never hidden */
		o->report.least = o->warnings_as_errors ? SEV_WARNING : SEV_ERROR;
	o->has_target = o->path.p && stat(arena_copy(o->arena, o->path).p, &o->target) == 0;
	o->has_target = o->has_target && S_ISREG(o->target.st_mode);
	init_form(o);
}

/* Hands on what there is; a document to be written to a file waits until it is whole. */
static void validate_output_put(struct validate_output *o)
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

/* ---- a file ---- */

static bool validate_output_is_named(const struct validate_output *o, struct str name)
{
	return map_find(&o->names, name) != NULL;
}

/* What should have been a file of a format is not skipped when it is none. */
static bool has_usual_name(struct str name)
{
	static const struct str packed[] = { { ".gz", 3 }, { ".zst", 4 } };

	name = str_basename(name);
	for (size_t i = 0; i < COUNT(packed); i++)
		if (str_ends(name, packed[i]))
			name.n -= packed[i].n;
	for (size_t i = 0; dialects[i]; i++) {
		const char *file = dialects[i]->ops ? dialects[i]->file : NULL;

		if (file && file[0] != '*' && str_eq(name, str_from(file)))
			return true;
	}
	return false;
}

/* A log in a format that has no rules: there is nothing to hold against it. */
static bool is_only_read(const struct validate_input *part)
{
	return !part->dialect && !part->failure && part->reads;
}

/* Whether the file is skipped: JSON of no known format that nobody named and whose name promises nothing. */
static bool is_of_another_kind(const struct validate_output *o, const struct validate_input *part)
{
	if (is_only_read(part))
		return true;
	if (part->dialect || part->failure || part->text != TEXT_JSON || validate_output_is_named(o, part->name))
		return false;
	return !has_usual_name(part->name);
}

static void print_skipped(struct validate_output *o, const struct validate_input *part)
{
	progress_erase(&o->progress);
	inputs_say("skipped %.*s%s%s%s", STR_ARG(part->name), part->looks_like ? ": it looks like " : "",
		   part->looks_like ? part->looks_like : "", is_only_read(part) ? ", which has no rules" : "");
}

/* JSON, SARIF and JUnit list what was skipped, the others count it; -v names the first NAMED_SKIPPED, -vv all. */
static void validate_output_skip(struct validate_output *o, const struct validate_input *part)
{
	bool named = validate_output_is_named(o, part->name);

	o->counts.skipped++;
	if (is_only_read(part)) {
		o->counts.logs++;
		o->counts.logs_of[dialect_number(part->reads)]++;
	}
	if (o->form == VALIDATE_JSON && named)
		validate_json_add_unchecked(o, part);
	else if (o->form == VALIDATE_JSON)
		validate_json_add_skipped(o, part);
	else if (o->form == VALIDATE_SARIF)
		report_sarif_add_skipped(&o->sarif, part->name);
	else if (o->form == VALIDATE_JUNIT)
		report_junit_add_skipped(&o->junit, part->name, part->looks_like, is_only_read(part));
	if (o->frame->verbose > 1 || (o->frame->verbose && o->counts.skipped <= NAMED_SKIPPED))
		print_skipped(o, part);
}

/* An unreadable file counts as that alone, whatever was found in it before. */
static void validate_output_count(struct validate_output *o, const struct validate_input *part, bool is_valid)
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
static void validate_output_add_text(struct validate_output *o, const struct validate_input *part, bool is_valid)
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

/* Hands one file to the form that was chosen. A new form gets its case here, in init_form and in end_form. */
static void add_in_form(struct validate_output *o, const struct validate_input *part, bool is_valid)
{
	switch (o->form) {
	case VALIDATE_TEXT:
		validate_output_add_text(o, part, is_valid);
		break;
	case VALIDATE_JSON:
		validate_json_add(o, part, part->failure ? "unreadable" : is_valid ? "valid" : "invalid");
		break;
	case VALIDATE_SARIF:
		report_sarif_add_list(&o->sarif, &o->report, part->name, part->findings);
		if (part->failure)
			report_sarif_add_error(&o->sarif, part->name, str_from(part->failure->text));
		break;
	case VALIDATE_GITHUB:
		report_github_add_list(&o->github, &o->report, part->name, part->findings);
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

/* What to do about a file of no known format depends on what it is instead. */
static const char *validate_output_find_help(const struct validate_input *part)
{
	static const char *const unknown[] = {
		"this version has no rules for it; --as json or --as jsonl checks only that it is JSON; "
		"'trackway formats' lists the formats",
		"this version has no rules for it; --as json or --as jsonl checks only that it is JSON",
	};

	if (part->dialect || part->failure)
		return NULL;
	switch (part->text) {
	case TEXT_JSON:
		return unknown[part->looks_like != NULL];
	case TEXT_OTHER:
		return "give a file of JSON or of JSON lines; gzip and zstd are unpacked, other archives are not";
	case TEXT_UTF16:
		return "convert it: iconv -f UTF-16 -t UTF-8";
	case TEXT_BLANK:
		break;
	}
	return NULL;
}

/* The name as it is told: that of standard input is for programs only. */
static struct str told_name(const struct validate_output *o, struct str name)
{
	if (!str_eq(name, STR("-")) || o->form == VALIDATE_JSON)
		return name;
	return o->form == VALIDATE_TEXT ? STR("standard input") : STR("stdin");
}

/*
 * On standard error in every form but one: with annotations the same log has it already. A document may be read much
 * later.
 */
static void print_failure(const struct validate_output *o, const struct err *why)
{
	struct err told = *why;

	if (o->form == VALIDATE_GITHUB && !o->path.p)
		return; /* it has an annotation in the same log */
	if (why->errnum == ENOENT)
		err_set(&told, why->kind, "%s%s", why->text,
			ERR_HELP "check the name; paths start in the current directory");
	inputs_print_failure(o->frame, &told);
}

/* Whether any rule of the format has another severity in this mode. */
static bool mode_matters(const struct dialect *d, enum check_mode mode)
{
	if (mode == MODE_STRICT && d->record && d->record->strict_wants_optional)
		return true;
	for (const struct rule *r = d->rules; r && r->code; r++)
		if ((mode == MODE_STRICT ? r->in_strict : r->in_permissive) != RULE_SAME)
			return true;
	return false;
}

/* A mode that does nothing for a file may be taken for one that passed it. */
static void tell_mode(struct validate_output *o, const struct dialect *d)
{
	if (o->mode == MODE_DEFAULT || o->mode_told || o->frame->quiet || !d || mode_matters(d, o->mode))
		return;
	o->mode_told = true;
	inputs_say("info: --%s changes nothing for files of the format %s",
		   o->mode == MODE_STRICT ? "strict" : "permissive", d->name);
}

/* Whether a file that was checked is the one -o would replace. It may have been met in a directory. */
static bool is_target(const struct validate_output *o, struct str name)
{
	char path[4096];
	struct stat st;

	if (!o->has_target || name.n >= sizeof(path))
		return false;
	memcpy(path, name.p, name.n);
	path[name.n] = 0;
	return stat(path, &st) == 0 && st.st_dev == o->target.st_dev && st.st_ino == o->target.st_ino;
}

void validate_output_add(struct validate_output *o, const struct validate_input *part)
{
	bool is_valid = !part->failure && part->findings->errors == 0 &&
			!(o->warnings_as_errors && part->findings->warnings);
	struct findings list = *part->findings;
	struct validate_input told = *part;
	struct err failure;

	if (is_of_another_kind(o, part)) {
		validate_output_skip(o, part);
		return;
	}
	progress_erase(&o->progress);
	o->overwrites = o->overwrites || is_target(o, part->name);
	if (o->counts_only)
		list.kept_count = 0;
	if (!o->code)
		o->code = report_worst_code(&list);
	told.findings = &list;
	told.name = told_name(o, part->name);
	if (part->failure) {
		failure = advice_on(part->failure, o->frame->command);
		told.failure = &failure;
	}
	o->report.rules = part->dialect ? part->dialect->rules : NULL;
	o->report.help = validate_output_find_help(part);
	tell_mode(o, part->dialect);
	validate_output_count(o, part, is_valid);
	add_in_form(o, &told, is_valid);
	validate_output_put(o);
	if (part->failure)
		print_failure(o, told.failure);
}

void validate_output_add_failure(void *output, struct str name, const struct err *why)
{
	struct validate_output *o = output;
	struct findings none;
	struct validate_input part = { .name = name, .findings = &none, .failure = why };

	findings_init(&none, o->arena, 1);
	validate_output_add(o, &part);
}

/* ---- the end ---- */

bool validate_output_refuse(struct str path, struct err *err)
{
	return usage_set(err, "name another file", "-o names an input: %.*s", STR_ARG(path));
}

/* The annotations go to the log, the table to the page of the step if there is one. */
static void end_github(struct validate_output *o)
{
	struct err err = { .kind = ERR_NONE };
	struct buf sentence;

	buf_init(&sentence);
	validate_text_add_all(&sentence, &o->counts, clock_mono_ns() - o->began_ns);
	report_github_end(&o->github, &o->text);
	if (!o->frame->quiet)
		buf_add_str(&o->text, buf_str(&sentence));
	if (o->step_summary.n && !report_github_append_summary(&o->github, arena_copy(o->arena, o->step_summary),
							      str_trim(buf_str(&sentence)), STR(""), &err))
		inputs_print_failure(o->frame, &err); /* the annotations stand; the table is an extra */
	buf_free(&sentence);
}

/* One file has its own sentence; several have their sum. The last line points to explain. */
static void end_text(struct validate_output *o)
{
	if (o->frame->quiet || (o->counts.files == 1 && o->counts.unread))
		return;
	if (o->counts.files == 1)
		buf_add_str(&o->text, buf_str(&o->alone));
	else if (o->counts.files)
		validate_text_add_all(&o->text, &o->counts, clock_mono_ns() - o->began_ns);
	if (o->counts.files == 1 || (o->counts.files == 0 && o->counts.logs))
		validate_text_add_skipped(&o->text, &o->counts);
	if (o->code)
		buf_printf(&o->text, "'trackway explain %s' says more about a code\n", o->code);
}

/* Adds the end of the document to o->text and frees what init_form began. */
static void end_form(struct validate_output *o)
{
	switch (o->form) {
	case VALIDATE_TEXT:
		end_text(o);
		break;
	case VALIDATE_JSON:
		validate_json_end(o);
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

/* Nothing for a device such as /dev/null. */
static void print_written(const struct validate_output *o)
{
	uint64_t bytes = o->spool.bytes;
	struct stat st;

	if (stat(arena_copy(o->arena, o->path).p, &st) != 0 || !S_ISREG(st.st_mode))
		return;
	if (bytes < 1024)
		inputs_note(o->frame, "wrote %.*s (%llu bytes)", STR_ARG(o->path), (unsigned long long)bytes);
	else
		inputs_note(o->frame, "wrote %.*s (%.1f KiB)", STR_ARG(o->path), (double)bytes / 1024);
}

/* Puts the document in its place, unless it would replace a file that was checked, or the spool failed before. */
static bool write_file(struct validate_output *o, struct err *err)
{
	if (o->overwrites)
		return validate_output_refuse(o->path, err);
	if (o->failure.kind != ERR_NONE) {
		*err = o->failure;
		return false;
	}
	if (!stream_replace(o->path, &o->spool, err))
		return false;
	print_written(o);
	return true;
}

/* Unreadable beats invalid. When everything was skipped nothing was checked, and that must not look like a yes. */
static int validate_output_conclude(const struct validate_output *o)
{
	const struct validate_counts *c = &o->counts;
	struct err err = { .kind = ERR_NONE };

	if (c->unread)
		return EXIT_CANNOT;
	if (c->files == 0 && c->skipped) {
		err_set(&err, ERR_DATA, "nothing to check: no file has a %s (%llu skipped)%s",
			c->logs ? "format with rules" : "known format", (unsigned long long)c->skipped,
			ERR_HELP "'trackway formats' lists the formats; --as FORMAT sets one");
		inputs_print_failure(o->frame, &err);
		return EXIT_CANNOT;
	}
	return c->invalid ? EXIT_NO : EXIT_YES;
}

static void print_rest_skipped(const struct validate_output *o)
{
	char text[80];

	if (o->frame->verbose != 1 || o->counts.skipped <= NAMED_SKIPPED)
		return;
	snprintf(text, sizeof(text), "skipped %llu more (-vv names all)\n",
		 (unsigned long long)(o->counts.skipped - NAMED_SKIPPED));
	inputs_print(str_from(text));
}

/* Ctrl-C: what the answer is about, and what became of the file of -o. */
static void print_interrupted(const struct validate_output *o)
{
	uint64_t done = o->counts.files + o->counts.skipped;

	inputs_note(o->frame, "%s: %llu file%s checked, the rest was not%s%.*s",
		    stop_signal() == SIGTERM ? "terminated" : "interrupted", (unsigned long long)done,
		    done == 1 ? " was" : "s were", o->path.p ? "; nothing was written to " : "", STR_ARG(o->path));
}

int validate_output_end(struct validate_output *o, bool whole, struct err *err)
{
	int status = EXIT_FAIL;

	progress_erase(&o->progress);
	print_rest_skipped(o);
	end_form(o);
	validate_output_put(o);
	if (!whole && stop_signal())
		print_interrupted(o);
	if (!whole)
		status = EXIT_CANNOT;
	else if (!o->path.p || write_file(o, err))
		status = validate_output_conclude(o);
	spool_free(&o->spool);
	buf_free(&o->text);
	buf_free(&o->alone);
	buf_free(&o->held);
	buf_free(&o->skipped_files);
	return status;
}
