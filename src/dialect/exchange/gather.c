/*
 * An element travels as an extra whose key is the dialect's, a sign, and the name of its list. Folds know it by the
 * sign and take it off before anybody else sees it.
 */
#include "dialect/exchange/gather.h"

#include <assert.h>

#include "dialect/dialect.h"
#include "dialect/record/field.h"

#define SIGN '~' /* between the key of the extras and the name of the list; keys of dialects have none */

/* ---- readers ---- */

static const struct str padding[] = { WORD("obfuscation"), WORD("p") };

void exchange_gather_put(struct reading *r, struct event *e, struct str name, struct str json)
{
	struct extra *x = arena_new(r->arena, struct extra);

	*x = (struct extra){ .next = e->extras, .json = json };
	x->key = arena_printf(r->arena, "%s%c%.*s", r->dialect->read->key, SIGN, STR_ARG(name));
	e->extras = x;
}

/* Marked as kept before the piece is read, so that it does not go to the rest of every event. */
struct exchange_padding exchange_gather_padding(struct reading *r, struct val piece)
{
	struct exchange_padding p = { 0 };

	for (size_t i = 0; i < COUNT(padding); i++) {
		struct val member = val_get(piece, padding[i]);

		if (!val_is(member, JSON_STRING))
			continue;
		p.texts[i] = reading_text_of(r, member);
		reading_keep(r, member);
	}
	return p;
}

void exchange_gather_put_padding(struct reading *r, struct event *e, const struct exchange_padding *p)
{
	for (size_t i = 0; i < COUNT(padding); i++)
		if (p->texts[i].p)
			exchange_gather_put(r, e, padding[i], reading_quote(r, p->texts[i]));
}

/* ---- folds ---- */

void exchange_gather_free(struct exchange_gather *g)
{
	buf_free(&g->key);
	for (size_t i = 0; i < EXCHANGE_GATHER_LISTS; i++) {
		buf_free(&g->lists[i].name);
		buf_free(&g->lists[i].items);
	}
}

static struct str cut_key(const struct extra *x, struct str *name)
{
	return str_cut(x->key, SIGN, name);
}

/* Whether an extra is an element of a list, and not an extra that is to stay. */
static bool is_element(const struct extra *x)
{
	return x && !x->member && x->key.n && memchr(x->key.p, SIGN, x->key.n);
}

bool exchange_gather_has(const struct event *e)
{
	return is_element(e->extras);
}

void exchange_gather_take(struct exchange_gather *g, struct event *e)
{
	struct str key, name;

	for (; is_element(e->extras); e->extras = e->extras->next) {
		key = cut_key(e->extras, &name);
		exchange_gather_add(g, key, name, e->extras->json);
	}
}

/* Names are few and kept in order, which is that of canonical members. */
static struct exchange_gather_list *list_of(struct exchange_gather *g, struct str name)
{
	struct exchange_gather_list fresh;
	size_t i;

	for (i = 0; i < g->count && !str_eq(buf_str(&g->lists[i].name), name);)
		i++;
	if (i < g->count || g->count == EXCHANGE_GATHER_LISTS)
		return i < g->count ? &g->lists[i] : NULL;
	assert(g->count < EXCHANGE_GATHER_LISTS);
	fresh = g->lists[g->count++];
	buf_clear(&fresh.items);
	buf_clear(&fresh.name);
	buf_add_str(&fresh.name, name);
	for (; i > 0 && str_cmp(buf_str(&g->lists[i - 1].name), name) > 0; i--)
		g->lists[i] = g->lists[i - 1];
	g->lists[i] = fresh;
	return &g->lists[i];
}

/* What does not fit any more is counted, so that the lists do not pretend to be complete. */
void exchange_gather_add(struct exchange_gather *g, struct str key, struct str name, struct str json)
{
	struct exchange_gather_list *l = g->bytes + json.n < EXCHANGE_GATHER_BYTES ? list_of(g, name) : NULL;

	if (!g->key.n)
		buf_add_str(&g->key, key);
	if (!l) {
		g->left_out++;
		return;
	}
	if (l->items.n)
		buf_add_byte(&l->items, ',');
	buf_add_str(&l->items, json);
	g->bytes += json.n + 1;
}

/* Begins a member of the object. Names are ours, and need no escapes. */
static void exchange_gather_add_name(struct buf *b, struct str name)
{
	buf_add_byte(b, b->n ? ',' : '{');
	buf_printf(b, "\"%.*s\":", STR_ARG(name));
}

/* "left_out" is written at its place among the names, for canonical JSON has them in order. */
struct str exchange_gather_end(struct exchange_gather *g, struct arena *a, struct str *key)
{
	struct buf b = { 0 };
	struct str json = { NULL, 0 };
	bool told = g->left_out == 0;

	for (size_t i = 0; i <= g->count; i++) {
		if (!told && (i == g->count || str_cmp(buf_str(&g->lists[i].name), STR("left_out")) > 0)) {
			exchange_gather_add_name(&b, STR("left_out"));
			buf_printf(&b, "%llu", (unsigned long long)g->left_out);
			told = true;
		}
		if (i == g->count)
			break;
		exchange_gather_add_name(&b, buf_str(&g->lists[i].name));
		buf_add_byte(&b, '[');
		buf_add_str(&b, buf_str(&g->lists[i].items));
		buf_add_byte(&b, ']');
	}
	if (b.n) {
		buf_add_byte(&b, '}');
		json = arena_copy(a, buf_str(&b));
		*key = arena_copy(a, buf_str(&g->key));
	}
	buf_free(&b);
	buf_clear(&g->key);
	g->count = g->bytes = 0;
	g->left_out = 0;
	return json;
}
