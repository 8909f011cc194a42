/*
 * A note is cut at its last empty line: above it the text, byte for byte as it is signed, below it lines that begin
 * with an em dash. What is not exactly so is refused.
 */
#include "ledger/note.h"

#include <assert.h>

#include "base/crypto/base64.h"
#include "base/num.h"
#include "base/utf8.h"
#include "ledger/be.h"

#define DASH STR("\xe2\x80\x94 ") /* an em dash and a space */

/* ---- notes ---- */

bool note_next_line(struct str *rest, struct str *line)
{
	const char *end = rest->n ? memchr(rest->p, '\n', rest->n) : NULL;

	if (!end)
		return false;
	*line = str_of(rest->p, (size_t)(end - rest->p));
	*rest = str_of(end + 1, rest->n - line->n - 1);
	return true;
}

/* UTF-8 without control characters but the line feed, as c2sp.org/signed-note demands. */
static bool is_text(struct str s, const char **why)
{
	if (utf8_check(s) != s.n) {
		*why = "the note is not UTF-8";
		return false;
	}
	for (size_t i = 0; i < s.n; i++)
		if ((uint8_t)s.p[i] < ' ' && s.p[i] != '\n') {
			*why = "the note has a control character";
			return false;
		}
	return true;
}

/* The number of bytes before the last empty line, which belongs to neither side; 0 when there is none. */
static size_t find_blank(struct str s)
{
	for (size_t at = s.n; at > 1; at--)
		if (s.p[at - 1] == '\n' && s.p[at - 2] == '\n')
			return at - 1;
	return 0;
}

/* The line has its end. A signature of an unknown kind is kept as it is: others may understand it. */
static bool parse_line(struct str line, struct note_line *out)
{
	struct str rest = line, text;
	struct buf bytes;
	bool is;

	if (!str_starts(rest, DASH))
		return false;
	rest = str_of(rest.p + DASH.n, rest.n - DASH.n - 1);
	out->line = line;
	out->name = str_cut(rest, ' ', &text);
	buf_init(&bytes);
	is = key_is_foreign_name(out->name) && base64_parse(&bytes, text) && bytes.n > KEY_ID;
	if (is) {
		out->blob_size = bytes.n - KEY_ID <= sizeof(out->blob) ? bytes.n - KEY_ID : 0;
		memcpy(out->id, bytes.p, KEY_ID);
		memcpy(out->blob, bytes.p + KEY_ID, out->blob_size);
	}
	buf_free(&bytes);
	return is;
}

/* At least one line of a signature, at most NOTE_SIGNATURES, each with its end. */
static bool parse_lines(struct str rest, struct note *out, const char **why)
{
	while (rest.n > 0) {
		struct str line;

		if (!note_next_line(&rest, &line)) {
			*why = "the last line of the note does not end";
			return false;
		}
		if (out->count == NOTE_SIGNATURES) {
			*why = "the note has more than 100 signatures";
			return false;
		}
		if (!parse_line(str_of(line.p, line.n + 1), &out->lines[out->count])) {
			*why = "the note has a line below its text that is not a signature";
			return false;
		}
		out->count++;
	}
	*why = "the note has no signature";
	return out->count > 0;
}

bool note_parse(struct str bytes, struct note *out, const char **why)
{
	size_t n;

	out->count = 0;
	*why = "the note is longer than 1 MiB";
	if (bytes.n > NOTE_MAX || !is_text(bytes, why))
		return false;
	n = find_blank(bytes);
	*why = "the note has no empty line between its text and its signatures";
	if (n == 0)
		return false;
	out->text = str_of(bytes.p, n);
	return parse_lines(str_skip(bytes, n + 1), out, why);
}

static bool has_line_of(const struct note *n, const struct note_line *line)
{
	for (size_t i = 0; i < n->count; i++)
		if (memcmp(n->lines[i].id, line->id, KEY_ID) == 0 && str_eq(n->lines[i].name, line->name))
			return true;
	return false;
}

bool note_replace_lines(struct arena *a, const struct note *old, struct str lines, const struct key *own,
			struct buf *out, const char **why)
{
	struct note *added = arena_new(a, struct note);

	if (!note_parse(ARENA_JOIN(a, old->text, STR("\n"), lines), added, why))
		return false;
	buf_add_str(out, old->text);
	buf_add_byte(out, '\n');
	for (size_t i = 0; i < old->count; i++)
		if (memcmp(old->lines[i].id, own->id, KEY_ID) == 0 || !has_line_of(added, &old->lines[i]))
			buf_add_str(out, old->lines[i].line);
	for (size_t i = 0; i < added->count; i++)
		if (memcmp(added->lines[i].id, own->id, KEY_ID) != 0)
			buf_add_str(out, added->lines[i].line);
	return true;
}

/* ---- signatures ---- */

#define COSIGNED (8 + ED25519_SIGNATURE) /* a time, and a signature over it and the text */

/* The message that a witness signs: its time, and the text of the note. */
static void add_cosigned(struct buf *out, struct str text, uint64_t time)
{
	char digits[NUM_U64_MAX];

	buf_add_str(out, STR("cosignature/v1\ntime "));
	buf_add(out, digits, num_format_u64(digits, time));
	buf_add_byte(out, '\n');
	buf_add_str(out, text);
}

/* *time is what the line says, whether or not its signature holds. */
static bool is_cosigned(struct str text, const struct note_line *l, const struct key *k, uint64_t *time)
{
	struct buf message;
	bool is;

	if (l->blob_size != COSIGNED)
		return false;
	*time = be_get(l->blob, 8);
	if (*time > INT64_MAX)
		return false;
	buf_init(&message);
	add_cosigned(&message, text, *time);
	is = ed25519_is_signed(k->public, buf_str(&message), l->blob + 8);
	buf_free(&message);
	return is;
}

static bool is_line_good(struct str text, const struct note_line *l, const struct key *k, uint64_t *time)
{
	*time = 0;
	if (k->kind == KEY_WITNESS)
		return is_cosigned(text, l, k, time);
	return k->kind == KEY_LOG && l->blob_size == ED25519_SIGNATURE && ed25519_is_signed(k->public, text, l->blob);
}

/* A witness that cosigned twice has seen the checkpoint at the later time too. */
enum note_verdict note_check(const struct note *n, const struct key *k, uint64_t *time)
{
	enum note_verdict verdict = NOTE_ABSENT;
	uint64_t latest = 0, said;

	for (size_t i = 0; i < n->count; i++) {
		const struct note_line *l = &n->lines[i];

		if (memcmp(l->id, k->id, KEY_ID) != 0 || !str_eq(l->name, k->name))
			continue;
		if (!is_line_good(n->text, l, k, &said))
			return NOTE_BAD;
		latest = said > latest ? said : latest;
		verdict = NOTE_GOOD;
	}
	if (time && verdict == NOTE_GOOD)
		*time = latest;
	return verdict;
}

/* The blob, a signature or a time and one, goes behind the id of the key. */
static void add_line(struct buf *out, const struct key *k, struct str blob)
{
	uint8_t bytes[KEY_ID + COSIGNED];

	assert(blob.n <= COSIGNED);
	memcpy(bytes, k->id, KEY_ID);
	memcpy(bytes + KEY_ID, blob.p, blob.n);
	buf_add_str(out, DASH);
	buf_add_str(out, k->name);
	buf_add_byte(out, ' ');
	base64_add(out, str_of(bytes, KEY_ID + blob.n));
	buf_add_byte(out, '\n');
}

bool cosignature_add_line(struct buf *out, struct str text, const struct signer *witness, uint64_t time,
			  struct err *err)
{
	uint8_t blob[COSIGNED];
	struct buf message;
	bool done;

	if (witness->key.kind != KEY_WITNESS)
		return err_set(err, ERR_USAGE, "%.*s is not the key of a witness", STR_ARG(witness->key.name));
	if (time > INT64_MAX)
		return err_set(err, ERR_USAGE, "the time of a cosignature has at most 63 bits");
	be_put(blob, time, 8);
	buf_init(&message);
	add_cosigned(&message, text, time);
	done = ed25519_sign(witness->seed, buf_str(&message), blob + 8, err);
	buf_free(&message);
	if (done)
		add_line(out, &witness->key, str_of(blob, sizeof(blob)));
	return done;
}

/* ---- checkpoints ---- */

bool checkpoint_parse(struct str text, struct checkpoint *out, const char **why)
{
	struct str rest = text, size, root, more;
	struct checkpoint c;

	*why = "the checkpoint does not begin with the name of a log";
	if (!note_next_line(&rest, &c.origin) || c.origin.n == 0)
		return false;
	*why = "the second line of the checkpoint is not the size of a log";
	if (!note_next_line(&rest, &size) || !num_parse_u64(size, &c.size) || c.size > INT64_MAX)
		return false;
	*why = "the third line of the checkpoint is not a hash in base64";
	if (!note_next_line(&rest, &root) || !base64_parse_bytes(c.root.b, SHA256_SIZE, root))
		return false;
	*why = "the checkpoint has an empty line, or one that does not end";
	while (rest.n > 0)
		if (!note_next_line(&rest, &more) || more.n == 0)
			return false;
	*out = c;
	return true;
}

void checkpoint_add_text(struct buf *out, const struct checkpoint *c)
{
	char digits[NUM_U64_MAX];

	buf_add_str(out, c->origin);
	buf_add_byte(out, '\n');
	buf_add_str(out, str_of(digits, num_format_u64(digits, c->size)));
	buf_add_byte(out, '\n');
	base64_add(out, str_of(c->root.b, SHA256_SIZE));
	buf_add_byte(out, '\n');
}

bool checkpoint_sign(struct buf *out, const struct checkpoint *c, const struct signer *s, struct err *err)
{
	uint8_t signature[ED25519_SIGNATURE];
	size_t before = out->n;

	if (s->key.kind != KEY_LOG)
		return err_set(err, ERR_USAGE, "%.*s is not the key of a log", STR_ARG(s->key.name));
	checkpoint_add_text(out, c);
	if (!ed25519_sign(s->seed, str_skip(buf_str(out), before), signature, err)) {
		out->n = before;
		return false;
	}
	buf_add_byte(out, '\n');
	add_line(out, &s->key, str_of(signature, sizeof(signature)));
	return true;
}
