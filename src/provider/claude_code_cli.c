/*
 * Claude Code, run as `claude -p PROMPT --model M --output-format stream-json --verbose`. What we rely on, as
 * far as public documentation and reports of its users tell:
 *
 *	- with -p it answers once and ends; stream-json needs --verbose
 *	- without a prompt among the arguments, -p takes it from standard input. That is how a prompt goes that would
 *	  be taken for an option, that has a NUL in it, or that is longer than the system lets an argument be
 *	- --effort low|medium|high|xhigh|max is how much it thinks. CLAUDE_CODE_EFFORT_LEVEL goes before it, so that is
 *	  not passed on when a level was asked for. MAX_THINKING_TOKENS is older, and newer models pay no attention to
 *	  it. A program that is too old for --effort says so and fails: better than an answer at another level
 *	- CLAUDE_CODE_MAX_OUTPUT_TOKENS is the most it says at once
 *
 * It has no temperature.
 */
#include <assert.h>

#include "base/ascii.h"
#include "base/clock.h"
#include "base/num.h"
#include "provider/claude_lines.h"
#include "provider/provider_program.h"
#include "provider/provider_refusal.h"

#define ARGUMENT_MOST ((size_t)64 << 10) /* Linux takes 128 KiB for one, and all of them share what there is */
#define SHORT_WAIT_S 300                 /* a limit that ends sooner is waited for */

static void claude_code_cli_add(struct program_command *c, struct str argument)
{
	assert(c->count < PROGRAM_ARGS);
	c->args[c->count++] = arena_copy(c->arena, argument).p;
}

static bool fits_argument(struct str text)
{
	return text.n > 0 && text.n < ARGUMENT_MOST && text.p[0] != '-' && !memchr(text.p, '\0', text.n);
}

/* The arguments, fewer than PROGRAM_ARGS. Without a thinking level the user's own setting holds. */
static void command(const struct provider_question *q, struct program_command *out)
{
	claude_code_cli_add(out, STR("-p"));
	if (fits_argument(q->prompt))
		claude_code_cli_add(out, q->prompt);
	else
		out->input = q->prompt.p ? q->prompt : STR("");
	claude_code_cli_add(out, STR("--model"));
	claude_code_cli_add(out, q->model);
	claude_code_cli_add(out, STR("--output-format"));
	claude_code_cli_add(out, STR("stream-json"));
	claude_code_cli_add(out, STR("--verbose"));
	if (q->thinking.p) {
		claude_code_cli_add(out, STR("--effort"));
		claude_code_cli_add(out, q->thinking);
		out->less[out->less_count++] = "CLAUDE_CODE_EFFORT_LEVEL";
	}
	if (q->system.p) {
		claude_code_cli_add(out, STR("--system-prompt"));
		claude_code_cli_add(out, q->system);
	}
	if (q->max_tokens)
		out->set[out->set_count++] =
			arena_printf(out->arena, "CLAUDE_CODE_MAX_OUTPUT_TOKENS=%u", (unsigned)q->max_tokens).p;
}

/* ---- how it says no ---- */

static const char *const no_login[] = {
	"please run /login", "not logged in", "invalid api key", "invalid x-api-key", "invalid bearer token",
	"authentication_error", "authentication_failed", "oauth_org_not_allowed", "oauth token has expired",
	"oauth token revoked", "oauth token has been revoked", "could not resolve authentication method",
};

static const char *const no_quota[] = {
	"limit reached", "hit your limit", "hit your session limit", "hit your weekly limit", "hit your opus limit",
	"hit your sonnet limit", "out of extra usage", "rate_limit_error", "rate_limit", "rate limit",
	"credit balance is too low", "billing_error", "insufficient_quota",
};

static const char *const no_model[] = { "issue with the selected model", "model_not_found", "not_found_error" };

static bool has_any(struct str lower, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (str_has(lower, str_from(words[i])))
			return true;
	return false;
}

#define HAS_ANY(text, list) has_any((text), (list), COUNT(list))

/* "usage limit reached|1762952400": when it ends, or 0. */
static int64_t told_reset(struct str text)
{
	static const struct str before = { "limit reached|", 14 };
	size_t at = str_find(text, before), n = 0;
	int64_t seconds;

	if (at == (size_t)-1)
		return 0;
	text = str_of(text.p + at + before.n, text.n - at - before.n);
	while (n < text.n && ascii_is_digit(text.p[n]))
		n++;
	return num_parse_i64(str_of(text.p, n), &seconds) ? seconds : 0;
}

/* "API Error: 529 {...}" */
static int told_status(struct str lower)
{
	static const struct str before = { "api error: ", 11 };
	size_t at = str_find(lower, before);
	uint64_t status;

	if (at == (size_t)-1 || lower.n - at - before.n < 3 ||
	    !num_parse_u64(str_of(lower.p + at + before.n, 3), &status) || status < 400 || status > 599)
		return 0;
	return (int)status;
}

static void claude_code_cli_set(struct provider_answer *out, enum provider_status status, const char *failure)
{
	out->status = status;
	out->failure = failure;
	out->retryable = false;
}

/* Retried only where the limit is known to end soon; some last for hours. */
static void set_limited(const struct claude_lines *c, struct str lower, struct provider_answer *out)
{
	int64_t now = (int64_t)(clock_wall_ns() / 1000000000), at = told_reset(lower);

	claude_code_cli_set(out, PROVIDER_LIMITED, "claude_quota");
	if (!at)
		at = c->resets_at;
	if (at <= 0)
		return;
	out->retryable = at - now <= SHORT_WAIT_S;
	if (out->retryable)
		out->retry_after_ms = at > now ? (at - now) * 1000 : 0;
}

/* Everything that was said in place of an answer, in small letters. */
static struct str gather_trouble(struct claude_lines *c, struct str complaint)
{
	struct str result = c->is_error ? c->result : str_of(NULL, 0);
	struct str parts[] = { c->trouble_code, c->trouble, result, buf_str(&c->plain), complaint };
	struct buf all;

	buf_init(&all);
	for (size_t i = 0; i < COUNT(parts); i++) {
		buf_add_str(&all, str_of(parts[i].p, parts[i].n < CLAUDE_PLAIN ? parts[i].n : CLAUDE_PLAIN));
		buf_add_byte(&all, '\n');
	}
	for (size_t i = 0; i < all.n; i++)
		all.p[i] = ascii_lower(all.p[i]);
	return arena_take(&c->said.arena, &all);
}

static void set_plain_failure(const struct claude_lines *c, const struct program_end *end, struct provider_answer *out)
{
	if (end->too_large || c->said.too_large)
		claude_code_cli_set(out, PROVIDER_ERROR, "too_large");
	else if (end->status || c->is_error || c->made_up)
		claude_code_cli_set(out, PROVIDER_ERROR, "exception");
	else if (c->read == 0 && c->plain.n)
		claude_code_cli_set(out, PROVIDER_ERROR, "bad_json");
	else
		claude_code_cli_set(out, PROVIDER_ERROR, "cut_stream");
}

/* From the surest sign to the vaguest: the event of a limit, a status, then words in what was said. */
static void judge_failure(struct claude_lines *c, const struct program_end *end, struct provider_answer *out)
{
	struct str lower = gather_trouble(c, end->complaint);
	int status = c->api_status ? c->api_status : told_status(lower);

	out->http_status = status;
	if (c->is_refused || status == 429 || HAS_ANY(lower, no_quota))
		set_limited(c, lower, out);
	else if (status == 401 || status == 403 || HAS_ANY(lower, no_login))
		claude_code_cli_set(out, PROVIDER_UNAVAILABLE, "claude_auth");
	else if (status == 404 || HAS_ANY(lower, no_model))
		claude_code_cli_set(out, PROVIDER_UNAVAILABLE, "model_not_found");
	else if (status >= 500)
		provider_refuse_status(&c->said.arena, status, out);
	else
		set_plain_failure(c, end, out);
}

/* What people are shown: the best of what there is. */
static struct str find_message(struct claude_lines *c, const struct program_end *end)
{
	struct str complaint = str_trim(str_of(end->complaint.p, end->complaint.n));
	struct str plain = str_trim(buf_str(&c->plain));

	if (c->is_error && c->result.n)
		return c->result;
	if (c->trouble.n)
		return c->trouble;
	if (complaint.n)
		return arena_copy(&c->said.arena, complaint);
	if (c->is_error && c->reason.n)
		return c->reason;
	if (plain.n)
		return plain;
	if (end->signal)
		return arena_printf(&c->said.arena, "claude was ended by signal %d", end->signal);
	if (end->status)
		return arena_printf(&c->said.arena, "claude ended with status %d", end->status);
	return STR("claude ended without a result");
}

/* Before it had a flag for it, it told of a limit as if a model had said it. */
static bool is_limit_only(const struct claude_lines *c)
{
	return c->has_result && str_starts(c->result, STR("Claude AI usage limit reached|"));
}

/* ---- the row ---- */

static void *open_reading(struct answer_parser *parser)
{
	struct claude_lines *c = mem_alloc(sizeof(*c));

	claude_lines_init(c, parser);
	return c;
}

static unsigned claude_code_cli_take_line(void *reading, struct str line)
{
	return claude_lines_take(reading, line);
}

/* A result alone is not enough: the program must have ended well, and its last words must be the model's. */
static void end_reading(void *reading, const struct program_end *end, struct provider_answer *out)
{
	struct claude_lines *c = reading;
	bool failed;

	c->is_error = c->is_error || is_limit_only(c);
	failed = !c->has_result || c->is_error || c->made_up || end->status || end->signal || end->too_large ||
		 c->said.too_large;
	claude_lines_end(c, out);
	if (!failed)
		return;
	if (end->cancelled) {
		claude_code_cli_set(out, PROVIDER_ERROR, "cut_stream");
		return;
	}
	judge_failure(c, end, out);
	out->message = find_message(c, end);
}

static void close_reading(void *reading)
{
	claude_lines_free(reading);
	mem_free(reading);
}

static const struct provider_program claude = {
	.missing = "claude_cli_missing",
	.command = command,
	.open = open_reading,
	.line = claude_code_cli_take_line,
	.end = end_reading,
	.close = close_reading,
};

const struct provider provider_claude_code_cli = {
	.name = "claude_code_cli",
	.vendor = "anthropic",
	.about = "Claude Code: runs the program claude, with your login",
	.base_env = "CLAUDE_CODE_CLI",
	.base_usual = "claude",
	.thinks = true,
	.program = &claude,
};
