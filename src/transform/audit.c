/*
 * Holds what a run used against its policy. Uses are walked in the order of seq, once for each line of the policy; the
 * first use that goes beyond it is the breach. A line with a use that nobody can count is not judged, unless what can
 * be counted is too much already.
 */
#include "transform/audit.h"

#include <math.h>
#include <stdlib.h>

#include "model/words.h"

const char *const audit_verdicts[] = {
	[AUDIT_KEPT] = "kept",
	[AUDIT_NOT_JUDGED] = "not_judged",
	[AUDIT_EXCEEDED] = "exceeded",
};

const char *const audit_whats[] = {
	[AUDIT_CALLS] = "max_calls",   [AUDIT_TOOL_CALLS] = "tool_limits", [AUDIT_COST] = "max_cost_usd",
	[AUDIT_TOKENS] = "max_tokens", [AUDIT_TOOLS] = "allowed_tools",    [AUDIT_URIS] = "retrieval_set",
};

struct audit_judging {
	struct arena *arena;
	struct audit_run *run;
	const struct audit_policy *policy;
	struct audit_answer *out;
	size_t check_cap, breach_cap;
};

/* ---- tools by their names ---- */

/* A tool as a policy names it. A URI is held against URIs, a name against names; an MCP tool's is SERVER.TOOL. */
struct audit_tool {
	struct str key;
	struct str in_trace; /* the name that a trace has for a tool://VENDOR/NAME: it knows no vendors. p NULL: none */
};

static struct audit_tool audit_tool_of(struct arena *a, struct str name)
{
	struct str uri = str_starts(name, STR("mcp__")) ? words_tool_uri(a, STR(""), STR(""), name) : name;
	struct audit_tool t = { .key = name };
	struct str vendor, server, bare;

	words_tool_of_uri(a, uri, &vendor, &server, &bare);
	if (server.p)
		t.key = ARENA_JOIN(a, server, STR("."), bare);
	else if (vendor.p)
		t.in_trace = bare;
	return t;
}

static bool audit_tool_fits(struct arena *a, const struct audit_tool *t, const struct audit_use *u, struct str uri)
{
	struct str vendor, server, bare;

	if (u->kind == AUDIT_USE_PROGRAM || str_eq(t->key, uri))
		return str_eq(t->key, uri);
	words_tool_of_uri(a, uri, &vendor, &server, &bare);
	if (server.p)
		return str_eq(t->key, ARENA_JOIN(a, server, STR("."), bare));
	return str_eq(t->key, bare) ||
	       (t->in_trace.p && str_eq(vendor, STR("agent-trace")) && str_eq(t->in_trace, bare));
}

static bool audit_tool_is_program(const struct audit_tool *t)
{
	return str_starts(t->key, STR("shell://"));
}

/* ---- the answer ---- */

static struct audit_check *audit_check_begin(struct audit_judging *j, enum audit_what what, double allowed)
{
	struct audit_answer *o = j->out;
	struct audit_check *c;

	arena_grow(j->arena, o->checks, o->check_count, j->check_cap, 8);
	c = &o->checks[o->check_count++];
	*c = (struct audit_check){ .what = what, .allowed = allowed };
	return c;
}

static void audit_check_breach(struct audit_judging *j, struct audit_check *c, const struct audit_use *u)
{
	struct audit_answer *o = j->out;

	c->verdict = AUDIT_EXCEEDED;
	arena_grow(j->arena, o->breaches, o->breach_count, j->breach_cap, 8);
	o->breaches[o->breach_count++] = (struct audit_breach){
		.seq = u->seq, .what = c->what, .tool = j->run->names[u->name], .limit = c->tool, .allowed = c->allowed,
	};
}

/* Something that cannot be counted, while uses are walked. */
struct audit_unknown {
	uint64_t count, seq;
};

static void audit_unknown_add(struct audit_unknown *n, const struct audit_use *u)
{
	if (n->count++ == 0)
		n->seq = u->seq;
}

/* What was used in all, also in the breach if there is one: it is the latest. */
static void audit_check_sum(struct audit_judging *j, struct audit_check *c, double used)
{
	c->used = used;
	if (c->verdict == AUDIT_EXCEEDED)
		j->out->breaches[j->out->breach_count - 1].used = used;
}

/* What is exceeded stays so, whatever else there was. */
static void audit_check_end(struct audit_judging *j, struct audit_check *c, struct audit_unknown unknown,
			    const char *what)
{
	if (c->verdict == AUDIT_EXCEEDED)
		return;
	if (unknown.count)
		c->reason = arena_printf(j->arena, "%s (%llu, the first at seq %llu)", what,
					 (unsigned long long)unknown.count, (unsigned long long)unknown.seq);
	else if (j->run->unreadable)
		c->reason = arena_printf(j->arena, "the log has lines that cannot be read (%llu)",
					 (unsigned long long)j->run->unreadable);
	c->verdict = c->reason.p ? AUDIT_NOT_JUDGED : AUDIT_KEPT;
}

#define EACH_USE(j, u) \
	for (const struct audit_use *u = (j)->run->uses, *end = u ? u + (j)->run->use_count : u; u < end; u++)

/* ---- counts ---- */

#define NO_PROGRAMS "command lines whose programs cannot be told"

/* Programs of a call may be hidden: its arguments are not known, or its command line cannot be read. */
static bool audit_hides_programs(const struct audit_use *u)
{
	return u->kind == AUDIT_USE_CALL && u->flags & AUDIT_SHELL && u->flags & (AUDIT_NO_ARGS | AUDIT_SOME_PROGRAMS);
}

/* Calls of all tools (p NULL), or of one, which may be a program. */
static void audit_judge_calls(struct audit_judging *j, enum audit_what what, struct str name, uint64_t most)
{
	struct audit_check *c = audit_check_begin(j, what, (double)most);
	struct audit_tool tool = audit_tool_of(j->arena, name);
	char *fits = arena_array(j->arena, char, j->run->name_count + 1); /* by name: 1 yes, 2 no */
	struct audit_unknown unknown = { 0 };
	uint64_t n = 0;

	c->tool = name;
	EACH_USE(j, u) {
		if (u->kind != AUDIT_USE_CALL && (u->kind != AUDIT_USE_PROGRAM || !name.p))
			continue;
		if (audit_tool_is_program(&tool) && audit_hides_programs(u))
			audit_unknown_add(&unknown, u);
		if (!fits[u->name])
			fits[u->name] = !name.p || audit_tool_fits(j->arena, &tool, u, j->run->names[u->name]) ? 1 : 2;
		if (fits[u->name] == 1 && ++n == most + 1)
			audit_check_breach(j, c, u);
	}
	audit_check_sum(j, c, (double)n);
	audit_check_end(j, c, unknown, NO_PROGRAMS);
}

/* ---- cost and tokens ---- */

/* Where a run has cost records, they are its totals; else the steps say what they used. */
static uint8_t audit_costs_kind(const struct audit_judging *j)
{
	EACH_USE(j, u)
		if (u->kind == AUDIT_USE_COST)
			return AUDIT_USE_COST;
	return AUDIT_USE_STEP;
}

static uint64_t audit_add(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

/* Whether the service states what the whole run cost: then its steps are parts of that (model/money.h). */
static bool audit_costs_stated(const struct audit_judging *j)
{
	EACH_USE(j, u)
		if (u->kind == AUDIT_USE_COST && u->flags & AUDIT_STATED_USD)
			return true;
	return false;
}

static bool audit_has_name(const uint32_t names[], size_t count, uint32_t name)
{
	while (count > 0 && names[count - 1] != name)
		count--;
	return count > 0;
}

/* Of whom the cost is not known: the first three models, each once. */
static const char *audit_name_unpriced(const struct audit_judging *j, const uint32_t names[], size_t count)
{
	struct str text = STR("answers whose cost is not known");

	for (size_t i = 0; i < count; i++) {
		struct str name = j->run->names[names[i]];

		if (name.n)
			text = arena_printf(j->arena, "%.*s%s%.*s", STR_ARG(text), i ? ", " : ", no price for ",
					    STR_ARG(name));
	}
	return text.p; /* ended by a NUL, as what arena_printf makes is */
}

/* Cost in billionths of a dollar, or tokens. A step alone does not say what it cost. */
static void audit_judge_sum(struct audit_judging *j, enum audit_what what, uint64_t most, double allowed, double unit)
{
	bool cost = what == AUDIT_COST;
	struct audit_check *c = audit_check_begin(j, what, allowed);
	uint8_t kind = audit_costs_kind(j);
	bool stated = cost && audit_costs_stated(j);
	struct audit_unknown unknown = { 0 };
	uint32_t names[3];
	size_t named = 0;
	uint64_t sum = 0;

	EACH_USE(j, u) {
		if (u->kind != kind || (stated && !(u->flags & AUDIT_STATED_USD)))
			continue;
		if (cost ? kind == AUDIT_USE_STEP || u->flags & AUDIT_NO_USD : u->flags & AUDIT_NO_TOKENS) {
			audit_unknown_add(&unknown, u);
			if (named < COUNT(names) && !audit_has_name(names, named, u->name))
				names[named++] = u->name;
		}
		c->estimated = c->estimated || u->flags & (cost ? AUDIT_ESTIMATED_USD : AUDIT_ESTIMATED);
		sum = audit_add(sum, cost ? u->nano_usd : u->tokens);
		if (sum > most && c->verdict != AUDIT_EXCEEDED)
			audit_check_breach(j, c, u);
	}
	audit_check_sum(j, c, (double)sum / unit);
	audit_check_end(j, c, unknown,
			cost ? audit_name_unpriced(j, names, named) : "answers whose tokens are not known");
}

/* ---- what is not declared ---- */

/* The one breach of a name, which is made when it is first used. */
static void audit_judge_stray(struct audit_judging *j, struct audit_check *c, const struct audit_use *u, size_t *breach)
{
	if (!breach[u->name]) {
		audit_check_breach(j, c, u);
		breach[u->name] = j->out->breach_count;
	}
	j->out->breaches[breach[u->name] - 1].used++;
}

/*
 * A list that names programs is about programs: a call that runs command lines is then judged by what it runs, and not
 * by the name of its tool.
 */
static void audit_judge_tools(struct audit_judging *j)
{
	const struct audit_policy *p = j->policy;
	struct audit_check *c = audit_check_begin(j, AUDIT_TOOLS, (double)p->allowed_count);
	struct audit_tool *tools = arena_array(j->arena, struct audit_tool, p->allowed_count + 1);
	size_t *breach = arena_array(j->arena, size_t, j->run->name_count + 1);
	char *fits = arena_array(j->arena, char, j->run->name_count + 1);
	struct audit_unknown unknown = { 0 };
	bool programs = false;

	for (size_t i = 0; i < p->allowed_count; i++) {
		tools[i] = audit_tool_of(j->arena, p->allowed[i]);
		programs = programs || audit_tool_is_program(&tools[i]);
	}
	EACH_USE(j, u) {
		bool counts = u->kind == AUDIT_USE_PROGRAM ? programs : u->kind == AUDIT_USE_CALL;

		if (programs && audit_hides_programs(u))
			audit_unknown_add(&unknown, u);
		if (!counts || (programs && u->kind == AUDIT_USE_CALL && u->flags & AUDIT_SHELL))
			continue;
		c->used += !fits[u->name];
		for (size_t i = 0; i < p->allowed_count && !fits[u->name]; i++)
			fits[u->name] = audit_tool_fits(j->arena, &tools[i], u, j->run->names[u->name]);
		if (fits[u->name] != 1)
			fits[u->name] = 2;
		if (fits[u->name] == 2)
			audit_judge_stray(j, c, u, breach);
	}
	audit_check_end(j, c, unknown, NO_PROGRAMS);
}

static void audit_judge_uris(struct audit_judging *j)
{
	const struct audit_policy *p = j->policy;
	struct audit_check *c = audit_check_begin(j, AUDIT_URIS, (double)p->set_count);
	size_t *breach = arena_array(j->arena, size_t, j->run->name_count + 1);
	char *seen = arena_array(j->arena, char, j->run->name_count + 1);
	struct audit_unknown unknown = { 0 };

	EACH_USE(j, u) {
		if (u->kind == AUDIT_USE_CALL && u->flags & (AUDIT_NO_ARGS | AUDIT_SOME_URIS))
			audit_unknown_add(&unknown, u);
		if (u->kind != AUDIT_USE_FETCH)
			continue;
		c->used += !seen[u->name];
		if (!seen[u->name])
			seen[u->name] = audit_set_has(p, j->run->names[u->name]) ? 1 : 2;
		if (seen[u->name] == 2)
			audit_judge_stray(j, c, u, breach);
	}
	audit_check_end(j, c, unknown, "calls whose arguments are not known");
}

/* ---- all of it ---- */

/* Equal ones as they came: programs of one call, in the order of its command line. */
static int audit_by_seq(const void *a, const void *b)
{
	const struct audit_use *x = a, *y = b;

	return x->seq != y->seq ? (x->seq > y->seq) - (x->seq < y->seq) : (x->order > y->order) - (x->order < y->order);
}

static int audit_by_breach(const void *a, const void *b)
{
	const struct audit_breach *x = a, *y = b;

	if (x->seq != y->seq)
		return (x->seq > y->seq) - (x->seq < y->seq);
	return x->what != y->what ? (x->what > y->what) - (x->what < y->what) : str_cmp(x->tool, y->tool);
}

static void audit_sort(struct audit_run *run)
{
	for (size_t i = 1; i < run->use_count; i++)
		if (run->uses[i].seq < run->uses[i - 1].seq) {
			qsort(run->uses, run->use_count, sizeof(*run->uses), audit_by_seq);
			return;
		}
}

void audit_judge(struct arena *a, struct audit_run *run, const struct audit_policy *p, struct audit_answer *out)
{
	struct audit_judging j = { .arena = a, .run = run, .policy = p, .out = out };

	*out = (struct audit_answer){ .verdict = AUDIT_KEPT };
	audit_sort(run);
	if (p->has_calls)
		audit_judge_calls(&j, AUDIT_CALLS, str_of(NULL, 0), p->calls);
	for (size_t i = 0; i < p->limit_count; i++)
		audit_judge_calls(&j, AUDIT_TOOL_CALLS, p->limits[i].tool, p->limits[i].calls);
	if (p->has_cost)
		audit_judge_sum(&j, AUDIT_COST, (uint64_t)llround(fmin(p->usd * 1e9, 1e18)), p->usd, 1e9);
	if (p->has_tokens)
		audit_judge_sum(&j, AUDIT_TOKENS, p->tokens, (double)p->tokens, 1);
	if (p->has_allowed)
		audit_judge_tools(&j);
	if (p->has_set)
		audit_judge_uris(&j);
	for (size_t i = 0; i < out->check_count; i++)
		if (out->checks[i].verdict > out->verdict)
			out->verdict = out->checks[i].verdict;
	if (out->breach_count > 1)
		qsort(out->breaches, out->breach_count, sizeof(*out->breaches), audit_by_breach);
}
