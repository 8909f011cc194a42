/* Figures, times and arguments as the sessions of coding agents tell them. */
#include "dialect/session/told.h"

#define MS_LEAST 100000000000  /* smaller numbers are seconds: 1973 in milliseconds */
#define MS_MOST 10000000000000 /* larger ones are microseconds: 2286 */

/* The value of a name, or of a path when it begins with a slash. */
static struct val told_find(struct val object, struct str name)
{
	return !name.n ? VAL_NONE : name.p[0] == '/' ? val_at(object, name) : val_get(object, name);
}

/* A path is walked up to its last name. */
static struct figure told_count(struct reading *r, struct val object, struct str name)
{
	size_t slash = 0;

	for (size_t i = 0; i < name.n; i++)
		slash = name.p[i] == '/' ? i : slash;
	if (slash)
		object = val_at(object, str_of(name.p, slash));
	if (name.n && name.p[slash] == '/')
		slash++;
	return reading_count(r, object, str_skip(name, slash));
}

/* The sum stays as it is where it would not fit. */
static void told_add(struct figure *sum, struct figure part)
{
	uint64_t n;

	if (figure_is_known(*sum) && figure_is_known(part) && !__builtin_add_overflow(sum->n, part.n, &n))
		sum->n = n;
}

/* Whether the total holds the reasoning beside the output; without a total, whether the output cannot hold it. */
static bool told_reasoning_is_apart(const struct usage *u, struct figure total, const struct told_names *names)
{
	struct figure sum = u->input;

	if (!figure_is_known(u->reasoning) || u->reasoning.n == 0 || !figure_is_known(u->output))
		return false;
	told_add(&sum, u->output);
	if (figure_is_known(total) && total.n == sum.n)
		return false;
	told_add(&sum, u->reasoning);
	return names->reasoning_apart || u->reasoning.n > u->output.n || (figure_is_known(total) && total.n == sum.n);
}

struct usage told_usage(struct reading *r, struct val usage, const struct told_names *names)
{
	struct usage u = {
		.input = told_count(r, usage, names->input),
		.output = told_count(r, usage, names->output),
		.cache_read = told_count(r, usage, names->cache_read),
		.cache_write = told_count(r, usage, names->cache_write),
		.reasoning = told_count(r, usage, names->reasoning),
	};
	struct val all = told_find(usage, names->total);
	struct figure cached = FIGURE(0), total = { 0, 0, 0 }, sum;
	int64_t n;

	told_add(&cached, u.cache_read);
	told_add(&cached, u.cache_write);
	if (figure_is_known(u.input) && (names->cache_apart || cached.n > u.input.n))
		told_add(&u.input, cached);
	if (val_is(all, JSON_NUMBER) && val_i64(all, &n) && n >= 0)
		total = FIGURE((uint64_t)n);
	if (told_reasoning_is_apart(&u, total, names))
		told_add(&u.output, u.reasoning);
	sum = u.input;
	told_add(&sum, u.output);
	if (figure_is_known(total) && figure_is_known(u.output) && sum.n == total.n)
		reading_take(r, all);
	return u;
}

struct moment told_time(struct reading *r, struct val object, struct str name)
{
	struct val v = val_get(object, name);
	int64_t ms;

	if (val_is(v, JSON_NUMBER) && val_i64(v, &ms) && ms >= MS_LEAST && ms < MS_MOST) {
		reading_take(r, v);
		return reading_moment(r, ms * 1000000, MOMENT_VENDOR);
	}
	return reading_time(r, object, name);
}

struct amount told_span(struct moment from, struct moment to)
{
	if (!from.text.p || !to.text.p || to.ns < from.ns)
		return (struct amount){ 0, 0, 0 };
	return AMOUNT((double)(to.ns - from.ns) / 1e6);
}

void told_args(struct reading *r, struct event *call, struct val args)
{
	if (val_is(args, JSON_STRING))
		call->args_text = reading_text_of(r, args);
	else if (val_is(args, JSON_OBJECT) || val_is(args, JSON_ARRAY))
		call->args = reading_json_of(r, call, "args", args);
}

struct event *told_note(struct reading *r, struct str role, struct moment ts, struct val v)
{
	struct event *e = reading_add(r, EVENT_NOTE);

	e->role = role.n ? role : STR("note");
	e->ts = ts;
	e->content = val_is_none(v) ? STR("null") : reading_json_of(r, e, "content", v);
	return e;
}

void told_again(struct reading *r, struct val object, const struct str *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		reading_take(r, val_get(object, names[i]));
}
