/* Events to paragraphs. Long texts are cut to so many lines of the screen, since a result may be a whole file. */
#include "cmd/transcript.h"

#include <inttypes.h>
#include <unistd.h>

#include "base/file.h"
#include "base/utf8.h"
#include "cmd/screen/amounts.h"
#include "cmd/screen/pager.h"
#include "cmd/screen/wrap.h"
#include "dialect/formats.h"
#include "json/put.h"
#include "source/raw.h"

#define TRANSCRIPT_LINES 20 /* of each text, unless all is wanted */
#define TRANSCRIPT_NAMES ((size_t)1 << 20) /* calls whose tools are remembered for their results */

struct transcript {
	const struct transcript_options *o;
	const struct frame *frame;
	struct pager pager;
	struct buf out;
	struct json_parser *parser;
	struct arena *arena, scratch;
	struct map tools; /* of the run: ids of calls to the names of their tools */
	uint64_t run, shown;
	bool has_content, is_trace, is_over, any;
};

/* ---- texts ---- */

/* The text of a message or a result: a string, the texts of blocks, or what it is as JSON. */
static void transcript_add_value(struct buf *out, struct transcript *t, struct val v)
{
	static const struct str members[] = { { "text", 4 }, { "content", 7 }, { "stdout", 6 }, { "stderr", 6 } };
	struct val_iter it = val_begin(v);
	struct val part;
	size_t before = out->n;

	if (val_is(v, JSON_STRING)) {
		buf_add_str(out, val_text(v, &t->scratch));
		return;
	}
	while (val_next(&it, &part)) {
		struct str text = val_is(part, JSON_STRING) ? val_text(part, &t->scratch) :
							      val_get_text(part, STR("text"), &t->scratch);

		if (out->n > before)
			buf_add_byte(out, '\n');
		buf_add_str(out, text.n ? text : val_source(part));
	}
	for (size_t i = 0; i < COUNT(members) && val_is(v, JSON_OBJECT); i++) {
		struct str text = val_get_text(v, members[i], &t->scratch);

		if (text.n && out->n > before)
			buf_add_byte(out, '\n');
		buf_add_str(out, text);
	}
	if (out->n == before && !val_is(v, JSON_NULL) && val_count(v))
		buf_add_str(out, val_source(v));
}

/* The members of an object on lines of their own; the texts among them without quotes. */
static void transcript_add_args(struct buf *out, struct transcript *t, struct val v)
{
	struct val_iter it = val_begin(v);
	struct val key, value;
	size_t before = out->n;

	if (!val_is(v, JSON_OBJECT)) {
		transcript_add_value(out, t, v);
		return;
	}
	while (val_next_member(&it, &key, &value)) {
		if (out->n > before)
			buf_add_byte(out, '\n');
		buf_add_str(out, val_text(key, &t->scratch));
		buf_add_str(out, STR(": "));
		buf_add_str(out, val_is(value, JSON_STRING) ? val_text(value, &t->scratch) : val_source(value));
	}
}

static void transcript_parse(struct transcript *t, struct buf *out, struct str json,
			     void (*add)(struct buf *out, struct transcript *t, struct val v))
{
	struct val v;

	if (json.n && json_parse_copy(t->parser, json, &v, NULL))
		add(out, t, v);
}

/* One line of a text, safe, on as many lines of the screen as it needs, indented; gives how many these are. */
static size_t transcript_add_line(struct buf *out, struct str line, size_t width)
{
	struct buf safe;
	size_t before = out->n, lines;

	buf_init(&safe);
	for (size_t i = 0; i < line.n;) { /* a tab would be spelled out */
		if (line.p[i] == '\t') {
			buf_add_str(&safe, STR("    "));
			i++;
		} else {
			i += term_add_char(&safe, str_skip(line, i));
		}
	}
	buf_add_str(out, STR("  "));
	if (utf8_width(buf_str(&safe)) + 2 <= width)
		buf_add_str(out, buf_str(&safe));
	else
		wrap_add_words(out, buf_str(&safe), 2, 2, width);
	while (out->n > before && out->p[out->n - 1] == ' ')
		out->n--;
	buf_add_byte(out, '\n');
	lines = str_count(str_of(out->p + before, out->n - before), '\n');
	buf_free(&safe);
	return lines;
}

static void transcript_add_text(struct transcript *t, struct str text)
{
	size_t lines = 0;

	text = str_trim(text);
	while (text.n) {
		struct str line = str_cut(text, '\n', &text);

		if (str_ends(line, STR("\r")))
			line.n--;
		if (!t->o->all && line.n > t->frame->out.width * TRANSCRIPT_LINES)
			line = utf8_cut(line, t->frame->out.width * TRANSCRIPT_LINES);
		lines += transcript_add_line(&t->out, line, t->frame->out.width);
		if (!t->o->all && lines >= TRANSCRIPT_LINES && text.n) {
			buf_add_str(&t->out, STR("  "));
			amounts_add_things(&t->out, str_count(text, '\n') + 1, "more line");
			buf_add_str(&t->out, STR(" (--all shows them)\n"));
			return;
		}
	}
}

/* ---- entries ---- */

/* What there is to say of an event. */
struct transcript_entry {
	const char *kind; /* message, answer, call, result, error */
	struct str who;   /* role, model or tool; p NULL: not known */
	const struct moment *when;
	struct str text, reasoning;
	struct str call, args; /* args: JSON */
	bool is_error;
};

static void transcript_print(struct transcript *t, const struct transcript_entry *e)
{
	bool color = t->frame->out.color;
	bool is_message = strcmp(e->kind, "message") == 0;

	if (t->any)
		buf_add_byte(&t->out, '\n');
	t->any = true;
	buf_add_str(&t->out, str_from(term_style(color, e->is_error ? STYLE_ERROR : STYLE_BOLD)));
	if (!is_message)
		buf_add_str(&t->out, strcmp(e->kind, "answer") == 0 ? STR("assistant") : str_from(e->kind));
	if (e->who.n) {
		buf_add_str(&t->out, is_message ? STR("") : STR(" "));
		term_add_text(&t->out, e->who);
	}
	if (e->is_error && strcmp(e->kind, "error") != 0)
		buf_add_str(&t->out, STR(" (error)"));
	buf_add_str(&t->out, str_from(term_style(color, STYLE_PLAIN)));
	if (e->when->text.n && e->when->source == MOMENT_VENDOR) {
		buf_add_str(&t->out, STR("  "));
		amounts_add_moment(&t->out, e->when->ns / 1000);
	}
	buf_add_byte(&t->out, '\n');
	if (e->reasoning.n) {
		buf_add_str(&t->out, STR("  (thinking)\n"));
		transcript_add_text(t, e->reasoning);
		if (e->text.n)
			buf_add_str(&t->out, STR("  (says)\n"));
	}
	transcript_add_text(t, e->text);
}

static void transcript_put(struct transcript *t, const struct transcript_entry *e)
{
	struct json_writer w;

	if (t->o->form == TRANSCRIPT_JSON && t->shown > 1)
		buf_add_byte(&t->out, ',');
	json_write_init(&w, &t->out, JSON_COMPACT);
	json_write_begin_object(&w);
	json_put_u64(&w, "run", t->run ? t->run : 1);
	json_put_word(&w, "kind", e->kind);
	json_put_text_or_null(&w, "who", e->who);
	json_put_text_or_null(&w, "time", e->when->source == MOMENT_VENDOR ? e->when->text : str_of(NULL, 0));
	json_put_text(&w, "text", e->text);
	json_put_text_or_null(&w, "reasoning", e->reasoning);
	json_put_bool(&w, "is_error", e->is_error);
	if (e->call.n)
		json_put_text(&w, "call_id", e->call);
	if (e->args.n)
		json_put_raw(&w, "args", e->args);
	json_write_end_object(&w);
	if (t->o->form == TRANSCRIPT_JSONL)
		buf_add_byte(&t->out, '\n');
}

static bool transcript_give(struct transcript *t, const struct transcript_entry *e)
{
	t->shown++;
	t->has_content = t->has_content || e->text.n || e->reasoning.n;
	if (t->o->form == TRANSCRIPT_TEXT)
		transcript_print(t, e);
	else
		transcript_put(t, e);
	t->is_over = !pager_write(&t->pager, buf_str(&t->out));
	buf_clear(&t->out);
	return !t->is_over;
}

/* ---- events ---- */

static void transcript_begin_run(struct transcript *t)
{
	t->run++;
	map_init(&t->tools, t->arena);
	if (t->o->form != TRANSCRIPT_TEXT || t->run == 1 || t->o->run)
		return;
	buf_printf(&t->out, "%s==== run %" PRIu64 " ====\n", t->any ? "\n" : "", t->run);
}

/* Its tool, which the result may not name itself. */
static struct str transcript_name_call(struct transcript *t, const struct event *e)
{
	struct str name = e->tool;
	uint64_t *place;
	bool added;

	if (e->kind == EVENT_CALL && e->server.n)
		name = ARENA_JOIN(&t->scratch, e->server, STR("."), e->tool);
	if (e->call.n == 0)
		return name;
	place = map_find(&t->tools, e->call);
	if (e->kind == EVENT_RESULT && place)
		return *(const struct str *)(uintptr_t)*place;
	if (e->kind == EVENT_CALL && !place && t->tools.count < TRANSCRIPT_NAMES) {
		struct str *kept = arena_new(t->arena, struct str);

		*kept = arena_copy(t->arena, name);
		*map_add(&t->tools, e->call, &added) = (uint64_t)(uintptr_t)kept;
	}
	return name;
}

/* False when the event is nothing that anybody said. The text is in *text until that is cleared. */
static bool transcript_read(struct transcript *t, const struct event *e, struct buf *text, struct transcript_entry *out)
{
	*out = (struct transcript_entry){ .when = &e->ts, .call = e->call };
	switch (e->kind) {
	case EVENT_MESSAGE:
		out->kind = "message";
		out->who = e->role.n ? e->role : STR("user");
		transcript_parse(t, text, e->content, transcript_add_value);
		break;
	case EVENT_STEP:
		out->kind = "answer";
		out->who = e->model;
		out->reasoning = e->reasoning;
		buf_add_str(text, e->text);
		break;
	case EVENT_CALL:
		out->kind = "call";
		out->who = transcript_name_call(t, e);
		out->args = e->args;
		if (e->args.n)
			transcript_parse(t, text, e->args, transcript_add_args);
		else
			buf_add_str(text, e->args_text);
		break;
	case EVENT_RESULT:
		out->kind = "result";
		out->who = transcript_name_call(t, e);
		out->is_error = e->is_error == TRUTH_TRUE || (figure_is_known(e->exit_code) && e->exit_code.n != 0);
		transcript_parse(t, text, e->content, transcript_add_value);
		break;
	case EVENT_ERROR:
		out->kind = "error";
		out->is_error = true;
		buf_add_str(text, e->text);
		break;
	default:
		return false;
	}
	out->text = buf_str(text);
	return true;
}

static bool transcript_event(void *context, const struct event *e, struct err *err)
{
	struct transcript *t = context;
	struct transcript_entry entry;
	struct buf text;
	bool goes_on = true;

	if (e->kind == EVENT_RUN_START)
		transcript_begin_run(t);
	if (t->is_trace || (t->o->run && t->run != t->o->run))
		return true;
	buf_init(&text);
	if (transcript_read(t, e, &text, &entry))
		goes_on = transcript_give(t, &entry);
	buf_free(&text);
	arena_reset(&t->scratch);
	return goes_on || err_set(err, ERR_IO, "nobody reads on");
}

static void transcript_begin(void *context, const struct dialect *from)
{
	struct transcript *t = context;

	t->is_trace = from == &agent_trace_dialect;
}

/* ---- the log ---- */

struct str transcript_find(struct arena *a, struct str path)
{
	static const char *const names[] = { "run.otutl.jsonl", "trajectory.jsonl", "conversation.jsonl",
					     "agent-trace.jsonl" };
	bool is_dir = file_is_dir(path);
	struct str dir = is_dir ? path : str_dirname(path);

	if (!is_dir && !str_eq(str_basename(path), STR("agent-trace.jsonl")))
		return path;
	for (size_t i = 0; i < COUNT(names); i++) {
		struct str log = arena_copy(a, ARENA_JOIN(a, dir, STR("/"), str_from(names[i])));

		if (access(log.p, F_OK) == 0)
			return log;
	}
	return path;
}

static bool transcript_check(const struct transcript *t, struct str path, struct err *err)
{
	struct str name = raw_title(path);

	if (t->o->run && t->run < t->o->run)
		return err_set(err, ERR_USAGE, "%.*s has no run %" PRIu64 ERR_HELP "it holds %" PRIu64, STR_ARG(name),
			       t->o->run, t->run);
	if (t->is_trace)
		return err_set(err, ERR_DATA, "%.*s has no transcript: a trace holds no content" ERR_HELP
			       "'trackway record --content' keeps what was said beside the trace", STR_ARG(name));
	return t->has_content ||
	       err_set(err, ERR_DATA, "%.*s has no transcript: nothing in it was said by anybody", STR_ARG(name));
}

bool transcript_show(struct arena *a, const struct frame *frame, struct str path, const struct transcript_options *o,
		     struct err *err)
{
	struct source_options how = { .shape = SOURCE_CONTENT, .file_groups = true, .io = o->io };
	struct transcript t = { .o = o, .frame = frame, .arena = a };
	struct log_flow f = { .from = source_open(a, &path, 1, how, err), .as = o->as, .jobs = o->jobs,
			      .begin = transcript_begin, .context = &t };
	bool done;

	if (!f.from)
		return false;
	buf_init(&t.out);
	arena_init(&t.scratch);
	map_init(&t.tools, a);
	t.parser = json_parser_open((struct json_options){ .allow_duplicates = true, .allow_lone = true });
	pager_open(&t.pager, a, frame);
	if (o->form == TRANSCRIPT_JSON)
		buf_add_str(&t.out, STR("{\"schema\":\"trackway.transcript/1\",\"entries\":["));
	done = event_load(&f, transcript_event, err);
	if (o->form == TRANSCRIPT_JSON && !t.is_over) {
		buf_add_str(&t.out, STR("]}\n"));
		pager_write(&t.pager, buf_str(&t.out));
	}
	pager_close(&t.pager);
	json_parser_close(t.parser);
	arena_free(&t.scratch);
	buf_free(&t.out);
	source_close(f.from);
	return t.is_over || (done && transcript_check(&t, path, err)); /* whoever left the pager has seen enough */
}
