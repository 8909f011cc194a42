/* Reads a cassette line by line, a function for each kind of line; the first fault refuses the whole. */
#include "replay/tape.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/crypto/base64.h"
#include "base/crypto/sha256.h"
#include "base/file.h"
#include "json/json.h"
#include "replay/versions.h"
#include "transform/redact.h"

#define TAPE_MOST ((size_t)UINT32_MAX - 2 * JSON_PAD) /* bytes of a cassette: what the parser takes at once */
#define TAPE_VERSION "cassette/v1"

struct tape_job {
	struct arena *arena;
	struct str name;
	struct tape *out;
	size_t cap;
	struct sha256 sha;
	uint64_t number; /* of the line at hand */
	bool has_head;
	struct err *err;
};

/* Place, what is wrong, and what can be done: a cassette is written by us, so one that is broken was damaged. */
static bool tape_refuse(struct tape_job *j, const char *what)
{
	return err_set(j->err, ERR_DATA, "%.*s:%llu: %s" ERR_HELP "the cassette was damaged or changed by hand; take "
		       "it from where it was kept, or record the run again", STR_ARG(j->name),
		       (unsigned long long)j->number, what);
}

/* ---- values ---- */

static bool tape_read_u64(struct val v, uint64_t *out)
{
	int64_t n;

	if (!val_i64(v, &n) || n < 0)
		return false;
	*out = (uint64_t)n;
	return true;
}

struct str tape_text(struct arena *a, struct val v)
{
	struct str packed, text = { NULL, 0 };
	struct buf bytes;

	if (val_is(v, JSON_STRING))
		return val_text_copy(v, a);
	packed = val_get_text(v, STR("base64"), a);
	buf_init(&bytes);
	if (packed.p && base64_parse(&bytes, packed))
		text = bytes.n ? arena_copy(a, buf_str(&bytes)) : STR("");
	buf_free(&bytes);
	return text;
}

/* ---- bodies ---- */

static bool tape_read_bytes(struct tape_job *j, struct val body, struct str *out)
{
	struct val enc = val_get(body, STR("enc")), inner = val_get(body, STR("inline"));
	bool good = true;
	struct buf bytes;

	if (val_text_is(enc, STR("json"))) {
		*out = val_source(inner);
		return true;
	}
	if (!val_is(inner, JSON_STRING))
		return tape_refuse(j, "the bytes of a body (inline) are no text");
	if (val_text_is(enc, STR("utf8"))) {
		*out = val_text(inner, j->arena);
		return true;
	}
	if (!val_text_is(enc, STR("base64")))
		return tape_refuse(j, "the encoding of a body (enc) is not one of json, utf8, base64");
	buf_init(&bytes);
	good = base64_parse(&bytes, val_text(inner, j->arena));
	*out = arena_copy(j->arena, buf_str(&bytes));
	buf_free(&bytes);
	return good || tape_refuse(j, "a body is not the base64 that it should be");
}

/* The digest of a body is that of its bytes, or the cassette is not what was recorded. */
static bool tape_read_body(struct tape_job *j, struct val body, struct tape_body *out)
{
	struct val sha = val_get(body, STR("sha256")), size = val_get(body, STR("size"));
	struct digest want;
	uint64_t n;

	*out = (struct tape_body){ .lost = val_is(val_get(body, STR("lost")), JSON_TRUE) };
	if (val_is_unset(body))
		return true;
	if (!val_is(body, JSON_OBJECT))
		return tape_refuse(j, "a body is no object");
	if (!val_has(body, STR("inline"))) {
		out->lost = true;
		return true;
	}
	if (!tape_read_bytes(j, body, &out->bytes))
		return false;
	if (!out->bytes.p)
		out->bytes = STR("");
	if (!val_is(sha, JSON_STRING) || !digest_parse(val_raw(sha), &want))
		return tape_refuse(j, "a body has no digest (sha256)");
	if (!digest_eq(want, sha256_of(&j->sha, out->bytes)))
		return tape_refuse(j, "the digest of a body (sha256) is not that of its bytes");
	if (tape_read_u64(size, &n) && n != out->bytes.n)
		return tape_refuse(j, "the size of a body is not that of its bytes");
	return true;
}

/* ---- exchanges over HTTP ---- */

static void tape_read_headers(struct tape_job *j, struct val headers, struct tape_http *h)
{
	struct val_iter it = val_begin(headers);
	struct val key, value;

	h->headers = arena_array(j->arena, struct http_header, val_count(headers) + 1);
	while (val_next_member(&it, &key, &value))
		if (val_is(value, JSON_STRING))
			h->headers[h->header_count++] =
				(struct http_header){ val_text(key, j->arena), val_text(value, j->arena) };
}

static bool tape_read_chunks(struct tape_job *j, struct val chunks, struct tape_http *h)
{
	struct val_iter it = val_begin(chunks), pair;
	uint64_t before = 0;
	struct val one;

	h->chunks = arena_array(j->arena, struct tape_chunk, val_count(chunks) + 1);
	while (val_next(&it, &one)) {
		struct tape_chunk c = { 0 };
		struct val offset = VAL_NONE, delay = VAL_NONE;

		pair = val_begin(one);
		if (!val_next(&pair, &offset) || !val_next(&pair, &delay) || !tape_read_u64(offset, &c.offset) ||
		    !tape_read_u64(delay, &c.delay_us))
			return tape_refuse(j, "a chunk is not a pair of numbers, its place and its delay");
		if (c.offset < before || c.offset > h->answer.bytes.n)
			return tape_refuse(j, "the places of chunks are not in order, or behind the end of the answer");
		before = c.offset;
		h->chunks[h->chunk_count++] = c;
	}
	return true;
}

static bool tape_read_end_word(struct tape_job *j, struct val end, enum tape_end *out)
{
	static const char *const words[] = {
		[TAPE_EOF] = "eof", [TAPE_CUT] = "cut", [TAPE_CLIENT_LEFT] = "client_left", [TAPE_REFUSED] = "refused",
	};

	for (size_t i = 0; i < COUNT(words); i++)
		if (val_text_is(end, str_from(words[i]))) {
			*out = (enum tape_end)i;
			return true;
		}
	return tape_refuse(j, "the end of an answer is not one of eof, cut, client_left, refused");
}

static bool tape_read_http(struct tape_job *j, struct val v, struct tape_http *h)
{
	struct val req = val_get(v, STR("req")), resp = val_get(v, STR("resp"));
	uint64_t status = 0, socket;

	h->provider = val_get_text(v, STR("provider"), j->arena);
	h->base = val_get_text(v, STR("base"), j->arena);
	h->endpoint = val_get_text(v, STR("endpoint"), j->arena);
	h->method = val_get_text(req, STR("method"), j->arena);
	h->target = val_get_text(req, STR("target"), j->arena);
	h->versions = versions_of_recorded(j->arena, val_get(req, STR("headers")));
	if (tape_read_u64(val_get(v, STR("socket")), &socket))
		h->socket = socket + 1;
	if (!tape_read_body(j, val_get(req, STR("body")), &h->request) ||
	    !tape_read_body(j, val_get(resp, STR("body")), &h->answer))
		return false;
	if (tape_read_u64(val_get(resp, STR("status")), &status) && status > 999)
		return tape_refuse(j, "the status of an answer has more than three digits");
	h->status = (int)status;
	tape_read_headers(j, val_get(resp, STR("headers")), h);
	return tape_read_chunks(j, val_get(resp, STR("chunks")), h) &&
	       tape_read_end_word(j, val_get(resp, STR("end")), &h->end);
}

/* ---- messages of MCP ---- */

static bool tape_read_message(struct tape_job *j, struct val v, struct tape_message *m)
{
	struct val from = val_get(v, STR("from"));

	m->server = val_get_text(v, STR("server"), j->arena);
	m->instance = val_get_text(v, STR("instance"), j->arena);
	m->client = val_text_is(from, STR("client"));
	if (!m->client && !val_text_is(from, STR("server")))
		return tape_refuse(j, "a message of MCP is from neither \"client\" nor \"server\"");
	tape_read_u64(val_get(v, STR("delay_us")), &m->delay_us);
	return tape_read_body(j, val_get(v, STR("body")), &m->body);
}

/* ---- commands ---- */

static bool tape_read_argv(struct tape_job *j, struct val argv, struct tape_command *c)
{
	struct val_iter it = val_begin(argv);
	struct val one;

	c->argv = arena_array(j->arena, struct str, val_count(argv) + 1);
	while (val_next(&it, &one)) {
		c->argv[c->argc] = tape_text(j->arena, one);
		if (!c->argv[c->argc++].p)
			return tape_refuse(j, "an argument of a command is neither a text nor base64");
	}
	return c->argc > 0 || tape_refuse(j, "a command has no arguments, not even its name");
}

static bool tape_read_io(struct tape_job *j, struct val io, struct tape_command *c)
{
	struct val_iter it = val_begin(io);
	struct val one;

	c->pieces = arena_array(j->arena, struct tape_piece, val_count(io) + 1);
	while (val_next(&it, &one)) {
		struct val_iter parts = val_begin(one);
		struct val stream = VAL_NONE, text = VAL_NONE, delay = VAL_NONE;
		struct tape_piece *p = &c->pieces[c->piece_count++];

		if (!val_next(&parts, &stream) || !val_next(&parts, &text))
			return tape_refuse(j, "a piece of output is no list of a stream and a text");
		p->error = val_text_is(stream, STR("e"));
		p->bytes = tape_text(j->arena, text);
		if (!p->bytes.p || (!p->error && !val_text_is(stream, STR("o"))))
			return tape_refuse(j, "a piece of output has no text, or a stream that is neither o nor e");
		if (val_next(&parts, &delay))
			tape_read_u64(delay, &p->delay_us);
	}
	return true;
}

static int tape_read_int(struct val v)
{
	uint64_t n;

	return tape_read_u64(v, &n) && n < INT32_MAX ? (int)n : -1;
}

static bool tape_read_command(struct tape_job *j, struct val v, struct tape_command *c)
{
	struct val req = val_get(v, STR("req")), resp = val_get(v, STR("resp")), env = val_get(req, STR("env"));

	c->cwd = tape_text(j->arena, val_get(req, STR("cwd")));
	c->stdin_sha256 = val_get_text(req, STR("stdin_sha256"), j->arena);
	c->env = val_is(env, JSON_OBJECT) ? val_source(env) : STR("{}");
	c->id = val_get_text(v, STR("command"), j->arena);
	c->parent = val_get_text(v, STR("parent"), j->arena);
	c->cut = val_is(val_get(resp, STR("cut")), JSON_TRUE);
	c->exit = tape_read_int(val_get(resp, STR("exit")));
	c->signal = tape_read_int(val_get(resp, STR("signal")));
	if ((c->exit < 0) == (c->signal < 0))
		return tape_refuse(j, "a command has neither an exit status nor a signal, or both");
	return tape_read_argv(j, val_get(req, STR("argv")), c) && tape_read_io(j, val_get(resp, STR("io")), c);
}

/* ---- lines ---- */

static bool tape_read_head(struct tape_job *j, struct val v)
{
	struct val redacted = val_get(v, STR("redacted")), with = val_get(v, STR("redacted_with"));
	struct str started = val_get_text(v, STR("started"), j->arena);
	struct stamp stamp;
	int64_t ns;

	if (!val_text_is(val_get(v, STR("v")), STR(TAPE_VERSION)))
		return err_set(j->err, ERR_DATA, "%.*s:%llu: this is no cassette: its first line does not say "
			       "\"v\":\"" TAPE_VERSION "\"" ERR_HELP "name a run that was recorded with its content, "
			       "or its cassette.jsonl", STR_ARG(j->name), (unsigned long long)j->number);
	j->has_head = true;
	j->out->run_id = val_get_text(v, STR("run_id"), j->arena);
	j->out->redacted = val_is(redacted, JSON_TRUE) || val_is(redacted, JSON_OBJECT) || val_is(with, JSON_STRING);
	j->out->redacted_with = val_text_or_none(with, j->arena);
	j->out->redacted_secrets = val_text_is(val_get(v, STR("redacted_what")), STR("secrets"));
	if (!j->out->redacted_with.p && val_is(redacted, JSON_OBJECT))
		j->out->redacted_with = val_get_text(redacted, STR("key"), j->arena);
	if (val_i64(val_get(v, STR("clock0_us")), &j->out->clock0_us))
		return true;
	if (!started.p || !stamp_parse(started, &stamp) || !stamp_ns(&stamp, &ns))
		return tape_refuse(j, "the header does not say when the run began (clock0_us)");
	j->out->clock0_us = ns / 1000;
	return true;
}

static void tape_read_ending(struct tape_job *j, struct val v)
{
	struct tape_ending *e = &j->out->ending;
	struct val output = val_get(v, STR("stdout"));

	e->known = true;
	e->exit_status = val_get_text(v, STR("exit_status"), j->arena);
	e->error = val_get_text(v, STR("error_message"), j->arena);
	e->code = tape_read_int(val_get(v, STR("exit_code")));
	e->output_sha256 = val_get_text(output, STR("sha256"), j->arena);
	e->has_output = e->output_sha256.p && tape_read_u64(val_get(output, STR("size")), &e->output_size);
	e->terminal = val_is(val_get(output, STR("terminal")), JSON_TRUE);
}

static bool tape_read_times(struct tape_job *j, struct val v, struct tape_line *line)
{
	int64_t lasted = 0;

	if (!val_i64(val_get(v, STR("t_us")), &line->begun_us) || line->begun_us < 0)
		return tape_refuse(j, "a line does not say when it began (t_us)");
	val_i64(val_get(v, STR("dur_us")), &lasted);
	if (lasted < 0 || __builtin_add_overflow(line->begun_us, lasted, &line->ended_us))
		return tape_refuse(j, "a line lasts for a time that cannot be (dur_us)");
	return true;
}

static bool tape_read_line(struct tape_job *j, struct val v)
{
	struct val lane = val_get(v, STR("lane"));
	bool is_mcp = val_text_is(lane, STR("mcp")) ||
		      (val_is(lane, JSON_STRING) && str_starts(val_raw(lane), STR("mcp:")));
	struct tape_line *line;

	arena_grow(j->arena, j->out->lines, j->out->count, j->cap, 256);
	line = &j->out->lines[j->out->count];
	*line = (struct tape_line){ .number = j->number };
	if (!tape_read_u64(val_get(v, STR("x")), &line->x))
		return tape_refuse(j, "a line has no number of an exchange (x)");
	tape_read_u64(val_get(v, STR("group")), &line->group);
	if (!tape_read_times(j, v, line))
		return false;
	j->out->count++;
	if (val_text_is(lane, STR("model")) || (is_mcp && val_has(v, STR("req")))) {
		line->lane = is_mcp ? TAPE_MCP_HTTP : TAPE_MODEL;
		return tape_read_http(j, v, &line->http);
	}
	if (is_mcp) {
		line->lane = TAPE_MCP;
		return tape_read_message(j, v, &line->message);
	}
	line->lane = TAPE_SHELL;
	if (val_text_is(lane, STR("shell")))
		return tape_read_command(j, v, &line->command);
	return err_set(j->err, ERR_DATA, "%.*s:%llu: a line is of a lane that is not known here" ERR_HELP
		       "replay it with the version of trackway that recorded it", STR_ARG(j->name),
		       (unsigned long long)j->number);
}

static bool tape_read_value(struct tape_job *j, struct val v)
{
	if (!j->has_head)
		return tape_read_head(j, v);
	if (!val_is(v, JSON_OBJECT))
		return tape_refuse(j, "a line is no object");
	if (val_is(val_get(v, STR("exit_status")), JSON_STRING) && !val_has(v, STR("x"))) {
		tape_read_ending(j, v);
		return true;
	}
	return tape_read_line(j, v);
}

/* What is torn is the last line of a recorder that was stopped in the middle of it. */
static bool tape_read_lines(struct tape_job *j, struct str text)
{
	struct json_parser *p = json_parser_open((struct json_options){ 0 });
	struct json_issue issue;
	struct json_record record;
	struct json_lines lines;
	enum json_line what;
	bool good = true;

	json_lines_begin(&lines, p, text, 1);
	while (good && (what = json_lines_next(&lines, &record, &issue)) != JSON_LINE_END) {
		j->number = record.line;
		if (what == JSON_LINE_VALUE)
			good = tape_read_value(j, record.value);
		else if (what == JSON_LINE_BAD)
			good = (!record.ended && j->has_head && !j->out->ending.known) ||
			       tape_refuse(j, j->has_head ? "this line is not JSON" : "this is no cassette: not JSON");
	}
	json_parser_close(p);
	return good;
}

/* ---- the whole ---- */

static int tape_by_x(const void *a, const void *b)
{
	const struct tape_line *x = a, *y = b;

	return x->x < y->x ? -1 : x->x > y->x;
}

/* Lines are written when an exchange is over; here they stand in the order of their beginnings. */
static bool tape_sort(struct tape_job *j)
{
	struct tape *t = j->out;
	bool sorted = true;

	for (size_t i = 1; i < t->count && sorted; i++)
		sorted = t->lines[i - 1].x < t->lines[i].x;
	if (sorted)
		return true;
	qsort(t->lines, t->count, sizeof(*t->lines), tape_by_x);
	for (size_t i = 1; i < t->count; i++)
		if (t->lines[i - 1].x == t->lines[i].x) {
			uint64_t a = t->lines[i - 1].number, b = t->lines[i].number;

			j->number = a > b ? a : b;
			return tape_refuse(j, "a number of an exchange (x) is there twice");
		}
	return true;
}

/* [tw:KEYID:...; p NULL when there is none. */
static struct str tape_find_key(struct str bytes)
{
	size_t at;

	while (bytes.n && (at = str_find(bytes, STR("[tw:"))) != (size_t)-1) {
		bytes = str_skip(bytes, at + 4);
		if (bytes.n > REDACT_ID && bytes.p[REDACT_ID] == ':')
			return str_of(bytes.p, REDACT_ID);
	}
	return str_of(NULL, 0);
}

/* The first token in a body tells the key where the header does not. */
static void tape_find_redaction(struct tape *t)
{
	for (size_t i = 0; i < t->count && t->redacted && !t->redacted_with.p; i++) {
		const struct tape_line *l = &t->lines[i];
		bool is_http = l->lane == TAPE_MODEL || l->lane == TAPE_MCP_HTTP;

		if (is_http || l->lane == TAPE_MCP)
			t->redacted_with = tape_find_key(is_http ? l->http.request.bytes : l->message.body.bytes);
		if (is_http && !t->redacted_with.p)
			t->redacted_with = tape_find_key(l->http.answer.bytes);
	}
}

/* `text` is padded, and lives as long as the arena. */
static bool tape_load_text(struct arena *a, struct str name, struct str text, struct tape *out, struct err *err)
{
	struct tape_job j = { .arena = a, .name = name, .out = out, .err = err, .number = 1 };
	char *hex = arena_alloc(a, SHA256_HEX, 1);
	bool good;

	*out = (struct tape){ .ending.code = -1 };
	sha256_init(&j.sha);
	digest_hex(hex, sha256_of(&j.sha, text));
	out->sha256 = str_of(hex, SHA256_HEX);
	good = tape_read_lines(&j, text) &&
	       (j.has_head || tape_refuse(&j, "the cassette is empty: there is no header")) && tape_sort(&j);
	sha256_free(&j.sha);
	if (good)
		tape_find_redaction(out);
	return good;
}

bool tape_load_memory(struct arena *a, struct str name, struct str bytes, struct tape *out, struct err *err)
{
	char *text;

	if (bytes.n > TAPE_MOST)
		return err_set(err, ERR_LIMIT, "%.*s is larger than a cassette may be, 4 GiB", STR_ARG(name));
	text = arena_alloc(a, bytes.n + JSON_PAD, 1);
	if (bytes.n)
		memcpy(text, bytes.p, bytes.n);
	return tape_load_text(a, name, str_of(text, bytes.n), out, err);
}

bool tape_load(struct arena *a, struct str path, struct tape *out, struct err *err)
{
	struct arena scratch;
	struct str bytes;
	bool good;

	arena_init(&scratch);
	good = file_read(&scratch, path, TAPE_MOST, &bytes, err) && tape_load_memory(a, path, bytes, out, err);
	arena_free(&scratch);
	return good;
}

const struct tape_line *tape_find(const struct tape *t, uint64_t x)
{
	struct tape_line key = { .x = x };

	return t->count ? bsearch(&key, t->lines, t->count, sizeof(*t->lines), tape_by_x) : NULL;
}
