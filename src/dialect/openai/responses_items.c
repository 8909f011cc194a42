/*
 * Items by their type: the table `kinds` says how each is read and under which names its parts stand. A kind that is
 * not in it is kept whole.
 */
#include "dialect/openai/responses_items.h"

#include "base/ascii.h"
#include "dialect/record/field.h"
#include "dialect/session/compaction.h"

#define HEAD 512 /* bytes of an output in which a header with the exit code may stand */

struct item_kind;

struct item {
	struct reading *r;
	struct val v;
	const struct responses_place *place;
	const struct item_kind *kind;
};

struct item_kind {
	struct str type;
	void (*read)(const struct item *it);
	struct str tool; /* calls: its name, empty when the item says it */
	struct str args; /* calls: the member that holds the arguments */
	struct str also; /* another one, or the result of a tool that ran at the service */
};

/* An event of the item, with what its place gives it: flags, time, step, and for streams the hint. */
static struct event *responses_items_add(const struct item *it, enum event_kind kind)
{
	struct event *e = reading_add(it->r, kind);

	e->flags = it->place->flags;
	e->ts = it->place->ts;
	e->step = it->place->step;
	if (kind == EVENT_CALL)
		e->index = it->place->index;
	if (it->place->flags & EVENT_HISTORY) {
		e->digest = it->place->digest;
		e->position = it->place->position;
	}
	if (it->place->part) {
		struct exchange_hint *h = exchange_hint_add(it->r, e);

		h->part = it->place->part;
		h->index = it->place->index;
		h->digest = it->place->digest;
	}
	return e;
}

/* ---- what the model said ---- */

/* Adds the text, or else the refusal, of one part; other parts are left, and stay in the rest. */
static void responses_items_add_part(struct reading *r, struct buf *joined, struct val part)
{
	static const struct str members[] = { WORD("text"), WORD("refusal") };
	struct str text;

	for (size_t i = 0; i < COUNT(members); i++) {
		struct val v = val_get(part, members[i]);

		if (!val_is(v, JSON_STRING))
			continue;
		text = reading_text_of(r, v);
		reading_take(r, val_get(part, STR("type")));
		buf_add_str(joined, text);
		return;
	}
}

/* A list of parts gives one text, "" when none of them is text. */
struct str responses_read_text(struct reading *r, struct val content)
{
	struct str text = str_of(NULL, 0);
	struct buf joined = { 0 };
	bool any = false;

	if (val_is(content, JSON_STRING))
		return reading_text_of(r, content);
	if (!val_is(content, JSON_ARRAY))
		return text;
	VALUES_EACH(part, content) {
		responses_items_add_part(r, &joined, part);
		any = true;
	}
	if (any)
		text = arena_copy(r->arena, buf_str(&joined));
	buf_free(&joined);
	return text;
}

/* The parts that are text, joined, with nothing marked: only to compare. */
static uint64_t text_digest(struct reading *r, struct val content)
{
	struct val_iter parts = val_begin(content);
	struct val part;
	struct buf joined = { 0 };
	uint64_t digest;

	if (val_is(content, JSON_STRING))
		return str_hash(val_text(content, r->arena));
	while (val_next(&parts, &part)) {
		struct val text = val_get(part, STR("text"));

		if (val_is(text, JSON_STRING))
			buf_add_str(&joined, val_text(text, r->arena));
	}
	digest = joined.n ? str_hash(buf_str(&joined)) : 0;
	buf_free(&joined);
	return digest;
}

/* A message: the model's own is a piece of its step, any other a MESSAGE. */
static void responses_items_read_message(const struct item *it)
{
	struct reading *r = it->r;
	struct val content = val_get(it->v, STR("content"));
	struct event *e;

	reading_take(r, val_get(it->v, STR("type")));
	if (!it->place->told && val_text_is(val_get(it->v, STR("role")), STR("assistant"))) {
		e = responses_items_add(it, EVENT_STEP);
		e->flags |= EVENT_PIECE;
		if (it->place->codex)
			exchange_hint_add(r, e)->digest = text_digest(r, content);
		e->text = responses_read_text(r, content);
		reading_take(r, val_get(it->v, STR("role")));
		if (!it->place->inner)
			reading_rest(r, e, it->v);
		return;
	}
	e = responses_items_add(it, EVENT_MESSAGE);
	e->flags &= EVENT_HISTORY;
	if (it->place->codex)
		exchange_hint_add(r, e)->digest = text_digest(r, content);
	e->role = reading_text(r, it->v, STR("role"));
	if (!e->role.p)
		e->role = STR("user");
	e->content = reading_json_of(r, e, "content", content);
	reading_rest(r, e, it->v);
}

/* Each part is a piece of its own, since Codex tells them again one by one. */
static bool read_thoughts(const struct item *it, struct val parts, bool any)
{
	struct val text;

	VALUES_EACH(part, parts) {
		struct event *e;
		struct str said;

		text = val_get(part, STR("text"));
		if (!val_is(text, JSON_STRING))
			continue;
		said = reading_text_of(it->r, text);
		reading_take(it->r, val_get(part, STR("type")));
		e = responses_items_add(it, EVENT_STEP);
		e->flags |= EVENT_PIECE;
		if (it->place->codex)
			exchange_hint_add(it->r, e)->digest = str_hash(said);
		e->reasoning = any ? ARENA_JOIN(it->r->arena, STR("\n\n"), said) : said;
		any = true;
	}
	return any;
}

/*
 * Told in a request it is a note, since the model said it in an earlier answer. Of a response it is a piece of the
 * step even when no thought is readable.
 */
static void read_reasoning(const struct item *it)
{
	struct event *e;
	bool any;

	reading_take(it->r, val_get(it->v, STR("type")));
	if (it->place->told) {
		e = responses_items_add(it, EVENT_NOTE);
		e->role = STR("reasoning");
		e->content = reading_json_of(it->r, e, "content", it->v);
		return;
	}
	any = read_thoughts(it, val_get(it->v, STR("summary")), false);
	any = read_thoughts(it, val_get(it->v, STR("content")), any);
	if (it->place->inner)
		return;
	if (any) {
		e = &it->r->events[it->r->count - 1];
	} else {
		e = responses_items_add(it, EVENT_STEP); /* it says that the model thought, if not what */
		e->flags |= EVENT_PIECE;
	}
	reading_rest(it->r, e, it->v);
}

/* What we do not know, or what is no call: kept where it stands. */
static void responses_items_read_other(const struct item *it)
{
	struct event *e;

	if (it->place->inner)
		return;
	e = responses_items_add(it, it->place->told ? EVENT_NOTE : EVENT_STEP);
	if (it->place->told) {
		e->role = STR("item");
		e->content = reading_json_of(it->r, e, "content", it->v);
	} else {
		e->flags |= EVENT_PIECE | EVENT_MARKER;
		reading_rest_under(it->r, e, it->v, STR("item"));
	}
}

/* What came before it is left out of the context from here on; one that is told again says nothing new. */
static void read_compaction(const struct item *it)
{
	struct event at = { .ts = it->place->ts };

	responses_items_read_other(it);
	if (!it->place->told && !(it->place->flags & EVENT_HISTORY))
		compaction_add(it->r, &at, (struct compaction){ .trigger = STR("auto") });
}

/* ---- calls ---- */

/*
 * "mcp__docs__" and "docs" are the server of a tool; "functions" is what everything else is in. A function that was
 * found by a search and stands alone is in a space of its own name: that is no server.
 */
static struct str read_server(struct reading *r, struct val space, struct str tool)
{
	struct str text = val_is(space, JSON_STRING) ? arena_copy(r->arena, val_text(space, r->arena)) : STR("");

	if (str_eq(text, tool))
		return str_of(NULL, 0);
	if (str_starts(text, STR("mcp__")))
		text = str_of(text.p + 5, text.n - 5);
	while (str_ends(text, STR("__")))
		text.n -= 2;
	if (text.n == 0 || str_eq(text, STR("functions")))
		return str_of(NULL, 0);
	reading_take(r, space);
	return text;
}

/* The call with its id and tool, "unknown" where it has no name; arguments are the caller's. */
static struct event *responses_items_add_call(const struct item *it)
{
	struct reading *r = it->r;
	struct event *e = responses_items_add(it, EVENT_CALL);

	reading_take(r, val_get(it->v, STR("type")));
	e->call = reading_text(r, it->v, STR("call_id"));
	e->tool = it->kind->tool.n ? it->kind->tool : reading_text(r, it->v, STR("name"));
	if (!e->tool.n)
		e->tool = STR("unknown");
	return e;
}

/* Arguments are a text of JSON by contract. They stay text, for the assembler to parse. */
static void read_function_call(const struct item *it)
{
	struct reading *r = it->r;
	struct event *e = responses_items_add_call(it);
	struct val args = val_get(it->v, STR("arguments"));

	if (val_is(args, JSON_STRING))
		e->args_text = reading_text_of(r, args);
	else
		e->args = reading_json_of(r, e, "args", args);
	e->server = read_server(r, val_get(it->v, STR("namespace")), e->tool);
	reading_rest(r, e, it->v);
}

static void read_custom_call(const struct item *it)
{
	struct reading *r = it->r;
	struct event *e = responses_items_add_call(it);

	/* free text by contract, even where it looks like JSON */
	e->args = reading_json(r, e, "args", it->v, STR("input"));
	if (e->args.n > 0 && e->args.p[0] == '"')
		e->flags |= EVENT_RAW_ARGS;
	e->server = read_server(r, val_get(it->v, STR("namespace")), e->tool);
	reading_rest(r, e, it->v);
}

/* A call whose arguments are one member, to be answered by the program. */
static void read_plain_call(const struct item *it)
{
	struct event *e = responses_items_add_call(it);

	if (!e->call.p)
		e->call = reading_text(it->r, it->v, STR("id"));
	e->args = reading_json(it->r, e, "args", it->v, it->kind->args);
	if (!e->args.p && it->kind->also.n)
		e->args = reading_json(it->r, e, "args", it->v, it->kind->also);
	reading_rest(it->r, e, it->v);
}

/* ---- results ---- */

static void set_exit(struct event *e, int64_t code)
{
	e->exit_code = FIGURE((uint64_t)code);
	e->is_error = code ? TRUTH_TRUE : TRUTH_FALSE;
}

/* Whole numbers of at most ten digits; anything else is no exit code. */
static bool parse_code(struct str s, int64_t *out)
{
	size_t i = s.n > 0 && s.p[0] == '-', start = i;
	int64_t n = 0;

	for (; i < s.n && ascii_is_digit(s.p[i]); i++) {
		if (i - start >= 10)
			return false;
		n = n * 10 + (s.p[i] - '0');
	}
	*out = start ? -n : n;
	return i > start && i == s.n;
}

/* "Exit code: 1", "Process exited with code 1" among the lines before "Output:". */
static void responses_items_read_header(struct event *e, struct str text)
{
	static const struct str words[] = { WORD("Exit code: "), WORD("Process exited with code ") };
	struct str left = text.n > HEAD ? str_of(text.p, HEAD) : text, line;
	bool output = str_has(left, STR("\nOutput:"));
	int64_t code;

	while (output && left.n > 0) {
		line = str_trim(str_cut(left, '\n', &left));
		if (str_starts(line, STR("Output:")))
			return;
		for (size_t i = 0; i < COUNT(words); i++)
			if (str_starts(line, words[i]) &&
			    parse_code(str_of(line.p + words[i].n, line.n - words[i].n), &code))
				set_exit(e, code);
	}
}

/* {"output":"...","metadata":{"exit_code":0,"duration_seconds":0.1}} in a text. */
static bool read_packed(struct reading *r, struct event *e, struct str text)
{
	struct val v = text.n > 0 && text.p[0] == '{' ? reading_parse(r, text) : VAL_NONE;
	struct val meta = val_get(v, STR("metadata")), code = val_get(meta, STR("exit_code"));
	int64_t n;
	bool is = val_is(meta, JSON_OBJECT) && val_has(v, STR("output"));

	if (is) {
		if (val_i64(code, &n)) {
			reading_take(r, code);
			set_exit(e, n);
		}
		e->duration_ms = reading_amount(r, meta, STR("duration_seconds"), 1000);
		reading_take(r, val_get(meta, STR("duration_seconds")));
		e->content = reading_json(r, e, "result", v, STR("output"));
		reading_rest_under(r, e, v, STR("output"));
	}
	if (!val_is_none(v))
		reading_release(r, v);
	return is;
}

/* An output as Codex keeps it: a text with a header, JSON in a text, or an object that says whether it succeeded. */
static void read_codex_output(struct reading *r, struct event *e, struct val output)
{
	struct val content = val_get(output, STR("content"));
	struct str text;

	if (val_is(output, JSON_STRING)) {
		text = reading_text_of(r, output);
		if (!read_packed(r, e, text)) {
			e->content = reading_quote(r, text);
			responses_items_read_header(e, text);
		}
	} else if (!val_is_none(content) && val_has(output, STR("success"))) {
		enum truth success = reading_truth(r, output, STR("success"));

		e->content = reading_json_of(r, e, "result", content);
		if (success == TRUTH_TRUE || success == TRUTH_FALSE)
			e->is_error = success == TRUTH_FALSE ? TRUTH_TRUE : TRUTH_FALSE;
	} else {
		e->content = reading_json_of(r, e, "result", output);
	}
}

/* The commands of a shell call end each in its way; one that failed is what counts. */
static void read_outcomes(struct event *e, struct val output)
{
	int64_t code;

	VALUES_EACH(part, output) {
		struct val outcome = val_get(part, STR("outcome")), type = val_get(outcome, STR("type"));

		if (val_text_is(type, STR("timeout")))
			e->is_error = TRUTH_TRUE;
		if (e->is_error != TRUTH_TRUE && val_i64(val_get(outcome, STR("exit_code")), &code))
			set_exit(e, code);
	}
}

static bool status_is(struct val v, struct str status)
{
	return val_text_is(val_get(v, STR("status")), status);
}

/*
 * A RESULT of no step, since it comes with a later request. Whether it failed is told by outcomes, by Codex's header,
 * or by its status, the last of which wins.
 */
static void responses_items_read_output(const struct item *it)
{
	struct reading *r = it->r;
	struct event *e = responses_items_add(it, EVENT_RESULT);
	struct val output = val_get(it->v, STR("output"));

	reading_take(r, val_get(it->v, STR("type")));
	e->step = str_of(NULL, 0);
	e->call = reading_text(r, it->v, STR("call_id"));
	if (!e->call.p)
		e->call = reading_text(r, it->v, STR("id"));
	read_outcomes(e, output);
	if (it->place->codex)
		read_codex_output(r, e, output);
	else
		e->content = reading_json_of(r, e, "result", output);
	if (status_is(it->v, STR("failed")))
		e->is_error = TRUTH_TRUE;
	reading_rest(r, e, it->v);
}

/* ---- tools that ran at the service: call and result in one item ---- */

static bool is_finished(struct val v)
{
	static const struct str going[] = { WORD("in_progress"), WORD("searching"), WORD("interpreting"),
					    WORD("generating"),  WORD("calling"),   WORD("queued") };

	return !values_is_word(val_get(v, STR("status")), going, COUNT(going));
}

/* Its place in the log: another call of the same item must not get the result. */
static struct str own_id(const struct item *it)
{
	struct str id = reading_text(it->r, it->v, STR("id"));

	if (id.p)
		return id;
	return arena_printf(it->r->arena, "%.*s_%llu_%d", STR_ARG(it->kind->tool.n ? it->kind->tool : it->kind->type),
			    (unsigned long long)it->r->line, it->place->index < 0 ? 0 : it->place->index);
}

/* The result of a tool of an MCP server: its error, when there is no output. */
static void read_mcp_outcome(const struct item *it, struct event *e)
{
	struct val error = val_get(it->v, STR("error")), output = val_get(it->v, STR("output"));

	e->is_error = TRUTH_FALSE;
	if (!val_is_unset(error)) {
		e->is_error = TRUTH_TRUE;
		if (val_is_unset(output)) {
			e->content = reading_json_of(it->r, e, "result", error);
			return;
		}
		reading_extra(it->r, e, STR("error"), reading_json_of(it->r, e, "ext", error));
	}
	e->content = reading_json_of(it->r, e, "result", output);
}

/* Nothing while the tool still runs: then the call is open, as any other. */
static void add_own_result(const struct item *it, struct str call, bool mcp)
{
	struct event *e;

	if (!is_finished(it->v))
		return;
	e = responses_items_add(it, EVENT_RESULT);
	e->step = str_of(NULL, 0);
	e->call = call;
	if (mcp) {
		read_mcp_outcome(it, e);
	} else {
		e->content = reading_json(it->r, e, "result", it->v, it->kind->also);
		if (val_has(it->v, STR("status")))
			e->is_error = TRUTH_FALSE;
	}
	if (status_is(it->v, STR("failed")))
		e->is_error = TRUTH_TRUE;
}

/* A tool that ran at the service: CALL and RESULT in one item. */
static void read_service_call(const struct item *it)
{
	struct reading *r = it->r;
	size_t at = r->count;
	bool mcp = it->kind->tool.n == 0;
	struct event *e = responses_items_add_call(it);
	struct str call = own_id(it), args;

	if (e->call.p) /* theirs has none; what is there is no id of this call */
		reading_extra(r, e, STR("call_id"), reading_quote(r, e->call));
	e->call = call;
	if (mcp) {
		e->server = read_server(r, val_get(it->v, STR("server_label")), STR(""));
		e->args_text = reading_text(r, it->v, it->kind->args);
	} else {
		args = reading_json(r, e, "args", it->v, it->kind->args);
		e->args = str_eq(it->kind->args, STR("action")) || !args.p
				  ? args
				  : ARENA_JOIN(r->arena, STR("{\""), it->kind->args, STR("\":"), args, STR("}"));
	}
	if (!e->args.p && !e->args_text.p)
		e->args = STR("{}");
	add_own_result(it, call, mcp);
	reading_rest(r, &r->events[at], it->v);
}

/* ---- all of them ---- */

static const struct item_kind kinds[] = {
	{ WORD("message"), .read = responses_items_read_message },
	{ WORD("reasoning"), .read = read_reasoning },
	{ WORD("function_call"), .read = read_function_call },
	{ WORD("custom_tool_call"), .read = read_custom_call },
	{ WORD("local_shell_call"), read_plain_call, WORD("local_shell"), WORD("action"), WORD("") },
	{ WORD("shell_call"), read_plain_call, WORD("shell"), WORD("action"), WORD("") },
	{ WORD("apply_patch_call"), read_plain_call, WORD("apply_patch"), WORD("operation"), WORD("") },
	{ WORD("computer_call"), read_plain_call, WORD("computer"), WORD("action"), WORD("actions") },
	{ WORD("function_call_output"), .read = responses_items_read_output },
	{ WORD("custom_tool_call_output"), .read = responses_items_read_output },
	{ WORD("local_shell_call_output"), .read = responses_items_read_output },
	{ WORD("shell_call_output"), .read = responses_items_read_output },
	{ WORD("apply_patch_call_output"), .read = responses_items_read_output },
	{ WORD("computer_call_output"), .read = responses_items_read_output },
	{ WORD("web_search_call"), read_service_call, WORD("web_search"), WORD("action"), WORD("results") },
	{ WORD("file_search_call"), read_service_call, WORD("file_search"), WORD("queries"), WORD("results") },
	{ WORD("code_interpreter_call"), read_service_call, WORD("code_interpreter"), WORD("code"), WORD("outputs") },
	{ WORD("image_generation_call"), read_service_call, WORD("image_generation"), WORD("revised_prompt"),
	  WORD("result") },
	{ WORD("mcp_call"), read_service_call, WORD(""), WORD("arguments"), WORD("output") },
	{ WORD("mcp_list_tools"), .read = responses_items_read_other },
	{ WORD("mcp_approval_request"), .read = responses_items_read_other },
	{ WORD("mcp_approval_response"), .read = responses_items_read_other },
	{ WORD("tool_search_call"), .read = responses_items_read_other },
	{ WORD("tool_search_output"), .read = responses_items_read_other },
	{ WORD("program"), .read = responses_items_read_other },
	{ WORD("program_output"), .read = responses_items_read_other },
	{ WORD("compaction"), .read = read_compaction },
	{ WORD("item_reference"), .read = responses_items_read_other },
};

static const struct item_kind other = { .read = responses_items_read_other };

/* NULL when nobody knows the type. What has a role and no type is a message. */
static const struct item_kind *responses_items_kind_of(struct val v)
{
	struct val type = val_get(v, STR("type"));

	if (val_is_none(type) && val_is(val_get(v, STR("role")), JSON_STRING))
		return &kinds[0];
	for (size_t i = 0; val_is(type, JSON_STRING) && i < COUNT(kinds); i++)
		if (val_text_is(type, kinds[i].type))
			return &kinds[i];
	return NULL;
}

bool responses_is_item(struct val v)
{
	return val_is(v, JSON_OBJECT) && responses_items_kind_of(v);
}

void responses_read_item(struct reading *r, struct val item, const struct responses_place *p)
{
	struct item it = { r, item, p, val_is(item, JSON_OBJECT) ? responses_items_kind_of(item) : NULL };

	if (!it.kind)
		it.kind = &other;
	it.kind->read(&it);
}

void responses_read_usage(struct reading *r, struct val usage, struct usage *u)
{
	struct val in = val_get(usage, STR("input_tokens_details")), out = val_get(usage, STR("output_tokens_details"));

	u->input = reading_count(r, usage, STR("input_tokens"));
	u->output = reading_count(r, usage, STR("output_tokens"));
	u->cache_read = reading_count(r, in, STR("cached_tokens"));
	u->cache_write = reading_count(r, in, STR("cache_write_tokens"));
	u->reasoning = reading_count(r, out, STR("reasoning_tokens"));
}
