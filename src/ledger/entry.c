/*
 * Writes the members by hand, in canonical order; reads them from a tape, on which it also checks that the bytes are
 * canonical, and asks the canonical writer only where the tape leaves doubt.
 */
#include "ledger/entry.h"

#include <assert.h>

#include "base/ascii.h"
#include "base/crypto/hex.h"
#include "base/utf8.h"
#include "json/canon.h"

#define PART_MAX 200  /* bytes of a part of a path */
#define PART_KEPT 160 /* of one that is longer */
#define PART_HASH 16  /* digits behind them */
#define SHOWN_ID 60   /* bytes of an id in a message */

static const char *const kinds[ENTRY_KINDS] = {
	[ENTRY_TRIAL] = "trial",         [ENTRY_RUN] = "run",     [ENTRY_REVIEW] = "review",
	[ENTRY_SUPERSEDE] = "supersede", [ENTRY_ARTIFACT] = "artifact", [ENTRY_ERASE] = "erase",
	[ENTRY_KEY] = "key",             [ENTRY_BENCH] = "bench",
};

const char *entry_kind_name(enum entry_kind k)
{
	return kinds[k];
}

bool entry_may_refer(enum entry_kind from, enum entry_kind to)
{
	bool to_run = to == ENTRY_RUN || to == ENTRY_BENCH;

	return to == ENTRY_TRIAL || (to_run && (from == ENTRY_ARTIFACT || from == ENTRY_ERASE));
}

static bool parse_kind(struct str name, enum entry_kind *out)
{
	for (int k = 0; k < ENTRY_KINDS; k++)
		if (str_eq(name, str_from(kinds[k]))) {
			*out = (enum entry_kind)k;
			return true;
		}
	return false;
}

/* ---- writing: members in the order of RFC 8785, which for these names is that of the alphabet ---- */

/* Escapes are the shortest there are, and only where there must be one. */
static void add_escape(struct buf *out, unsigned char c)
{
	static const char letters[] = "btn_fr"; /* for 8 to 13; 11 has none */

	if (c == '"' || c == '\\') {
		buf_add_byte(out, '\\');
		buf_add_byte(out, (char)c);
	} else if (c >= 8 && c <= 13 && c != 11) {
		buf_add_byte(out, '\\');
		buf_add_byte(out, letters[c - 8]);
	} else {
		buf_printf(out, "\\u%04x", c);
	}
}

static void add_quoted(struct buf *out, struct str s)
{
	buf_add_byte(out, '"');
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		if (c < 0x20 || c == '"' || c == '\\')
			add_escape(out, c);
		else
			buf_add_byte(out, (char)c);
	}
	buf_add_byte(out, '"');
}

/* The buffer holds at least the brace of the object at hand: its last byte tells whether a comma is due. */
static void entry_add_name(struct buf *out, const char *name)
{
	char last = out->p[out->n - 1];

	buf_printf(out, "%s\"%s\":", last == '{' ? "" : ",", name);
}

static void entry_put_text(struct buf *out, const char *name, struct str value)
{
	if (!value.p)
		return;
	entry_add_name(out, name);
	add_quoted(out, value);
}

static void add_digest(struct buf *out, const char *name, struct digest d)
{
	char hex[SHA256_HEX];

	digest_hex(hex, d);
	entry_put_text(out, name, str_of(hex, sizeof(hex)));
}

static void add_number(struct buf *out, const char *name, uint64_t n)
{
	entry_add_name(out, name);
	buf_printf(out, "%llu", (unsigned long long)n);
}

static void add_open(struct buf *out, const char *name)
{
	entry_add_name(out, name);
	buf_add_byte(out, '{');
}

static void add_ref(struct buf *out, const char *name, const struct entry_ref *r)
{
	if (!r->given)
		return;
	add_open(out, name);
	add_number(out, "index", r->index);
	add_digest(out, "leaf", r->leaf);
	entry_put_text(out, "trial_id", r->trial_id);
	buf_add_byte(out, '}');
}

static void add_pins(struct buf *out, const struct entry *e)
{
	if (!e->pins.given)
		return;
	add_open(out, "pins");
	add_digest(out, "agent", e->pins.agent);
	add_digest(out, "environment", e->pins.environment);
	add_digest(out, "inputs", e->pins.inputs);
	add_digest(out, "task", e->pins.task);
	buf_add_byte(out, '}');
}

static void add_record(struct buf *out, const struct entry *e)
{
	if (!e->record.given)
		return;
	add_open(out, "record");
	entry_put_text(out, "alg", STR("sha256"));
	add_digest(out, "hex", e->record.digest);
	entry_put_text(out, "media", e->record.media);
	add_number(out, "size", e->record.size);
	buf_add_byte(out, '}');
}

/* A run says what it is itself, a trial what belongs to it. */
static void add_run(struct buf *out, const struct entry *e)
{
	if (!e->run.hash.p)
		return;
	if (e->kind == ENTRY_RUN) {
		entry_put_text(out, "run_hash", e->run.hash);
		entry_put_text(out, "run_root", e->run.root);
		return;
	}
	add_open(out, "run");
	entry_put_text(out, "hash", e->run.hash);
	add_number(out, "records", e->run.records);
	entry_put_text(out, "root", e->run.root);
	buf_add_byte(out, '}');
}

static void add_file_list(struct buf *out, const struct entry *e)
{
	buf_add_byte(out, '[');
	for (size_t i = 0; i < e->file_count; i++) {
		buf_add_str(out, i ? STR(",{") : STR("{"));
		entry_put_text(out, "name", e->files[i].name);
		add_digest(out, "sha256", e->files[i].digest);
		add_number(out, "size", e->files[i].size);
		buf_add_byte(out, '}');
	}
	buf_add_byte(out, ']');
}

static void add_files(struct buf *out, const struct entry *e)
{
	if (e->file_count == 0)
		return;
	entry_add_name(out, "files");
	add_file_list(out, e);
}

static void add_forked_from(struct buf *out, const struct entry *e)
{
	if (!e->forked_from.given)
		return;
	add_open(out, "forked_from");
	entry_put_text(out, "run_hash", e->forked_from.run_hash);
	add_number(out, "seq", e->forked_from.seq);
	buf_add_byte(out, '}');
}

static void add_suites(struct buf *out, const struct entry *e)
{
	char hex[SHA256_HEX];

	if (e->suite_count == 0)
		return;
	entry_add_name(out, "suites");
	for (size_t i = 0; i < e->suite_count; i++) {
		digest_hex(hex, e->suites[i]);
		buf_printf(out, "%c\"%.*s\"", i ? ',' : '[', SHA256_HEX, hex);
	}
	buf_add_byte(out, ']');
}

/* Text comes from command lines too, where anything can stand. */
static bool check_text(const struct entry *e, struct err *err)
{
	const struct {
		const char *name;
		struct str text;
	} all[] = {
		{ "id", e->id }, { "experiment", e->experiment }, { "completeness", e->completeness },
		{ "reason", e->reason }, { "media", e->record.media }, { "trial_id", e->ref.trial_id },
		{ "trial_id", e->by.trial_id }, { "run_hash", e->forked_from.run_hash },
	};

	for (size_t i = 0; i < COUNT(all); i++)
		if (utf8_check(all[i].text) != all[i].text.n)
			return err_set(err, ERR_DATA, "the %s of a ledger entry is not UTF-8", all[i].name);
	for (size_t i = 0; i < e->file_count; i++)
		if (utf8_check(e->files[i].name) != e->files[i].name.n)
			return err_set(err, ERR_DATA, "the name of a file in a ledger entry is not UTF-8");
	if (e->reason.n > ENTRY_REASON_MAX)
		return err_set(err, ERR_LIMIT, "a reason has at most %d bytes, this one has %zu", ENTRY_REASON_MAX,
			       e->reason.n);
	return true;
}

bool entry_add_text(struct buf *out, const struct entry *e, struct err *err)
{
	size_t before = out->n;

	if (!check_text(e, err))
		return false;
	buf_add_byte(out, '{');
	add_ref(out, "by", &e->by);
	entry_put_text(out, "completeness", e->completeness);
	entry_put_text(out, "experiment", e->experiment);
	add_files(out, e);
	add_forked_from(out, e);
	entry_put_text(out, "id", e->id);
	entry_put_text(out, "kind", str_from(kinds[e->kind]));
	add_pins(out, e);
	entry_put_text(out, "reason", e->reason);
	add_record(out, e);
	add_ref(out, "ref", &e->ref);
	add_run(out, e);
	entry_put_text(out, "sealed_at", e->sealed_at);
	add_suites(out, e);
	entry_put_text(out, "v", STR(ENTRY_VERSION));
	buf_add_byte(out, '}');
	if (out->n - before <= ENTRY_MAX)
		return true;
	err_set(err, ERR_LIMIT, "the ledger entry of '%.*s' would have %zu bytes, and %d are the most",
		e->id.n < SHOWN_ID ? (int)e->id.n : SHOWN_ID, e->id.p, out->n - before, ENTRY_MAX);
	out->n = before;
	return false;
}

/* ---- is it canonical? ---- */

enum canonical { CANONICAL_YES, CANONICAL_NO, CANONICAL_PERHAPS };

/* Names in order, as far as bytes can tell: above U+D7FF the order of UTF-16 is another one. */
static enum canonical ordered(struct str before, struct str name)
{
	for (size_t i = 0; i < name.n; i++)
		if ((unsigned char)name.p[i] >= 0xee)
			return CANONICAL_PERHAPS;
	return before.p && str_cmp(before, name) >= 0 ? CANONICAL_NO : CANONICAL_YES;
}

/* Of one container, without what is inside its members: how many bytes its own punctuation takes. */
static enum canonical look_at_names(struct val v, size_t *bytes)
{
	struct val_iter it = val_begin(v);
	struct val key, value;
	struct str before = { NULL, 0 };
	size_t count = val_count(v);

	*bytes = 2 + (count ? count - 1 : 0);
	if (!val_is(v, JSON_OBJECT))
		return CANONICAL_YES;
	*bytes += count;
	while (val_next_member(&it, &key, &value)) {
		enum canonical order = ordered(before, val_raw(key));

		if (order != CANONICAL_YES)
			return order;
		before = val_raw(key);
	}
	return CANONICAL_YES;
}

/*
 * From the tape alone: nothing has to be spelled in another way, names are in order, and tokens and punctuation take up
 * all of the bytes, so there is no white space. PERHAPS is left to the canonical writer.
 */
static enum canonical look_at_tape(struct val root, struct str bytes)
{
	const struct json_tape *t = root.tape;
	size_t total = 0, own;

	for (uint32_t i = root.at; i < val_end(root); i++) {
		const struct json_tok *tok = t->toks + i;
		bool quoted = tok->type == JSON_STRING || tok->type == JSON_KEY;

		if (tok->flags & (JSON_REWRITE | JSON_LONE | JSON_ODD | JSON_DUPLICATE))
			return CANONICAL_PERHAPS;
		if (tok->type == JSON_ARRAY || tok->type == JSON_OBJECT) {
			enum canonical names = look_at_names((struct val){ t, i }, &own);

			if (names != CANONICAL_YES)
				return names;
			total += own;
		} else {
			total += tok->len + (quoted ? 2 : 0);
		}
	}
	return total == bytes.n ? CANONICAL_YES : CANONICAL_NO;
}

/* Leaves the slow way, writing it anew and comparing, to values that the tape alone cannot decide. */
static bool is_canonical(struct val root, struct str bytes)
{
	enum canonical seen = look_at_tape(root, bytes);
	struct canon *c;
	struct buf out;
	uint32_t bad_at;
	enum json_code code;
	bool same;

	if (seen != CANONICAL_PERHAPS)
		return seen == CANONICAL_YES;
	c = canon_open(CANON_OTUTL);
	buf_init(&out);
	same = canon_value(c, root, &out, &bad_at, &code) && str_eq(buf_str(&out), bytes);
	buf_free(&out);
	canon_close(c);
	return same;
}

/* ---- reading ---- */

struct reading {
	struct arena *arena;
	struct str *why;
};

/* Always false. The sentence goes to *why, in the arena; its subject is "it", the entry. */
__attribute__((format(printf, 2, 3))) static bool refuse(struct reading *r, const char *format, ...)
{
	struct buf text;
	va_list args;

	buf_init(&text);
	va_start(args, format);
	buf_vprintf(&text, format, args);
	va_end(args);
	*r->why = arena_take(r->arena, &text);
	return false;
}

/* A string, or (p NULL) nothing; anything else is refused. */
static bool read_text(struct reading *r, struct val object, const char *name, struct str *out)
{
	struct val v = val_get(object, str_from(name));

	*out = (struct str){ NULL, 0 };
	if (val_is_none(v))
		return true;
	if (!val_is(v, JSON_STRING))
		return refuse(r, "its %s is not a string", name);
	*out = arena_copy(r->arena, val_text(v, r->arena));
	return true;
}

/* Upper-case digits are refused, since the same digest must not have two spellings. */
static bool parse_digest(struct val v, struct digest *out)
{
	struct str hex = val_is(v, JSON_STRING) ? val_raw(v) : STR("");

	for (size_t i = 0; i < hex.n; i++)
		if (hex.p[i] >= 'A' && hex.p[i] <= 'F')
			hex.n = 0;
	return digest_parse(hex, out);
}

/* Must be there. */
static bool read_digest(struct reading *r, struct val object, const char *name, struct digest *out)
{
	return parse_digest(val_get(object, str_from(name)), out) ||
	       refuse(r, "its %s is not 64 lower-case hexadecimal digits", name);
}

static bool read_number(struct reading *r, struct val object, const char *name, uint64_t *out)
{
	int64_t n;

	if (!val_i64(val_get(object, str_from(name)), &n) || n < 0)
		return refuse(r, "its %s is not a whole number from 0 on", name);
	*out = (uint64_t)n;
	return true;
}

/* *part is VAL_NONE when there is none. */
static bool read_object(struct reading *r, struct val root, const char *name, struct val *part)
{
	*part = val_get(root, str_from(name));
	return val_is_none(*part) || val_is(*part, JSON_OBJECT) || refuse(r, "its %s is not an object", name);
}

/* Absent is fine, and leaves `given` false; one that is there must be whole. */
static bool read_ref(struct reading *r, struct val root, const char *name, struct entry_ref *out)
{
	struct val v;

	if (!read_object(r, root, name, &v))
		return false;
	if (val_is_none(v))
		return true;
	out->given = true;
	return read_number(r, v, "index", &out->index) && read_digest(r, v, "leaf", &out->leaf) &&
	       read_text(r, v, "trial_id", &out->trial_id) &&
	       (out->trial_id.p || refuse(r, "its %s has no trial_id", name));
}

/* Absent is fine here; check_kind knows which kinds must have one. */
static bool entry_read_record(struct reading *r, struct val root, struct entry *e)
{
	struct str alg;
	struct val v;

	if (!read_object(r, root, "record", &v))
		return false;
	if (val_is_none(v))
		return true;
	e->record.given = true;
	if (!read_text(r, v, "alg", &alg) || !read_text(r, v, "media", &e->record.media))
		return false;
	if (!str_eq(alg, STR("sha256")))
		return refuse(r, "its record is not named by sha256");
	return read_digest(r, v, "hex", &e->record.digest) && read_number(r, v, "size", &e->record.size);
}

static bool read_pins(struct reading *r, struct val root, struct entry *e)
{
	struct val v;

	if (!read_object(r, root, "pins", &v))
		return false;
	if (val_is_none(v))
		return true;
	e->pins.given = true;
	return read_digest(r, v, "task", &e->pins.task) && read_digest(r, v, "agent", &e->pins.agent) &&
	       read_digest(r, v, "environment", &e->pins.environment) && read_digest(r, v, "inputs", &e->pins.inputs);
}

/* Absent is fine. *count is that of the elements, for which the caller makes room. */
static bool read_array(struct reading *r, struct val root, const char *name, struct val *v, size_t *count)
{
	*v = val_get(root, str_from(name));
	*count = 0;
	if (val_is_none(*v))
		return true;
	if (!val_is(*v, JSON_ARRAY) || val_count(*v) == 0)
		return refuse(r, "its %s are not a list, or an empty one", name);
	*count = val_count(*v);
	return true;
}

static bool read_files(struct reading *r, struct val root, struct entry *e)
{
	struct entry_file *files;
	struct val_iter it;
	struct val v, one;

	if (!read_array(r, root, "files", &v, &e->file_count) || e->file_count == 0)
		return e->file_count == 0 && !r->why->p;
	e->files = files = arena_array(r->arena, struct entry_file, e->file_count);
	it = val_begin(v);
	for (size_t i = 0; val_next(&it, &one); i++) {
		if (!val_is(one, JSON_OBJECT))
			return refuse(r, "one of its files is not an object");
		if (!read_text(r, one, "name", &files[i].name) || !read_digest(r, one, "sha256", &files[i].digest) ||
		    !read_number(r, one, "size", &files[i].size))
			return false;
		if (!files[i].name.n)
			return refuse(r, "one of its files has no name");
	}
	return true;
}

static bool read_suites(struct reading *r, struct val root, struct entry *e)
{
	struct digest *suites;
	struct val_iter it;
	struct val v, one;

	if (!read_array(r, root, "suites", &v, &e->suite_count) || e->suite_count == 0)
		return e->suite_count == 0 && !r->why->p;
	e->suites = suites = arena_array(r->arena, struct digest, e->suite_count);
	it = val_begin(v);
	for (size_t i = 0; val_next(&it, &one); i++)
		if (!parse_digest(one, &suites[i]))
			return refuse(r, "one of its suites is not 64 lower-case hexadecimal digits");
	return true;
}

/* "run" of a trial, "run_hash" and "run_root" of a run. */
static bool read_run(struct reading *r, struct val root, struct entry *e)
{
	struct val v;

	if (e->kind == ENTRY_RUN && val_has(root, STR("run_hash")))
		return read_text(r, root, "run_hash", &e->run.hash) && read_text(r, root, "run_root", &e->run.root);
	if (!read_object(r, root, "run", &v))
		return false;
	if (val_is_none(v))
		return true;
	return read_text(r, v, "hash", &e->run.hash) && read_text(r, v, "root", &e->run.root) &&
	       read_number(r, v, "records", &e->run.records);
}

static bool read_forked_from(struct reading *r, struct val root, struct entry *e)
{
	struct val v;

	if (!read_object(r, root, "forked_from", &v))
		return false;
	if (val_is_none(v))
		return true;
	e->forked_from.given = true;
	return read_text(r, v, "run_hash", &e->forked_from.run_hash) &&
	       (e->forked_from.run_hash.p || refuse(r, "its forked_from has no run_hash")) &&
	       read_number(r, v, "seq", &e->forked_from.seq);
}

static bool read_kind(struct reading *r, struct val root, struct entry *e)
{
	struct str version, kind;

	if (!read_text(r, root, "v", &version) || !read_text(r, root, "kind", &kind))
		return false;
	if (!str_eq(version, STR(ENTRY_VERSION)))
		return refuse(r, "its v is not %s", ENTRY_VERSION);
	return parse_kind(kind, &e->kind) || refuse(r, "its kind '%.*s' is not one we know", STR_ARG(kind));
}

/* What each kind must have besides an id and a time. */
static bool check_kind(struct reading *r, const struct entry *e)
{
	enum { RECORD = 1, REF = 2, BY = 4, REASON = 8, COMPLETENESS = 16, FILES = 32 };
	static const unsigned char wanted[ENTRY_KINDS] = {
		[ENTRY_TRIAL] = RECORD | COMPLETENESS, [ENTRY_RUN] = RECORD,        [ENTRY_REVIEW] = RECORD | REF,
		[ENTRY_SUPERSEDE] = REF | BY | REASON, [ENTRY_ARTIFACT] = RECORD | REF, [ENTRY_ERASE] = REF | REASON,
		[ENTRY_BENCH] = RECORD | FILES,
	};
	unsigned has = (e->record.given ? RECORD : 0) | (e->ref.given ? REF : 0) | (e->by.given ? BY : 0) |
		       (e->reason.p ? REASON : 0) | (e->completeness.p ? COMPLETENESS : 0) |
		       (e->file_count ? FILES : 0);
	unsigned missing = wanted[e->kind] & ~has;
	static const struct {
		unsigned bit;
		const char *name;
	} names[] = { { RECORD, "record" }, { REF, "ref" }, { BY, "by" }, { REASON, "reason" },
		      { COMPLETENESS, "completeness" }, { FILES, "files" } };

	for (size_t i = 0; i < COUNT(names); i++)
		if (missing & names[i].bit)
			return refuse(r, "a %s entry needs its %s", kinds[e->kind], names[i].name);
	if (!e->id.n)
		return refuse(r, "it has no id");
	if (!e->sealed_at.n)
		return refuse(r, "it has no sealed_at");
	return true;
}

bool entry_parse(struct json_parser *p, struct arena *a, struct str bytes, struct entry *out, struct str *why)
{
	struct reading r = { a, why };
	struct json_issue issue;
	struct val root;

	*out = (struct entry){ .kind = ENTRY_TRIAL };
	*why = (struct str){ NULL, 0 };
	if (bytes.n > ENTRY_MAX)
		return refuse(&r, "it is longer than %d bytes", ENTRY_MAX);
	if (!json_parse_copy(p, bytes, &root, &issue))
		return refuse(&r, "it is not JSON: %s", issue.message);
	if (!val_is(root, JSON_OBJECT))
		return refuse(&r, "it is not an object");
	if (val_is_deeper(root, ENTRY_DEPTH))
		return refuse(&r, "it is nested deeper than %d", ENTRY_DEPTH);
	if (!is_canonical(root, bytes))
		return refuse(&r, "it is not in canonical form (RFC 8785)");
	return read_kind(&r, root, out) && read_text(&r, root, "id", &out->id) &&
	       read_text(&r, root, "experiment", &out->experiment) &&
	       read_text(&r, root, "completeness", &out->completeness) &&
	       read_text(&r, root, "sealed_at", &out->sealed_at) && read_text(&r, root, "reason", &out->reason) &&
	       entry_read_record(&r, root, out) && read_pins(&r, root, out) && read_run(&r, root, out) &&
	       read_files(&r, root, out) && read_forked_from(&r, root, out) && read_suites(&r, root, out) &&
	       read_ref(&r, root, "ref", &out->ref) && read_ref(&r, root, "by", &out->by) && check_kind(&r, out);
}

/* ---- identity ---- */

struct str entry_ident(struct arena *a, const struct entry *e)
{
	bool of_trial = e->kind == ENTRY_SUPERSEDE || e->kind == ENTRY_ERASE;

	if (e->kind == ENTRY_ARTIFACT) /* "b/c" of the trial "a" is not "c" of "a/b" */
		return ARENA_JOIN(a, str_from(kinds[e->kind]), STR("\0"), e->experiment, STR("\0"), e->ref.trial_id,
				  STR("\0"), e->id);
	return ARENA_JOIN(a, str_from(kinds[e->kind]), STR("\0"), e->experiment, STR("\0"),
			  of_trial ? e->ref.trial_id : e->id);
}

struct digest entry_digest(const struct entry *e)
{
	struct sha256 s;
	struct digest d;
	struct buf text;

	if (e->record.given && !e->file_count)
		return e->record.digest;
	buf_init(&text);
	if (e->file_count) {
		add_file_list(&text, e);
	} else {
		buf_add_byte(&text, '{');
		add_ref(&text, "by", &e->by);
		entry_put_text(&text, "reason", e->reason);
	}
	sha256_init(&s);
	d = sha256_of(&s, buf_str(&text));
	sha256_free(&s);
	buf_free(&text);
	return d;
}

/* ---- names for people ---- */

static bool is_plain(struct str id, size_t i)
{
	char c = id.p[i];

	if (i == 0 && (c == '.' || c == '_'))
		return false;
	return ascii_is_name(c);
}

struct str entry_path_part(struct arena *a, struct str id)
{
	struct buf out;

	buf_init(&out);
	for (size_t i = 0; i < id.n; i++) {
		if (is_plain(id, i))
			buf_add_byte(&out, id.p[i]);
		else
			buf_printf(&out, "%%%02X", (unsigned char)id.p[i]);
	}
	if (out.n > PART_MAX) {
		struct sha256 s;
		struct digest d;

		sha256_init(&s);
		d = sha256_of(&s, id);
		sha256_free(&s);
		out.n = PART_KEPT;
		buf_add_byte(&out, '-');
		buf_reserve(&out, PART_HASH);
		hex_format(out.p + out.n, d.b, PART_HASH / 2);
		out.n += PART_HASH;
	}
	return arena_take(a, &out);
}

/* Its id must be the trial's, a separator and a name: else there is no name to make a path of. */
static bool is_artifact(const struct entry *e)
{
	return e->kind == ENTRY_ARTIFACT && e->id.n > e->ref.trial_id.n + 1 && str_starts(e->id, e->ref.trial_id);
}

/* The record of a run is one of its files, and stands beside those that are artifacts. */
static struct str link_name_of_run(struct arena *a, const struct entry *e)
{
	for (size_t i = 0; i < e->file_count && e->record.given; i++)
		if (digest_eq(e->files[i].digest, e->record.digest))
			return ARENA_JOIN(a, STR("artifacts/"), entry_path_part(a, e->id), STR("/"),
					  entry_path_part(a, e->files[i].name));
	return (struct str){ NULL, 0 };
}

struct str entry_link_name(struct arena *a, const struct entry *e)
{
	struct str experiment = e->experiment.p ? e->experiment : STR("");
	struct str trial = e->kind == ENTRY_TRIAL ? e->id : e->ref.trial_id, name;

	if (e->kind == ENTRY_RUN || e->kind == ENTRY_BENCH)
		return link_name_of_run(a, e);
	if (e->kind == ENTRY_TRIAL && experiment.n)
		return ARENA_JOIN(a, STR("records/"), entry_path_part(a, experiment), STR("/"),
				  entry_path_part(a, trial), STR(".json"));
	if (!is_artifact(e))
		return (struct str){ NULL, 0 };
	if (!experiment.n)
		return entry_old_link_name(a, e);
	name = str_skip(e->id, trial.n + 1);
	return ARENA_JOIN(a, STR("artifacts/"), entry_path_part(a, experiment), STR("/"), entry_path_part(a, trial),
			  STR("/"), entry_path_part(a, name));
}

struct str entry_old_link_name(struct arena *a, const struct entry *e)
{
	struct str trial = e->ref.trial_id;

	if (!is_artifact(e))
		return (struct str){ NULL, 0 };
	return ARENA_JOIN(a, STR("artifacts/"), entry_path_part(a, trial), STR("/"),
			  entry_path_part(a, str_skip(e->id, trial.n + 1)));
}
