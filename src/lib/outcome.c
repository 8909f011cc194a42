/*
 * Makes a report of the library by copying what a check found, and answers the questions about it. The report lies in
 * its own arena, so all of its texts live as long as it does.
 */
#include "lib/outcome.h"

struct tw_report *outcome_new(struct str name, enum check_mode mode)
{
	struct arena arena;
	struct tw_report *r;

	arena_init(&arena);
	r = arena_new(&arena, struct tw_report);
	r->arena = arena; /* from here on the report lives in an arena of its own */
	r->name = arena_copy(&r->arena, name);
	r->mode = mode;
	return r;
}

static enum tw_severity severity_of(enum severity s)
{
	return s == SEV_ERROR ? TW_ERROR : s == SEV_WARNING ? TW_WARNING : TW_INFO;
}

/* A finding of the whole file has no place: line 0 makes column and offset 0 too, as trackway.h promises. */
static void take_finding(struct arena *a, struct tw_finding *out, const struct finding *f)
{
	struct str pointer = arena_copy(a, f->pointer), message = arena_copy(a, f->message);

	*out = (struct tw_finding){
		.code = f->code,
		.severity = severity_of(f->severity),
		.line = f->at.line,
		.column = f->at.line ? f->at.column : 0,
		.byte_offset = f->at.line ? f->at.offset : 0,
		.pointer = pointer.p,
		.pointer_size = pointer.n,
		.message = message.p,
		.message_size = message.n,
	};
}

/* The list may hold fewer findings than it counted; both numbers are kept. */
static void take_findings(struct tw_report *r, const struct findings *list)
{
	r->errors = list->errors;
	r->warnings = list->warnings;
	r->infos = list->infos;
	r->finding_count = list->kept_count;
	r->findings = arena_array(&r->arena, struct tw_finding, list->kept_count);
	for (size_t i = 0; i < list->kept_count; i++)
		take_finding(&r->arena, &r->findings[i], &list->kept[i]);
	r->counts_count = list->counts_count;
	r->counts = arena_array(&r->arena, struct finding_count, list->counts_count);
	for (size_t i = 0; i < list->counts_count; i++)
		r->counts[i] = list->counts[i];
}

void outcome_take(struct tw_report *r, const struct validate_input *part)
{
	r->dialect = part->dialect;
	r->looks_like = part->looks_like;
	r->tally = part->tally;
	r->bytes = part->bytes;
	take_findings(r, part->findings);
	if (part->failure)
		outcome_fail(r, part->failure);
}

void outcome_fail(struct tw_report *r, const struct err *why)
{
	r->error = arena_copy(&r->arena, str_from(why->text)).p;
}

enum tw_verdict tw_report_verdict(const struct tw_report *r)
{
	if (r->error)
		return TW_UNREADABLE;
	return r->errors ? TW_INVALID : TW_VALID;
}

const char *tw_report_verdict_name(const struct tw_report *r)
{
	static const char *const names[] = { "valid", "invalid", "unreadable" };

	return names[tw_report_verdict(r)];
}

const char *tw_report_name(const struct tw_report *r)
{
	return r->name.p;
}

const char *tw_report_format(const struct tw_report *r)
{
	return r->dialect ? r->dialect->name : NULL;
}

const char *tw_report_error(const struct tw_report *r)
{
	return r->error;
}

uint64_t tw_report_errors(const struct tw_report *r)
{
	return r->errors;
}

uint64_t tw_report_warnings(const struct tw_report *r)
{
	return r->warnings;
}

uint64_t tw_report_infos(const struct tw_report *r)
{
	return r->infos;
}

uint64_t tw_report_records(const struct tw_report *r)
{
	return r->tally.records;
}

uint64_t tw_report_bytes(const struct tw_report *r)
{
	return r->bytes;
}

int tw_report_is_interrupted(const struct tw_report *r)
{
	return r->tally.interrupted;
}

uint64_t tw_report_count_of(const struct tw_report *r, const char *code)
{
	for (size_t i = 0; code && i < r->counts_count; i++)
		if (strcmp(r->counts[i].code, code) == 0)
			return r->counts[i].count;
	return 0;
}

size_t tw_report_finding_count(const struct tw_report *r)
{
	return r->finding_count;
}

const struct tw_finding *tw_report_finding(const struct tw_report *r, size_t i)
{
	return i < r->finding_count ? &r->findings[i] : NULL;
}

void tw_report_free(struct tw_report *r)
{
	struct arena arena;

	if (!r)
		return;
	arena = r->arena; /* the report is inside it */
	arena_free(&arena);
}
