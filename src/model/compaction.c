/*
 * For each branch the results that came since everything was hidden last, in order. A compaction takes them off the
 * front, or one by one by their calls; each result is looked at once.
 */
#include "model/compaction.h"

#include <inttypes.h>

#include "json/text.h"

#define RESULTS_MAX ((size_t)1 << 20) /* that are told apart in a run; of more nobody knows */

/* A call, and its result once it came. */
struct seen_result {
	struct hash work; /* tool and arguments */
	struct str ts;    /* of the result; p NULL without a time of its own */
	size_t next;      /* the next result of the branch: its place + 1 */
	bool answered, hidden;
	bool stays;       /* while others are hidden */
};

/* What is in sight in a branch. */
struct sight {
	size_t first, last;       /* places + 1 of results; 0: none */
	uint64_t results, taken;  /* in sight; taken out by their number */
	bool any;                 /* something was given to the model */
	bool settled;             /* nothing came since the last compaction */
	bool lost;                /* there were more than RESULTS_MAX */
};

struct compaction *compaction_copy(struct arena *a, const struct compaction *c)
{
	struct compaction *copy = arena_new(a, struct compaction);
	struct str *calls = arena_array(a, struct str, c->call_count + 1);

	*copy = *c;
	copy->trigger = c->trigger.p ? arena_copy(a, c->trigger) : c->trigger;
	for (size_t i = 0; i < c->call_count; i++)
		calls[i] = arena_copy(a, c->calls[i]);
	copy->calls = c->calls ? calls : NULL;
	return copy;
}

void compactions_begin(struct compactions *c)
{
	arena_reset(&c->arena);
	map_init(&c->branches, &c->arena);
	map_init(&c->calls, &c->arena);
	map_init(&c->hidden, &c->arena);
	c->list = NULL;
	c->count = c->cap = 0;
	c->refetched = 0;
}

void compactions_free(struct compactions *c)
{
	arena_free(&c->arena);
}

static struct sight *find_sight(struct compactions *c, struct str branch)
{
	bool added;
	uint64_t *slot = map_add(&c->branches, branch.p ? branch : STR(""), &added);

	if (added)
		*slot = (uintptr_t)arena_new(&c->arena, struct sight);
	return (struct sight *)(uintptr_t)*slot;
}

/* ---- what comes into sight ---- */

static struct hash work_of(const struct event *e)
{
	struct hash parts[3] = { str_hash_wide(e->server), str_hash_wide(e->tool), str_hash_wide(e->args) };

	return str_hash_wide(str_of(parts, sizeof(parts)));
}

/* A call that asks for what was hidden counts once for each time it was hidden. */
static void see_call(struct compactions *c, const struct event *e)
{
	struct hash work = work_of(e);
	uint64_t *hidden = c->hidden.count ? map_find(&c->hidden, str_of(&work, sizeof(work))) : NULL;
	uint64_t *slot;
	bool added;

	if (hidden && *hidden) {
		*hidden = 0;
		c->refetched++;
	}
	if (c->count >= RESULTS_MAX || !e->call.p)
		return;
	slot = map_add(&c->calls, e->call, &added);
	if (!added)
		return;
	arena_grow(&c->arena, c->list, c->count, c->cap, 64);
	c->list[c->count] = (struct seen_result){ .work = work };
	*slot = ++c->count;
}

static bool has_time(const struct event *e)
{
	return e->ts.text.p && (e->ts.source == MOMENT_VENDOR || e->ts.source == MOMENT_DERIVED);
}

static void add_last(struct compactions *c, struct sight *s, size_t place)
{
	if (s->last)
		c->list[s->last - 1].next = place;
	else
		s->first = place;
	s->last = place;
}

static void see_result(struct compactions *c, struct sight *s, const struct event *e)
{
	const uint64_t *slot = e->call.p ? map_find(&c->calls, e->call) : NULL;
	struct seen_result *r = slot ? &c->list[*slot - 1] : NULL;

	if (!r)
		s->lost = true;
	if (!r || r->answered)
		return;
	r->answered = true;
	if (has_time(e))
		r->ts = arena_copy(&c->arena, e->ts.text);
	add_last(c, s, *slot);
	s->results++;
}

void compactions_see(struct compactions *c, const struct event *e)
{
	struct sight *s;

	if (e->kind != EVENT_CALL && e->kind != EVENT_RESULT && e->kind != EVENT_STEP && e->kind != EVENT_MESSAGE)
		return;
	s = find_sight(c, e->branch);
	s->any = s->any || e->kind != EVENT_STEP;
	s->settled = s->settled && e->kind == EVENT_MESSAGE;
	if (e->kind == EVENT_CALL)
		see_call(c, e);
	else if (e->kind == EVENT_RESULT)
		see_result(c, s, e);
}

/* ---- what goes out of it ---- */

/* What one compaction hides. */
struct hiding {
	uint64_t results;
	struct str from, until;
};

static void hide(struct compactions *c, struct sight *s, struct hiding *h, struct seen_result *r)
{
	bool added;

	if (r->hidden || !r->answered || r->stays)
		return;
	r->hidden = true;
	s->results--;
	h->results++;
	h->from = h->from.p ? h->from : r->ts;
	h->until = r->ts.p ? r->ts : h->until;
	*map_add(&c->hidden, str_of(&r->work, sizeof(r->work)), &added) = 1;
}

/* The oldest of the branch, until `most` are hidden. */
static void hide_oldest(struct compactions *c, struct sight *s, struct hiding *h, uint64_t most)
{
	while (s->first && h->results < most) {
		struct seen_result *r = &c->list[s->first - 1];

		hide(c, s, h, r);
		s->first = r->next;
	}
	if (!s->first)
		s->last = 0;
}

/* Those that stay are the only ones in sight afterwards. */
static void hide_others(struct compactions *c, struct sight *s, struct hiding *h, const struct compaction *told)
{
	for (size_t i = 0; i < told->call_count; i++) {
		const uint64_t *slot = map_find(&c->calls, told->calls[i]);

		if (slot)
			c->list[*slot - 1].stays = c->list[*slot - 1].answered && !c->list[*slot - 1].hidden;
	}
	hide_oldest(c, s, h, UINT64_MAX);
	for (size_t i = 0; i < told->call_count; i++) {
		const uint64_t *slot = map_find(&c->calls, told->calls[i]);

		if (!slot || !c->list[*slot - 1].stays)
			continue;
		c->list[*slot - 1].stays = false;
		c->list[*slot - 1].next = 0;
		add_last(c, s, *slot);
	}
}

static void hide_named(struct compactions *c, struct sight *s, struct hiding *h, const struct compaction *told)
{
	for (size_t i = 0; i < told->call_count; i++) {
		const uint64_t *slot = map_find(&c->calls, told->calls[i]);

		if (slot)
			hide(c, s, h, &c->list[*slot - 1]);
	}
}

/* ---- the note ---- */

static void compaction_put_member(struct buf *out, const char *name)
{
	buf_printf(out, "%s\"%s\":", out->n ? "," : "{", name);
}

static void put_figure(struct buf *out, const char *name, struct figure f)
{
	compaction_put_member(out, name);
	if (figure_is_known(f))
		buf_printf(out, "%" PRIu64, f.n);
	else
		buf_add_str(out, STR("null"));
}

static void put_text(struct buf *out, const char *name, struct str text)
{
	compaction_put_member(out, name);
	if (text.p)
		text_quote(out, text);
	else
		buf_add_str(out, STR("null"));
}

/* Members in the order of their names: the text is canonical. */
static void put_note(struct buf *out, const struct compaction *told, const struct hiding *h, struct figure hidden,
		     struct figure kept)
{
	buf_clear(out);
	if (figure_is_known(hidden) && hidden.source == FIGURE_ESTIMATED)
		buf_add_str(out, STR("{\"derived\":[\"" COMPACTION_HIDDEN "\"]"));
	put_text(out, COMPACTION_FROM, h->from);
	put_figure(out, "kept", kept);
	put_figure(out, "messages_hidden", told->messages);
	put_figure(out, "post_tokens", told->after);
	put_figure(out, "pre_tokens", told->before);
	put_figure(out, COMPACTION_HIDDEN, hidden);
	put_text(out, "trigger", told->trigger);
	put_text(out, "until_ts", h->until);
	buf_add_byte(out, '}');
}

/* Nothing is known of what came before a log that begins with a compaction, or that tells no more than answers. */
bool compactions_tell(struct compactions *c, const struct event *e, struct buf *out)
{
	const struct compaction *told = e->compaction;
	struct sight *s = find_sight(c, e->branch);
	bool named = told->calls && !told->stay, counted = figure_is_known(told->total);
	struct hiding h = { .results = 0 };
	struct figure hidden = { .state = FIGURE_NULL }, kept = { .state = FIGURE_NULL };

	if (s->settled && !named && !counted)
		return false;
	if (counted && told->total.n <= s->taken)
		return false; /* those of a request before are left out again */
	if (counted)
		hide_oldest(c, s, &h, told->total.n - s->taken);
	else if (named)
		hide_named(c, s, &h, told);
	else if (told->calls)
		hide_others(c, s, &h, told);
	else
		hide_oldest(c, s, &h, UINT64_MAX);
	if (counted)
		hidden = FIGURE(told->total.n - s->taken);
	else if (named)
		hidden = FIGURE(told->call_count);
	else if (s->any && !s->lost)
		hidden = (struct figure){ FIGURE_KNOWN, FIGURE_ESTIMATED, h.results };
	if (s->any && !s->lost)
		kept = FIGURE(s->results);
	s->taken = counted ? told->total.n : s->taken;
	s->settled = s->settled || (!named && !counted);
	put_note(out, told, &h, hidden, kept);
	return true;
}

void compaction_say(struct buf *out, struct figure hidden, struct str from)
{
	if (!figure_is_known(hidden)) {
		buf_add_str(out, STR("after this compaction the model could no longer see what came before; how many "
				     "tool results that hides is not known"));
		return;
	}
	buf_printf(out, "after this compaction the model could no longer see %" PRIu64 " tool result%s", hidden.n,
		   hidden.n == 1 ? "" : "s");
	if (hidden.n && from.n >= 19 && from.p[10] == 'T')
		buf_printf(out, " from %.8s on", from.p + 11);
}
