/*
 * Keys in the strings of records. Strings are gathered while a chunk is scanned and looked at in one go,
 * because starting a search costs more than searching a short string.
 */
#include <stdio.h>

#include "dialect/record/record.h"
#include "dialect/record/scan.h"
#include "dialect/record/validate_rules.h"

struct gathered {
	struct str text;       /* the record */
	uint64_t line, offset; /* of the record */
	uint32_t at;           /* of the string's token text in it */
};

/* Opened at the first string: most scans of other formats never need it. NULL when this machine cannot. */
static struct secret_scanner *secrets_of(struct record_scanner *t)
{
	struct err ignored;

	if (!t->secrets && !t->no_secrets) {
		t->secrets = secret_scanner_open(&ignored);
		t->no_secrets = !t->secrets; /* said once for the file, see record/file.c */
	}
	return t->secrets;
}

void record_secret_free(struct record_scanner *t)
{
	secret_scanner_close(t->secrets);
	buf_free(&t->texts);
	buf_free(&t->ends);
	buf_free(&t->gathered);
}

void record_gather(struct record_scan *s, struct val v)
{
	struct record_scanner *t = s->tools;
	struct gathered g = { s->text, s->line, s->offset, 0 };

	g.at = (uint32_t)(val_raw(v).p - s->text.p);
	buf_add_str(&t->texts, val_text(v, s->arena));
	buf_add(&t->ends, &t->texts.n, sizeof(t->texts.n));
	buf_add_byte(&t->texts, '\n');
	buf_add(&t->gathered, &g, sizeof(g));
}

void record_gather_all(struct record_scan *s)
{
	for (struct val v = s->root; v.at < val_end(s->root); v.at++)
		if (val_is(v, JSON_STRING) || val_is(v, JSON_KEY))
			record_gather(s, v);
}

bool record_is_secret(struct record_scan *s, struct val v, const char **service)
{
	struct secret_scanner *secrets = secrets_of(s->tools);
	struct secret_hit hit;

	if (!secrets || !secret_find(secrets, val_text(v, s->arena), &hit))
		return false;
	*service = hit.rule->service;
	return true;
}

/*
 * The search through what was gathered. The tapes of the strings are long gone, so that a record with something
 * to tell is read once more: for the pointer, and only if anyone wants the finding.
 */
struct search {
	struct record_scan *s;
	struct record_scan again; /* the record read last */
	const char *text;         /* of that record; NULL before there was one */
	bool parsed;
	uint32_t at; /* of the value found last: the next one comes after it */
};

/*
 * The value of a gathered string, in a record that is parsed again when it is not the last one. Strings come in
 * order, so the search goes on where it ended. VAL_NONE when it is not found.
 */
static struct val find_value(struct search *q, const struct gathered *g)
{
	struct val v;

	if (q->text != g->text.p) {
		q->again = *q->s;
		q->again.near = (struct val_hint){ 0, 0, 0 };
		q->again.line = g->line;
		q->again.offset = g->offset;
		q->again.text = g->text;
		q->text = g->text.p;
		q->parsed = json_parse_copy(q->s->tools->parser, g->text, &q->again.root, NULL);
		if (q->parsed)
			q->again.text = str_of(q->again.root.tape->text, g->text.n);
		q->at = q->again.root.at;
	}
	if (!q->parsed)
		return VAL_NONE;
	v = (struct val){ q->again.root.tape, q->at };
	while (v.at < val_end(q->again.root) && val_raw(v).p != q->again.text.p + g->at)
		v.at++;
	q->at = v.at;
	return v.at < val_end(q->again.root) ? v : VAL_NONE;
}

/* What is wrong with a gathered string. A secret is not shown. */
static void record_secret_tell(struct search *q, size_t i, const struct rule *rules, unsigned rule, bool secret,
			       const char *what)
{
	const struct gathered *g = (const struct gathered *)(const void *)q->s->tools->gathered.p + i;
	struct findings *list = &q->s->out->findings;
	enum severity severity = rule_severity(&rules[rule], q->s->mode);
	const char *kind;
	struct val v;

	if (!findings_wants(list, rules[rule].code, severity)) {
		findings_count(list, rules[rule].code, severity);
		return;
	}
	v = find_value(q, g);
	q->again.rules = rules;
	kind = val_is(v, JSON_KEY) ? "name" : "string";
	if (secret)
		record_note_secret(&q->again, rule, v, "this %s %s", kind, what);
	else
		record_note(&q->again, rule, v, "this %s %s", kind, what);
}

static const size_t *ends_of(const struct record_scanner *t, size_t *count)
{
	*count = t->ends.n / sizeof(size_t);
	return (const size_t *)(const void *)t->ends.p;
}

/* Of several keys in one string the first is named; whoever cleans up must know that there are more. */
static void search_keys(struct search *q)
{
	struct record_scan *s = q->s;
	bool own = s->format->on_secret != RECORD_NO_RULE;
	size_t count, at = 0;
	const size_t *ends = ends_of(s->tools, &count);
	struct secret_hits hits = secret_scan_many(s->tools->secrets, buf_str(&s->tools->texts), ends, count);

	for (size_t i = 0, more; i < hits.count; i += 1 + more) {
		char what[160];
		int n;

		while (at < count && ends[at] <= hits.list[i].at)
			at++;
		for (more = 0; i + more + 1 < hits.count && hits.list[i + more + 1].at < ends[at]; more++)
			;
		n = snprintf(what, sizeof(what), "resembles %s", hits.list[i].rule->service);
		if (more)
			snprintf(what + n, sizeof(what) - (size_t)n, ", and there %s %zu more in it",
				 more > 1 ? "are" : "is", more);
		record_secret_tell(q, at, own ? s->rules : validate_rules, own ? s->format->on_secret : V_SECRET,
				   true, what);
	}
}

static bool has_mark(struct str texts, const char *marks)
{
	for (; *marks; marks++)
		if (memchr(texts.p, *marks, texts.n))
			return true;
	return false;
}

/*
 * What the format itself asks of strings with certain characters in them. Most chunks have none of these in any
 * string, and are done in one look.
 */
static void search_marks(struct search *q)
{
	const struct record_format *f = q->s->format;
	struct str texts = buf_str(&q->s->tools->texts);
	size_t count, from = 0;
	const size_t *ends = ends_of(q->s->tools, &count);

	if (!f->is_bad || !has_mark(texts, f->gathered_marks))
		return;
	for (size_t i = 0; i < count; from = ends[i++] + 1) {
		struct str text = str_of(texts.p + from, ends[i] - from);
		const char *what;

		if (text.n && has_mark(text, f->gathered_marks) && f->is_bad(text, &what))
			record_secret_tell(q, i, q->s->rules, f->on_bad, false, what);
	}
}

void record_search(struct record_scan *s)
{
	struct record_scanner *t = s->tools;
	struct search q = { .s = s };

	if (t->texts.n == 0)
		return;
	search_marks(&q);
	q.text = NULL; /* from the first record again */
	if (secrets_of(t))
		search_keys(&q);
	buf_clear(&t->texts);
	buf_clear(&t->ends);
	buf_clear(&t->gathered);
}

bool record_is_clean(struct record_scan *s, struct str raw, uint64_t salt, uint64_t *ticket)
{
	*ticket = str_hash(raw) + salt * 0x9e3779b97f4a7c15u;
	*ticket += *ticket == 0; /* zero is a free slot */
	return s->tools->clean[*ticket % RECORD_CLEAN] == *ticket;
}

void record_mark_clean(struct record_scan *s, uint64_t ticket)
{
	s->tools->clean[ticket % RECORD_CLEAN] = ticket;
}
