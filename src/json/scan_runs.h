/*
 * Nearly all of a log is members with scalar values and a comma after them, or numbers in arrays. Two
 * tight loops take those as far as they go and leave everything else (the first of its kind,
 * containers, escapes, odd spacing, the last member) to the walk around them. They are functions of
 * their own so that each has the registers to itself.
 *
 * Included by scan_body.h, once per variant, after the primitives it names; hence static throughout.
 */
#ifndef JSON_SCAN_RUNS_H
#define JSON_SCAN_RUNS_H

struct walk {
	const uint8_t *b;
	const uint32_t *ix;  /* the next place */
	const uint32_t *esc; /* the next escape */
	struct json_tok *t;  /* the next token to write */
	struct scan_frame *top;
	struct shape *shapes;
	struct scan *s;
	uint32_t end;   /* after the last value's last byte */
	uint16_t shape; /* of the innermost object, so far */
};

/*
 * The guessed step that the name at k, n bytes before its value, takes; NULL when none fits. An empty
 * guess fits n = 0, which only the end of the index gives, and there every caller stops.
 */
INLINE const struct shape_guess *guess(const struct shape *sh, const uint8_t *b, uint32_t k, uint32_t n)
{
	const struct shape_guess *g = &sh->guess[0];

	if (n == g->bytes_len && (bytes_equal(b + k, g->bytes) & g->mask) == g->mask)
		return g;
	g++;
	if (n == g->bytes_len && (bytes_equal(b + k, g->bytes) & g->mask) == g->mask)
		return g;
	return NULL;
}

/* Members whose names are guessed and whose values are scalars without escapes, each with a comma. */
__attribute__((noinline)) static void member_run(struct walk *w)
{
	const uint8_t *b = w->b;
	const uint32_t *ix = w->ix;
	struct json_tok *t = w->t;
	const struct shape *shapes = w->shapes;
	uint32_t shape = w->shape, escape = *w->esc;

	for (;;) {
		uint32_t k = ix[0], v = ix[1], q = ix[2], e;
		const struct shape_guess *g = guess(&shapes[shape], b, k, v - k);

		if (!g || b[q] != '"')
			break;
		e = before_comma(b, q);
		if (!e)
			break;
		if (b[v] == '"') {
			if (b[e - 1] != '"' || e - 1 <= v || escape < q)
				break;
			set(t + 1, v + 1, e - v - 2, JSON_STRING, 0);
		} else if (!(b[v] >= 'a' ? literal(t + 1, b, v, e - v) : number(t + 1, b, v, e - v))) {
			break;
		}
		t[0] = (struct json_tok){ .off = k + 1, .len = g->name_len, .link = g->key, .type = JSON_KEY };
		t += 2;
		ix += 2;
		shape = g->to;
	}
	w->ix = ix;
	w->t = t;
	w->shape = (uint16_t)shape;
}

/* Numbers of an array, each with a comma after it. */
__attribute__((noinline)) static void number_run(struct walk *w)
{
	const uint8_t *b = w->b;
	const uint32_t *ix = w->ix;
	struct json_tok *t = w->t;

	for (;;) {
		uint32_t p = ix[0], e = before_comma(b, ix[1]);

		if (!e || b[p] >= 'a' || !number(t, b, p, e - p))
			break;
		t++;
		ix++;
	}
	w->ix = ix;
	w->t = t;
}

#endif
