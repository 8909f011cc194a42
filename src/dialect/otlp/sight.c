/*
 * A request is decoded whole, so that one that is broken tells nothing; then its spans and records are told in the
 * order in which they ended, a span behind those that are inside it.
 */
#include "dialect/otlp/sight_private.h"

#include <stdlib.h>

#define BODY_VALUES ((size_t)8 << 20) /* of JSON in a request */

struct otlp_sighter *otlp_sighter_open(void)
{
	struct otlp_sighter *o = mem_alloc(sizeof(*o));

	memset(o, 0, sizeof(*o));
	o->parser = json_parser_open((struct json_options){ .max_values = BODY_VALUES, .allow_lone = true });
	o->inner = json_parser_open((struct json_options){ .max_values = BODY_VALUES, .allow_lone = true,
							   .allow_duplicates = true });
	arena_init(&o->arena);
	arena_init(&o->scratch);
	sight_take_init(o);
	return o;
}

void otlp_sighter_close(struct otlp_sighter *o)
{
	if (!o)
		return;
	json_parser_close(o->parser);
	json_parser_close(o->inner);
	arena_free(&o->arena);
	arena_free(&o->scratch);
	buf_free(&o->json);
	buf_free(&o->endpoint);
	buf_free(&o->endpoint_of);
	buf_free(&o->endpoint_clean);
	mem_free(o->nodes);
	mem_free(o->items);
	mem_free(o->order);
	mem_free(o);
}

/* ---- order ---- */

/* By their ends; of two that end at once, the one that began later is inside the other. */
static int sight_cmp_end(const void *a, const void *b)
{
	const struct sight_item *x = *(const struct sight_item *const *)a, *y = *(const struct sight_item *const *)b;

	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	if (x->begin != y->begin)
		return x->begin > y->begin ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

static void sight_sort(struct otlp_sighter *o)
{
	bool sorted = true;

	if (o->order_cap < o->item_count) {
		o->order_cap = o->item_count;
		o->order = mem_resize_array(o->order, o->order_cap, sizeof(*o->order));
	}
	for (uint32_t i = 0; i < o->item_count; i++) {
		o->order[i] = &o->items[i];
		sorted = sorted && (i == 0 || sight_cmp_end(&o->order[i - 1], &o->order[i]) < 0);
	}
	if (!sorted)
		qsort(o->order, o->item_count, sizeof(*o->order), sight_cmp_end);
}

/* ---- a request ---- */

bool otlp_sighter_read(struct otlp_sighter *o, enum otlp_signal signal, bool is_json, struct str body,
		       const struct otlp_sights *to, struct otlp_taken *out, struct err *err)
{
	const struct sight_message *request = sight_request(signal);

	*out = (struct otlp_taken){ .spans = 0 };
	if (body.n > OTLP_BODY_MOST)
		return err_set(err, ERR_DATA, "the request is larger than 64 MiB");
	sight_take_begin(o, body);
	if (!(is_json ? sight_json_read : sight_proto_read)(o, request, err))
		return false;
	*out = o->taken;
	if (out->rejected)
		out->why = STR("a span needs a trace id of 16 bytes and a span id of 8 bytes that are not all zero");
	for (uint32_t i = 0; i < o->item_count; i++)
		if (o->items[i].is_claude)
			sight_map_inside(o, &o->items[i]);
	sight_sort(o);
	for (uint32_t i = 0; i < o->item_count; i++)
		(o->order[i]->is_log ? sight_map_log : sight_map_span)(o, o->order[i], to);
	return true;
}
