/*
 * Keys in the strings of records. Strings are gathered while a chunk is scanned and looked at in one go,
 * because starting a search costs more than searching a short string.
 */
#include "dialect/leak.h"
#include "dialect/record.h"
#include "dialect/record_scan.h"
#include "dialect/validate_rules.h"

struct gathered {
	struct str text;       /* the record */
	uint64_t line, offset; /* of the record */
	uint32_t at;           /* of the string's token text in it */
};

static struct secret_scanner *secrets_of(struct record_scanner *t)
{
	struct err ignored;

	if (!t->secrets && !t->no_secrets) {
		t->secrets = secret_scanner_open(&ignored);
		t->no_secrets = !t->secrets; /* said once for the file, see record_file.c */
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

/* The value whose text stands at a place of a record: for its pointer. */
static struct val find_value(struct val root, const char *p)
{
	struct val v = root;

	while (v.at < val_end(root) && val_raw(v).p != p)
		v.at++;
	return v.at < val_end(root) ? v : VAL_NONE;
}

/*
 * The tape of a gathered string is long gone: reads its record once more, which is rare enough. `again`
 * becomes a scan of it; gives the string's value, or VAL_NONE.
 */
static struct val read_again(const struct record_scan *s, const struct gathered *g, struct record_scan *again)
{
	*again = *s;
	again->text = g->text;
	again->line = g->line;
	again->offset = g->offset;
	if (!json_parse_copy(s->tools->parser, g->text, &again->root, NULL))
		return VAL_NONE;
	again->text = str_of(again->root.tape->text, g->text.n);
	return find_value(again->root, again->text.p + g->at);
}

/* Of several keys in one string the first is named; whoever cleans up must know that there are more. */
static void note_hit(struct record_scan *s, const struct gathered *g, const struct secret_hit *hit, size_t more)
{
	bool own = s->format->on_secret != RECORD_NO_RULE;
	struct str others = STR("");
	struct record_scan again;
	struct val v = read_again(s, g, &again);

	if (!own)
		again.rules = validate_rules;
	if (more)
		others = arena_printf(s->arena, ", and there %s %zu more in it", more > 1 ? "are" : "is", more);
	record_note_secret(&again, own ? s->format->on_secret : V_SECRET, v, "this %s resembles %s%.*s",
			   val_is(v, JSON_KEY) ? "name" : "string", hit->rule->service, STR_ARG(others));
}

static const size_t *ends_of(const struct record_scanner *t, size_t *count)
{
	*count = t->ends.n / sizeof(size_t);
	return (const size_t *)(const void *)t->ends.p;
}

static const struct gathered *gathered_of(const struct record_scanner *t)
{
	return (const struct gathered *)(const void *)t->gathered.p;
}

static void search_keys(struct record_scan *s)
{
	size_t count, at = 0;
	const size_t *ends = ends_of(s->tools, &count);
	struct secret_hits hits = secret_scan_many(s->tools->secrets, buf_str(&s->tools->texts), ends, count);

	for (size_t i = 0, more; i < hits.count; i += 1 + more) {
		while (at < count && ends[at] <= hits.list[i].at)
			at++;
		for (more = 0; i + more + 1 < hits.count && hits.list[i + more + 1].at < ends[at]; more++)
			;
		note_hit(s, &gathered_of(s->tools)[at], &hits.list[i], more);
	}
}

/* Passwords in URLs: a format of its own says so by a rule of its own. */
static void search_urls(struct record_scan *s)
{
	struct str texts = buf_str(&s->tools->texts);
	size_t count, from = 0;
	const size_t *ends = ends_of(s->tools, &count);

	if (s->format->on_secret != RECORD_NO_RULE || str_find(texts, STR("://")) == (size_t)-1)
		return;
	for (size_t i = 0; i < count; from = ends[i++] + 1) {
		struct str text = str_of(texts.p + from, ends[i] - from);
		struct record_scan again;
		struct val v;

		if (text.n < 8 || !leak_has_credentials(text))
			continue;
		v = read_again(s, &gathered_of(s->tools)[i], &again);
		again.rules = validate_rules;
		record_note_secret(&again, V_SECRET, v, "this %s holds a URL with credentials",
				   val_is(v, JSON_KEY) ? "name" : "string");
	}
}

static bool has_mark(struct str texts, const char *marks)
{
	for (; *marks; marks++)
		if (memchr(texts.p, *marks, texts.n))
			return true;
	return false;
}

/* Most chunks have none of the characters in any of the strings, and are done in one look. */
static void search_marks(struct record_scan *s)
{
	const struct record_format *f = s->format;
	struct str texts = buf_str(&s->tools->texts);
	size_t count, from = 0;
	const size_t *ends = ends_of(s->tools, &count);

	if (!f->check_gathered || !has_mark(texts, f->gathered_marks))
		return;
	for (size_t i = 0; i < count; from = ends[i++] + 1) {
		struct str text = str_of(texts.p + from, ends[i] - from);
		struct record_scan again;
		struct val v;

		if (text.n == 0 || !has_mark(text, f->gathered_marks))
			continue;
		v = read_again(s, &gathered_of(s->tools)[i], &again);
		f->check_gathered(&again, v, text);
	}
}

void record_search(struct record_scan *s)
{
	struct record_scanner *t = s->tools;

	if (t->texts.n == 0)
		return;
	search_marks(s);
	search_urls(s);
	if (secrets_of(t))
		search_keys(s);
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
