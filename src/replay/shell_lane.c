/* Commands become entries of the matcher; what is served takes the commands inside of it along. */
#include "replay/shell_lane.h"

#include "base/map.h"
#include "base/utf8.h"
#include "capture/shell_tape.h"
#include "json/canon.h"
#include "json/json.h"
#include "json/put.h"


/* A live command that was begun. */
struct shell_lane_running {
	struct shell_lane_running *next;
	struct str id;
	bool is_agent; /* listed as long as the run lasts: what it starts is not inside of a tool */
	const struct shell_lane_command *recorded; /* NULL: the tape has none */
	struct str name;
};

static const struct json_options shell_lane_json = { .allow_duplicates = true, .allow_lone = true, .max_depth = 128 };

/* ---- keys ---- */

/* As RFC 8785 has it, so that equal questions are equal bytes; as it was written where that cannot be. */
static struct str shell_lane_canon(struct arena *a, struct str text)
{
	struct json_parser *p = json_parser_open(shell_lane_json);
	struct canon *c = canon_open(CANON_JCS);
	enum json_code code;
	uint32_t bad;
	struct buf out;
	struct val v;

	buf_init(&out);
	if (!json_parse_copy(p, text, &v, NULL) || !canon_value(c, v, &out, &bad, &code))
		buf_add_str(&out, text);
	canon_close(c);
	json_parser_close(p);
	return arena_take(a, &out);
}

/*
 * A digest in groups of eight digits. In one piece it would look like a value that is new in every run (volatile.h),
 * and another input would be served as one that stands for the recorded one.
 */
static struct str shell_lane_digest(struct arena *a, struct str hex)
{
	struct buf out;

	if (!hex.p || str_starts(hex, STR("[tw:"))) /* a token, where the tape is redacted */
		return hex;
	buf_init(&out);
	for (; hex.n; hex = str_skip(hex, hex.n < 8 ? hex.n : 8)) {
		if (out.n)
			buf_add_byte(&out, ' ');
		buf_add(&out, hex.p, hex.n < 8 ? hex.n : 8);
	}
	return out.n ? arena_take(a, &out) : STR("");
}

static struct str shell_lane_key(struct arena *a, const struct shell_lane_question *q, struct str input)
{
	struct json_writer w;
	struct buf out;
	struct str key;

	buf_init(&out);
	json_write_init(&w, &out, JSON_COMPACT);
	json_write_begin_object(&w);
	json_put_array(&w, "argv");
	for (size_t i = 0; i < q->argc; i++)
		shell_tape_put_text(&w, q->argv[i], utf8_check(q->argv[i]) == q->argv[i].n);
	json_write_end_array(&w);
	json_put_raw(&w, "env", q->env.n ? q->env : STR("{}"));
	json_put_text_or_null(&w, "stdin_sha256", shell_lane_digest(a, input));
	json_write_end_object(&w);
	key = shell_lane_canon(a, buf_str(&out));
	buf_free(&out);
	return key;
}

static struct str shell_lane_name(const struct shell_lane_question *q)
{
	return q->argc ? str_basename(q->argv[0]) : STR("");
}

static struct shell_lane_question shell_lane_question_of(const struct tape_command *c)
{
	return (struct shell_lane_question){ .argv = c->argv, .argc = c->argc, .cwd = c->cwd,
					     .stdin_sha256 = c->stdin_sha256, .env = c->env, .id = c->id,
					     .parent = c->parent };
}

static struct match_question shell_lane_match(struct arena *a, const struct shell_lane_question *q, struct str input)
{
	return (struct match_question){ .lane = STR("shell"), .method = shell_lane_name(q),
					.target = q->cwd.p ? q->cwd : STR(""), .body = shell_lane_key(a, q, input) };
}

/* ---- the tape ---- */

/* All output in the order in which it came; its texts are not new afterwards. */
static struct str shell_lane_output(struct arena *a, const struct tape_command *c)
{
	struct buf out;

	buf_init(&out);
	for (size_t i = 0; i < c->piece_count; i++)
		buf_add_str(&out, c->pieces[i].bytes);
	return out.n ? arena_take(a, &out) : STR("");
}

static bool shell_lane_is_around(const struct tape_line *line, int64_t begun_us, int64_t ended_us)
{
	return line->begun_us < begun_us && ended_us < line->ended_us;
}

static void shell_lane_add(struct shell_lane *l, const struct tape_line *line)
{
	struct shell_lane_question q = shell_lane_question_of(&line->command);

	l->commands[l->count++] = (struct shell_lane_command){
		.line = line,
		.base = shell_lane_key(l->arena, &q, str_of(NULL, 0)),
		.is_agent = l->first_us <= l->last_us && shell_lane_is_around(line, l->first_us, l->last_us),
	};
}

/* A server that `trackway mcp` ran is not started in a replay, and so is nothing that it ran. */
static bool shell_lane_is_servers(const struct shell_lane *l, const struct shell_lane_command *c)
{
	for (size_t i = 0; c->parent && i < l->count; i++)
		c = c->parent;
	return str_eq(c->line->command.parent, STR(SHELL_TAPE_SERVER));
}

/* An agent gives no answer, and everything else would overlap with it: it stands for its beginning. */
static void shell_lane_add_entry(struct shell_lane *l, const struct shell_lane_command *c)
{
	const struct tape_line *line = c->line;
	struct shell_lane_question q = shell_lane_question_of(&line->command);

	if (shell_lane_is_servers(l, c))
		return;
	l->entries.items[l->entries.count++] = (struct match_entry){
		.q = shell_lane_match(l->arena, &q, q.stdin_sha256),
		.answer = c->is_agent ? STR("") : shell_lane_output(l->arena, &line->command),
		.x = line->x,
		.group = line->group,
		.begun_us = line->begun_us,
		.ended_us = c->is_agent ? line->begun_us : line->ended_us,
		.own = c,
	};
}

static void shell_lane_join(struct shell_lane *l)
{
	struct arena scratch;
	struct map ids;
	bool added;

	arena_init(&scratch);
	map_init(&ids, &scratch);
	for (size_t i = 0; i < l->count; i++)
		if (l->commands[i].line->command.id.n)
			*map_add(&ids, l->commands[i].line->command.id, &added) = i;
	for (size_t i = 0; i < l->count; i++) {
		struct str parent = l->commands[i].line->command.parent;
		const uint64_t *at = parent.n ? map_find(&ids, parent) : NULL;

		if (at && *at != i)
			l->commands[i].parent = &l->commands[*at];
	}
	arena_free(&scratch);
}

struct shell_lane *shell_lane_new(struct arena *a, const struct tape *t, const struct lane_ops *ops)
{
	struct shell_lane *l = arena_new(a, struct shell_lane);
	size_t count = 0;

	l->ops = ops;
	l->arena = a;
	l->first_us = INT64_MAX;
	l->last_us = INT64_MIN;
	for (size_t i = 0; i < t->count; i++) {
		const struct tape_line *line = &t->lines[i];

		count += line->lane == TAPE_SHELL;
		if (line->lane == TAPE_MODEL && line->begun_us < l->first_us)
			l->first_us = line->begun_us;
		if (line->lane == TAPE_MODEL && line->ended_us > l->last_us)
			l->last_us = line->ended_us;
	}
	l->commands = arena_array(a, struct shell_lane_command, count + 1);
	l->entries.items = arena_array(a, struct match_entry, count + 1);
	l->entries.cap = count + 1;
	for (size_t i = 0; i < t->count; i++)
		if (t->lines[i].lane == TAPE_SHELL)
			shell_lane_add(l, &t->lines[i]);
	shell_lane_join(l);
	for (size_t i = 0; i < l->count; i++)
		shell_lane_add_entry(l, &l->commands[i]);
	return l;
}

/* ---- questions ---- */

static struct str shell_lane_copy(struct arena *a, struct val v)
{
	return val_is(v, JSON_STRING) ? val_text_copy(v, a) : str_of(NULL, 0);
}

static bool shell_lane_read_request(struct arena *a, struct val req, struct shell_lane_question *out)
{
	struct val argv = val_get(req, STR("argv")), env = val_get(req, STR("env"));
	struct val_iter it = val_begin(argv);
	struct val one;

	*out = (struct shell_lane_question){ .argv = arena_array(a, struct str, val_count(argv) + 1) };
	if (!val_is(argv, JSON_ARRAY))
		return false;
	while (val_next(&it, &one)) {
		out->argv[out->argc] = tape_text(a, one);
		if (!out->argv[out->argc++].p)
			return false;
	}
	out->cwd = tape_text(a, val_get(req, STR("cwd")));
	out->stdin_sha256 = shell_lane_copy(a, val_get(req, STR("stdin_sha256")));
	out->env = val_is(env, JSON_OBJECT) ? arena_copy(a, val_source(env)) : STR("{}");
	return out->argc > 0;
}

bool shell_lane_read(const struct shell_lane *l, struct arena *a, struct val hello, struct shell_lane_question *out)
{
	struct val given = val_get(hello, STR("req")), req = VAL_NONE;
	struct json_parser *p;
	bool good;

	*out = (struct shell_lane_question){ .argc = 0 };
	if (!val_is(given, JSON_OBJECT))
		return false;
	p = json_parser_open(shell_lane_json);
	good = json_parse_copy(p, lane_redact(l->ops, a, val_source(given)), &req, NULL) &&
	       shell_lane_read_request(a, req, out);
	json_parser_close(p);
	out->id = shell_lane_copy(a, val_get(hello, STR("command")));
	out->parent = shell_lane_copy(a, val_get(hello, STR("parent")));
	return good;
}

static bool shell_lane_is_same(struct str a, struct str b)
{
	return (a.p != NULL) == (b.p != NULL) && str_eq(a, b);
}

/*
 * The digest to ask with: the one that is known, if the tape has it; where one side does not know it, the one that the
 * tape has instead, when that is a single one.
 */
static struct str shell_lane_input(const struct shell_lane *l, struct arena *a, const struct shell_lane_question *q)
{
	struct str base = shell_lane_key(a, q, str_of(NULL, 0)), other = q->stdin_sha256;
	bool any = false, several = false;

	for (size_t i = 0; i < l->count; i++) {
		const struct shell_lane_command *c = &l->commands[i];
		const struct tape_command *t = &c->line->command;

		if (c->used || !str_eq(c->base, base) || !shell_lane_is_same(t->cwd, q->cwd))
			continue;
		if (shell_lane_is_same(t->stdin_sha256, q->stdin_sha256))
			return q->stdin_sha256;
		if (q->stdin_sha256.p && t->stdin_sha256.p)
			continue; /* both are known, and differ */
		several = several || (any && !shell_lane_is_same(other, t->stdin_sha256));
		any = true;
		other = t->stdin_sha256;
	}
	return any && !several ? other : q->stdin_sha256;
}

/* Those inside of it, however deep. A chain of parents cannot be longer than there are commands. */
static void shell_lane_use(struct shell_lane *l, struct shell_lane_command *c)
{
	for (size_t i = 0; i < l->count; i++) {
		const struct shell_lane_command *up = l->commands[i].parent;

		for (size_t n = 0; up && up != c && n < l->count; n++)
			up = up->parent;
		if (up != c || l->commands[i].used)
			continue;
		l->commands[i].used = true;
		l->ops->consume(l->ops->context, l->commands[i].line->x);
	}
}

/* What could not be compared is told, so that no verdict says more than is known. */
static void shell_lane_note_input(struct shell_lane *l, const struct shell_lane_command *c,
				  const struct shell_lane_question *q)
{
	struct divergence d = { .class = DIVERGENCE_PROTOCOL, .seq = -1, .lane = STR("shell"),
				.tool = shell_lane_name(q), .has_x = true, .x = c->line->x, .group = c->line->group };

	if (c->line->command.stdin_sha256.p && q->stdin_sha256.p)
		return;
	d.sentence = STR("the input of this command was not compared: it was a pipe that was still open");
	l->ops->note(l->ops->context, &d);
}

static struct shell_lane_command *shell_lane_find(struct shell_lane *l, struct arena *a,
						  const struct shell_lane_question *q, struct str *why)
{
	struct str input = shell_lane_input(l, a, q);
	struct match_question m = shell_lane_match(a, q, input);
	struct match_result r = { .tier = MATCH_MISS };
	const struct shell_lane_command *found;
	struct shell_lane_command *c;

	*why = STR("the recording has no such command");
	if (!l->ops->ask(l->ops->context, a, &m, &r, why) || !r.entry)
		return NULL;
	found = r.entry->own;
	c = &l->commands[found - l->commands];
	c->used = true;
	if (c->is_agent)
		return c;
	shell_lane_note_input(l, c, q);
	shell_lane_use(l, c);
	return c;
}

static void shell_lane_note_cut(struct shell_lane *l, const struct shell_lane_command *c, struct str name)
{
	struct divergence d = { .class = DIVERGENCE_PROTOCOL, .seq = -1, .lane = STR("shell"), .tool = name,
				.has_x = true, .x = c->line->x, .group = c->line->group };

	if (!c->line->command.cut)
		return;
	d.sentence = STR("the recording has only the beginning of this command's output");
	l->ops->note(l->ops->context, &d);
}

const struct tape_command *shell_lane_ask(struct shell_lane *l, struct arena *a, const struct shell_lane_question *q,
					  struct str *why)
{
	const struct shell_lane_command *c;

	if (l->ops->stopped(l->ops->context)) {
		*why = STR("the replay stopped at its first divergence");
		return NULL;
	}
	c = shell_lane_find(l, a, q, why);
	if (!c)
		return NULL;
	if (c->is_agent) {
		*why = str_of(NULL, 0);
		return NULL;
	}
	l->served++;
	l->ops->tool(l->ops->context, shell_lane_name(q), PLAYER_STUBBED);
	shell_lane_note_cut(l, c, shell_lane_name(q));
	return &c->line->command;
}

void shell_lane_pass(struct shell_lane *l, int64_t begun_us, int64_t ended_us)
{
	for (size_t i = 0; i < l->count; i++)
		if (shell_lane_is_around(l->commands[i].line, begun_us, ended_us))
			l->commands[i].is_past = true;
}

bool shell_lane_covers(const struct shell_lane *l, int64_t begun_us, int64_t ended_us)
{
	for (size_t i = 0; i < l->count && !l->ops->live; i++) {
		const struct shell_lane_command *c = &l->commands[i];

		if (c->used && !c->is_agent && !c->is_past && shell_lane_is_around(c->line, begun_us, ended_us))
			return true;
	}
	return false;
}

/* ---- live ---- */

void shell_lane_run(struct shell_lane *l, struct arena *a, const struct shell_lane_question *q)
{
	struct shell_lane_running *r = l->running;
	struct str why;

	while (r && !(r->is_agent && str_eq(r->id, q->parent)))
		r = r->next;
	if (q->parent.n && !r)
		return;
	r = arena_new(l->arena, struct shell_lane_running);
	r->recorded = shell_lane_find(l, a, q, &why);
	r->is_agent = r->recorded && r->recorded->is_agent;
	r->id = arena_copy(l->arena, q->id.p ? q->id : STR(""));
	r->name = arena_copy(l->arena, shell_lane_name(q));
	r->next = l->running;
	l->running = r;
	if (!r->is_agent)
		l->ops->tool(l->ops->context, r->name, PLAYER_LIVE);
}

bool shell_lane_passes(struct shell_lane *l, const struct shell_lane_question *q)
{
	if (!l->ops->runs || !l->ops->runs(l->ops->context))
		return false;
	l->ops->tool(l->ops->context, shell_lane_name(q), PLAYER_LIVE);
	return true;
}

/* One stream of a live command, from the pieces of its line. */
static struct str shell_lane_stream(struct arena *a, struct val io, const char *stream)
{
	struct val_iter it = val_begin(io);
	struct val piece, part;
	struct buf out;

	buf_init(&out);
	while (val_is(io, JSON_ARRAY) && val_next(&it, &piece)) {
		struct val_iter parts = val_begin(piece);

		if (val_is(piece, JSON_ARRAY) && val_next(&parts, &part) && val_text_is(part, str_from(stream)) &&
		    val_next(&parts, &part))
			buf_add_str(&out, tape_text(a, part));
	}
	return out.n ? arena_take(a, &out) : STR("");
}

static struct str shell_lane_recorded_stream(struct arena *a, const struct tape_command *c, bool error)
{
	struct buf out;

	buf_init(&out);
	for (size_t i = 0; i < c->piece_count; i++)
		if (c->pieces[i].error == error)
			buf_add_str(&out, c->pieces[i].bytes);
	return out.n ? arena_take(a, &out) : STR("");
}

/* The first of: how it ended, standard output, standard error. */
static bool shell_lane_drift(struct shell_lane *l, struct arena *a, const struct tape_command *c, struct val resp,
			     struct match_difference *out)
{
	static const struct { const char *stream, *path; } streams[] = { { "o", "/stdout" }, { "e", "/stderr" } };
	int64_t code = -1, signal = -1;

	val_i64(val_get(resp, STR("exit")), &code);
	val_i64(val_get(resp, STR("signal")), &signal);
	if (code != c->exit || signal != c->signal) {
		*out = (struct match_difference){ .path = signal != c->signal ? STR("/signal") : STR("/exit") };
		out->expected = arena_printf(a, "%d", signal != c->signal ? c->signal : c->exit);
		out->got = arena_printf(a, "%lld", (long long)(signal != c->signal ? signal : code));
		return true;
	}
	for (size_t i = 0; i < COUNT(streams) && !c->cut && !val_has(resp, STR("cut")); i++) {
		struct str recorded = shell_lane_recorded_stream(a, c, i == 1);

		recorded = l->ops->translate(l->ops->context, a, recorded);
		if (!lane_differ(a, recorded, shell_lane_stream(a, val_get(resp, STR("io")), streams[i].stream), out))
			continue;
		out->path = ARENA_JOIN(a, str_from(streams[i].path), out->path);
		return true;
	}
	return false;
}

void shell_lane_see(struct shell_lane *l, struct val tape)
{
	struct shell_lane_running **at = &l->running, *r;
	struct divergence d = { .class = DIVERGENCE_TOOL_DRIFT, .seq = -1, .lane = STR("shell"), .has_x = true };
	struct val id = val_get(tape, STR("command"));
	struct arena scratch;

	while ((r = *at) && !val_text_is(id, r->id))
		at = &r->next;
	if (!r || r->is_agent)
		return;
	*at = r->next;
	if (!r->recorded)
		return;
	arena_init(&scratch);
	d.x = r->recorded->line->x;
	d.group = r->recorded->line->group;
	d.tool = r->name;
	if (shell_lane_drift(l, &scratch, &r->recorded->line->command, val_get(tape, STR("resp")), &d.difference)) {
		d.sentence = ARENA_JOIN(&scratch, STR("the command "), r->name,
					STR(" gave another result than in the recording"));
		l->ops->note(l->ops->context, &d);
	}
	arena_free(&scratch);
}
