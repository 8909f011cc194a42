#include "bench/result.h"

#include <math.h>

#include "base/utf8.h"
#include "json/repair.h"
#include "json/write.h"

static const struct str no_text = { NULL, 0 };

/* ---- what every row keeps to, written or read: dialect/results.c has the rules ---- */

static void settle_outcome(struct result *r)
{
	if (r->success && r->status != PROVIDER_OK)
		r->success = false;
	if (r->success) {
		r->failure = no_text;
		if (r->pass != VERDICT_FALSE)
			r->violation = no_text;
		return;
	}
	if (str_trim(r->failure).n == 0)
		r->failure = STR("exception");
	r->pass = VERDICT_NULL;
	r->violation = no_text;
	if (r->tool_count == 0)
		r->tool_source = TOOLS_FROM_TEXT;
}

static int64_t at_least(int64_t v, int64_t low)
{
	return v < low ? low : v;
}

/* The wall clock may be set back during a call, and times are rounded each for itself. */
static void settle_numbers(struct result *r)
{
	r->started_at_ms = at_least(r->started_at_ms, 0);
	r->ended_at_ms = at_least(r->ended_at_ms, r->started_at_ms);
	r->e2e_ms = at_least(r->e2e_ms, 0);
	r->ttft_ms = at_least(r->ttft_ms, -1);
	if (r->ttft_ms > r->e2e_ms)
		r->ttft_ms = r->e2e_ms;
	r->input_tokens = at_least(r->input_tokens, -1);
	r->output_tokens = at_least(r->output_tokens, -1);
	r->attempts = at_least(r->attempts, 0);
	r->repetition = at_least(r->repetition, 1);
	r->scheduled_at_ms = at_least(r->scheduled_at_ms, -1);
	r->cache_read_tokens = at_least(r->cache_read_tokens, -1);
	r->reasoning_tokens = at_least(r->reasoning_tokens, -1);
	r->ttfb_ms = at_least(r->ttfb_ms, -1);
	if (!isfinite(r->usd) || r->usd < 0) {
		r->usd = -1;
		r->usd_estimated = false;
	}
}

static struct str settle_name(struct str s)
{
	return str_trim(s).n ? s : STR("unknown");
}

static void settle(struct result *r)
{
	r->run_id = settle_name(r->run_id);
	r->provider = settle_name(r->provider);
	r->model = settle_name(r->model);
	r->prompt_id = settle_name(r->prompt_id);
	settle_outcome(r);
	settle_numbers(r);
}

/* ---- writing ---- */

static void put_text(struct json_writer *w, struct str name, struct str text)
{
	json_write_key(w, name);
	json_write_string(w, text);
}

static void put_text_or_null(struct json_writer *w, struct str name, struct str text)
{
	json_write_key(w, name);
	if (text.p)
		json_write_string(w, text);
	else
		json_write_null(w);
}

static void put_bool(struct json_writer *w, struct str name, bool v)
{
	json_write_key(w, name);
	json_write_bool(w, v);
}

static void put_int(struct json_writer *w, struct str name, int64_t v)
{
	json_write_key(w, name);
	json_write_i64(w, v);
}

static void put_int_or_null(struct json_writer *w, struct str name, int64_t v)
{
	json_write_key(w, name);
	if (v < 0)
		json_write_null(w);
	else
		json_write_i64(w, v);
}

/* A cut falls between characters. */
static struct str cut_text(struct str text)
{
	size_t n = RESULT_OUTPUT_MAX;

	if (text.n <= n)
		return text;
	while (n > 0 && ((unsigned char)text.p[n] & 0xc0) == 0x80)
		n--;
	return str_of(text.p, n);
}

/* False when nothing was cut. What is no UTF-8 is replaced first, since that makes it longer. */
static bool put_output(struct json_writer *w, struct str text)
{
	struct str part = text;
	struct buf room;

	buf_init(&room);
	/* of a text that is cut only its beginning is looked at, and a character more */
	if (part.n > RESULT_OUTPUT_MAX + 4)
		part.n = RESULT_OUTPUT_MAX + 4;
	if (utf8_check(part) < part.n) {
		buf_reserve(&room, 3 * part.n);
		room.n = repair_utf8(room.p, part);
		part = buf_str(&room);
	}
	put_text(w, STR("raw_output"), cut_text(part));
	buf_free(&room);
	return part.n > RESULT_OUTPUT_MAX;
}

/* An object that was laid out on several lines is on one here: in JSON a line end is never part of a value. */
static void put_parsed(struct json_writer *w, struct str parsed)
{
	struct buf line;

	json_write_key(w, STR("parsed_output"));
	if (parsed.n == 0) {
		json_write_null(w);
		return;
	}
	if (!memchr(parsed.p, '\n', parsed.n) && !memchr(parsed.p, '\r', parsed.n)) {
		json_write_raw(w, parsed);
		return;
	}
	buf_init(&line);
	for (size_t i = 0; i < parsed.n; i++)
		buf_add_byte(&line, parsed.p[i] == '\n' || parsed.p[i] == '\r' ? ' ' : parsed.p[i]);
	json_write_raw(w, buf_str(&line));
	buf_free(&line);
}

static void put_pass(struct json_writer *w, enum verdict_pass pass)
{
	json_write_key(w, STR("objective_pass"));
	if (pass == VERDICT_NULL)
		json_write_null(w);
	else
		json_write_bool(w, pass == VERDICT_TRUE);
}

static void put_call(struct json_writer *w, const struct result *r)
{
	put_text(w, STR("record_type"), STR("result"));
	put_text(w, STR("run_id"), r->run_id);
	put_text(w, STR("provider"), r->provider);
	put_text(w, STR("model"), r->model);
	put_text_or_null(w, STR("thinking_level"), r->thinking);
	put_text(w, STR("prompt_id"), r->prompt_id);
	put_text(w, STR("prompt_name"), r->prompt_name);
	put_text(w, STR("availability_status"), str_from(provider_status_name(r->status)));
	put_int(w, STR("started_at_ms"), r->started_at_ms);
	put_int(w, STR("ended_at_ms"), r->ended_at_ms);
	put_int(w, STR("e2e_ms"), r->e2e_ms);
	put_int_or_null(w, STR("ttft_ms"), r->ttft_ms);
}

/* Whether raw_output was cut. */
static bool put_answer(struct json_writer *w, const struct result *r)
{
	bool cut;

	put_bool(w, STR("success"), r->success);
	put_text_or_null(w, STR("failure_type"), r->failure);
	put_pass(w, r->pass);
	put_text_or_null(w, STR("violation"), r->violation);
	put_int_or_null(w, STR("input_tokens"), r->input_tokens);
	put_int_or_null(w, STR("output_tokens"), r->output_tokens);
	cut = put_output(w, r->output);
	put_parsed(w, r->parsed);
	json_write_key(w, STR("tool_calls"));
	json_write_begin_array(w);
	for (size_t i = 0; i < r->tool_count; i++)
		json_write_string(w, r->tools[i]);
	json_write_end_array(w);
	put_int(w, STR("tool_call_count"), (int64_t)r->tool_count);
	put_bool(w, STR("tool_use_success"), r->tool_success);
	return cut;
}

static void put_more(struct json_writer *w, const struct result *r, bool cut)
{
	put_int(w, STR("attempts"), r->attempts);
	put_int(w, STR("repetition"), r->repetition);
	put_int_or_null(w, STR("scheduled_at_ms"), r->scheduled_at_ms);
	put_int_or_null(w, STR("cache_read_tokens"), r->cache_read_tokens);
	put_int_or_null(w, STR("reasoning_tokens"), r->reasoning_tokens);
	put_int_or_null(w, STR("ttfb_ms"), r->ttfb_ms);
	put_text_or_null(w, STR("tool_call_source"), r->success || r->tool_count > 0 ?
						      str_from(tool_source_name(r->tool_source)) : no_text);
	if (cut)
		put_bool(w, STR("raw_output_truncated"), true);
	put_bool(w, STR("expects_tools"), r->expects);
	if (r->usd >= 0) {
		json_write_key(w, STR("cost_usd"));
		json_write_double(w, r->usd);
		put_bool(w, STR("cost_estimated"), r->usd_estimated);
	}
}

void result_write(struct buf *out, const struct result *given)
{
	struct result r = *given;
	struct json_writer w;
	bool cut;

	settle(&r);
	json_write_init(&w, out, JSON_COMPACT);
	json_write_begin_object(&w);
	put_call(&w, &r);
	cut = put_answer(&w, &r);
	/* a text that was cut when it was written stays so when it is written again, as long as nobody shortens it */
	cut = cut || (r.truncated && r.output.n + 3 >= RESULT_OUTPUT_MAX);
	put_more(&w, &r, cut);
	json_write_end_object(&w);
	buf_add_byte(out, '\n');
}

/* ---- reading ---- */

/* A text of the row; p NULL for what is absent, null, or no text. */
static struct str text_at(struct val row, struct str name, struct arena *a)
{
	struct val v = val_get(row, name);

	return val_is(v, JSON_STRING) ? val_text(v, a) : no_text;
}

/* The harness that set the format has its rows also with every value as text: "23407", "True", "". */
static int64_t int_at(struct val row, struct str name, struct arena *a, int64_t otherwise)
{
	struct val v = val_get(row, name);
	struct str text = val_is(v, JSON_NUMBER) ? val_raw(v) : text_at(row, name, a);
	int64_t n;
	double d;

	if (text.n == 0 || num_parse_double(text, &d) != NUM_OK)
		return otherwise;
	if (num_integral(text, &n))
		return n;
	return fabs(d) < 9e15 ? (int64_t)d : otherwise;
}

/* 1, 0, or -1 for neither. */
static int bool_at(struct val row, struct str name, struct arena *a)
{
	struct val v = val_get(row, name);
	struct str text = text_at(row, name, a);

	if (val_is(v, JSON_TRUE) || detect_is_same(text, STR("true")))
		return 1;
	return val_is(v, JSON_FALSE) || detect_is_same(text, STR("false")) ? 0 : -1;
}

/* Of a row without a status: what its failure comes to. */
static enum provider_status status_of(struct str word, bool success, struct str failure)
{
	for (int s = 0; s < PROVIDER_STATUSES; s++)
		if (str_eq(word, str_from(provider_status_name((enum provider_status)s))))
			return (enum provider_status)s;
	if (success || str_eq(failure, STR("empty_response")))
		return PROVIDER_OK;
	return str_eq(failure, STR("http_429")) ? PROVIDER_LIMITED : PROVIDER_ERROR;
}

static void read_tools(struct result *r, struct arena *a, struct val calls)
{
	struct val_iter it = val_begin(calls);
	struct str *names;
	struct val v;

	if (!val_is(calls, JSON_ARRAY))
		return;
	names = arena_array(a, struct str, val_count(calls) + 1);
	while (val_next(&it, &v))
		if (val_is(v, JSON_STRING))
			names[r->tool_count++] = val_text(v, a);
	r->tools = names;
}

/* Rows of another harness do not say it, but what a validator of tools read in an answer shows it. */
static bool read_expects(struct arena *a, struct val row, struct val parsed)
{
	int said = bool_at(row, STR("expects_tools"), a);

	return said < 0 ? val_is(val_get(parsed, STR("detected_tools")), JSON_ARRAY) : said == 1;
}

static void read_answer(struct result *r, struct arena *a, struct val row)
{
	int pass = bool_at(row, STR("objective_pass"), a);
	struct val parsed = val_get(row, STR("parsed_output"));

	r->success = bool_at(row, STR("success"), a) == 1;
	r->failure = text_at(row, STR("failure_type"), a);
	r->status = status_of(text_at(row, STR("availability_status"), a), r->success, r->failure);
	r->pass = pass < 0 ? VERDICT_NULL : pass ? VERDICT_TRUE : VERDICT_FALSE;
	r->violation = text_at(row, STR("violation"), a);
	r->output = text_at(row, STR("raw_output"), a);
	if (!r->output.p)
		r->output = STR("");
	r->truncated = bool_at(row, STR("raw_output_truncated"), a) == 1;
	if (val_is(parsed, JSON_OBJECT))
		r->parsed = val_source(parsed);
	read_tools(r, a, val_get(row, STR("tool_calls")));
	r->tool_success = bool_at(row, STR("tool_use_success"), a) == 1;
	r->tool_source = str_eq(text_at(row, STR("tool_call_source"), a), STR("api")) ? TOOLS_FROM_API :
											 TOOLS_FROM_TEXT;
	r->expects = read_expects(a, row, parsed);
}

static void read_numbers(struct result *r, struct arena *a, struct val row)
{
	r->started_at_ms = int_at(row, STR("started_at_ms"), a, 0);
	r->ended_at_ms = int_at(row, STR("ended_at_ms"), a, 0);
	r->e2e_ms = int_at(row, STR("e2e_ms"), a, 0);
	r->ttft_ms = int_at(row, STR("ttft_ms"), a, -1);
	r->input_tokens = int_at(row, STR("input_tokens"), a, -1);
	r->output_tokens = int_at(row, STR("output_tokens"), a, -1);
	/* a row that does not say was sent once, unless nobody was there to send it to */
	r->attempts = int_at(row, STR("attempts"), a, r->status != PROVIDER_UNAVAILABLE);
	r->repetition = int_at(row, STR("repetition"), a, 1);
	r->scheduled_at_ms = int_at(row, STR("scheduled_at_ms"), a, -1);
	r->cache_read_tokens = int_at(row, STR("cache_read_tokens"), a, -1);
	r->reasoning_tokens = int_at(row, STR("reasoning_tokens"), a, -1);
	r->ttfb_ms = int_at(row, STR("ttfb_ms"), a, -1);
	if (!val_double(val_get(row, STR("cost_usd")), &r->usd))
		r->usd = -1;
	r->usd_estimated = bool_at(row, STR("cost_estimated"), a) == 1;
}

bool result_read(struct result *r, struct arena *a, struct val row)
{
	struct str type = text_at(row, STR("record_type"), a);

	*r = (struct result){ .run_id = text_at(row, STR("run_id"), a),
			      .provider = text_at(row, STR("provider"), a),
			      .model = text_at(row, STR("model"), a),
			      .thinking = text_at(row, STR("thinking_level"), a),
			      .prompt_id = text_at(row, STR("prompt_id"), a),
			      .prompt_name = text_at(row, STR("prompt_name"), a) };
	if (type.p && !str_eq(type, STR("result")))
		return false;
	if (str_trim(r->model).n == 0 || str_trim(r->prompt_id).n == 0)
		return false;
	if (r->thinking.n == 0)
		r->thinking = no_text;
	if (!r->prompt_name.p)
		r->prompt_name = r->prompt_id;
	read_answer(r, a, row);
	read_numbers(r, a, row);
	settle(r);
	r->truncated = r->truncated && r->output.n + 3 >= RESULT_OUTPUT_MAX;
	return true;
}

struct str result_key(struct arena *a, struct str provider, struct str model, struct str thinking, struct str prompt_id,
		      int64_t repetition)
{
	/* with its length in front, no part can pass for two */
	struct str parts[] = { arena_printf(a, "%zu:", provider.n), provider, arena_printf(a, "%zu:", model.n), model,
			       arena_printf(a, "%zu:", thinking.n), thinking, arena_printf(a, "%zu:", prompt_id.n),
			       prompt_id, arena_printf(a, "#%lld", (long long)repetition) };

	return arena_join(a, parts, sizeof(parts) / sizeof(parts[0]));
}
