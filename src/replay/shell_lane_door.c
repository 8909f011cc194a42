/* Each shim that connects is a talk about one command. */
#include "replay/shell_lane_door.h"

#include "base/clock.h"

struct shell_door_talk {
	struct door_client *client;
	struct shell_lane *lane;
	struct arena arena;
	const struct tape_command *command; /* NULL: nothing is left to be sent */
	size_t at; /* the next piece */
	uint64_t since_ns;
};

/* A line with a number, and as many bytes behind it. */
static void shell_door_send(struct shell_door_talk *t, const char *word, struct str bytes)
{
	struct buf head;

	buf_init(&head);
	buf_printf(&head, "%s %zu\n", word, bytes.n);
	door_send(t->client, buf_str(&head));
	door_send(t->client, bytes);
	buf_free(&head);
}

/* As the recorded run saw it, but for values that are others in this one. */
static void shell_door_send_piece(struct shell_door_talk *t, const struct tape_piece *p)
{
	const struct lane_ops *ops = t->lane->ops;

	shell_door_send(t, p->error ? "e" : "o", ops->translate(ops->context, &t->arena, p->bytes));
}

static void shell_door_send_end(struct shell_door_talk *t)
{
	const struct tape_command *c = t->command;
	struct buf line;

	buf_init(&line);
	if (c->signal > 0)
		buf_printf(&line, "signal %d\n", c->signal);
	else
		buf_printf(&line, "exit %d\n", c->exit < 0 ? 0 : c->exit);
	door_send(t->client, buf_str(&line));
	buf_free(&line);
	t->command = NULL;
	door_end(t->client);
}

static void shell_door_wake(void *talk)
{
	struct shell_door_talk *t = talk;
	uint64_t now = clock_mono_ns();

	if (!t->command)
		return;
	for (; t->at < t->command->piece_count; t->at++) {
		const struct tape_piece *p = &t->command->pieces[t->at];
		uint64_t due = t->since_ns + lane_delay_ns(t->lane->ops, p->delay_us);

		if (due > now) {
			door_wake(t->client, due);
			return;
		}
		t->since_ns = now;
		shell_door_send_piece(t, p);
	}
	shell_door_send_end(t);
}

static void *shell_door_begin(void *context, struct door_client *c, struct val hello)
{
	struct shell_lane *l = context;
	struct shell_door_talk *t = mem_alloc(sizeof(*t));
	struct shell_lane_question q;
	struct str why = STR("the shim's question cannot be read");

	*t = (struct shell_door_talk){ .client = c, .lane = l, .since_ns = clock_mono_ns() };
	arena_init(&t->arena);
	if (!shell_lane_read(l, &t->arena, hello, &q)) {
		shell_door_send(t, "miss", why);
		door_end(c);
	} else if (l->ops->live) {
		shell_lane_run(l, &t->arena, &q);
		door_send(c, STR("run\n"));
		door_end(c);
	} else if ((t->command = shell_lane_ask(l, &t->arena, &q, &why))) {
		shell_door_wake(t);
	} else if (!why.p || shell_lane_passes(l, &q)) {
		door_send(c, STR("run\n"));
		door_end(c);
	} else {
		shell_door_send(t, "miss", why);
		door_end(c);
	}
	return t;
}

static void shell_door_line(void *talk, struct str line)
{
	(void)talk, (void)line; /* a shim says nothing more */
}

static void shell_door_over(void *talk)
{
	(void)talk; /* it reads until the end comes */
}

static void shell_door_close(void *talk)
{
	struct shell_door_talk *t = talk;

	arena_free(&t->arena);
	mem_free(t);
}

static void shell_door_sight(void *context, struct val tape)
{
	shell_lane_see(context, tape);
}

struct door_lane shell_door_lane(struct shell_lane *l)
{
	return (struct door_lane){
		.name = "shell",
		.context = l,
		.begin = shell_door_begin,
		.line = shell_door_line,
		.wake = shell_door_wake,
		.over = shell_door_over,
		.close = shell_door_close,
		.sight = shell_door_sight,
	};
}
