/*
 * A run for speedscope: an evented profile for each lane, and two sampled ones that show where tokens and money went,
 * as flame graphs of agent, model and kind of token. Frames are shared, each name once.
 */
#include <math.h>

#include "sink/export/private.h"

struct speedscope {
	struct export *x;
	struct json_writer w;
	struct map frames; /* of names: number + 1 */
	struct str *names;
	size_t count, cap;
	const struct trace *run;
	struct str prefix; /* of profiles' names: which run, when there are several */
	size_t profiles;
};

static uint64_t speedscope_frame(struct speedscope *s, struct str name)
{
	bool added;
	uint64_t *at = map_add(&s->frames, name, &added);

	if (added) {
		arena_grow(s->x->arena, s->names, s->count, s->cap, 16);
		s->names[s->count++] = name;
		*at = s->count;
	}
	return *at - 1;
}

static uint64_t speedscope_frame_of(struct speedscope *s, const struct trace_entry *e)
{
	return speedscope_frame(s, export_call_name(s->x->arena, e));
}

static void speedscope_begin(struct speedscope *s, const char *type, struct str name, const char *unit)
{
	struct json_writer *w = &s->w;

	buf_add_str(&s->x->out, s->profiles++ ? STR(",\n") : STR("\n"));
	json_write_init(w, &s->x->out, JSON_COMPACT);
	json_write_begin_object(w);
	json_put_word(w, "type", type);
	json_put_text(w, "name", ARENA_JOIN(s->x->arena, s->prefix, name));
	json_put_word(w, "unit", unit);
	json_put_u64(w, "startValue", 0);
}

/* ---- lanes ---- */

static void speedscope_add_event(struct speedscope *s, const char *type, uint64_t frame, int64_t at)
{
	json_write_begin_object(&s->w);
	json_put_word(&s->w, "type", type);
	json_put_u64(&s->w, "frame", frame);
	export_put_us(&s->w, "at", at);
	json_write_end_object(&s->w);
}

static bool speedscope_write_lane(struct speedscope *s, const struct export_lanes *l, enum export_group group,
				  uint32_t lane, struct err *err)
{
	speedscope_begin(s, "evented", arena_printf(s->x->arena, "%s %u", export_groups[group], lane + 1),
			 "microseconds");
	export_put_us(&s->w, "endValue", l->end_ns);
	json_put_array(&s->w, "events");
	for (uint32_t at = l->first[group][lane]; at; at = l->spans[at - 1].next) {
		const struct export_span *span = &l->spans[at - 1];
		uint64_t frame = speedscope_frame_of(s, &s->run->nodes[at - 1]);

		speedscope_add_event(s, "O", frame, span->from_ns);
		speedscope_add_event(s, "C", frame, span->from_ns + span->length_ns);
		if (!export_drain(s->x, err))
			return false;
	}
	json_write_end_array(&s->w);
	json_write_end_object(&s->w);
	return true;
}

/* ---- weights ---- */

enum speedscope_weight { SPEEDSCOPE_INPUT, SPEEDSCOPE_OUTPUT, SPEEDSCOPE_COST, SPEEDSCOPE_WEIGHTS };

/* How much of it a call has; 0 for none or what is not known. */
static double speedscope_weigh(const struct trace_row *row, enum speedscope_weight what)
{
	struct figure tokens = what == SPEEDSCOPE_INPUT ? row->usage.input : row->usage.output;

	if (row->kind != AT_MODEL_CALL)
		return 0;
	if (what == SPEEDSCOPE_COST)
		return amount_is_known(row->usd) && isfinite(row->usd.n) && row->usd.n > 0 ? row->usd.n * 1e6 : 0;
	return figure_is_known(tokens) ? (double)tokens.n : 0;
}

static double speedscope_sum(const struct trace *t, enum speedscope_weight from, enum speedscope_weight to)
{
	double sum = 0;

	for (size_t i = 0; i < t->count; i++)
		for (enum speedscope_weight what = from; what <= to; what++)
			sum += speedscope_weigh(&t->nodes[i].row, what);
	return sum;
}

static void speedscope_add_stack(struct speedscope *s, const struct trace_entry *e, enum speedscope_weight what)
{
	static const struct str kinds[SPEEDSCOPE_WEIGHTS] = {
		{ "input tokens", 12 }, { "output tokens", 13 }, { NULL, 0 },
	};

	json_write_begin_array(&s->w);
	if (e->row.agent.n)
		json_write_u64(&s->w, speedscope_frame(s, export_shown(s->x->arena, e->row.agent)));
	json_write_u64(&s->w, speedscope_frame_of(s, e));
	if (kinds[what].n)
		json_write_u64(&s->w, speedscope_frame(s, kinds[what]));
	json_write_end_array(&s->w);
}

/* Every call is a sample for each kind of weight that it has. */
static bool speedscope_write_weights(struct speedscope *s, const char *name, enum speedscope_weight from,
				     enum speedscope_weight to, struct err *err)
{
	double sum = speedscope_sum(s->run, from, to);

	if (sum <= 0)
		return true;
	speedscope_begin(s, "sampled", str_from(name), "none");
	json_put_double(&s->w, "endValue", sum);
	for (int pass = 0; pass < 2; pass++) {
		json_put_array(&s->w, pass ? "weights" : "samples");
		for (size_t i = 0; i < s->run->count; i++) {
			const struct trace_entry *e = &s->run->nodes[i];

			for (enum speedscope_weight what = from; what <= to; what++) {
				double weight = speedscope_weigh(&e->row, what);

				if (weight > 0 && pass)
					json_write_double(&s->w, weight);
				else if (weight > 0)
					speedscope_add_stack(s, e, what);
			}
			if (!export_drain(s->x, err))
				return false;
		}
		json_write_end_array(&s->w);
	}
	json_write_end_object(&s->w);
	return true;
}

/* ---- the document ---- */

static bool speedscope_write_run(struct speedscope *s, struct err *err)
{
	struct export_lanes lanes;

	export_lanes_of(s->x->arena, s->run, &lanes);
	for (enum export_group g = 0; g < EXPORT_GROUPS; g++)
		for (uint32_t lane = 0; lane < lanes.count[g]; lane++)
			if (!speedscope_write_lane(s, &lanes, g, lane, err))
				return false;
	return speedscope_write_weights(s, "tokens", SPEEDSCOPE_INPUT, SPEEDSCOPE_OUTPUT, err) &&
	       speedscope_write_weights(s, "cost in micro-dollars", SPEEDSCOPE_COST, SPEEDSCOPE_COST, err);
}

/* The frames come last: they are known only then. */
static void speedscope_add_rest(struct speedscope *s, struct str title)
{
	struct json_writer *w = &s->w;

	if (s->profiles == 0) { /* speedscope wants one at least */
		speedscope_begin(s, "evented", STR("no nodes"), "microseconds");
		json_put_u64(w, "endValue", 0);
		json_put_array(w, "events");
		json_write_end_array(w);
		json_write_end_object(w);
	}
	buf_add_str(&s->x->out, STR("\n],\"shared\":"));
	json_write_init(w, &s->x->out, JSON_COMPACT);
	json_write_begin_object(w);
	json_put_array(w, "frames");
	for (size_t i = 0; i < s->count; i++) {
		json_write_begin_object(w);
		json_put_text(w, "name", s->names[i]);
		json_write_end_object(w);
	}
	json_write_end_array(w);
	json_write_end_object(w);
	buf_add_str(&s->x->out, STR(",\"name\":"));
	json_write_quoted(&s->x->out, title);
	buf_add_str(&s->x->out, STR("}\n"));
}

bool export_speedscope(struct export *x, const struct trace_list *runs, struct err *err)
{
	struct speedscope s = { .x = x };
	bool is_one = runs->count == 1;

	map_init(&s.frames, x->arena);
	buf_add_str(&x->out, STR("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"exporter\":"));
	json_write_quoted(&x->out, arena_printf(x->arena, "trackway@%s", x->options->version));
	buf_add_str(&x->out, STR(",\"activeProfileIndex\":0,\"profiles\":["));
	for (size_t i = 0; i < runs->count; i++) {
		s.run = &runs->items[i];
		s.prefix = is_one ? STR("") : ARENA_JOIN(x->arena, export_title_of(x, s.run, i), STR(": "));
		if (!speedscope_write_run(&s, err))
			return false;
	}
	speedscope_add_rest(&s, is_one ? ARENA_JOIN(x->arena, STR("agent "), export_title_of(x, &runs->items[0], 0))
				       : arena_printf(x->arena, "%zu agent runs", runs->count));
	return export_flush(x, err);
}
