/* Sequences of bonds: transitions, a reference, and how far a trace is from it. */
#include "transform/bonds.h"

#include <math.h>
#include <stdlib.h>

const char *const bond_names[BONDS + 1] = { "execution", "verification", "deliberation", "exploration", NULL };

bool bond_find(struct str name, enum bond *out)
{
	for (size_t i = 0; i < BONDS; i++) {
		if (!str_eq_nocase(name, str_from(bond_names[i])))
			continue;
		*out = (enum bond)i;
		return true;
	}
	return false;
}

enum bond bond_strongest(const int64_t score[BONDS])
{
	static const enum bond order[BONDS] = { BOND_VERIFICATION, BOND_EXPLORATION, BOND_DELIBERATION,
						BOND_EXECUTION };
	enum bond best = order[0];

	for (size_t i = 1; i < BONDS; i++)
		if (score[order[i]] > score[best])
			best = order[i];
	return best;
}

enum bond bond_dominant(const uint64_t counts[BONDS])
{
	enum bond best = BONDS;

	for (size_t i = 0; i < BONDS; i++)
		if (counts[i] > (best == BONDS ? 0 : counts[best]))
			best = (enum bond)i;
	return best;
}

double bond_round(double v)
{
	return round(v * 1e6) / 1e6;
}

struct bond_counts bond_count_transitions(struct bond_sequence s)
{
	struct bond_counts c = { .to = { { 0 } } };

	for (size_t i = 1; i < s.n; i++) {
		assert(s.at[i - 1] < BONDS && s.at[i] < BONDS);
		c.to[s.at[i - 1]][s.at[i]]++;
	}
	return c;
}

struct bond_matrix bond_normalise(const struct bond_counts *c)
{
	struct bond_matrix m = { .to = { { 0 } } };

	for (size_t i = 0; i < BONDS; i++) {
		uint64_t sum = 0;

		for (size_t j = 0; j < BONDS; j++)
			sum += c->to[i][j];
		for (size_t j = 0; j < BONDS && sum; j++)
			m.to[i][j] = (double)c->to[i][j] / (double)sum;
	}
	return m;
}

static double bond_dot(const struct bond_matrix *a, const struct bond_matrix *b)
{
	double sum = 0;

	for (size_t i = 0; i < BONDS; i++)
		for (size_t j = 0; j < BONDS; j++)
			sum += a->to[i][j] * b->to[i][j];
	return sum;
}

double bond_cosine(const struct bond_matrix *a, const struct bond_matrix *b)
{
	double x = sqrt(bond_dot(a, a)), y = sqrt(bond_dot(b, b));

	return x <= 1e-12 || y <= 1e-12 ? 0 : fmin(bond_dot(a, b) / (x * y), 1);
}

bool bond_edit_distance(struct bond_sequence a, struct bond_sequence b, uint64_t *out)
{
	uint32_t *row;

	if (a.n >= UINT32_MAX || b.n >= UINT32_MAX || (uint64_t)a.n * b.n > BONDS_EDIT_MOST)
		return false;
	row = mem_alloc((b.n + 1) * sizeof(*row));
	for (size_t j = 0; j <= b.n; j++)
		row[j] = (uint32_t)j;
	for (size_t i = 1; i <= a.n; i++) {
		uint32_t diagonal = row[0]; /* of the row above, one to the left */

		row[0] = (uint32_t)i;
		for (size_t j = 1; j <= b.n; j++) {
			uint32_t best = diagonal + (a.at[i - 1] != b.at[j - 1]);

			diagonal = row[j];
			best = best < diagonal + 1 ? best : diagonal + 1;
			row[j] = best < row[j - 1] + 1 ? best : row[j - 1] + 1;
		}
	}
	*out = row[b.n];
	mem_free(row);
	return true;
}

/* ---- a reference ---- */

/* By names, so that the order does not depend on our numbers; the shorter of equal beginnings first. */
static int bond_compare_names(struct bond_sequence a, struct bond_sequence b)
{
	for (size_t i = 0; i < a.n && i < b.n; i++)
		if (a.at[i] != b.at[i])
			return strcmp(bond_names[a.at[i]], bond_names[b.at[i]]);
	return (a.n > b.n) - (a.n < b.n);
}

static int bond_compare_items(const void *a, const void *b)
{
	return bond_compare_names(*(const struct bond_sequence *)a, *(const struct bond_sequence *)b);
}

/* Equal ones stand together in `sorted`. */
static void bond_choose_ideal(struct bond_reference *r, const struct bond_sequence *sorted, size_t count)
{
	size_t end;

	for (size_t i = 0; i < count; i = end) {
		for (end = i + 1; end < count && bond_compare_names(sorted[i], sorted[end]) == 0;)
			end++;
		if (end - i < r->ideal_traces || (end - i == r->ideal_traces && sorted[i].n <= r->ideal.n))
			continue;
		r->ideal = sorted[i];
		r->ideal_traces = end - i;
	}
}

struct bond_reference bond_make_reference(struct arena *scratch, const struct bond_sequence *traces, size_t count)
{
	struct bond_reference r = { .traces = 0 };
	struct bond_sequence *sorted = arena_array(scratch, struct bond_sequence, count);

	for (size_t k = 0; k < count; k++) {
		struct bond_counts c = bond_count_transitions(traces[k]);
		struct bond_matrix m = bond_normalise(&c);

		if (traces[k].n == 0)
			continue;
		sorted[r.traces++] = traces[k];
		r.turns += traces[k].n;
		for (size_t i = 0; i < BONDS; i++)
			for (size_t j = 0; j < BONDS; j++)
				r.matrix.to[i][j] += (double)traces[k].n * m.to[i][j];
	}
	for (size_t i = 0; i < BONDS; i++)
		for (size_t j = 0; j < BONDS && r.turns; j++)
			r.matrix.to[i][j] /= (double)r.turns;
	if (r.traces)
		qsort(sorted, (size_t)r.traces, sizeof(*sorted), bond_compare_items);
	bond_choose_ideal(&r, sorted, (size_t)r.traces);
	return r;
}

struct bond_likeness bond_compare(struct bond_sequence s, const struct bond_reference *r)
{
	struct bond_counts c = bond_count_transitions(s);
	struct bond_matrix m = bond_normalise(&c);
	struct bond_likeness out = { .cosine = bond_cosine(&m, &r->matrix) };
	size_t longer = s.n > r->ideal.n ? s.n : r->ideal.n;

	out.has_distance = bond_edit_distance(s, r->ideal, &out.distance);
	if (out.has_distance && longer)
		out.normalised = (double)out.distance / (double)longer;
	return out;
}

/* ---- JSON ---- */

void bond_write_counts(struct json_writer *w, const struct bond_counts *c)
{
	json_write_begin_array(w);
	for (size_t i = 0; i < BONDS; i++) {
		json_write_begin_array(w);
		for (size_t j = 0; j < BONDS; j++)
			json_write_u64(w, c->to[i][j]);
		json_write_end_array(w);
	}
	json_write_end_array(w);
}

void bond_write_matrix(struct json_writer *w, const struct bond_matrix *m)
{
	json_write_begin_array(w);
	for (size_t i = 0; i < BONDS; i++) {
		json_write_begin_array(w);
		for (size_t j = 0; j < BONDS; j++)
			json_write_double(w, bond_round(m->to[i][j]));
		json_write_end_array(w);
	}
	json_write_end_array(w);
}

void bond_write_sequence(struct json_writer *w, struct bond_sequence s)
{
	json_write_begin_array(w);
	for (size_t i = 0; i < s.n; i++)
		json_write_string(w, str_from(bond_names[s.at[i]]));
	json_write_end_array(w);
}
