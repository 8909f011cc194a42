/* An item's attributes by what they mean: of several names for one thing, the best is taken. */
#include "dialect/otlp/sight_private.h"

#include <math.h>

#include "json/write.h"

void sight_slots_fill(const struct otlp_sighter *o, const struct sight_item *item, struct sight_slots *slots)
{
	memset(slots, 0, sizeof(*slots));
	for (uint32_t i = item->first; i < item->last; i = o->nodes[i].next) {
		const struct sight_node *node = &o->nodes[i];

		if (node->slot < SIGHT_SLOTS && node->type != SIGHT_V_NULL &&
		    (!slots->of[node->slot] || slots->of[node->slot]->rank > node->rank))
			slots->of[node->slot] = node;
	}
}

struct str sight_slot_text(const struct sight_slots *s, unsigned slot)
{
	const struct sight_node *node = s->of[slot];

	return node && node->type == SIGHT_V_TEXT ? node->u.text : str_of(NULL, 0);
}

int64_t sight_slot_count(const struct sight_slots *s, unsigned slot)
{
	const struct sight_node *node = s->of[slot];
	int64_t n = -1;

	if (!node)
		return -1;
	if (node->type == SIGHT_V_INT)
		n = node->u.n;
	else if (node->type == SIGHT_V_DOUBLE && node->u.d >= 0 && node->u.d < 0x1p53 && floor(node->u.d) == node->u.d)
		n = (int64_t)node->u.d;
	else if (node->type != SIGHT_V_TEXT || !num_parse_i64(node->u.text, &n))
		return -1;
	return n >= 0 && n < (int64_t)1 << 53 ? n : -1;
}

double sight_slot_double(const struct sight_slots *s, unsigned slot)
{
	const struct sight_node *node = s->of[slot];
	double d = -1;

	if (!node)
		return -1;
	if (node->type == SIGHT_V_DOUBLE)
		d = node->u.d;
	else if (node->type == SIGHT_V_INT)
		d = (double)node->u.n;
	else if (node->type != SIGHT_V_TEXT || num_parse_double(node->u.text, &d) != NUM_OK)
		return -1;
	return d >= 0 && isfinite(d) ? d : -1;
}

bool sight_slot_is(const struct sight_slots *s, unsigned slot, bool truth)
{
	const struct sight_node *node = s->of[slot];

	if (!node)
		return false;
	if (node->type == SIGHT_V_BOOL)
		return (node->u.n != 0) == truth;
	return node->type == SIGHT_V_TEXT && str_eq_nocase(node->u.text, truth ? STR("true") : STR("false"));
}

int64_t sight_slot_ms(const struct sight_slots *s, unsigned slot)
{
	double ms = sight_slot_double(s, slot);

	return ms >= 0 && ms < 1e12 ? (int64_t)(ms * 1e6) : -1;
}

/* ---- JSON ---- */

#define WORD_MOST 96 /* bytes: a longer text is no id, no role and no word for a type */

static void slot_put(struct json_writer *w, const struct sight_node *node, bool named)
{
	if (named)
		json_write_key(w, node->key);
	if (node->type == SIGHT_V_ARRAY)
		json_write_begin_array(w);
	else if (node->type == SIGHT_V_LIST)
		json_write_begin_object(w);
	else if (node->type == SIGHT_V_TEXT && node->u.text.n <= WORD_MOST)
		json_write_string(w, node->u.text);
	else
		json_write_null(w);
}

/* A value that is no text, but structured as its maker had it, as JSON: of all that it holds, only short texts. */
static void slot_put_all(struct otlp_sighter *o, uint32_t first)
{
	uint32_t open[SIGHT_DEPTH], depth = 0;
	struct json_writer w;

	buf_clear(&o->json);
	json_write_init(&w, &o->json, JSON_COMPACT);
	for (uint32_t i = first; i < o->nodes[first].next; i++) {
		const struct sight_node *node = &o->nodes[i];

		slot_put(&w, node, depth && o->nodes[open[depth - 1]].type == SIGHT_V_LIST);
		if (node->type == SIGHT_V_ARRAY || node->type == SIGHT_V_LIST)
			open[depth++] = i;
		for (; depth && o->nodes[open[depth - 1]].next == i + 1; depth--) {
			if (o->nodes[open[depth - 1]].type == SIGHT_V_LIST)
				json_write_end_object(&w);
			else
				json_write_end_array(&w);
		}
	}
}

static bool slot_parse(struct otlp_sighter *o, const struct sight_slots *s, unsigned slot, struct val *v)
{
	const struct sight_node *node = s->of[slot];
	struct str text = str_trim(sight_slot_text(s, slot));

	if (node && (node->type == SIGHT_V_ARRAY || node->type == SIGHT_V_LIST)) {
		slot_put_all(o, (uint32_t)(node - o->nodes));
		return json_parse_copy(o->inner, buf_str(&o->json), v, NULL);
	}
	if (text.n < 2 || (text.p[0] != '[' && text.p[0] != '{'))
		return false;
	/* what stands in the body has at the least the body's padding behind it */
	if (o->body.p && text.p >= o->body.p && text.p < o->body.p + o->body.n)
		return json_parse(o->inner, text, v, NULL);
	return json_parse_copy(o->inner, text, v, NULL);
}

struct val sight_slot_json(struct otlp_sighter *o, const struct sight_slots *s, unsigned slot)
{
	struct val v;

	return slot_parse(o, s, slot, &v) ? v : VAL_NONE;
}
