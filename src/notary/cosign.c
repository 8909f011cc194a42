/*
 * Asks from size 0 first; a 409 names the size the witness has, and the next try proves consistency from there. The
 * answer is parsed as signature lines under our own text, so a line for another checkpoint never holds.
 */
#include "notary/cosign.h"

#include "base/num.h"

#define TRIES 4      /* a witness that is asked by others too may have moved on meanwhile */
#define SHOWN 200    /* characters of what a witness says */

/* Always true, since a refusal is a result. Callers that end their search by one return the opposite. */
static bool refuse(struct cosign_result *out, enum cosign_outcome outcome, struct str why)
{
	out->outcome = outcome;
	out->why = why;
	return true;
}

/* What a stranger says, fit for a message: one line of plain characters. */
static struct str tame(struct arena *a, struct str text)
{
	struct str rest, line = str_trim(str_cut(str_trim(text), '\n', &rest));
	size_t n = line.n < SHOWN ? line.n : SHOWN;
	char *to = arena_alloc(a, n + 1, 1);

	for (size_t i = 0; i < n; i++)
		to[i] = line.p[i] < 0x20 || line.p[i] > 0x7E ? '?' : line.p[i];
	return str_of(to, n);
}

/* ---- lines ---- */

/* The line of the key among others; false when there is none, or one that does not hold. */
static bool find_line(struct arena *a, struct str text, struct str lines, const struct key *k,
		      struct cosign_result *out)
{
	struct note *n = arena_new(a, struct note);
	const char *why;

	if (!note_parse(ARENA_JOIN(a, text, STR("\n"), lines), n, &why))
		return !refuse(out, COSIGN_REFUSED, arena_printf(a, "what came is not a cosignature: %s", why));
	switch (note_check(n, k, &out->time)) {
	case NOTE_ABSENT:
		return !refuse(out, COSIGN_REFUSED,
			       arena_printf(a, "there is no cosignature of %.*s", STR_ARG(k->name)));
	case NOTE_BAD:
		return !refuse(out, COSIGN_REFUSED,
			       arena_printf(a, "the cosignature of %.*s does not hold", STR_ARG(k->name)));
	case NOTE_GOOD:
		break;
	}
	for (size_t i = 0; i < n->count; i++)
		if (str_eq(n->lines[i].name, k->name) && memcmp(n->lines[i].id, k->id, KEY_ID) == 0) {
			out->line = n->lines[i].line;
			return true;
		}
	return !refuse(out, COSIGN_REFUSED, STR("there is no cosignature"));
}

bool cosign_take(struct arena *a, struct log *l, const struct key *witness, struct str lines,
		 struct cosign_result *out, struct err *err)
{
	struct checkpoint c;
	struct note *note;

	*out = (struct cosign_result){ .outcome = COSIGN_REFUSED };
	if (!log_read_checkpoint(l, a, &c, &note, err))
		return false;
	out->size = c.size;
	out->text = note->text;
	if (find_line(a, note->text, lines, witness, out))
		out->outcome = COSIGN_DONE;
	return true;
}

bool cosign_add(struct log *l, const struct cosign_result *r, struct err *err)
{
	return l->ops->cosign(l, r->text, r->line, err);
}

/* ---- asking ---- */

/* The question from `old` entries on: their proof, and the note verbatim. */
static bool make_body(struct arena *a, struct log *l, uint64_t old, const struct checkpoint *c, struct str note,
		      struct str *body, struct err *err)
{
	struct witness_ask ask = { .old = old, .note = note };
	struct log_hashes *hashes = log_hashes_open(l, c->size);
	struct tree_reader reader = log_hashes_reader(hashes);
	struct sha256 sha;
	struct buf text;
	bool done;

	sha256_init(&sha);
	done = tree_prove_consistency(&sha, &reader, old, c->size, &ask.proof, err);
	if (done) {
		buf_init(&text);
		witness_add_text(&text, &ask);
		*body = arena_take(a, &text);
	}
	sha256_free(&sha);
	log_hashes_close(hashes);
	return done;
}

/* The size a 409 names. */
static bool parse_seen(const struct witness_answer *x, uint64_t *out)
{
	struct str media = str_from(x->media), rest;

	return str_eq(str_trim(str_cut(media, ';', &rest)), STR(WITNESS_MEDIA_SIZE)) && str_ends(x->body, STR("\n")) &&
	       num_parse_u64(str_of(x->body.p, x->body.n - 1), out);
}

/* After 409: true when another try makes sense, from out->seen; else the result is there. */
static bool is_behind(struct arena *a, const struct witness_answer *x, uint64_t old, struct cosign_result *out)
{
	if (!parse_seen(x, &out->seen))
		return !refuse(out, COSIGN_REFUSED,
			       arena_printf(a, "it answered 409 without its size: %.*s", STR_ARG(tame(a, x->body))));
	if (out->seen > out->size)
		return !refuse(out, COSIGN_ROLLBACK,
			       arena_printf(a,
					    LOG_E_ROLLBACK "the witness has seen %llu entries of this log, and the "
							   "checkpoint has %llu: entries were taken back",
					    (unsigned long long)out->seen, (unsigned long long)out->size));
	if (out->seen == old)
		return !refuse(out, COSIGN_FORK,
			       arena_printf(a,
					    LOG_E_FORK "the witness has seen another log of %llu entries under this "
						       "name", (unsigned long long)old));
	return true;
}

/* Any status but 200 and 409. What the witness wrote is shown only as far as tame lets it through. */
static void refuse_status(struct arena *a, const struct witness_answer *x, uint64_t old, struct cosign_result *out)
{
	struct str said = tame(a, x->body);

	if (x->status == 422)
		refuse(out, COSIGN_FORK,
		       arena_printf(a, LOG_E_FORK "this log does not continue the %llu entries that the witness has "
						  "seen", (unsigned long long)old));
	else if (x->status == 404)
		refuse(out, COSIGN_REFUSED, arena_printf(a, "it does not know this log (404: %.*s)", STR_ARG(said)));
	else if (x->status == 403)
		refuse(out, COSIGN_REFUSED,
		       arena_printf(a, "it knows this log by another key (403: %.*s)", STR_ARG(said)));
	else
		refuse(out, COSIGN_REFUSED, arena_printf(a, "it answered %d: %.*s", x->status, STR_ARG(said)));
}

/* The checkpoint with the log's own line: those of other witnesses would only be ignored. */
static struct str own_note(struct arena *a, const struct note *note, struct str origin)
{
	struct str whole = ARENA_JOIN(a, note->text, STR("\n"));

	for (size_t i = 0; i < note->count; i++)
		if (str_eq(note->lines[i].name, origin))
			whole = ARENA_JOIN(a, whole, note->lines[i].line);
	return whole;
}

bool cosign_ask(struct arena *a, struct log *l, const struct key *witness, const struct cosign_way *way,
		struct cosign_result *out, struct err *err)
{
	struct witness_answer x;
	struct checkpoint c;
	struct note *note;
	struct str whole, body;

	*out = (struct cosign_result){ .outcome = COSIGN_REFUSED };
	if (!log_read_checkpoint(l, a, &c, &note, err))
		return false;
	out->size = c.size;
	out->text = note->text;
	whole = own_note(a, note, c.origin);
	for (uint64_t i = 0, old = 0; i < TRIES; i++, old = out->seen) {
		if (!make_body(a, l, old, &c, whole, &body, err) || !way->ask(way->own, a, body, &x, err))
			return false;
		if (x.status == 200) {
			if (find_line(a, note->text, x.body, witness, out))
				out->outcome = COSIGN_DONE;
			return true;
		}
		if (x.status != 409) {
			refuse_status(a, &x, old, out);
			return true;
		}
		if (!is_behind(a, &x, old, out))
			return true;
	}
	return refuse(out, COSIGN_REFUSED, STR("it is asked by others at the same time, and moved on each time"));
}

/* ---- a witness in this process ---- */

/* A 500 of our own witness has the reason in `trouble`, which a remote one would keep to itself. */
static bool ask_here(void *own, struct arena *a, struct str body, struct witness_answer *out, struct err *err)
{
	witness_add_checkpoint(own, a, body, out);
	if (out->status == 500)
		return err_set(err, ERR_IO, "%.*s", STR_ARG(out->trouble));
	return true;
}

struct cosign_way cosign_way_here(struct witness *w)
{
	return (struct cosign_way){ .ask = ask_here, .own = w };
}
