/* Two values are walked side by side, in the order of the recorded one, with a stack of their containers. */
#include "replay/lane.h"

#include "json/json.h"
#include "transform/redact.h"

#define LANE_DEPTH 256  /* deeper containers are compared by their text */
#define LANE_BEFORE 40  /* bytes shown before a difference, and behind its beginning */
#define LANE_BEHIND 120

struct lane_frame {
	struct val recorded, live;
	struct val_iter at, other; /* of the recorded members or elements; of the live elements */
	size_t index, path;        /* of the next element; length of the path to here */
};

struct lane_walk {
	struct arena *arena;
	struct buf path;
	struct match_difference *out;
	struct lane_frame frames[LANE_DEPTH];
	size_t depth;
};

/* ---- what is shown ---- */

static struct str lane_cut(struct arena *a, struct str text, uint64_t at)
{
	size_t from = at > LANE_BEFORE ? (size_t)at - LANE_BEFORE : 0, n;

	if (!text.p)
		return text;
	from = from < text.n ? from : text.n;
	n = text.n - from < LANE_BEFORE + LANE_BEHIND ? text.n - from : LANE_BEFORE + LANE_BEHIND;
	return ARENA_JOIN(a, from ? STR("...") : STR(""), str_of(text.p + from, n),
			  from + n < text.n ? STR("...") : STR(""));
}

static bool lane_tell(struct arena *a, struct match_difference *out, struct str path, struct str expected,
		      struct str got)
{
	uint64_t at = 0;

	while (at < expected.n && at < got.n && expected.p[at] == got.p[at])
		at++;
	*out = (struct match_difference){ .path = arena_copy(a, path), .byte = at };
	out->expected = lane_cut(a, expected, at);
	out->got = lane_cut(a, got, at);
	out->diff = ARENA_JOIN(a, STR("@@ "), path, STR(" @@\n-"), out->expected.p ? out->expected : STR("(absent)"),
			       STR("\n+"), out->got.p ? out->got : STR("(absent)"));
	return true;
}

static struct str lane_text(struct arena *a, struct val v)
{
	if (val_is_none(v))
		return str_of(NULL, 0);
	return val_is(v, JSON_STRING) ? val_text(v, a) : val_source(v);
}

static bool lane_tell_values(struct lane_walk *w, struct val recorded, struct val live)
{
	return lane_tell(w->arena, w->out, w->path.n ? buf_str(&w->path) : STR(""), lane_text(w->arena, recorded),
			 lane_text(w->arena, live));
}

/* ---- the walk ---- */

static void lane_add_name(struct buf *path, struct str name)
{
	buf_add_byte(path, '/');
	for (size_t i = 0; i < name.n; i++) {
		if (name.p[i] == '~' || name.p[i] == '/')
			buf_add_str(path, name.p[i] == '~' ? STR("~0") : STR("~1"));
		else
			buf_add_byte(path, name.p[i]);
	}
}

static bool lane_is_same_scalar(struct arena *a, struct val x, struct val y)
{
	double m, n;

	if (val_is(x, JSON_STRING))
		return str_eq(val_text(x, a), val_text(y, a));
	if (val_is(x, JSON_NUMBER))
		return str_eq(val_raw(x), val_raw(y)) || (val_double(x, &m) && val_double(y, &n) && m == n);
	return true;
}

/* Whether they differ at once. Containers of the same kind are put on the stack. */
static bool lane_enter(struct lane_walk *w, struct val recorded, struct val live)
{
	bool nested = val_is(recorded, JSON_OBJECT) || val_is(recorded, JSON_ARRAY);

	if (val_type(recorded) != val_type(live))
		return lane_tell_values(w, recorded, live);
	if (nested && w->depth < LANE_DEPTH) {
		w->frames[w->depth++] = (struct lane_frame){ .recorded = recorded, .live = live,
							     .at = val_begin(recorded), .other = val_begin(live),
							     .path = w->path.n };
		return false;
	}
	if (nested ? str_eq(val_source(recorded), val_source(live)) : lane_is_same_scalar(w->arena, recorded, live))
		return false;
	return lane_tell_values(w, recorded, live);
}

/* A member of the live object that the recorded one has not. */
static bool lane_find_more(struct lane_walk *w, const struct lane_frame *f)
{
	struct val_iter it = val_begin(f->live);
	struct val key, value;

	while (val_next_member(&it, &key, &value)) {
		struct str name = val_text(key, w->arena);

		if (val_has(f->recorded, name))
			continue;
		lane_add_name(&w->path, name);
		return lane_tell_values(w, VAL_NONE, value);
	}
	return false;
}

static bool lane_step_object(struct lane_walk *w, struct lane_frame *f)
{
	struct val key, value;
	struct str name;

	if (!val_next_member(&f->at, &key, &value)) {
		w->depth--;
		return lane_find_more(w, f);
	}
	name = val_text(key, w->arena);
	lane_add_name(&w->path, name);
	return lane_enter(w, value, val_get(f->live, name));
}

static bool lane_step_array(struct lane_walk *w, struct lane_frame *f)
{
	struct val value = VAL_NONE, other = VAL_NONE;
	bool more = val_next(&f->at, &value), there = val_next(&f->other, &other);

	if (!more && !there) {
		w->depth--;
		return false;
	}
	buf_printf(&w->path, "/%zu", f->index++);
	if (more != there)
		return lane_tell_values(w, more ? value : VAL_NONE, there ? other : VAL_NONE);
	return lane_enter(w, value, other);
}

static bool lane_walk_values(struct lane_walk *w, struct val recorded, struct val live)
{
	bool differs = lane_enter(w, recorded, live);

	while (!differs && w->depth) {
		struct lane_frame *f = &w->frames[w->depth - 1];

		w->path.n = f->path;
		differs = val_is(f->recorded, JSON_OBJECT) ? lane_step_object(w, f) : lane_step_array(w, f);
	}
	return differs;
}

bool lane_differ(struct arena *a, struct str recorded, struct str live, struct match_difference *out)
{
	struct json_options o = { .allow_duplicates = true, .allow_lone = true };
	struct json_parser *one, *two;
	struct lane_walk *w;
	struct val x, y;
	bool differs;

	if (str_eq(recorded, live))
		return false;
	one = json_parser_open(o);
	two = json_parser_open(o);
	if (json_parse_copy(one, recorded, &x, NULL) && json_parse_copy(two, live, &y, NULL)) {
		w = arena_new(a, struct lane_walk);
		w->arena = a;
		w->out = out;
		buf_init(&w->path);
		differs = lane_walk_values(w, x, y);
		buf_free(&w->path);
	} else {
		differs = lane_tell(a, out, STR(""), recorded, live);
	}
	json_parser_close(one);
	json_parser_close(two);
	return differs;
}

struct str lane_redact(const struct lane_ops *ops, struct arena *a, struct str text)
{
	struct buf out;

	if (!ops->redact || text.n == 0)
		return text;
	buf_init(&out);
	redact_body(ops->redact, text, &out);
	return arena_take(a, &out);
}

uint64_t lane_delay_ns(const struct lane_ops *ops, uint64_t us)
{
	double ns = ops->pace ? (double)us * 1000.0 * ops->pace->speed : 0;

	if (!(ns > 0))
		return 0;
	return ns < 9e18 ? (uint64_t)ns : UINT64_C(9000000000000000000);
}

const char *lane_miss_class(const struct match_result *r)
{
	return r->used_up || r->near_count == 0 ? "extra_call" : "request_mismatch";
}
