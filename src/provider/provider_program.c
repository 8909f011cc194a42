/*
 * Runs a program for each question (proc/piped.h), cuts its output into lines, and has the row read each with the time
 * it came.
 */
#include "provider/provider_program.h"

#include <errno.h>
#include <unistd.h>

#include "base/clock.h"
#include "proc/piped.h"
#include "provider/provider_refusal.h"

#define LINE_MOST ((size_t)16 << 20)    /* bytes of a line; what is longer is skipped */
#define OUTPUT_MOST ((uint64_t)256 << 20)

struct program_call {
	struct provider_call head;
	struct piped *piped; /* NULL: it could not be run */
	void *reading;
	struct arena arena;
	struct buf line; /* the beginning of one */
	bool skipping;   /* the rest of a line that is too long */
	uint64_t whole_ns;
};

static const struct provider_program *program_of(const struct program_call *c)
{
	return c->head.client->row->program;
}

static void free_call(struct program_call *c)
{
	program_of(c)->close(c->reading);
	arena_free(&c->arena);
	buf_free(&c->line);
	mem_free(c->head.arrivals);
	mem_free(c);
}

/* ---- what it writes ---- */

/* `now_ns` is when the bytes came that completed the line. Empty lines are no news. */
static void provider_program_take_line(struct program_call *c, struct str line, uint64_t now_ns)
{
	unsigned news;

	line = str_trim(line);
	if (line.n == 0)
		return;
	news = program_of(c)->line(c->reading, line);
	c->head.a.events += news & PROGRAM_READ ? 1 : 0;
	if ((news & ANSWER_TOKEN) && !c->head.a.token_ns)
		c->head.a.token_ns = now_ns;
	if ((news & ANSWER_CONTENT) && !c->head.a.content_ns)
		c->head.a.content_ns = now_ns;
	if ((news & ANSWER_TOKEN) && c->head.keep_arrivals)
		provider_call_keep_arrival(&c->head, now_ns);
	if (news & PROGRAM_WHOLE)
		c->whole_ns = now_ns;
}

/* The beginning of a line, or more of it. */
static void add_to_line(struct program_call *c, struct str piece)
{
	c->skipping = c->skipping || piece.n > LINE_MOST - c->line.n;
	if (c->skipping)
		buf_clear(&c->line);
	else
		buf_add_str(&c->line, piece);
}

/* All lines that are complete in these bytes get one time: when we read them. */
static void take_bytes(void *own, struct str bytes)
{
	struct program_call *c = own;
	uint64_t now_ns = clock_mono_ns();

	if (!c->head.a.byte_ns)
		c->head.a.byte_ns = now_ns;
	while (bytes.n > 0) {
		const char *lf = memchr(bytes.p, '\n', bytes.n);
		size_t n = lf ? (size_t)(lf - bytes.p) : bytes.n;

		add_to_line(c, str_of(bytes.p, n));
		bytes = str_of(bytes.p + n + (lf ? 1 : 0), bytes.n - n - (lf ? 1 : 0));
		if (!lf)
			return;
		if (!c->skipping)
			provider_program_take_line(c, buf_str(&c->line), now_ns);
		buf_clear(&c->line);
		c->skipping = false;
	}
}

/* ---- the end ---- */

/* A last line without its end counts too. The answer ended when it was whole, not when the program went. */
static void provider_program_settle(struct program_call *c, const struct program_end *end, uint64_t ended_ns)
{
	if (c->line.n)
		provider_program_take_line(c, buf_str(&c->line), ended_ns);
	buf_clear(&c->line);
	c->head.a.ended_ns = c->whole_ns ? c->whole_ns : ended_ns;
	c->head.a.arrivals = c->head.a.arrival_count ? c->head.arrivals : NULL;
	program_of(c)->end(c->reading, end, &c->head.a);
	c->head.a.message = provider_message(&c->arena, c->head.a.message, c->head.client->o.key);
}

static void provider_program_finish(struct provider_call *call)
{
	struct program_call *c = (struct program_call *)call;

	provider_call_unlink(&c->head);
	c->head.done(c->head.own, &c->head.a);
	free_call(c);
}

static void provider_program_take_end(void *own, const struct piped_end *e)
{
	struct program_call *c = own;
	struct program_end end = {
		.status = e->status, .signal = e->signal, .too_large = e->overflown, .complaint = e->complaint,
	};

	c->piped = NULL;
	provider_program_settle(c, &end, e->ended_ns);
	provider_program_finish(&c->head);
}

/* ---- the question ---- */

static bool has_name(const char *variable, const char *name)
{
	size_t n = strcspn(name, "=");

	return strncmp(variable, name, n) == 0 && variable[n] == '=';
}

static bool is_left_out(const struct program_command *made, const char *variable)
{
	for (size_t i = 0; i < made->less_count; i++)
		if (has_name(variable, made->less[i]))
			return true;
	for (size_t i = 0; i < made->set_count; i++)
		if (has_name(variable, made->set[i]))
			return true;
	return false;
}

/* Ours, without the names it is not to find, and then its own; in the arena, ended by NULL. */
static const char **make_environment(const struct program_command *made)
{
	const char **env;
	size_t n = 0, count = 0;

	while (environ[n])
		n++;
	env = arena_array(made->arena, const char *, n + made->set_count + 1);
	for (size_t i = 0; i < n; i++)
		if (!is_left_out(made, environ[i]))
			env[count++] = environ[i];
	for (size_t i = 0; i < made->set_count; i++)
		env[count++] = made->set[i];
	return env;
}

/* It could not be started: told as an answer, from the loop. */
static void provider_program_refuse(struct program_call *c, const struct err *err)
{
	bool missing = err->errnum == ENOENT || err->errnum == EACCES || err->errnum == ENOEXEC;

	c->head.a.status = missing ? PROVIDER_UNAVAILABLE : PROVIDER_ERROR;
	c->head.a.failure = missing ? program_of(c)->missing : "exception";
	c->head.a.message = provider_message(&c->arena, str_from(err->text), c->head.client->o.key);
	provider_call_finish_soon(&c->head);
}

/* Either c->piped is running after it, or the refusal is on its way. */
static void run(struct program_call *c, const struct provider_question *q)
{
	struct program_command made = { .arena = &c->arena };
	const char *argv[PROGRAM_ARGS + 2] = { c->head.client->own };
	struct piped_options o = {
		.argv = argv,
		.limit = OUTPUT_MOST,
		.data = take_bytes,
		.ended = provider_program_take_end,
		.own = c,
	};
	struct err err = { .kind = ERR_NONE };

	program_of(c)->command(q, &made);
	memcpy(argv + 1, made.args, made.count * sizeof(*argv));
	o.env = make_environment(&made);
	o.input = made.input;
	c->head.a.sent_ns = clock_mono_ns();
	c->piped = piped_start(c->head.client->loop, &o, &err);
	if (c->piped)
		return;
	c->head.a.sent_ns = 0;
	provider_program_refuse(c, &err);
}

static struct provider_call *provider_program_ask(struct provider_client *client,
						  const struct provider_question *q,
						  void (*done)(void *own, const struct provider_answer *answer),
						  void *own)
{
	struct program_call *c = mem_alloc(sizeof(*c));

	*c = (struct program_call){ .whole_ns = 0 };
	provider_call_begin(&c->head, client, q, done, own);
	arena_init(&c->arena);
	buf_init(&c->line);
	c->reading = program_of(c)->open(&client->shared->parser);
	run(c, q);
	return &c->head;
}

/* The program is ended in the background (piped_forget); nobody waits for it here. */
static void provider_program_cancel(struct provider_call *call,
				    void (*seen)(void *own, const struct provider_answer *answer))
{
	struct program_call *c = (struct program_call *)call;
	struct program_end end = { .cancelled = true };

	if (c->head.over) /* it is being told */
		return;
	provider_call_unlink(&c->head);
	if (c->piped)
		piped_forget(c->piped);
	if (seen && c->piped)
		provider_program_settle(c, &end, clock_mono_ns());
	if (seen)
		seen(c->head.own, &c->head.a);
	free_call(c);
}

/* ---- clients ---- */

static struct provider_shared *provider_program_begin(uv_loop_t *loop)
{
	struct provider_shared *s = mem_alloc(sizeof(*s));

	provider_shared_init(s, loop);
	return s;
}

static void provider_program_free_shared(struct provider_shared *s)
{
	answer_parser_free(&s->parser);
	mem_free(s);
}

static bool provider_program_open_client(struct provider_client *client, struct err *err)
{
	struct str base = client->o.base;

	if (base.n == 0 || memchr(base.p, '\0', base.n))
		return err_set(err, ERR_USAGE,
			       "the program of %s has no name" ERR_HELP
			       "give its path, or leave it out to look for %s in PATH",
			       client->row->name, client->row->base_usual);
	client->own = (void *)(uintptr_t)arena_copy(client->arena, base).p;
	client->address = arena_copy(client->arena, str_basename(base)); /* where it lies tells of who has it */
	return true;
}

const struct provider_engine provider_program_engine = {
	.begin = provider_program_begin,
	.end = provider_shared_end,
	.free = provider_program_free_shared,
	.open = provider_program_open_client,
	.finish = provider_program_finish,
	.ask = provider_program_ask,
	.cancel = provider_program_cancel,
};
