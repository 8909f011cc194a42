/*
 * What must hold inside of a cassette's lines, beyond their tables (cassette_types.c), and between them. What a replay
 * refuses is an error here; what older recorders did not write is none.
 */
#include "dialect/exchange/cassette_check.h"

#include "base/ascii.h"
#include "base/clock.h"
#include "base/crypto/base64.h"
#include "base/crypto/sha256.h"
#include "base/id.h"
#include "dialect/exchange/cassette_check_rules.h"
#include "dialect/exchange/cassette_types.h"
#include "dialect/identity.h"
#include "dialect/otutl/otutl.h"
#include "dialect/values.h"

/* ---- one line ---- */

enum cassette_kind { CASSETTE_IS_LINE, CASSETTE_IS_HEAD, CASSETTE_IS_END };

/* What the fold needs to know of a line. */
struct cassette_fact {
	struct identity id; /* of its x */
	int64_t x;
	enum cassette_kind kind;
	bool promises_end; /* of a header, as is the next one */
	bool redacted;
	bool has_token; /* of redaction, in a body */
};

/* "[tw:", the eight letters of a key, ":", as doc/redact.md has it. */
static bool cassette_has_token(struct str text)
{
	size_t at, i;

	while ((at = str_find(text, STR("[tw:"))) != (size_t)-1) {
		text = str_skip(text, at + 4);
		for (i = 0; i < 8 && i < text.n && (ascii_is_lower(text.p[i]) || ascii_is_digit(text.p[i]));)
			i++;
		if (i == 8 && text.n > 8 && text.p[8] == ':')
			return true;
	}
	return false;
}

/* A digest of content that was redacted is a token; that of a body is not, for it is made anew. */
static void cassette_check_digest(struct record_scan *s, struct val object, struct str name, bool may_be_token)
{
	struct val v = val_get(object, name);
	struct digest digest;

	if (val_is(v, JSON_STRING) && !digest_parse(val_raw(v), &digest) &&
	    !(may_be_token && cassette_has_token(val_raw(v))))
		record_note(s, CASSETTE_DIGEST, v, "%.*s must be 64 of the digits 0-9 and a-f, found %.*s",
			    STR_ARG(name), STR_ARG(record_show(s, v)));
}

/* What a body decodes to, in the arena or the line. False when nothing can be held against digest and size. */
static bool cassette_decode(struct record_scan *s, struct val body, struct str *out)
{
	struct val enc = val_get(body, STR("enc")), bytes = val_get(body, STR("inline"));
	struct buf raw = { 0 };
	bool good;

	if (val_text_is(enc, STR("json"))) {
		*out = val_source(bytes);
		return true;
	}
	if (!val_text_is(enc, STR("utf8")) && !val_text_is(enc, STR("base64"))) {
		if (val_is_unset(enc))
			record_note(s, CASSETTE_ENC, body, "the body has bytes (inline) and no enc");
		return false;
	}
	if (!val_is(bytes, JSON_STRING)) {
		record_note(s, CASSETTE_BYTES, bytes, "inline must be a string, as enc is not json");
		return false;
	}
	*out = val_text(bytes, s->arena);
	if (val_text_is(enc, STR("utf8")))
		return true;
	good = base64_parse(&raw, *out);
	if (good)
		*out = arena_copy(s->arena, buf_str(&raw));
	else
		record_note(s, CASSETTE_BYTES, bytes, "inline must be base64, as enc says");
	buf_free(&raw);
	return good;
}

static void cassette_compare(struct record_scan *s, struct val body, struct str bytes)
{
	struct val said = val_get(body, STR("sha256")), size = val_get(body, STR("size"));
	struct sha256 sha;
	struct digest want;
	bool same = true;
	int64_t n;

	if (val_is_unset(said)) {
		record_note(s, CASSETTE_MISSING, body, "the body has no sha256");
	} else if (val_is(said, JSON_STRING) && digest_parse(val_raw(said), &want)) {
		sha256_init(&sha);
		same = digest_eq(want, sha256_of(&sha, bytes));
		sha256_free(&sha);
	}
	if (!same)
		record_note(s, CASSETTE_BODY_DIGEST, said, "sha256 is not the digest of the bytes in inline");
	if (val_i64(size, &n) && n >= 0 && (uint64_t)n != bytes.n)
		record_note(s, CASSETTE_SIZE, size, "size is %lld, and inline has %zu bytes", (long long)n, bytes.n);
}

/* The bytes of a body are the evidence; what is said of them must agree. *size: SIZE_MAX when it is not known. */
static void cassette_check_body(struct record_scan *s, struct val half, struct cassette_fact *fact, size_t *size)
{
	struct val body = val_get(half, STR("body"));
	struct str bytes = { NULL, 0 };

	*size = val_is_unset(body) ? 0 : SIZE_MAX;
	if (!val_is(body, JSON_OBJECT))
		return;
	cassette_check_digest(s, body, STR("sha256"), false);
	if (!val_has(body, STR("inline"))) {
		if (!val_is(val_get(body, STR("lost")), JSON_TRUE))
			record_note(s, CASSETTE_BYTES, body, "the body has no bytes (inline), and is not lost");
		return;
	}
	if (!cassette_decode(s, body, &bytes))
		return;
	*size = bytes.n;
	fact->has_token = fact->has_token || (bytes.n && cassette_has_token(bytes));
	cassette_compare(s, body, bytes.n ? bytes : STR(""));
}

static bool cassette_pair(struct val pair, int64_t *offset, int64_t *delay)
{
	struct val_iter it = val_begin(pair);
	struct val a, b, more;

	return val_is(pair, JSON_ARRAY) && val_next(&it, &a) && val_next(&it, &b) && !val_next(&it, &more) &&
	       val_i64(a, offset) && val_i64(b, delay) && *offset >= 0 && *delay >= 0;
}

/* One finding is enough: what follows a chunk that is wrong is seldom right. */
static void cassette_check_chunks(struct record_scan *s, struct val chunks, size_t size)
{
	int64_t before = 0, offset, delay;

	VALUES_EACH(pair, chunks) {
		if (!cassette_pair(pair, &offset, &delay)) {
			record_note(s, CASSETTE_CHUNKS, pair, "a chunk must be [offset, delay_us], neither negative");
			break;
		}
		if (offset < before || (uint64_t)offset > size) {
			record_note(s, CASSETTE_CHUNKS, pair, offset < before ?
				    "the chunk begins before the one before it" :
				    "the chunk begins behind the end of the answer");
			break;
		}
		before = offset;
	}
}

static void cassette_check_exchange(struct record_scan *s, struct val root, struct cassette_fact *fact)
{
	struct val resp = val_get(root, STR("resp"));
	size_t size;

	cassette_check_body(s, val_get(root, STR("req")), fact, &size);
	cassette_check_body(s, resp, fact, &size);
	cassette_check_chunks(s, val_get(resp, STR("chunks")), size);
}

/* A text, or {"base64":..} of what is none. */
static bool cassette_is_text(struct record_scan *s, struct val v)
{
	struct val packed = val_get(v, STR("base64"));
	struct buf raw = { 0 };
	bool good = val_is(v, JSON_STRING);

	if (!good && val_is(packed, JSON_STRING))
		good = base64_parse(&raw, val_text(packed, s->arena));
	buf_free(&raw);
	return good;
}

static void cassette_check_piece(struct record_scan *s, struct val piece)
{
	static const struct str streams[] = { WORD("o"), WORD("e") };
	struct val_iter it = val_begin(piece);
	struct val stream, text, delay;
	int64_t us = 0;
	bool good = val_is(piece, JSON_ARRAY) && val_next(&it, &stream) && val_next(&it, &text) &&
		    val_is(stream, JSON_STRING) && values_is_word(stream, streams, COUNT(streams)) &&
		    cassette_is_text(s, text);

	if (!good || (val_next(&it, &delay) && (!val_i64(delay, &us) || us < 0)))
		record_note(s, CASSETTE_IO, piece, "a piece must be [\"o\" or \"e\", text, delay_us]");
}

static void cassette_check_command(struct record_scan *s, struct val root)
{
	struct val req = val_get(root, STR("req")), resp = val_get(root, STR("resp"));
	struct val argv = val_get(req, STR("argv"));

	cassette_check_digest(s, req, STR("stdin_sha256"), true);
	if (val_is(argv, JSON_ARRAY) && val_count(argv) == 0)
		record_note(s, CASSETTE_ARGV, argv, "argv must have at least the program's name");
	VALUES_EACH(one, argv)
		if (!cassette_is_text(s, one))
			record_note(s, CASSETTE_ARGV, one, "an argument must be a text or {\"base64\":..}, found %.*s",
				    STR_ARG(record_show(s, one)));
	VALUES_EACH(piece, val_get(resp, STR("io")))
		cassette_check_piece(s, piece);
	if (val_is(resp, JSON_OBJECT) &&
	    val_is_unset(val_get(resp, STR("exit"))) == val_is_unset(val_get(resp, STR("signal"))))
		record_note(s, CASSETTE_EXIT, resp, "exactly one of exit and signal must be a number");
}

/* Which of the tables a line is to be held against. A message of MCP on standard streams has no request. */
static const struct record_type *cassette_type_of(struct val root)
{
	struct val lane = val_get(root, STR("lane"));
	bool is_mcp = val_text_is(lane, STR("mcp")) ||
		      (val_is(lane, JSON_STRING) && str_starts(val_raw(lane), STR("mcp:")));

	if (val_text_is(lane, STR("model")) || (is_mcp && val_has(root, STR("req"))))
		return &cassette_exchange_type;
	return is_mcp ? &cassette_message_type :
	       val_text_is(lane, STR("shell")) ? &cassette_command_type : &cassette_line_type;
}

static void cassette_check_line(struct record_scan *s, struct val root, struct cassette_fact *fact)
{
	const struct record_type *type = cassette_type_of(root);
	struct val x = val_get(root, STR("x")), lane = val_get(root, STR("lane"));
	uint32_t at[RECORD_FIELDS];
	size_t size;

	record_check_object(s, root, type, at);
	if (type == &cassette_line_type && val_is(lane, JSON_STRING))
		record_note(s, CASSETTE_LANE, lane, "lane must be model, shell, mcp or mcp:NAME, found %.*s",
			    STR_ARG(record_show(s, lane)));
	if (type == &cassette_exchange_type)
		cassette_check_exchange(s, root, fact);
	else if (type == &cassette_message_type)
		cassette_check_body(s, root, fact, &size);
	else if (type == &cassette_command_type)
		cassette_check_command(s, root);
	if (val_i64(x, &fact->x) && fact->x >= 0)
		fact->id = identity_make(s, arena_printf(s->arena, "%lld", (long long)fact->x), x);
}

/* The beginning is said as a number, as a text, or as both, which are then the same microsecond. */
static void cassette_check_clock(struct record_scan *s, struct val root)
{
	struct val clock = val_get(root, STR("clock0_us")), started = val_get(root, STR("started"));
	struct stamp stamp;
	int64_t us, ns;

	if (val_is_unset(clock) && val_is_unset(started))
		record_note(s, CASSETTE_CLOCK, root, "the header has neither clock0_us nor started");
	else if (val_i64(clock, &us) && us >= 0 && val_is(started, JSON_STRING) &&
		 stamp_parse(val_text(started, s->arena), &stamp) && stamp_ns(&stamp, &ns) && ns / 1000 != us)
		record_note(s, CASSETTE_CLOCK, clock, "clock0_us is not the moment that started says");
}

static void cassette_check_head(struct record_scan *s, struct val root, struct cassette_fact *fact)
{
	struct val id = val_get(root, STR("run_id")), redacted = val_get(root, STR("redacted"));
	struct val from = val_get(root, STR("forked_from")), hash = val_get(from, STR("run_hash"));
	struct val with = val_get(root, STR("redacted_with"));
	struct str label = STR(OTUTL_LABEL_RUN), text = val_is(hash, JSON_STRING) ? val_raw(hash) : str_of(NULL, 0);
	struct digest digest;
	uint32_t at[RECORD_FIELDS];

	record_check_object(s, root, &cassette_head_type, at);
	if (val_is(id, JSON_STRING) && !id_is_uuid(val_text(id, s->arena)))
		record_note(s, CASSETTE_RUN_ID, id, "run_id must be a UUID, found %.*s",
			    STR_ARG(record_show(s, id)));
	cassette_check_clock(s, root);
	cassette_check_digest(s, val_get(root, STR("normalize")), STR("rules_sha256"), false);
	if (text.p && !cassette_has_token(text) &&
	    (!str_starts(text, label) || !digest_parse(str_skip(text, label.n), &digest)))
		record_note(s, CASSETTE_FORKED, hash, "run_hash must be " OTUTL_LABEL_RUN " and a digest, found %.*s",
			    STR_ARG(record_show(s, hash)));
	fact->redacted = val_is(redacted, JSON_TRUE) || val_is(redacted, JSON_OBJECT);
	if (!val_is_unset(with) && !fact->redacted)
		record_note(s, CASSETTE_REDACTED, with, "redacted must be true where redacted_with is");
	fact->promises_end = val_is(val_get(root, STR("end_line")), JSON_TRUE);
}

static void cassette_check_end(struct record_scan *s, struct val root)
{
	struct val out = val_get(root, STR("stdout"));
	uint32_t at[RECORD_FIELDS];

	record_check_object(s, root, &cassette_end_type, at);
	cassette_check_digest(s, out, STR("sha256"), true);
	if (val_is(out, JSON_OBJECT) &&
	    val_is_unset(val_get(out, STR("sha256"))) != val_is_unset(val_get(out, STR("size"))))
		record_note(s, CASSETTE_STDOUT, out, "stdout must have both sha256 and size, or neither");
}

static void cassette_check(struct record_scan *s, struct val root, void *fact)
{
	struct cassette_fact *f = fact;

	if (val_has(root, STR("v"))) {
		f->kind = CASSETTE_IS_HEAD;
		cassette_check_head(s, root, f);
	} else if (val_has(root, STR("exit_status")) && !val_has(root, STR("x"))) {
		f->kind = CASSETTE_IS_END;
		cassette_check_end(s, root);
	} else {
		cassette_check_line(s, root, f);
	}
}

/* ---- between the lines ---- */

struct cassette_state {
	struct identities seen; /* of every x; identities_begin has it first */
	uint64_t lines, last;   /* of exchanges, and the largest number of one */
	bool begun, ended;      /* a line was read; the last one was */
	bool has_head, promises_end, redacted, told_token, told_end;
};

static void cassette_add_head_fact(struct record_fold *f, const struct cassette_fact *fact,
				   const struct record_place *place)
{
	struct cassette_state *t = f->state;

	if (t->begun && fact->kind == CASSETTE_IS_HEAD)
		record_fold_note(f, CASSETTE_HEADER, place, 0, 1, STR(""), t->has_head ?
				 "the header comes again" : "the header is not the first line");
	if (!t->begun && fact->kind != CASSETTE_IS_HEAD)
		record_fold_note(f, CASSETTE_HEADER, place, 0, 1, STR(""), "the first line is not the header");
	t->begun = true;
	if (fact->kind != CASSETTE_IS_HEAD)
		return;
	t->has_head = true;
	t->promises_end = fact->promises_end;
	t->redacted = fact->redacted;
}

static void cassette_add_line(struct record_fold *f, const struct cassette_fact *fact,
			      const struct record_place *place)
{
	static const struct identity_kind kind = {
		CASSETTE_TWICE, CASSETTE_LIMIT, "/x", "an earlier line has this number",
	};
	struct cassette_state *t = f->state;

	if (t->ended && !t->told_end)
		record_fold_note(f, CASSETTE_AFTER_END, place, 0, 1, STR(""),
				 "the line that ends the run is before this one");
	t->told_end = t->ended;
	t->ended = t->ended || fact->kind == CASSETTE_IS_END;
	if (fact->has_token && t->has_head && !t->redacted && !t->told_token) {
		record_fold_note(f, CASSETTE_TOKEN, place, 0, 1, STR(""),
				 "a body has a token of redaction, and the header does not say \"redacted\":true");
		t->told_token = true;
	}
	t->lines += fact->kind == CASSETTE_IS_LINE;
	if (!fact->id.is_known)
		return;
	identities_add(f, &fact->id, place, &kind);
	t->last = (uint64_t)fact->x > t->last ? (uint64_t)fact->x : t->last;
}

static void cassette_fold_add(struct record_fold *f, const struct record_batch *b)
{
	const struct cassette_fact *facts = (const void *)b->facts.p;

	for (size_t i = 0; i < record_batch_count(b); i++) {
		cassette_add_head_fact(f, &facts[i], record_batch_place(b, i));
		cassette_add_line(f, &facts[i], record_batch_place(b, i));
	}
}

/* Lines that cannot be read have numbers as well. */
static bool cassette_lost_lines(const struct record_fold *f)
{
	const struct findings *all = f->findings;

	for (size_t i = 0; i < all->counts_count; i++)
		for (unsigned rule = CASSETTE_UTF8; rule <= CASSETTE_TORN; rule++)
			if (rule != CASSETTE_UNKNOWN && rule != CASSETTE_MISSING && rule != CASSETTE_TYPE &&
			    str_eq(str_from(all->counts[i].code), str_from(f->rules[rule].code)))
				return true;
	return false;
}

/* Of a run that broke off the numbers of what was open are missing, and that is no news. */
static void cassette_fold_finish(struct record_fold *f)
{
	struct cassette_state *t = f->state;

	if (t->promises_end && !t->ended) {
		record_fold_note(f, CASSETTE_NO_END, NULL, 0, 0, STR(""),
				 "the header announces a last line, and there is none");
		f->tally->interrupted = true;
		return;
	}
	if (t->lines && t->last >= t->lines && !cassette_lost_lines(f))
		record_fold_note(f, CASSETTE_HOLE, NULL, 0, 0, STR(""),
				 "numbers go up to %llu, and %llu lines have one",
				 (unsigned long long)t->last, (unsigned long long)t->lines);
}

const struct record_format cassette_format = {
	.on_utf8 = CASSETTE_UTF8,
	.on_syntax = CASSETTE_SYNTAX,
	.on_duplicate = CASSETTE_DUPLICATE,
	.on_not_object = CASSETTE_NOT_OBJECT,
	.on_missing = CASSETTE_MISSING,
	.on_type = CASSETTE_TYPE,
	.on_unknown = CASSETTE_UNKNOWN,
	.on_blank = RECORD_NO_RULE,
	.on_torn = CASSETTE_TORN,
	.on_empty = CASSETTE_EMPTY,
	.on_secret = RECORD_NO_RULE,
	.strict_wants_optional = true,
	.fact_size = sizeof(struct cassette_fact),
	.check = cassette_check,
	.state_size = sizeof(struct cassette_state),
	.begin = identities_begin,
	.add = cassette_fold_add,
	.finish = cassette_fold_finish,
};
