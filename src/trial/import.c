/*
 * Remembers a hash of each trial that was asked for, and of where it came from, so that a second source with the same
 * id is told apart from the same one twice. Everything else is asked of the log.
 */
#include "trial/import.h"

#include "base/ascii.h"
#include "base/map.h"
#include "dialect/record/record.h"
#include "json/canon.h"
#include "json/put.h"

#define DEPTH 64 /* of values that are indented anew; the writer takes a little more */

struct import {
	struct import_options o;
	struct sealer *sealer;
	struct json_parser *parser; /* of entries */
	struct json_parser *sample_parser;
	struct canon *canon;
	struct sha256 sha;
	struct arena arena, scratch;
	struct arena found; /* the record of what was asked for last */
	struct map asked; /* the wide hash of part, experiment and id, to a hash of where it came from */
	struct import_tally tally;
};

/* The one place that counts: every record comes by here exactly once. */
static bool tell(struct import *im, const struct import_item *item, struct err *err)
{
	im->tally.imported += item->outcome == IMPORT_NEW;
	im->tally.duplicates += item->outcome == IMPORT_DUPLICATE;
	im->tally.refused += item->outcome == IMPORT_REFUSED;
	return !im->o.each || im->o.each(im->o.context, item, err);
}

/* The first thing that is wrong with a record says enough. */
static struct str first_of(struct arena *a, const struct seal_result *r)
{
	const struct finding *f;
	struct str why;

	if (!r->findings || r->findings->kept_count == 0)
		return arena_printf(a, "%s: the ledger has another record of this trial, entry %llu; nothing is "
				    "rewritten: give the new one an id of its own", r->code,
				    (unsigned long long)r->index);
	f = &r->findings->kept[0];
	why = arena_printf(a, "%s: %.*s%s%.*s", f->code, STR_ARG(f->message), f->pointer.n ? " at " : "",
			   STR_ARG(f->pointer));
	return str_starts(str_from(f->code), STR("TR")) ?
		       arena_printf(a, "%.*s; 'trackway explain %s' tells more", STR_ARG(why), f->code) : why;
}

/* What the sealer decided, as the importer's user is told of it. */
static bool sealed(void *context, const struct seal_result *r, struct err *err)
{
	struct import *im = context;
	struct import_item item = {
		.name = r->name, .experiment = r->experiment, .trial_id = r->trial_id, .part = r->part,
		.index = r->index,
	};

	arena_reset(&im->scratch);
	item.outcome = r->outcome == SEAL_ADDED  ? IMPORT_NEW :
		       r->outcome == SEAL_SAME ? IMPORT_DUPLICATE :
						 IMPORT_REFUSED;
	if (item.outcome == IMPORT_REFUSED)
		item.why = first_of(&im->scratch, r);
	return tell(im, &item, err);
}

struct import *import_open(const struct import_options *o)
{
	struct import *im = mem_alloc(sizeof(*im));
	struct seal_options how = { .ledger = o->ledger, .dry_run = o->dry_run, .each = sealed, .context = im };

	*im = (struct import){ .o = *o };
	arena_init(&im->arena);
	arena_init(&im->scratch);
	arena_init(&im->found);
	im->parser = json_parser_open((struct json_options){ .max_depth = ENTRY_DEPTH });
	im->sample_parser = json_parser_open((struct json_options){ .max_depth = 0 });
	im->canon = canon_open(CANON_JCS);
	sha256_init(&im->sha);
	map_init(&im->asked, &im->arena);
	im->sealer = sealer_open(&how);
	return im;
}

void import_close(struct import *im)
{
	if (!im)
		return;
	sealer_close(im->sealer);
	sha256_free(&im->sha);
	canon_close(im->canon);
	json_parser_close(im->sample_parser);
	json_parser_close(im->parser);
	arena_free(&im->found);
	arena_free(&im->scratch);
	arena_free(&im->arena);
	mem_free(im);
}

/* ---- what is known ---- */

static bool add_canonical(struct import *im, struct str json, struct buf *out)
{
	enum json_code code;
	uint32_t bad_at;
	struct val v;

	return json_parse_copy(im->sample_parser, json, &v, NULL) && canon_value(im->canon, v, out, &bad_at, &code);
}

/* Spaces, the order of members and the spelling of numbers make no difference. */
static bool is_same_json(struct import *im, struct str a, struct str b)
{
	struct buf x, y;
	bool same;

	buf_init(&x);
	buf_init(&y);
	same = add_canonical(im, a, &x) && add_canonical(im, b, &y) && str_eq(buf_str(&x), buf_str(&y));
	buf_free(&y);
	buf_free(&x);
	return same;
}

/* Whether what was sealed is what somebody brings now. Of what was erased only the digest is left. */
static bool is_sealed(struct import *im, struct log *log, const struct entry *e, struct str bytes, bool *same,
		      struct err *err)
{
	struct digest d = sha256_of(&im->sha, bytes);
	struct str sealed;
	bool found;

	*same = digest_eq(d, e->record.digest);
	if (*same)
		return true;
	if (!log->ops->object(log, &im->scratch, e->record.digest, &sealed, &found, err))
		return false;
	*same = found && is_same_json(im, sealed, bytes);
	return true;
}

/* Of a trial that is there: its record, when it lacks its artifact and was not erased; whether that is another one. */
static bool look_at_artifact(struct import *im, const struct import_question *q, uint64_t index, struct str *record,
			     bool *is_other, struct err *err)
{
	struct log *log = im->o.ledger->logs[q->part];
	struct entry e = { .kind = ENTRY_ARTIFACT, .experiment = q->experiment,
			   .ref = { .given = true, .trial_id = q->trial_id } };
	uint64_t artifact;
	bool found, same;

	e.id = ARENA_JOIN(&im->scratch, q->trial_id, STR("/"), q->artifact);
	if (!log->ops->find(log, entry_ident(&im->scratch, &e), &found, &artifact, err))
		return false;
	if (!log_read_entry(log, im->parser, &im->scratch, found ? artifact : index, &e, NULL, err))
		return false;
	if (found) {
		if (!is_sealed(im, log, &e, q->bytes, &same, err))
			return false;
		*is_other = !same;
		return true;
	}
	if (!log->ops->object(log, &im->found, e.record.digest, record, &found, err))
		return false;
	if (!found)
		*record = (struct str){ NULL, 0 };
	return true;
}

/* `item` becomes a refusal when it is there with another artifact. */
static bool ask_log(struct import *im, const struct import_question *q, struct str ident, bool *known,
		    struct str *record, struct import_item *item, struct err *err)
{
	struct log *log = im->o.ledger->logs[q->part];
	bool is_other = false;
	uint64_t index;

	if (log && !log->ops->find(log, ident, known, &index, err))
		return false;
	if (*known && q->artifact.p && !look_at_artifact(im, q, index, record, &is_other, err))
		return false;
	*known = *known && !record->p;
	if (is_other) {
		item->outcome = IMPORT_REFUSED;
		item->why = arena_printf(&im->scratch, "the ledger has the trial %.*s (entry %llu) with another %.*s, "
					 "and nothing is rewritten; import it under another experiment",
					 STR_ARG(q->trial_id), (unsigned long long)index, STR_ARG(q->artifact));
	}
	return true;
}

/* What the id was made of, and what is brought under it. */
static uint64_t mark_of(struct import *im, const struct import_question *q)
{
	struct buf text;
	uint64_t mark;

	buf_init(&text);
	buf_add_str(&text, q->from);
	buf_add_byte(&text, '\0');
	if (q->artifact.p && !add_canonical(im, q->bytes, &text))
		buf_add_str(&text, q->bytes);
	mark = str_hash(buf_str(&text)) | 1;
	buf_free(&text);
	return mark;
}

bool import_ask(struct import *im, const struct import_question *q, bool *known, struct str *record, struct err *err)
{
	struct entry e = { .kind = ENTRY_TRIAL, .id = q->trial_id, .experiment = q->experiment };
	struct import_item item = { .outcome = IMPORT_DUPLICATE, .name = q->name, .experiment = q->experiment,
				    .trial_id = q->trial_id, .part = q->part };
	uint64_t *source, mark = mark_of(im, q);
	struct hash hash;
	struct str ident;
	bool added;

	arena_reset(&im->scratch);
	arena_reset(&im->found);
	*known = false;
	*record = (struct str){ NULL, 0 };
	ident = entry_ident(&im->scratch, &e);
	hash = str_hash_wide(ARENA_JOIN(&im->scratch, str_from(ledger_part_name(q->part)), ident));
	source = map_add(&im->asked, str_of(&hash, sizeof(hash)), &added);
	if (added) {
		*source = mark;
		return ask_log(im, q, ident, known, record, &item, err) && (!*known || tell(im, &item, err));
	}
	*known = true;
	if (*source != mark) {
		item.outcome = IMPORT_REFUSED;
		item.why = arena_printf(&im->scratch, "an earlier one has the same trial id, %.*s; give "
					"each an id of its own", STR_ARG(q->trial_id));
	}
	return tell(im, &item, err);
}

bool import_add(struct import *im, struct str name, struct str record, const struct seal_artifact *artifacts,
		size_t count, struct err *err)
{
	return seal_add(im->sealer, name, record, artifacts, count, NULL, err);
}

bool import_refuse(struct import *im, struct str name, struct str experiment, struct str trial_id, struct str why,
		   struct err *err)
{
	struct import_item item = { .outcome = IMPORT_REFUSED, .name = name, .experiment = experiment,
				    .trial_id = trial_id, .why = why };

	return tell(im, &item, err);
}

bool import_end(struct import *im, struct import_tally *out, struct err *err)
{
	if (!seal_commit(im->sealer, err))
		return false;
	if (!im->o.dry_run && !ledger_publish(im->o.ledger, err))
		return false;
	*out = im->tally;
	return true;
}

struct import_tally import_so_far(const struct import *im)
{
	return im->tally;
}

/* ---- values ---- */

struct str import_text(struct arena *a, struct val v)
{
	struct str text = { NULL, 0 };

	if (val_is(v, JSON_STRING))
		text = val_text(v, a);
	else if (val_is(v, JSON_NUMBER))
		text = val_raw(v);
	return text.p && record_is_blank(text) ? (struct str){ NULL, 0 } : text;
}

static void write_text(struct json_writer *w, struct val v, bool is_key)
{
	struct arena a;

	arena_init(&a);
	if (is_key)
		json_write_key(w, val_text(v, &a));
	else
		json_write_string(w, val_text(v, &a));
	arena_free(&a);
}

static void write_end(struct json_writer *w, struct val container)
{
	if (val_is(container, JSON_OBJECT))
		json_write_end_object(w);
	else
		json_write_end_array(w);
}

/* One token; containers are opened. */
static void write_token(struct json_writer *w, struct val v)
{
	switch (val_type(v)) {
	case JSON_OBJECT:
		json_write_begin_object(w);
		break;
	case JSON_ARRAY:
		json_write_begin_array(w);
		break;
	case JSON_KEY:
	case JSON_STRING:
		write_text(w, v, val_is(v, JSON_KEY));
		break;
	default:
		json_write_raw(w, val_source(v));
	}
}

void import_write(struct json_writer *w, struct val v)
{
	uint32_t open[DEPTH];
	size_t depth = 0;

	if (val_is_none(v)) {
		json_write_null(w);
		return;
	}
	if (val_is_deeper(v, DEPTH)) {
		json_write_raw(w, val_source(v));
		return;
	}
	for (uint32_t i = v.at; i < val_end(v); i++) {
		struct val at = { v.tape, i };

		while (depth && val_end((struct val){ v.tape, open[depth - 1] }) <= i)
			write_end(w, (struct val){ v.tape, open[--depth] });
		write_token(w, at);
		if (val_is(at, JSON_OBJECT) || val_is(at, JSON_ARRAY))
			open[depth++] = i;
	}
	while (depth)
		write_end(w, (struct val){ v.tape, open[--depth] });
}

void import_write_member(struct json_writer *w, const char *name, struct val v)
{
	json_put_key(w, name);
	import_write(w, v);
}

struct str import_slug(struct arena *a, struct str text)
{
	char *out = arena_array(a, char, text.n + 1);
	size_t n = 0, from = 0;

	for (size_t i = 0; i < text.n; i++) {
		if (ascii_is_name(text.p[i]))
			out[n++] = text.p[i];
		else if (i == 0 || ascii_is_name(text.p[i - 1]))
			out[n++] = '-';
	}
	while (from < n && out[from] == '-')
		from++;
	while (n > from && out[n - 1] == '-')
		n--;
	return n > from ? str_of(out + from, n - from) : STR("unknown");
}
