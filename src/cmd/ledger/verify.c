/*
 * Runs the check of the ledger room and tells what it found: the findings first, then each log, then what others vouch
 * for.
 */
#include "cmd/ledger/verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "cmd/frame/field.h"
#include "cmd/frame/opt.h"
#include "cmd/frame/stream.h"
#include "cmd/ledger/args.h"
#include "cmd/report/report.h"
#include "cmd/screen/amounts.h"
#include "json/put.h"

const char *const ledger_verify_fields[] = {
	"mode", "ok", "ledger", "logs", "errors", "warnings", "findings", "origin", "size", "root", "vkey", "index",
	"leaf", "kind", "id", "experiment_id", "record_matches", "witnesses", "problem", NULL,
};

bool ledger_verify_run(struct ledger_verify *v, struct ledger_check *c, struct err *err)
{
	struct progress *line = arena_new(v->arena, struct progress);
	bool done;

	findings_init(&v->findings, v->arena, v->all ? 0 : REPORT_LIMIT);
	progress_init(line, v->frame, STDERR_FILENO, clock_mono_ns());
	c->arena = v->arena;
	c->findings = &v->findings;
	c->tick = ledger_args_tick;
	c->context = line;
	done = ledger_check_run(c, v->logs, err);
	progress_erase(line);
	return done;
}

bool ledger_verify_chosen(struct ledger_verify *v, struct ledger_check *c, const struct ledger_choice *choice,
			  struct err *err)
{
	struct ledger ledger;
	bool done;

	if (!ledger_is_url(c->where))
		return ledger_verify_run(v, c, err);
	if (!ledger_args_open(&ledger, v->arena, v->frame, choice, LEDGER_READ, err))
		return false;
	c->ledger = &ledger;
	v->where = ledger.where; /* without a password */
	done = ledger_verify_run(v, c, err);
	ledger_close(&ledger);
	c->ledger = NULL;
	return done;
}

bool ledger_verify_is_ok(const struct ledger_verify *v)
{
	return v->findings.errors == 0;
}

/* ---- text ---- */

static void add_bytes(struct buf *out, uint64_t n)
{
	static const char *const units[] = { "bytes", "KiB", "MiB", "GiB", "TiB" };
	double v = (double)n;
	size_t u = 0;

	for (; v >= 1024 && u + 1 < COUNT(units); u++)
		v /= 1024;
	buf_printf(out, u ? "%.1f %s" : "%.0f %s", v, units[u]);
}

/* "2 trials, 1 review"; kinds that do not occur are left out. */
static void add_kinds(struct buf *out, const struct log_report *r)
{
	static const char *const nouns[ENTRY_KINDS] = {
		[ENTRY_TRIAL] = "trial", [ENTRY_RUN] = "run",	     [ENTRY_REVIEW] = "review",
		[ENTRY_SUPERSEDE] = "supersession", [ENTRY_ARTIFACT] = "artifact", [ENTRY_ERASE] = "erasure",
		[ENTRY_KEY] = "key change", [ENTRY_BENCH] = "benchmark",
	};
	const char *comma = "";

	for (int k = 0; k < ENTRY_KINDS; k++) {
		if (r->kinds[k] == 0)
			continue;
		buf_add_str(out, str_from(comma));
		amounts_add_things(out, r->kinds[k], nouns[k]);
		comma = ", ";
	}
	if (!*comma)
		buf_add_str(out, STR("no entries"));
}

/* One log for people: its size, root and signature, and the entries that are not covered by them. */
static void ledger_verify_add_log(struct buf *out, const struct ledger_verify *v, enum ledger_part p)
{
	const struct log_report *r = &v->logs[p];

	if (!r->there) {
		buf_printf(out, "  %-11s not there\n", ledger_part_name(p));
		return;
	}
	buf_printf(out, "  %-11s ", ledger_part_name(p));
	if (!r->signed_well && r->size == 0) {
		buf_add_str(out, STR("NOT SIGNED, so nothing under it was looked at\n"));
		return;
	}
	add_kinds(out, r);
	if (v->has_objects && r->size) {
		buf_add_str(out, STR("; "));
		amounts_add_things(out, r->objects, "object");
	}
	if (r->erased)
		buf_printf(out, ", %" PRIu64 " erased", r->erased);
	if (r->size) {
		buf_add_str(out, STR("; "));
		add_bytes(out, r->bytes);
		buf_add_str(out, STR(" hashed"));
	}
	buf_printf(out, "\n  %-11s root %.*s\n", "", STR_ARG(ledger_args_hex(v->arena, r->root)));
	buf_printf(out, "  %-11s %s", "", r->signed_well ? "signed by " : "NOT SIGNED by ");
	term_add_text(out, r->origin);
	if (r->signed_well)
		buf_add_str(out, r->key_is_trusted ? (v->has_vkey ? STR(", with the key you gave")
								  : STR(", with your own key"))
						   : (v->has_vkey ? STR(", NOT with the key you gave")
								  : STR(", with the key from the ledger itself")));
	buf_add_byte(out, '\n');
	if (r->unpublished) {
		buf_printf(out, "  %-11s ", "");
		amounts_add_things(out, r->unpublished, "more entry");
		if (r->unchecked)
			buf_add_str(out, STR(" not yet published: NOT CHECKED, because that takes the private key\n"));
		else
			buf_add_str(out, STR(" committed and not yet published: the next 'trackway ledger add' "
					     "publishes\n"));
	}
	if (r->unproven) {
		buf_printf(out, "  %-11s ", "");
		amounts_add_things(out, r->unproven, "more entry");
		buf_add_str(out, STR(" in .state/wal of unknown origin: NOT SIGNED\n"));
	}
}

/* Signatures of reviewers: of whom they are, is known only of keys that were given. */
static void add_signatures(struct buf *out, const struct ledger_verify *v)
{
	uint64_t all = 0, known = 0;

	for (int p = 0; p < LEDGER_PARTS; p++) {
		all += v->logs[p].there ? v->logs[p].signed_reviews : 0;
		known += v->logs[p].there ? v->logs[p].known_signers : 0;
	}
	if (all == 0)
		return;
	buf_printf(out, "  %-11s ", "reviews");
	amounts_add_things(out, all, "signature");
	buf_add_str(out, all == 1 ? STR(" of a reviewer holds") : STR(" of reviewers hold"));
	if (v->has_reviewers)
		buf_printf(out, "; %" PRIu64 " with a key you gave\n", known);
	else
		buf_printf(out, ", with keys that you did not give:\n  %-11s give those you know with "
			   "--reviewer-key, to learn who signed\n", "");
}

/* What others vouch for, and from where on nobody does. */
static void add_anchors(struct buf *out, const struct ledger_verify *v)
{
	for (int p = 0; p < LEDGER_PARTS; p++) {
		const struct log_report *r = &v->logs[p];

		if (!r->there || r->anchored == 0)
			continue;
		buf_printf(out, "  %-11s the first %" PRIu64 " of %" PRIu64 " entries of the %s log are covered "
			   "by the checkpoint given", "anchored", r->anchored, r->size,
			   ledger_part_name((enum ledger_part)p));
		if (r->anchored + 1 == r->size)
			buf_add_str(out, STR("; the newest is not"));
		else if (r->anchored < r->size)
			buf_printf(out, "; the newest %" PRIu64 " are not", r->size - r->anchored);
		buf_add_byte(out, '\n');
	}
	if (v->has_policy) {
		buf_printf(out, "  %-11s ", "witnesses");
		amounts_add_things(out, v->logs[LEDGER_MAIN].witnesses, "cosignature");
		if (v->logs[LEDGER_MAIN].cosigned_at) {
			char when[36];

			stamp_format(when, (int64_t)v->logs[LEDGER_MAIN].cosigned_at, 0, 0);
			buf_printf(out, ", the earliest of %s", when);
		}
		buf_add_byte(out, '\n');
	}
}

static bool is_untrusted(const struct ledger_verify *v)
{
	return v->logs[LEDGER_MAIN].there && !v->logs[LEDGER_MAIN].key_is_trusted && !v->has_vkey;
}

void ledger_verify_add_text(struct buf *out, const struct ledger_verify *v)
{
	bool ok = ledger_verify_is_ok(v), color = v->frame->out.color;
	struct report report;

	report_init(&report, &v->frame->out, v->all);
	report.rules = ledger_rules;
	report.least = v->frame->quiet ? SEV_ERROR : SEV_INFO;
	report_add_list(out, &report, STR(""), &v->findings);
	if (ok)
		buf_printf(out, "%sOK%s: ", term_style(color, STYLE_BOLD), term_style(color, STYLE_PLAIN));
	else
		buf_printf(out, "%sNOT OK%s: ", term_style(color, STYLE_ERROR), term_style(color, STYLE_PLAIN));
	term_add_text(out, v->where);
	if (v->findings.errors || v->findings.warnings) {
		buf_add_str(out, STR(" has "));
		report_add_counts(out, &v->findings);
	} else {
		buf_add_str(out, STR(" is whole"));
	}
	buf_add_byte(out, '\n');
	for (int p = 0; p < LEDGER_PARTS; p++)
		ledger_verify_add_log(out, v, (enum ledger_part)p);
	add_anchors(out, v);
	add_signatures(out, v);
	if (is_untrusted(v))
		buf_add_str(out, STR("The public key came from the ledger itself. So this shows that it is whole, not "
				     "who signed it:\ngive the owner's key with --vkey.\n"));
}

/* ---- JSON ---- */

/* The same as an object. Counts of kinds that do not occur are left out. */
static void write_log(struct json_writer *w, const struct ledger_verify *v, enum ledger_part p)
{
	const struct log_report *r = &v->logs[p];

	json_write_begin_object(w);
	json_put_word(w, "part", ledger_part_name(p));
	json_put_text_or_null(w, "origin", r->origin);
	json_put_u64(w, "size", r->size);
	json_put_digest(w, "root", r->root);
	json_put_bool(w, "signed", r->signed_well);
	json_put_bool(w, "vkey_is_trusted", r->key_is_trusted);
	json_put_object(w, "kinds");
	for (int k = 0; k < ENTRY_KINDS; k++)
		if (r->kinds[k])
			json_put_u64(w, entry_kind_name((enum entry_kind)k), r->kinds[k]);
	json_write_end_object(w);
	json_put_u64(w, "objects", r->objects);
	json_put_u64(w, "erased", r->erased);
	json_put_u64(w, "bytes", r->bytes);
	json_put_u64(w, "unpublished", r->unpublished);
	json_put_u64(w, "unchecked", r->unchecked);
	json_put_u64(w, "unproven", r->unproven);
	json_put_u64(w, "anchored", r->anchored);
	json_put_u64(w, "unanchored", r->size - (r->anchored < r->size ? r->anchored : r->size));
	json_put_u64(w, "signed_reviews", r->signed_reviews);
	json_put_u64(w, "known_signers", r->known_signers);
	json_put_u64(w, "witnesses", r->witnesses);
	json_put_u64_or_null(w, "cosigned_at", r->cosigned_at, r->cosigned_at);
	json_write_end_object(w);
}

void ledger_verify_add_json(struct buf *out, const struct ledger_verify *v, struct opt_maybe selected)
{
	struct json_writer w;

	field_begin_document(&w, out, JSON_COMPACT, "ledger-verify");
	field_put_text(&w, selected, "mode", STR("ledger"));
	field_put_bool(&w, selected, "ok", ledger_verify_is_ok(v));
	field_put_text(&w, selected, "ledger", v->where);
	if (report_begin_field(&w, selected, "logs")) {
		json_write_begin_array(&w);
		for (int p = 0; p < LEDGER_PARTS; p++)
			if (v->logs[p].there)
				write_log(&w, v, (enum ledger_part)p);
		json_write_end_array(&w);
	}
	field_put_u64(&w, selected, "errors", v->findings.errors);
	field_put_u64(&w, selected, "warnings", v->findings.warnings);
	if (report_begin_field(&w, selected, "findings"))
		report_write_json_list(&w, &v->findings);
	field_end_document(&w);
}

int ledger_verify_print(const struct ledger_verify *v, struct opt_maybe json)
{
	struct buf out;

	buf_init(&out);
	if (json.given)
		ledger_verify_add_json(&out, v, json);
	else
		ledger_verify_add_text(&out, v);
	stream_write(stdout, buf_str(&out));
	buf_free(&out);
	return ledger_verify_is_ok(v) ? EXIT_YES : EXIT_NO;
}
