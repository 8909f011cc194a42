/*
 * The checks between the records of one log, and its hashes. Canonical forms that lie one behind the other in a batch
 * are hashed in one piece, so most records cost no copy.
 */
#include "dialect/otutl/log.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/mask.h"

#define DAY_MS ((uint64_t)86400000)

void otutl_log_init(struct otutl_log *l, const struct otutl_fold_options *options)
{
	*l = (struct otutl_log){ .options = options };
	otutl_calls_init(&l->calls);
	otutl_hash_init(&l->hash);
	otutl_bh_init(&l->bh, &l->calls, options->group ? options->group : OTUTL_GROUP);
}

void otutl_log_free(struct otutl_log *l)
{
	otutl_calls_free(&l->calls);
	otutl_hash_free(&l->hash);
	otutl_bh_free(&l->bh);
	buf_free(&l->pending.ends);
	buf_free(&l->pending.leaves);
}

void otutl_log_begin(struct otutl_log *l, uint64_t first_line)
{
	struct otutl_log fresh = {
		.options = l->options,
		.calls = l->calls,
		.hash = l->hash,
		.bh = l->bh,
		.pending = l->pending,
		.first_line = first_line,
	};

	*l = fresh;
	otutl_calls_clear(&l->calls);
	otutl_hash_restart(&l->hash);
	otutl_bh_restart(&l->bh);
}

/* ---- findings ---- */

void otutl_log_add_finding(struct otutl_log *l, const struct finding *f, bool torn)
{
	l->errors += f->severity == SEV_ERROR && !torn;
	if (f->message.n)
		findings_add(l->options->findings, f);
	else /* there is only its code: it came after too many others */
		findings_count(l->options->findings, f->code, f->severity);
}

/* A finding about something whose line may be gone. */
static void note_at(struct otutl_log *l, const struct otutl_spot *spot, enum otutl_place where, enum otutl_code code,
		    const char *message)
{
	struct finding f = {
		.code = otutl_rules[code].code,
		.severity = otutl_rules[code].severity,
		.pointer = otutl_pointer(where),
		.message = str_from(message),
	};

	otutl_spot_point(spot, &f);
	otutl_log_add_finding(l, &f, false);
}

void otutl_log_note(struct otutl_log *l, const struct otutl_record *r, enum otutl_place where, enum otutl_code code,
		    const char *format, ...)
{
	struct finding f = { .code = otutl_rules[code].code, .severity = otutl_rules[code].severity };
	struct buf message = { 0 };
	va_list args;

	va_start(args, format);
	buf_vprintf(&message, format, args);
	va_end(args);
	f.message = buf_str(&message);
	otutl_record_point(r, where, &f);
	otutl_log_add_finding(l, &f, false);
	buf_free(&message);
}

/* ---- checks ---- */

void otutl_log_see(struct otutl_log *l, const struct otutl_record *r)
{
	if (!(r->flags & OTUTL_HAS_RUN_ID))
		return;
	if (!l->has_run_id) {
		l->run_id = r->run_id;
		l->has_run_id = true;
	} else if (!id_eq(l->run_id, r->run_id)) {
		char first[ID_UUID_TEXT];

		id_format_uuid(first, l->run_id);
		otutl_log_note(l, r, OTUTL_AT_RUN_ID, OTUTL_E_RUN_ID_MIXED, "the run's run_id is %.*s", ID_UUID_TEXT,
			       first);
	}
}

static void otutl_log_check_type(struct otutl_log *l, const struct otutl_record *r)
{
	if (l->records == 0 && r->type != OTUTL_RUN_START)
		otutl_log_note(l, r, OTUTL_AT_TYPE, OTUTL_E_RUN_START, "the log does not begin with run_start");
	if (l->records > 0 && r->type == OTUTL_RUN_START)
		otutl_log_note(l, r, OTUTL_AT_TYPE, OTUTL_E_RUN_START, "the log has another run_start");
	if (l->last_type == OTUTL_RUN_END)
		note_at(l, &l->end, OTUTL_AT_TYPE, OTUTL_E_RUN_END, "records of the same log follow this run_end");
	if (r->type == OTUTL_RUN_END) {
		l->has_end = true;
		otutl_spot_keep(&l->end, r, OTUTL_AT_TYPE);
	}
}

/*
 * The time in a UUIDv7 run_id should be within a day of the first ts. Asked once, of the first record with a time; a
 * ts that stands for no time is no measure.
 */
static void check_skew(struct otutl_log *l, const struct otutl_record *r)
{
	uint64_t made = id_uuid7_ms(l->run_id), ts, apart;

	l->skew_checked = true;
	if (r->flags & OTUTL_TS_NONE)
		return;
	ts = r->ts_seconds < 0 ? 0 : (uint64_t)r->ts_seconds * 1000 + r->ts_nanos / 1000000;
	apart = made > ts ? made - ts : ts - made;
	if (apart > DAY_MS)
		otutl_log_note(l, r, OTUTL_AT_RUN_ID, OTUTL_W_UUID7_SKEW,
			       "run_id was made %llu hours %s the first ts", (unsigned long long)(apart / 3600000),
			       made > ts ? "after" : "before");
}

static void check_time(struct otutl_log *l, const struct otutl_record *r)
{
	if (!(r->flags & OTUTL_HAS_TS))
		return;
	if (l->has_ts && !(r->flags & OTUTL_TS_BACK) &&
	    (r->ts_seconds < l->ts_seconds || (r->ts_seconds == l->ts_seconds && r->ts_nanos < l->ts_nanos)))
		otutl_log_note(l, r, OTUTL_AT_TS, OTUTL_W_TS_BACKWARDS, "ts is earlier than that of the record before");
	if (!l->skew_checked && l->has_run_id)
		check_skew(l, r);
	l->has_ts = true;
	l->ts_seconds = r->ts_seconds;
	l->ts_nanos = r->ts_nanos;
}

/* A parent must be an earlier call, by order of seq, and should still be open. */
static void otutl_log_check_parent(struct otutl_log *l, const struct otutl_record *r)
{
	const struct otutl_id *id = NULL;

	if (r->flags & OTUTL_HAS_PARENT)
		id = otutl_calls_find(&l->calls, r->parent);
	else if (!(r->flags & OTUTL_BAD_PARENT))
		return;
	if (!id || id->state == OTUTL_ID_ONLY)
		otutl_log_note(l, r, OTUTL_AT_PARENT, OTUTL_E_PARENT_UNKNOWN, "no earlier call has this id");
	else if (id->state == OTUTL_CLOSED)
		otutl_log_note(l, r, OTUTL_AT_PARENT, OTUTL_W_PARENT_CLOSED,
			       "the outer call had its result before this call began");
}

/* A second call of one id is a finding and changes nothing: the first stays the one that is answered. */
static void open_call(struct otutl_log *l, const struct otutl_record *r)
{
	struct otutl_id *id;

	otutl_log_check_parent(l, r);
	if (!(r->flags & OTUTL_HAS_CALL))
		return;
	id = otutl_calls_add(&l->calls, r->call);
	if (id->state != OTUTL_ID_ONLY)
		otutl_log_note(l, r, OTUTL_AT_CALL_ID, OTUTL_E_CALL_DUP, "call_id \"%.*s\" was used by an earlier call",
			       STR_ARG(r->call_id));
	else
		otutl_calls_open(&l->calls, id, r);
}

/* True when the record answers a call, first or not. */
static bool answer_call(struct otutl_log *l, const struct otutl_record *r)
{
	struct otutl_id *id;

	if (!(r->flags & OTUTL_HAS_CALL))
		return false;
	id = otutl_calls_find(&l->calls, r->call);
	if (!id || id->state == OTUTL_ID_ONLY) {
		/* an error may speak of a call that never was: that is how a result without a call is kept */
		if (r->type == OTUTL_TOOL_RESULT)
			otutl_log_note(l, r, OTUTL_AT_CALL_ID, OTUTL_E_RESULT_ORPHAN,
				       "no earlier call has call_id \"%.*s\"", STR_ARG(r->call_id));
		return false;
	}
	if (id->state == OTUTL_CLOSED)
		otutl_log_note(l, r, OTUTL_AT_CALL_ID, OTUTL_E_RESULT_DUP, "call \"%.*s\" has its result already",
			       STR_ARG(r->call_id));
	else
		otutl_calls_close(&l->calls, id);
	return true;
}

/* ---- hashes ---- */

void otutl_log_flush(struct otutl_log *l)
{
	struct otutl_pending *p = &l->pending;
	const size_t *ends = (const size_t *)(const void *)p->ends.p;
	const struct digest *leaves = (const struct digest *)(const void *)p->leaves.p;
	size_t count = p->ends.n / sizeof(size_t);

	if (count > 0 && l->errors == 0) {
		otutl_hash_add(&l->hash, str_of(p->p, p->n), ends, leaves, count);
		if (l->options->canonical)
			l->options->canonical(l->options->context, str_of(p->p, p->n), ends, count);
	}
	p->n = 0;
	buf_clear(&p->ends);
	buf_clear(&p->leaves);
}

/* Waits as long as canonical forms lie one behind the other; only the behaviour hash copies. */
static void hash_record(struct otutl_log *l, struct otutl_view v, bool answers)
{
	struct otutl_pending *p = &l->pending;

	if (p->n && p->p + p->n != v.canon.p)
		otutl_log_flush(l);
	if (p->n == 0)
		p->p = v.canon.p;
	p->n += v.canon.n;
	buf_add(&p->ends, &p->n, sizeof(p->n));
	buf_add(&p->leaves, &v.record->leaf, sizeof(v.record->leaf));
	otutl_bh_add(&l->bh, v, answers);
}

void otutl_log_take(struct otutl_log *l, struct otutl_view v)
{
	const struct otutl_record *r = v.record;
	bool answers = false;

	otutl_log_check_type(l, r);
	check_time(l, r);
	if (r->type == OTUTL_TOOL_CALL)
		open_call(l, r);
	else if (r->type == OTUTL_TOOL_RESULT || r->type == OTUTL_ERROR)
		answers = answer_call(l, r);
	if (l->errors == 0)
		hash_record(l, v, answers);
	l->records++;
	l->last_type = (enum otutl_type)r->type;
	l->last_at = (struct place){ r->line, 1, r->offset };
}

/* Without run_end the log broke off, and open calls are no error. */
static void note_open_calls(struct otutl_log *l)
{
	enum otutl_code code = l->has_end ? OTUTL_E_CALL_UNRESOLVED : OTUTL_W_CALL_OPEN;
	const char *when = l->has_end ? "run ends" : "log breaks off";
	size_t count;
	const struct otutl_open *open = otutl_calls_sort_open(&l->calls, &count);

	for (size_t i = 0; i < count; i++) {
		char message[OTUTL_OPEN_SHOWN + 64];
		struct buf id = { 0 };

		mask_text(&id, str_of(open[i].id, open[i].id_n), MASK_CUT, NULL, NULL);
		snprintf(message, sizeof(message), "call \"%.*s\" has no result when the %s", STR_ARG(buf_str(&id)),
			 when);
		note_at(l, &open[i].spot, OTUTL_AT_CALL_ID, code, message);
		buf_free(&id);
	}
}

void otutl_log_end(struct otutl_log *l, struct otutl_run *out)
{
	struct otutl_spot first = { .at = { l->first_line, 1, 0 } }, last = { .at = l->last_at };
	struct otutl_digests d;

	note_open_calls(l);
	if (!l->has_end)
		note_at(l, &last, OTUTL_AT_RECORD, OTUTL_W_PARTIAL, "the log breaks off here, without run_end");
	out->first_line = l->first_line;
	out->records = l->records;
	out->complete = l->last_type == OTUTL_RUN_END;
	out->hashed = l->errors == 0;
	otutl_log_flush(l);
	if (!out->hashed)
		return;
	d = otutl_hash_get(&l->hash);
	out->run_hash = d.run;
	out->run_root = d.root;
	out->canonical_file = d.file;
	out->has_behavior = otutl_bh_end(&l->bh, &out->behavior_hash);
	if (!out->has_behavior)
		note_at(l, &first, OTUTL_AT_RECORD, OTUTL_W_GROUP_LIMIT,
			"more than 256 MiB of records between two model steps: no behavior_hash");
}
