/*
 * Results come in the order in which records were given, so a ring of what is waiting is enough to name the file of
 * each. Text and JSON lines leave with each flush; the JSON document leaves at the end.
 */
#include "cmd/ledger/add.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "cmd/frame/error.h"
#include "cmd/frame/field.h"
#include "cmd/frame/opt.h"
#include "cmd/frame/stream.h"
#include "cmd/inputs.h"
#include "cmd/ledger/args.h"
#include "cmd/report/report.h"
#include "cmd/report/rules.h"
#include "cmd/screen/amounts.h"
#include "json/put.h"

const char *const ledger_add_fields[] = {
	"path", "line", "outcome", "part", "index", "leaf", "sha256", "experiment_id", "trial_id",
	"code", "findings", "kind", "signer", "unsealed", "problem", NULL,
};

void ledger_add_init(struct ledger_add *o)
{
	buf_init(&o->out);
	for (size_t i = 0; i < SEAL_BATCH; i++)
		buf_init(&o->given[i].missing);
	progress_init(&o->progress, o->frame, STDERR_FILENO, clock_mono_ns());
	if (!o->json.given)
		return;
	field_begin_document(&o->writer, &o->out, JSON_COMPACT, "ledger-add");
	json_put_array(&o->writer, "results");
}

void ledger_add_expect(struct ledger_add *o, const struct intake_record *r, struct str missing, uint64_t withheld)
{
	size_t at = (o->first + o->waiting++) % SEAL_BATCH;

	assert(o->waiting <= SEAL_BATCH);
	o->given[at].path = r->path;
	o->given[at].line = r->line;
	o->given[at].origin = r->origin;
	o->given[at].withheld = withheld;
	buf_clear(&o->given[at].missing);
	buf_add_str(&o->given[at].missing, missing);
}

static const char *outcome_name(enum seal_outcome outcome)
{
	switch (outcome) {
	case SEAL_ADDED: return "added";
	case SEAL_SAME: return "same";
	case SEAL_CONFLICT: return "conflict";
	case SEAL_REFUSED: break;
	}
	return "refused";
}

static bool ledger_add_is_in(const struct seal_result *r)
{
	return r->outcome == SEAL_ADDED || r->outcome == SEAL_SAME;
}

static void count(struct ledger_add *o, const struct seal_result *r)
{
	o->added += r->outcome == SEAL_ADDED;
	o->withheld += r->outcome == SEAL_ADDED ? o->given[o->first].withheld : 0;
	o->same += r->outcome == SEAL_SAME;
	o->conflicts += r->outcome == SEAL_CONFLICT;
	o->refused += r->outcome == SEAL_REFUSED;
	o->partial += ledger_add_is_in(r) && r->part == LEDGER_DIAGNOSTIC;
}

/* ---- JSON ---- */

static void write_place(struct json_writer *w, const struct seal_result *r, struct opt_maybe s)
{
	field_put_word(w, s, "part", ledger_part_name(r->part));
	field_put_u64(w, s, "index", r->index);
	field_put_digest(w, s, "leaf", r->leaf);
}

/* The files that a record names and that are not sealed; the member is there when there are any. */
static void write_unsealed(struct json_writer *w, struct opt_maybe s, struct str lines)
{
	if (!lines.n || !report_begin_field(w, s, "unsealed"))
		return;
	json_write_begin_array(w);
	while (lines.n)
		json_write_string(w, str_cut(lines, '\n', &lines));
	json_write_end_array(w);
}

/*
 * One object. A refused record has no place in the log, and one in conflict has that of the record it conflicts with.
 */
static void write_result(struct ledger_add *o, struct json_writer *w, const struct seal_result *r)
{
	struct opt_maybe s = o->json;

	json_write_begin_object(w);
	field_put_text(w, s, "path", o->given[o->first].path);
	if (o->given[o->first].line)
		field_put_u64(w, s, "line", o->given[o->first].line);
	field_put_word(w, s, "outcome", outcome_name(r->outcome));
	if (r->outcome != SEAL_REFUSED)
		write_place(w, r, s);
	if (ledger_add_is_in(r))
		field_put_digest(w, s, "sha256", r->digest);
	if (r->experiment.p)
		field_put_text_or_null(w, s, "experiment_id", r->experiment);
	if (r->trial_id.p)
		field_put_text_or_null(w, s, "trial_id", r->trial_id);
	if (r->trial_id.p)
		field_put_word(w, s, "kind", entry_kind_name(r->kind));
	if (ledger_add_is_in(r))
		write_unsealed(w, s, buf_str(&o->given[o->first].missing));
	field_put_word(w, s, "code", r->code);
	if (r->findings && report_begin_field(w, s, "findings"))
		report_write_json_list(w, r->findings);
	json_write_end_object(w);
}

/* The writer of the next object: that of the document, or one for a line of its own. */
static struct json_writer *begin_json(struct ledger_add *o, struct json_writer *line)
{
	if (o->json.given)
		return &o->writer;
	json_write_init(line, &o->out, JSON_COMPACT);
	return line;
}

static void end_json(struct ledger_add *o)
{
	if (!o->json.given)
		buf_add_byte(&o->out, '\n');
}

static bool is_json(const struct ledger_add *o)
{
	return o->json.given || o->jsonl;
}

/* ---- text ---- */

/* "INDEX LEAF ID": printed only when it is durably there, as `ledger add` promises. */
static void ledger_add_line(struct ledger_add *o, uint64_t index, struct digest of, struct str id)
{
	char leaf[SHA256_HEX];

	digest_hex(leaf, of);
	buf_printf(&o->out, "%" PRIu64 " %.*s ", index, SHA256_HEX, leaf);
	term_add_text(&o->out, id);
	buf_add_byte(&o->out, '\n');
}

/* Places are counted from the beginning of the record; people look for them in the file. */
static void add_findings(struct buf *text, const struct ledger_add *o, const struct report *report,
			 const struct seal_result *r)
{
	uint64_t line = o->given[o->first].line, origin = o->given[o->first].origin;
	struct findings list = *r->findings;

	list.kept = mem_alloc((list.kept_count + 1) * sizeof(*list.kept));
	for (size_t i = 0; i < list.kept_count; i++) {
		list.kept[i] = r->findings->kept[i];
		if (list.kept[i].at.line && line)
			list.kept[i].at.line += line - 1;
		list.kept[i].at.offset += origin;
	}
	report_add_list(text, report, o->given[o->first].path, &list);
	mem_free(list.kept);
}

/* The ledger has other bytes under this id: tells where, and how the new record can still get in. */
static void add_conflict(struct buf *text, const struct ledger_add *o, struct report *report,
			 const struct seal_result *r)
{
	struct finding f = { .code = SEAL_E_CONFLICT, .severity = SEV_ERROR };
	struct buf sentence;

	buf_init(&sentence);
	if (r->kind == ENTRY_TRIAL)
		buf_printf(&sentence, "the ledger has another record of trial %.*s, in experiment %.*s: entry %" PRIu64,
			   STR_ARG(r->trial_id), STR_ARG(r->experiment), r->index);
	else
		buf_printf(&sentence, "the ledger has other files of the run %.*s: entry %" PRIu64,
			   STR_ARG(r->trial_id), r->index);
	f.at.line = o->given[o->first].line;
	f.message = buf_str(&sentence);
	report->help = r->kind != ENTRY_TRIAL ?
		       "sealed runs are never replaced: the files have changed since, or two runs have one id" :
		       "sealed records are never replaced: give the new record its own trial_id, then let "
		       "'trackway ledger supersede' put it in the place of the old one";
	report_add_finding(text, report, o->given[o->first].path, &f);
	buf_free(&sentence);
}

/*
 * Why a record is not in, on standard error. Lines about earlier records leave first, so that both streams stay in
 * order.
 */
static void tell_why(struct ledger_add *o, const struct seal_result *r)
{
	struct report report;
	struct buf text;

	buf_init(&text);
	report_init(&report, &o->frame->err, o->all);
	report.find_rule = rules_find;
	report.least = o->frame->quiet ? SEV_ERROR : SEV_INFO;
	if (r->findings)
		add_findings(&text, o, &report, r);
	if (r->outcome == SEAL_CONFLICT && !r->findings)
		add_conflict(&text, o, &report, r);
	if (r->outcome == SEAL_REFUSED) {
		buf_add_str(&text, STR("refused: "));
		term_add_text(&text, r->name);
		buf_printf(&text, " (%s)\n", r->code);
	}
	if (text.n) {
		progress_erase(&o->progress);
		ledger_add_flush(o);
		inputs_print(buf_str(&text));
	}
	buf_free(&text);
}

/* One line for each record, however many of its files stay unsealed. */
static void tell_missing(struct ledger_add *o, struct str name)
{
	struct str lines = buf_str(&o->given[o->first].missing);
	struct buf text;

	if (!lines.n)
		return;
	progress_erase(&o->progress);
	ledger_add_flush(o);
	buf_init(&text);
	while (lines.n) {
		buf_add_str(&text, text.n ? STR("; ") : STR(""));
		buf_add_str(&text, str_cut(lines, '\n', &lines));
	}
	inputs_warn(o->frame, "%.*s: not sealed: %.*s", STR_ARG(name), STR_ARG(buf_str(&text)));
	buf_free(&text);
}

bool ledger_add_result(void *context, const struct seal_result *r, struct err *err)
{
	struct ledger_add *o = context;

	struct json_writer line;

	(void)err;
	assert(o->waiting > 0);
	count(o, r);
	if (is_json(o)) {
		write_result(o, begin_json(o, &line), r);
		end_json(o);
	} else {
		if (ledger_add_is_in(r))
			ledger_add_line(o, r->index, r->leaf, r->trial_id);
		tell_why(o, r);
		if (ledger_add_is_in(r))
			tell_missing(o, r->name);
	}
	o->first = (o->first + 1) % SEAL_BATCH;
	o->waiting--;
	return true;
}

/* ---- reviews, and what is not taken ---- */

static void write_review(struct ledger_add *o, struct json_writer *w, struct str path, const struct review_sealed *r)
{
	struct opt_maybe s = o->json;
	struct arena a;

	arena_init(&a);
	json_write_begin_object(w);
	field_put_text(w, s, "path", path);
	field_put_word(w, s, "outcome", r->result.was_there ? "same" : "added");
	field_put_word(w, s, "part", ledger_part_name(r->part));
	field_put_u64(w, s, "index", r->result.index);
	field_put_digest(w, s, "leaf", r->result.leaf);
	field_put_digest(w, s, "sha256", r->digest);
	field_put_text_or_null(w, s, "experiment_id", r->experiment);
	field_put_text(w, s, "trial_id", r->trial_id);
	field_put_word(w, s, "kind", entry_kind_name(ENTRY_REVIEW));
	if (r->is_signed)
		field_put_text(w, s, "signer", key_text(&a, &r->signer));
	json_write_end_object(w);
	arena_free(&a);
}

void ledger_add_review(struct ledger_add *o, struct str path, const struct review_sealed *r)
{
	struct json_writer line;
	struct arena a;

	o->added += !r->result.was_there;
	o->same += r->result.was_there;
	if (is_json(o)) {
		write_review(o, begin_json(o, &line), path, r);
		end_json(o);
		return;
	}
	ledger_add_line(o, r->result.index, r->result.leaf, r->review_id);
	ledger_add_flush(o);
	arena_init(&a);
	if (r->is_signed)
		inputs_note(o->frame, "%.*s: signed by %.*s", STR_ARG(path), STR_ARG(key_text(&a, &r->signer)));
	arena_free(&a);
}

void ledger_add_refuse(struct ledger_add *o, struct str path, const char *code, const struct err *why)
{
	bool is_conflict = strcmp(code, SEAL_E_CONFLICT) == 0;
	struct json_writer line, *w;
	struct str rest;

	o->conflicts += is_conflict;
	o->refused += !is_conflict;
	if (!is_json(o)) {
		struct err named = *why;
		struct arena a;

		arena_init(&a);
		progress_erase(&o->progress);
		ledger_add_flush(o);
		if (!str_has(str_from(why->text), path))
			err_context(&named, arena_copy(&a, path).p);
		inputs_print_failure(o->frame, &named);
		arena_free(&a);
		return;
	}
	w = begin_json(o, &line);
	json_write_begin_object(w);
	field_put_text(w, o->json, "path", path);
	field_put_word(w, o->json, "outcome", is_conflict ? "conflict" : "refused");
	field_put_word(w, o->json, "code", code);
	field_put_text(w, o->json, "problem", str_cut(str_from(why->text), '\n', &rest));
	json_write_end_object(w);
	end_json(o);
}

void ledger_add_flush(struct ledger_add *o)
{
	if (o->json.given)
		return; /* it is one document */
	stream_write(stdout, buf_str(&o->out));
	buf_clear(&o->out);
	fflush(stdout);
}

void ledger_add_failure(struct ledger_add *o, struct str path, const struct err *why)
{
	(void)path; /* the message has it */
	o->failed++;
	progress_erase(&o->progress);
	ledger_add_flush(o);
	inputs_print_failure(o->frame, why);
}

static void ledger_add_count(struct buf *text, uint64_t n, const char *words, const char **comma)
{
	if (n == 0)
		return;
	buf_printf(text, "%s%" PRIu64 " %s", *comma, n, words);
	*comma = ", ";
}

/* The last sentence. Partial records are pointed out, because people expect sealed ones to count. */
static void add_summary(struct buf *text, const struct ledger_add *o)
{
	const char *comma = "";

	ledger_add_count(text, o->added, "sealed", &comma);
	ledger_add_count(text, o->same, "already there", &comma);
	ledger_add_count(text, o->conflicts, "in conflict", &comma);
	ledger_add_count(text, o->refused, "refused", &comma);
	ledger_add_count(text, o->failed, "unreadable", &comma);
	if (!*comma)
		buf_add_str(text, STR("no records"));
	buf_add_str(text, STR(" ("));
	term_add_text(text, o->where);
	buf_add_str(text, STR(")\n"));
	if (o->withheld)
		buf_printf(text, "%" PRIu64 " file%s hold%s prompts or answers: only %s sealed (--with-content seals "
			   "the bytes)\n", o->withheld, o->withheld == 1 ? "" : "s", o->withheld == 1 ? "s" : "",
			   o->withheld == 1 ? "its digest is" : "their digests are");
	if (o->partial == 1)
		buf_printf(text, "%s says it is partial: it is in the diagnostic log and cannot support a result\n",
			   o->added + o->same == 1 ? "it" : "1 of them");
	else if (o->partial)
		buf_printf(text, "%" PRIu64 " of them say they are partial: they are in the diagnostic log and cannot "
			   "support a result\n", o->partial);
}

int ledger_add_end(struct ledger_add *o, bool done)
{
	struct buf text;

	progress_erase(&o->progress);
	if (o->json.given) {
		json_write_end_array(&o->writer);
		json_put_u64(&o->writer, "added", o->added);
		json_put_u64(&o->writer, "same", o->same);
		json_put_u64(&o->writer, "partial", o->partial);
		json_put_u64(&o->writer, "conflicts", o->conflicts);
		json_put_u64(&o->writer, "refused", o->refused);
		json_put_u64(&o->writer, "unreadable", o->failed);
		field_end_document(&o->writer);
	}
	stream_write(stdout, buf_str(&o->out));
	fflush(stdout);
	buf_init(&text);
	if (!o->frame->quiet && !o->json.given && !o->jsonl && (done || o->added)) {
		add_summary(&text, o);
		inputs_print(buf_str(&text));
	}
	buf_free(&text);
	buf_free(&o->out);
	for (size_t i = 0; i < SEAL_BATCH; i++)
		buf_free(&o->given[i].missing);
	return o->failed ? EXIT_CANNOT : o->refused || o->conflicts ? EXIT_NO : EXIT_YES;
}
