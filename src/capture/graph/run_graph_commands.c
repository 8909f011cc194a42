/*
 * Commands that tools run, as shims in front of programs tell. One that begins while a call of a tool waits belongs to
 * that call: of a tool that runs commands it has the times, of every other only the CPU time is added. Commands inside
 * it are a part of it. A command in which model calls begin is the agent, or what started it: no node, and what runs
 * inside it is looked at for itself. What is left is the agent's own affair, or of an agent whose answers never ask for
 * calls, a node of its own.
 */
#include "capture/graph/run_graph_private.h"

#include "model/words.h"

#define ANY_TIME (INT64_MAX / 2)
#define SHELL_SLACK_NS INT64_C(5000000) /* by which clocks of processes may differ */
#define SHELL_LATE_NS INT64_C(1000000000) /* from the end of a shell to that of its tool, as a hook tells it, at most */

static uint64_t command_key(struct str id)
{
	return id.n ? str_hash(id) | 1 : 0;
}

static struct run_graph_command *command_find(struct run_graph *w, uint64_t id)
{
	for (size_t i = w->command_count; i-- > 0 && id;)
		if (w->commands[i].id == id)
			return &w->commands[i];
	return NULL;
}

static void command_forget(struct run_graph *w, struct run_graph_command *c)
{
	*c = w->commands[--w->command_count];
}

void run_graph_forget_commands(struct run_graph *w, const struct run_graph_call *c)
{
	for (size_t i = 0; i < w->command_count; i++) {
		if (w->commands[i].call != c)
			continue;
		w->commands[i].call = NULL;
		w->commands[i].nested = true; /* its tool is over: what still runs is no other tool */
	}
}

static bool command_is_shell(struct str name)
{
	static const char *const shells[] = { "sh", "bash", "zsh", "dash", "fish", "ksh", "mksh", "ash", "pwsh", "nu" };

	return str_is_word_of(name, shells, COUNT(shells));
}

static bool command_is_claude(const struct run_graph_call *call)
{
	return str_eq(call->framework, STR("claude_code"));
}

/* Claude Code starts shells that look around before the first one that runs what was asked for. */
static bool command_was_to_prepare(const struct run_graph *w, const struct run_graph_call *call)
{
	if (!command_is_claude(call))
		return false;
	for (size_t i = 0; i < w->command_count; i++)
		if (w->commands[i].call == call)
			return false;
	return true;
}

/* Whether it is with a tool: its end is not known, but for one that commands told of. */
static bool command_may_be_of(const struct run_graph_call *c, int64_t begun_ns)
{
	const struct run_graph_seen *seen = &c->seen;

	return (seen->ended_ns < 0 || (seen->layers & 1u << SIGHT_SHELL)) && !(seen->ended & 1u << SIGHT_HOOK) &&
	       c->asked_ns <= begun_ns + SHELL_SLACK_NS;
}

/*
 * Calls that run commands first, and among them the one that a hook saw begin last; else the oldest that has none. A
 * tool that has a shell has no other program: that one is the agent's own. But one that had others may get its shell,
 * and one of Claude Code's whose shells are over another.
 */
static struct run_graph_call *command_find_call(struct run_graph *w, bool is_shell, int64_t begun_ns)
{
	struct run_graph_call *best = NULL, *again = NULL, *only = NULL;
	size_t waiting = 0;

	for (struct run_graph_call *c = w->oldest; c; c = c->after) {
		bool has = c->seen.layers & 1u << SIGHT_SHELL;

		if (!command_may_be_of(c, begun_ns))
			continue;
		waiting++;
		if (c->seen.by_shell && !is_shell)
			continue;
		only = c;
		if (!words_tool_is_shell(c->name))
			continue;
		if (has && (c->seen.by_shell || !is_shell)) {
			again = again || !is_shell || !command_was_to_prepare(w, c) ? again : c;
			continue;
		}
		if (!best || (c->seen.begun_ns >= 0 && c->seen.begun_ns <= begun_ns &&
			      c->seen.begun_ns > best->seen.begun_ns))
			best = c;
	}
	return best ? best : again ? again : waiting == 1 ? only : NULL;
}

/* What was counted before the shell began was no part of it. */
static void command_give(struct run_graph *w, struct run_graph_command *c, struct run_graph_call *call, bool is_shell)
{
	if (is_shell && words_tool_is_shell(call->name) &&
	    (!call->seen.by_shell || command_was_to_prepare(w, call))) {
		run_graph_forget_commands(w, call);
		call->seen.by_shell = true;
		if (call->seen.layers & 1u << SIGHT_SHELL) {
			call->seen.cpu_ns = call->seen.size = -1;
			call->seen.rank = call->seen.rank == 4 ? 0 : call->seen.rank;
		}
	}
	c->call = call;
	call->seen.layers |= 1u << SIGHT_SHELL;
}

static void command_begin(struct run_graph *w, const struct sighting *s)
{
	struct run_graph_command c = { .id = command_key(s->command), .parent = command_key(s->parent_command),
				       .begun_ns = s->begun_ns };
	struct run_graph_command *parent = command_find(w, c.parent);
	struct run_graph_call *call = NULL;

	if (!c.id || w->command_count == RUN_GRAPH_COMMANDS)
		return;
	if (parent && (parent->nested || parent->call || parent->early))
		c.nested = true;
	c.outer = !c.nested && command_is_shell(s->name);
	if (!c.nested)
		call = command_find_call(w, command_is_shell(s->name), s->begun_ns);
	if (call)
		command_give(w, &c, call, command_is_shell(s->name));
	else
		c.early = !c.nested && w->open && command_is_shell(s->name);
	mem_grow(w->commands, w->command_count, w->command_cap, 16);
	w->commands[w->command_count++] = c;
}

/* Times of a tool that runs commands are those of its commands; CPU time is added up. */
static void command_join(struct run_graph_call *call, const struct sighting *s)
{
	struct run_graph_seen *seen = &call->seen;
	bool has_times = seen->rank == 4;

	if (s->cpu_ns >= 0 && seen->cpu_ns < ANY_TIME)
		seen->cpu_ns = (seen->cpu_ns >= 0 ? seen->cpu_ns : 0) + s->cpu_ns;
	if (!words_tool_is_shell(call->name) || seen->rank > 4)
		return;
	if (seen->size < 0 || !has_times)
		seen->size = s->size;
	else if (s->size >= 0 && seen->size < ANY_TIME)
		seen->size += s->size;
	seen->begun_ns = has_times && seen->begun_ns < s->begun_ns ? seen->begun_ns : s->begun_ns;
	seen->ended_ns = has_times && seen->ended_ns > s->ended_ns ? seen->ended_ns : s->ended_ns;
	seen->wall_ns = -1;
	seen->rank = 4;
}

/* Whether a model call began while the command, or one that it was started from, ran: an agent is inside it. */
static bool command_is_inside(struct run_graph *w, const struct run_graph_command *c)
{
	for (int i = 0; i < 64 && (c = command_find(w, c->parent)); i++)
		if (c->nested || c->call || w->model_ns < c->begun_ns)
			return true;
	return false;
}

/* A node of its own. */
static void command_put(struct run_graph *w, const struct sighting *s)
{
	struct sighting tool = *s;
	struct run_graph_call *own;

	tool.kind = SIGHT_TOOL_END;
	own = run_graph_add_unasked(w, &tool);
	own->seen.layers = 1u << SIGHT_SHELL;
	own->seen.begun_ns = tool.begun_ns;
	own->seen.ended_ns = tool.ended_ns;
	own->seen.cpu_ns = tool.cpu_ns;
	own->seen.size = tool.size;
	own->seen.rank = 4;
	run_graph_end_unasked(w, own);
}

static void command_hold(struct run_graph *w, const struct sighting *s, bool early)
{
	struct run_graph_held h = { .begun_ns = s->begun_ns, .ended_ns = s->ended_ns, .cpu_ns = s->cpu_ns,
				    .size = s->size, .early = early };

	if (w->held_count == RUN_GRAPH_HELD || s->name.n > sizeof(h.name))
		return;
	h.name_size = s->name.n;
	if (s->name.n)
		memcpy(h.name, s->name.p, s->name.n);
	mem_grow(w->held, w->held_count, w->held_cap, 16);
	w->held[w->held_count++] = h;
}

static struct sighting command_of_held(const struct run_graph_held *h)
{
	struct sighting s = sighting_of(SIGHT_COMMAND_END, SIGHT_SHELL);

	s.begun_ns = h->begun_ns;
	s.ended_ns = h->ended_ns;
	s.cpu_ns = h->cpu_ns;
	s.size = h->size;
	s.name = str_of(h->name, h->name_size);
	return s;
}

/*
 * No call is known that it belongs to. Before the first model call it is what the agent does to begin, unless none ever
 * comes. Of an agent whose calls are asked for by answers it is the agent's own; one that takes commands from texts
 * runs them when the answer is there.
 */
static void command_settle(struct run_graph *w, const struct run_graph_command *c, const struct sighting *s)
{
	if (c->nested || w->model_ns >= c->begun_ns || command_is_inside(w, c))
		return;
	if (w->model_ns < 0 || (c->early && w->open))
		command_hold(w, s, w->model_ns >= 0);
	else if (!w->asks && !w->open)
		command_put(w, s);
}

static void command_keep_shell(struct run_graph *w, const struct run_graph_command *c, const struct sighting *s)
{
	struct run_graph_shell *shell;

	if (!w->oldest)
		w->shell_count = 0;
	if (!c->outer || !w->oldest || s->ended_ns < 0)
		return;
	if (w->shell_count == RUN_GRAPH_SHELLS)
		memmove(w->shells, w->shells + 1, --w->shell_count * sizeof(*w->shells));
	mem_grow(w->shells, w->shell_count, w->shell_cap, 16);
	shell = &w->shells[w->shell_count++];
	*shell = (struct run_graph_shell){ .begun_ns = s->begun_ns, .ended_ns = s->ended_ns, .cpu_ns = s->cpu_ns,
					   .size = s->size };
	if (c->call)
		shell->call = c->call->node;
}

/* What shells gave it is not its own: its times are what the hook said so far. */
static void command_take_back(struct run_graph_call *call)
{
	struct run_graph_seen *seen = &call->seen;

	seen->layers &= ~(1u << SIGHT_SHELL);
	seen->by_shell = false;
	seen->cpu_ns = seen->size = seen->wall_ns = seen->ended_ns = -1;
	seen->begun_ns = seen->begun_by[SIGHT_HOOK];
	seen->rank = 0;
}

/*
 * The one whose times are most like the call's, and that ended just before it. What it ended with counts twice: shells
 * that look around begin when the call does.
 */
static struct run_graph_shell *command_find_shell(struct run_graph *w, int64_t begun_ns, int64_t ended_ns)
{
	struct run_graph_shell *best = NULL;
	int64_t least = INT64_MAX;

	for (size_t i = 0; i < w->shell_count; i++) {
		struct run_graph_shell *one = &w->shells[i];
		int64_t before = one->begun_ns - begun_ns, behind = ended_ns - one->ended_ns;

		if (before < -SHELL_SLACK_NS || behind < -SHELL_SLACK_NS || behind > SHELL_LATE_NS ||
		    before + 2 * behind >= least)
			continue;
		least = before + 2 * behind;
		best = one;
	}
	return best;
}

/* Another call got it when it began: that one has no shell by now. */
static void command_take_from_other(struct run_graph *w, const struct run_graph_shell *shell)
{
	for (struct run_graph_call *c = w->oldest; c; c = c->after)
		if (id_eq(c->node, shell->call) && c->seen.rank == 4 && c->seen.ended_ns == shell->ended_ns)
			command_take_back(c);
}

void run_graph_fit_shell(struct run_graph *w, struct run_graph_call *c, const struct sighting *s)
{
	struct run_graph_seen *seen = &c->seen;
	int64_t begun_ns = seen->begun_by[SIGHT_HOOK];
	struct run_graph_shell *shell;

	if (s->layer != SIGHT_HOOK || (seen->ended & 1u << SIGHT_HOOK) || begun_ns < 0 || seen->rank > 4 ||
	    !command_is_claude(c) || !words_tool_is_shell(c->name))
		return;
	run_graph_forget_commands(w, c);
	shell = command_find_shell(w, begun_ns, s->ended_ns);
	if (!shell) {
		if (seen->by_shell && seen->rank == 4)
			command_take_back(c);
		return;
	}
	command_take_from_other(w, shell);
	seen->layers |= 1u << SIGHT_SHELL;
	seen->by_shell = true;
	seen->begun_ns = shell->begun_ns;
	seen->ended_ns = shell->ended_ns;
	seen->cpu_ns = shell->cpu_ns;
	seen->size = shell->size;
	seen->wall_ns = -1;
	seen->rank = 4;
	*shell = w->shells[--w->shell_count];
}

static void command_end(struct run_graph *w, const struct sighting *s)
{
	struct run_graph_command *c = command_find(w, command_key(s->command)), was;
	struct sighting own = *s;

	if (!c)
		return;
	was = *c;
	command_forget(w, c);
	own.begun_ns = was.begun_ns;
	command_keep_shell(w, &was, &own);
	if (was.call)
		command_join(was.call, &own);
	else
		command_settle(w, &was, &own);
}

void run_graph_claim_commands(struct run_graph *w, int64_t since_ns)
{
	struct run_graph_call *call;

	w->asks = true;
	for (size_t i = 0; i < w->command_count; i++) {
		struct run_graph_command *c = &w->commands[i];

		if (c->early && !c->call && c->begun_ns >= since_ns && (call = command_find_call(w, true, ANY_TIME)))
			command_give(w, c, call, true);
	}
	for (size_t i = 0; i < w->held_count; i++) {
		struct sighting s = command_of_held(&w->held[i]);
		struct run_graph_command over = { .begun_ns = s.begun_ns };

		if (!w->held[i].early || s.begun_ns < since_ns || !(call = command_find_call(w, true, ANY_TIME)))
			continue;
		command_give(w, &over, call, true);
		command_join(call, &s);
	}
	w->held_count = 0;
}

void run_graph_put_held(struct run_graph *w)
{
	for (size_t i = 0; i < w->held_count && w->model_ns < 0; i++) {
		struct sighting s = command_of_held(&w->held[i]);

		command_put(w, &s);
	}
	w->held_count = 0;
}

void run_graph_see_command(struct run_graph *w, const struct sighting *s)
{
	if (s->kind == SIGHT_COMMAND_BEGIN)
		command_begin(w, s);
	else
		command_end(w, s);
}
