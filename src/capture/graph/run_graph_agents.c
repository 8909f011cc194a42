/*
 * Conversations that begin inside a call: sub-agents, by headers or by what they are told first, and agents that take a
 * conversation over. A missing edge is better than a wrong one: where two calls fit equally well, none is taken.
 */
#include "capture/graph/run_graph_begin.h"

#include "dialect/record/field.h"

#define WITHIN_CHARS 40 /* of an argument that counts inside a longer message */

enum fit { FIT_NONE, FIT_WITHIN, FIT_EQUAL };

/* The best that fits; `several`: others fit as well, and are not the same call again. */
struct fitting {
	struct run_graph_call *call;
	enum fit how;
	bool several;
};

/* Calls with the same name and arguments are the same: their order decides. */
static bool is_same(const struct run_graph_call *a, const struct run_graph_call *b)
{
	return a->args == b->args && str_eq(a->name, b->name);
}

static void add_fit(struct fitting *f, struct run_graph_call *c, enum fit how)
{
	if (how == FIT_NONE || how < f->how)
		return;
	if (how > f->how)
		*f = (struct fitting){ .call = c, .how = how };
	else if (!is_same(f->call, c))
		f->several = true;
}

bool run_graph_is_spawn(struct str name)
{
	static const struct str names[] = { WORD("Task"), WORD("Agent"), WORD("task"), WORD("spawn_agent") };

	return str_is_one_of(name, names, COUNT(names));
}

/* Calls that hand the answer back: whatever begins afterwards does not begin in them. */
static bool hands_back(const struct run_graph_call *c)
{
	static const struct str names[] = {
		WORD("final_answer"), WORD("final_result"), WORD("submit"),         WORD("submit_answer"),
		WORD("finish"),       WORD("done"),         WORD("complete_task"), WORD("attempt_completion"),
	};

	return c->typed || str_is_one_of(c->name, names, COUNT(names));
}

/* The mark of what the user says first; 0 when that is too short, or nothing. */
static uint64_t first_text(const struct observation *s)
{
	for (size_t i = 0; i < s->message_count; i++)
		if (s->messages[i].role == OBSERVED_USER)
			return s->messages[i].text;
	return 0;
}

/* What a person said under these very prompts, with these tools, is said again, and nobody's argument. */
static bool was_said_here(const struct run_graph *w, const struct observation *s, uint64_t text)
{
	struct id node;

	return known_find(w->known, KNOWN_TEXT_HERE, run_graph_mix(text, run_graph_mix(s->system, s->tools)), &node);
}

/* How well a conversation's first message fits a call's arguments. *left: texts that may still be searched for. */
static enum fit fit_texts(struct run_graph *w, const struct run_graph_call *c, const struct observation *s,
			  size_t *left)
{
	uint64_t first = first_text(s);
	enum fit how = FIT_NONE;

	for (size_t i = 0; i < c->text_count && how != FIT_EQUAL && first; i++) {
		const struct text_mark *mark = &c->texts[i];

		if (mark->key == first && !was_said_here(w, s, mark->key))
			how = FIT_EQUAL;
		else if (mark->chars >= WITHIN_CHARS && mark->bytes < s->opening.n && how == FIT_NONE && *left > 0 &&
			 (*left)-- && !was_said_here(w, s, mark->key) && text_mark_is_in(&w->marker, mark, s->opening))
			how = FIT_WITHIN;
	}
	return how;
}

/* ---- by headers ---- */

/* Among the calls of one agent: what fits the first words best, else those that begin agents, else any. */
static struct fitting find_spawn(struct run_graph *w, const struct observation *s, uint64_t agent)
{
	struct fitting fit = { .call = NULL }, named = { .call = NULL }, any = { .call = NULL };
	size_t left = RUN_GRAPH_SEARCHED;

	for (struct run_graph_call *c = w->oldest; c; c = c->after) {
		if (c->agent != agent || c->claimed || c->tentative)
			continue;
		add_fit(&fit, c, fit_texts(w, c, s, &left));
		add_fit(&named, c, run_graph_is_spawn(c->name) ? FIT_EQUAL : FIT_NONE);
		add_fit(&any, c, FIT_EQUAL);
	}
	for (struct run_graph_call *c = w->spawned; c; c = c->next) {
		if (c->agent != agent || c->claimed)
			continue;
		add_fit(&fit, c, fit_texts(w, c, s, &left));
		add_fit(&named, c, FIT_EQUAL);
	}
	return fit.call ? fit : named.call ? named : any;
}

void run_graph_begin_agent(struct run_graph *w, const struct observation *s, struct run_graph_ids *parents)
{
	uint64_t parent = run_graph_agent(s->session, s->parent_agent);
	struct fitting f = find_spawn(w, s, parent);
	struct id node;

	if (f.call && !f.several) {
		f.call->claimed = true;
		f.call->typed = false;
		run_graph_ids_add(w, parents, f.call->node);
	} else if (known_find(w->known, KNOWN_AGENT, parent, &node)) {
		run_graph_ids_add(w, parents, node);
	}
}

/* ---- by what is said first ---- */

/*
 * In one trace, with other prompts or tools than those of the one that asked, in another span, and no side call: a
 * guess that needs all of this.
 */
static bool fits_trace(const struct run_graph_call *c, const struct observation *s)
{
	return s->trace && c->trace == s->trace && c->span != s->span && s->tools &&
	       (c->system != s->system || c->tools != s->tools);
}

bool run_graph_adopt(struct run_graph *w, struct run_graph_open *x, const struct observation *s, bool claimed,
		     struct run_graph_ids *parents)
{
	struct fitting f = { .call = NULL }, traced = { .call = NULL };
	size_t left = RUN_GRAPH_SEARCHED;

	/* the latest first, since not all may be looked for; of those that are the same the first is taken */
	for (struct run_graph_call *c = w->newest; c; c = c->before) {
		bool same;

		if (c->claimed != claimed || c->tentative || hands_back(c) ||
		    (c->trace && s->trace && c->trace != s->trace))
			continue;
		same = f.call && is_same(f.call, c);
		add_fit(&f, c, fit_texts(w, c, s, &left));
		if (same && !f.several)
			f.call = c;
		if (!claimed)
			add_fit(&traced, c, fits_trace(c, s) ? FIT_EQUAL : FIT_NONE);
	}
	f = f.call ? f : traced;
	if (!f.call || f.several)
		return false;
	f.call->claimed = true;
	x->sub = x->inferred = true;
	run_graph_ids_add(w, parents, f.call->node);
	return true;
}

/* ---- hand-offs ---- */

static bool is_hand_off(struct str name)
{
	static const struct str words[] = { WORD("transfer_to"), WORD("handoff"), WORD("delegate") };

	for (size_t i = 0; i < COUNT(words); i++)
		if (name.n >= words[i].n && str_eq_nocase(str_of(name.p, words[i].n), words[i]))
			return true;
	return false;
}

/* Whether the request tells every message of the user's again that the call was asked for after. */
static bool retells(const struct run_graph_call *c, const struct observation *s)
{
	size_t count;

	return c->user_count && run_graph_users(s, c->user_count, &count) == c->users && count == c->user_count;
}

bool run_graph_hand_off(struct run_graph *w, struct run_graph_open *x, const struct observation *s,
			struct run_graph_ids *parents)
{
	struct run_graph_call *only = NULL;
	size_t waiting = 0;

	for (struct run_graph_call *c = w->oldest; c; c = c->after) {
		if (c->tentative || !retells(c, s))
			continue;
		only = c;
		waiting++;
	}
	if (waiting != 1 || !is_hand_off(only->name) || only->claimed || only->system == s->system ||
	    (only->tools && !s->tools))
		return false;
	run_graph_ids_add(w, parents, only->node);
	run_graph_end_call(w, only, s->begun_ns);
	x->inferred = true;
	return true;
}
