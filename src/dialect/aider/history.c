/*
 * The fold over the lines of aider's texts.
 *
 * Markdown: "# aider chat started at TIME", "#### what the user typed", "> what aider said"; all else is the model's
 * answer, up to the line "> Tokens: 2.4k sent, 6 received. Cost: $0.0060 message, $0.0060 session.", whose figures are
 * rounded and so estimates. A heading of the fourth level in an answer cannot be told from a question.
 *
 * Requests and answers: "TO LLM TIME", then each message behind a line of dashes, its role before every line; "LLM
 * RESPONSE TIME", then the answer in the same way. A request repeats all that was said before: only what is new counts.
 */
#include "base/ascii.h"
#include "base/map.h"
#include "base/num.h"
#include "dialect/aider/aider.h"
#include "dialect/record/field.h"
#include "dialect/values.h"
#include "json/text.h"

enum aider_part { AIDER_NOTHING, AIDER_ASKED, AIDER_ANSWER, AIDER_REQUEST, AIDER_RESPONSE };

struct aider_state {
	struct arena arena; /* the keys of what was told */
	struct map told;    /* messages of requests, by place, role and text */
	struct arena scratch;
	struct reading r;   /* for times only: its arena is scratch */
	struct buf text, quoted;
	enum aider_part part;
	struct str role;    /* REQUEST: of the message at hand, as it is written; in `arena` */
	unsigned place;     /* REQUEST: of the message, from 0 */
	struct moment ts;   /* of the request or answer at hand; its text is in `when` */
	struct moment sent; /* of the last request; p of its text is NULL when there is none */
	char when[64];
	bool begun;         /* a run is open */
	bool starting;      /* its start waits for what aider says first: its version, the model, and `said`, a list */
	struct buf version, model, said;
	uint64_t line;
};

static void aider_reset(struct aider_state *s)
{
	arena_reset(&s->arena);
	map_init(&s->told, &s->arena);
	buf_clear(&s->text);
	s->part = AIDER_NOTHING;
	s->ts = s->sent = (struct moment){ 0 };
	buf_clear(&s->model);
	s->begun = s->starting = false;
}

void *aider_fold_open(void)
{
	struct aider_state *s = mem_alloc(sizeof(*s));

	*s = (struct aider_state){ .begun = false };
	arena_init(&s->arena);
	arena_init(&s->scratch);
	s->r.arena = &s->scratch;
	buf_init(&s->text);
	buf_init(&s->quoted);
	aider_reset(s);
	return s;
}

void aider_fold_close(void *fold)
{
	struct aider_state *s = fold;

	buf_free(&s->text);
	buf_free(&s->quoted);
	buf_free(&s->version);
	buf_free(&s->model);
	buf_free(&s->said);
	arena_free(&s->scratch);
	arena_free(&s->arena);
	mem_free(s);
}

/* ---- giving ---- */

static struct event aider_event(const struct aider_state *s, enum event_kind kind)
{
	return (struct event){ .kind = kind, .index = -1, .ts = s->ts, .line = s->line };
}

/* A time as aider writes it, local and without a zone. It lives until the next one. */
static void aider_set_time(struct aider_state *s, struct str text)
{
	struct moment m = reading_time_text(&s->r, str_trim(text));

	s->ts = (struct moment){ 0 };
	if (!m.text.p || m.text.n >= sizeof(s->when))
		return;
	memcpy(s->when, m.text.p, m.text.n);
	s->ts = (struct moment){ str_of(s->when, m.text.n), m.ns, MOMENT_DERIVED };
}

static void aider_begin(struct aider_state *s)
{
	s->begun = s->starting = true;
	buf_clear(&s->version);
	buf_clear(&s->model);
	buf_clear(&s->said);
}

/* The run starts, with all that was said of it. Nothing when it has started. */
static bool aider_start(struct aider_state *s, struct assemble *as, struct err *err)
{
	struct event e = aider_event(s, EVENT_RUN_START);

	if (!s->starting)
		return true;
	s->starting = false;
	if (s->ts.text.p)
		e.run = arena_printf(&s->scratch, "aider-%.*s", STR_ARG(s->ts.text));
	e.agent = STR("aider");
	e.agent_version = text_or_none(buf_str(&s->version));
	e.model = text_or_none(buf_str(&s->model));
	if (s->said.n)
		event_add_extra(&e, &s->scratch, STR("aider/1"),
				arena_printf(&s->scratch, "{\"said\":[%.*s]}", (int)s->said.n, s->said.p));
	return assemble_add(as, &e, err);
}

/* The text that was gathered, without blank lines around it. */
static struct str aider_gathered(const struct aider_state *s)
{
	struct str text = buf_str(&s->text);

	while (text.n && (text.p[0] == '\n' || text.p[0] == '\r'))
		text = str_skip(text, 1);
	while (text.n && ascii_is_one_of(text.p[text.n - 1], " \t\r\n"))
		text.n--;
	return text;
}

static bool aider_give_message(struct aider_state *s, struct str role, struct assemble *as, struct err *err)
{
	struct event e = aider_event(s, EVENT_MESSAGE);

	buf_clear(&s->quoted);
	text_quote(&s->quoted, aider_gathered(s));
	e.role = role;
	e.content = buf_str(&s->quoted);
	return aider_start(s, as, err) && assemble_add(as, &e, err);
}

/* A message of a request that stood at this place before is not new; nor is an answer that was told as one. */
static bool aider_is_told(struct aider_state *s, unsigned place, struct str role)
{
	struct hash h = str_hash_wide(aider_gathered(s));
	bool added;

	map_add(&s->told, arena_printf(&s->scratch, "%u %.*s %llx %llx", place, STR_ARG(role), (unsigned long long)h.a,
				       (unsigned long long)h.b), &added);
	return !added;
}

static bool aider_give_request(struct aider_state *s, struct assemble *as, struct err *err)
{
	bool answer = str_eq(s->role, STR("ASSISTANT"));
	char lower[32];
	size_t n = s->role.n < sizeof(lower) ? s->role.n : sizeof(lower);

	if (!s->text.n || aider_is_told(s, answer ? 0 : s->place, s->role))
		return true;
	for (size_t i = 0; i < n; i++)
		lower[i] = ascii_lower(s->role.p[i]);
	return aider_give_message(s, n ? str_of(lower, n) : STR("user"), as, err);
}

static bool aider_give_answer(struct aider_state *s, struct usage usage, struct amount usd, struct assemble *as,
			      struct err *err)
{
	struct event e = aider_event(s, EVENT_STEP);

	e.text = aider_gathered(s);
	e.model = text_or_none(buf_str(&s->model));
	e.usage = usage;
	e.usd = usd;
	if (s->part == AIDER_RESPONSE) {
		if (s->sent.text.p && s->ts.text.p && s->ts.ns >= s->sent.ns) { /* whole seconds */
			e.latency_ms = AMOUNT((double)(s->ts.ns - s->sent.ns) / 1e6);
			e.latency_ms.source = FIGURE_ESTIMATED;
		}
		aider_is_told(s, 0, STR("ASSISTANT"));
	}
	return aider_start(s, as, err) && assemble_add(as, &e, err);
}

/* What was gathered, if it is anything, goes out as what it is. */
static bool aider_flush(struct aider_state *s, struct assemble *as, struct err *err)
{
	bool good = true;

	if (s->part == AIDER_REQUEST)
		good = aider_give_request(s, as, err);
	else if (s->part == AIDER_ASKED && aider_gathered(s).n)
		good = aider_give_message(s, STR("user"), as, err);
	else if (s->part == AIDER_RESPONSE || (s->part == AIDER_ANSWER && aider_gathered(s).n))
		good = aider_give_answer(s, (struct usage){ 0 }, (struct amount){ 0 }, as, err);
	buf_clear(&s->text);
	s->part = AIDER_NOTHING;
	return good;
}

static void aider_gather(struct aider_state *s, struct str line)
{
	buf_add_str(&s->text, line);
	buf_add_byte(&s->text, '\n');
}

/* ---- the line of tokens ---- */

static bool aider_is_number(struct str digits)
{
	size_t dots = 0;

	for (size_t i = 0; i < digits.n; i++) {
		dots += digits.p[i] == '.';
		if (digits.p[i] != '.' && !ascii_is_digit(digits.p[i]))
			return false;
	}
	return digits.n > 0 && digits.n < 13 && dots < 2 && digits.p[0] != '.' && digits.p[digits.n - 1] != '.';
}

/* "2.4k sent", "$0.0060 message": the number before a word; false when the word is not there. */
static bool aider_number_before(struct str line, struct str word, double *out)
{
	size_t at = str_find(line, word), from;
	double scale = 1;
	struct str digits;

	if (at == (size_t)-1 || at == 0 || line.p[at - 1] != ' ')
		return false;
	for (from = --at; from > 0 && !ascii_is_one_of(line.p[from - 1], " $"); from--)
		;
	digits = str_of(line.p + from, at - from);
	if (digits.n && (digits.p[digits.n - 1] == 'k' || digits.p[digits.n - 1] == 'M')) {
		scale = digits.p[digits.n - 1] == 'k' ? 1e3 : 1e6;
		digits.n--;
	}
	if (!aider_is_number(digits) || num_parse_double(digits, out) != NUM_OK)
		return false;
	*out *= scale;
	return true;
}

static struct figure aider_tokens_before(struct str line, struct str word)
{
	double n;

	if (!aider_number_before(line, word, &n))
		return (struct figure){ 0, 0, 0 };
	return (struct figure){ FIGURE_KNOWN, FIGURE_ESTIMATED, (uint64_t)(n + 0.5) };
}

static bool aider_give_tokens(struct aider_state *s, struct str line, struct assemble *as, struct err *err)
{
	struct usage u = {
		.input = aider_tokens_before(line, STR("sent")),
		.output = aider_tokens_before(line, STR("received")),
		.cache_read = aider_tokens_before(line, STR("cache hit")),
		.cache_write = aider_tokens_before(line, STR("cache write")),
	};
	struct amount usd = { 0 };
	bool good;

	if (aider_number_before(line, STR("message"), &usd.n))
		usd = (struct amount){ FIGURE_KNOWN, FIGURE_ESTIMATED, usd.n };
	if (s->part == AIDER_ASKED && !aider_flush(s, as, err))
		return false;
	s->part = AIDER_ANSWER;
	good = aider_give_answer(s, u, usd, as, err);
	buf_clear(&s->text);
	s->part = AIDER_NOTHING;
	return good;
}

/* ---- Markdown ---- */

/* "Main model: openai/gpt-4o with diff edit format": the model. False when the line says something else. */
static bool aider_read_model(struct aider_state *s, struct str said)
{
	static const struct str names[] = { WORD("Main model: "), WORD("Model: ") };
	struct str rest;

	for (size_t i = 0; i < COUNT(names); i++) {
		if (!str_starts(said, names[i]))
			continue;
		buf_clear(&s->model);
		buf_add_str(&s->model, str_cut(str_skip(said, names[i].n), ' ', &rest));
		return true;
	}
	return false;
}

/* What aider said: of the run while that starts, and a NOTE later. */
static bool aider_give_said(struct aider_state *s, struct str said, struct assemble *as, struct err *err)
{
	struct event e = aider_event(s, EVENT_NOTE);

	if (str_starts(said, STR("Tokens: ")) && str_has(said, STR("sent")))
		return aider_give_tokens(s, said, as, err);
	if (s->starting && str_starts(said, STR("Aider v"))) {
		buf_clear(&s->version);
		buf_add_str(&s->version, str_skip(said, STR("Aider v").n));
		return true;
	}
	if (aider_read_model(s, said) && s->starting)
		return true;
	if (s->starting) {
		if (s->said.n)
			buf_add_byte(&s->said, ',');
		text_quote(&s->said, said);
		return true;
	}
	buf_clear(&s->quoted);
	text_quote(&s->quoted, said);
	e.role = STR("said");
	e.content = buf_str(&s->quoted);
	return assemble_add(as, &e, err);
}

static bool aider_add_markdown(struct aider_state *s, struct str line, struct assemble *as, struct err *err)
{
	struct str asked = STR("####");

	if (str_starts(line, STR(AIDER_CHAT))) {
		if (!aider_flush(s, as, err) || !aider_start(s, as, err))
			return false;
		aider_set_time(s, str_skip(line, STR(AIDER_CHAT).n));
		aider_begin(s);
		return true;
	}
	if (str_starts(line, asked) && (line.n == asked.n || line.p[asked.n] == ' ')) {
		if (s->part != AIDER_ASKED && !aider_flush(s, as, err))
			return false;
		s->part = AIDER_ASKED;
		aider_gather(s, str_trim(str_skip(line, asked.n)));
		return true;
	}
	if (line.n && line.p[0] == '>' && s->part != AIDER_ANSWER)
		return aider_flush(s, as, err) && aider_give_said(s, str_trim(str_skip(line, 1)), as, err);
	if (line.n && line.p[0] == '>' && str_starts(line, STR("> Tokens: ")))
		return aider_give_said(s, str_trim(str_skip(line, 1)), as, err);
	if (!str_trim(line).n && s->part != AIDER_ANSWER)
		return aider_flush(s, as, err);
	if (s->part != AIDER_ANSWER && !aider_flush(s, as, err))
		return false;
	s->part = AIDER_ANSWER;
	aider_gather(s, line);
	return true;
}

/* ---- requests and answers ---- */

/* The role stands before each line; what has none is kept as it is. */
static void aider_add_said(struct aider_state *s, struct str line)
{
	struct str rest, word = str_cut(line, ' ', &rest);
	bool is_role = word.n > 2 && word.n < 16;

	for (size_t i = 0; i < word.n; i++)
		is_role = is_role && word.p[i] >= 'A' && word.p[i] <= 'Z';
	if (!s->role.p && is_role)
		s->role = arena_copy(&s->arena, word);
	aider_gather(s, is_role && str_eq(word, s->role) ? rest : line);
}

static bool aider_add_exchange(struct aider_state *s, struct str line, struct assemble *as, struct err *err)
{
	bool sent = str_starts(line, STR(AIDER_SENT "2")), got = str_starts(line, STR(AIDER_GOT "2"));
	bool dashes = str_eq(str_trim(line), STR("-------"));

	if (!sent && !got && !(dashes && s->part == AIDER_REQUEST)) {
		aider_add_said(s, line);
		return true;
	}
	if (!aider_flush(s, as, err))
		return false;
	s->role = str_of(NULL, 0);
	s->place = sent ? 0 : s->place + 1;
	s->part = got ? AIDER_RESPONSE : AIDER_REQUEST;
	if (sent || got)
		aider_set_time(s, str_skip(line, sent ? STR(AIDER_SENT).n : STR(AIDER_GOT).n));
	if (sent)
		s->sent = (struct moment){ STR("sent"), s->ts.ns, MOMENT_DERIVED };
	if (!s->begun)
		aider_begin(s);
	return aider_start(s, as, err);
}

/* ---- the fold ---- */

bool aider_fold(void *fold, const struct event *e, struct assemble *as, struct err *err)
{
	struct aider_state *s = fold;
	struct str line;

	if (e->kind != EVENT_NOTE || !e->hint)
		return assemble_add(as, e, err);
	line = *(const struct str *)e->hint;
	arena_reset(&s->scratch);
	s->line = e->line;
	if (s->part == AIDER_REQUEST || s->part == AIDER_RESPONSE || str_starts(line, STR(AIDER_SENT "2")) ||
	    str_starts(line, STR(AIDER_GOT "2")))
		return aider_add_exchange(s, line, as, err);
	return aider_add_markdown(s, line, as, err);
}

bool aider_fold_end(void *fold, struct assemble *as, struct err *err)
{
	struct aider_state *s = fold;
	bool good = aider_flush(s, as, err) && aider_start(s, as, err);

	aider_reset(s);
	return good;
}
