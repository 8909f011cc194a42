/* A reference from records to figures, and from figures to a file and back. */
#include "trial/classify/reference.h"

#include "json/json.h"
#include "json/put.h"
#include "trial/transcript_find.h"

/* ---- from trials ---- */

/* A record with this reward that leads to a transcript. Of anything else it is not asked why. */
static bool reference_is_good(struct arena *a, struct str path)
{
	struct transcript_record record;
	struct transcript_found found;
	struct err why;

	return transcript_find_by_record(a, path, &found, &record, &why) && found.as &&
	       record.reward >= REFERENCE_REWARD;
}

bool reference_make(struct classify_reference *out, struct arena *a, const struct str *paths, size_t count,
		    const struct classify_how *how, struct err *err)
{
	struct bond_sequence *good = arena_array(a, struct bond_sequence, count);
	struct classify_trial trial;
	size_t n = 0;

	*out = (struct classify_reference){ .classifier = { NULL, 0 } };
	for (size_t i = 0; i < count; i++) {
		struct err why = { .kind = ERR_NONE };

		if (!reference_is_good(a, paths[i]))
			continue;
		if (classify_load(&trial, a, paths[i], how, &why)) {
			good[n++] = trial.sequence;
			continue;
		}
		if (how->judge) { /* who would be asked again and again, for money */
			*err = why;
			return false;
		}
		if (out->passed_over++ == 0)
			out->why = why;
	}
	out->bonds = bond_make_reference(a, good, n);
	if (n)
		return true;
	return err_set(err, ERR_DATA, "no trial with a reward of 1.0 and a transcript can be a reference%s%.300s",
		       out->passed_over ? "; the first one: " : "", out->why.text);
}

/* ---- a file ---- */

void reference_write(struct buf *out, const struct classify_reference *r)
{
	struct json_writer w;

	json_write_init(&w, out, JSON_COMPACT);
	json_write_begin_object(&w);
	json_put_text(&w, "schema", STR(REFERENCE_SCHEMA));
	json_put_text(&w, "classifier", r->classifier);
	json_put_u64(&w, "traces", r->bonds.traces);
	json_put_u64(&w, "turns", r->bonds.turns);
	json_put_array(&w, "matrix");
	for (size_t i = 0; i < BONDS; i++) {
		json_write_begin_array(&w);
		for (size_t j = 0; j < BONDS; j++)
			json_write_double(&w, r->bonds.matrix.to[i][j]);
		json_write_end_array(&w);
	}
	json_write_end_array(&w);
	json_put_key(&w, "ideal_sequence");
	bond_write_sequence(&w, r->bonds.ideal);
	json_put_u64(&w, "ideal_traces", r->bonds.ideal_traces);
	json_write_end_object(&w);
	buf_add_byte(out, '\n');
}

static bool reference_read_count(struct val v, uint64_t *out)
{
	int64_t n;

	if (!val_i64(v, &n) || n <= 0)
		return false;
	*out = (uint64_t)n;
	return true;
}

/* Four rows of four shares, each row adding up to no more than 1. */
static bool reference_read_matrix(struct val v, struct bond_matrix *out)
{
	struct val_iter rows = val_begin(v), cells;
	struct val row, cell;

	if (!val_is(v, JSON_ARRAY) || val_count(v) != BONDS)
		return false;
	for (size_t i = 0; i < BONDS && val_next(&rows, &row); i++) {
		double sum = 0;

		if (!val_is(row, JSON_ARRAY) || val_count(row) != BONDS)
			return false;
		cells = val_begin(row);
		for (size_t j = 0; j < BONDS && val_next(&cells, &cell); j++) {
			if (!val_double(cell, &out->to[i][j]) || !(out->to[i][j] >= 0))
				return false;
			sum += out->to[i][j];
		}
		if (!(sum <= 1 + 1e-9))
			return false;
	}
	return true;
}

static bool reference_read_ideal(struct arena *a, struct val v, struct bond_sequence *out)
{
	struct val_iter it = val_begin(v);
	size_t n = val_count(v);
	uint8_t *at = arena_array(a, uint8_t, n);
	struct val name;
	enum bond bond;

	if (!val_is(v, JSON_ARRAY) || n == 0)
		return false;
	for (size_t i = 0; i < n && val_next(&it, &name); i++) {
		if (!val_is(name, JSON_STRING) || !bond_find(val_text(name, a), &bond))
			return false;
		at[i] = (uint8_t)bond;
	}
	*out = (struct bond_sequence){ at, n };
	return true;
}

bool reference_is_one(struct str text)
{
	return str_has(text, STR("\"" REFERENCE_SCHEMA "\""));
}

static bool reference_refuse(struct str name, const char *member, const char *right, struct err *err)
{
	return err_set(err, ERR_DATA, "%.*s: $.%s should be %s", STR_ARG(name), member, right);
}

static bool reference_read_value(struct classify_reference *out, struct arena *a, struct val v, struct str name,
				 struct err *err)
{
	if (!val_text_is(val_get(v, STR("schema")), STR(REFERENCE_SCHEMA)))
		return reference_refuse(name, "schema", REFERENCE_SCHEMA, err);
	if (!val_is(val_get(v, STR("classifier")), JSON_STRING))
		return reference_refuse(name, "classifier", "the name of a classifier", err);
	out->classifier = val_text_copy(val_get(v, STR("classifier")), a);
	if (!reference_read_count(val_get(v, STR("traces")), &out->bonds.traces))
		return reference_refuse(name, "traces", "a number above 0", err);
	if (!reference_read_count(val_get(v, STR("turns")), &out->bonds.turns))
		return reference_refuse(name, "turns", "a number above 0", err);
	if (!reference_read_matrix(val_get(v, STR("matrix")), &out->bonds.matrix))
		return reference_refuse(name, "matrix", "four rows of four shares, each row at most 1 in all", err);
	if (!reference_read_ideal(a, val_get(v, STR("ideal_sequence")), &out->bonds.ideal))
		return reference_refuse(name, "ideal_sequence", "a list of names of bonds", err);
	return reference_read_count(val_get(v, STR("ideal_traces")), &out->bonds.ideal_traces) ||
	       reference_refuse(name, "ideal_traces", "a number above 0", err);
}

bool reference_read(struct classify_reference *out, struct arena *a, struct str text, struct str name,
		    struct err *err)
{
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 8 });
	struct json_issue issue;
	struct val v;
	bool done;

	*out = (struct classify_reference){ .classifier = { NULL, 0 } };
	if (json_parse_copy(p, text, &v, &issue))
		done = reference_read_value(out, a, v, name, err);
	else
		done = err_set(err, ERR_DATA, "%.*s:%llu:%llu: %s", STR_ARG(name), (unsigned long long)issue.line,
			       (unsigned long long)issue.column, issue.message);
	json_parser_close(p);
	return done;
}
