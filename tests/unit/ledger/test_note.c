#include "ledger/note.h"

#include <stdio.h>

#include "base/crypto/base64.h"
#include "harness/test.h"
#include "json/json.h"

#define LOG "PRIVATE+KEY+log.example/tests+bc190136+Aee699eYJnzvYFnO3GPvT/8F+L8zv6+w5ftTCNmoJsk4"
#define WITNESS "PRIVATE+KEY+witness.example/one+c2497401+BIDi7OQQS5dKsxlMqf0kTE/MbfOt31M+N5B6QYMUSYcF"
#define TIME 1767225600 /* when the witness of tests/data/ledger cosigned */
#define DASH "\xe2\x80\x94 "

static struct note note;
static const char *why;

static struct signer signer_of(const char *text)
{
	struct err err = { .kind = ERR_NONE };
	struct signer s;

	CHECK(signer_parse(str_from(text), &s, &err));
	return s;
}

static struct key key_of(const char *file)
{
	struct key k;

	CHECK(key_parse(test_data(file), &k));
	return k;
}

TEST(a_note_is_taken_apart_at_its_last_empty_line)
{
	struct key log = key_of("ledger/log.vkey"), witness = key_of("ledger/witness.vkey");
	struct str bytes = test_data("ledger/checkpoint");
	uint64_t time = 5;

	CHECK(note_parse(bytes, &note, &why));
	CHECK_INT(note.count, 2);
	CHECK_STR(note.lines[0].name, log.name);
	CHECK_STR(note.lines[1].name, witness.name);
	CHECK_INT(note.lines[0].blob_size, 64);
	CHECK_INT(note.lines[1].blob_size, 72);
	CHECK_INT(note.text.n + 1 + note.lines[0].line.n + note.lines[1].line.n, bytes.n);
	CHECK_INT(note_check(&note, &log, &time), NOTE_GOOD);
	CHECK_INT(time, 0);
	CHECK_INT(note_check(&note, &witness, &time), NOTE_GOOD);
	CHECK_INT(time, TIME);
	CHECK_INT(note_check(&note, &witness, NULL), NOTE_GOOD);
}

#define ID_AND_A_BYTE "vBkBNgA="

TEST(what_is_no_note_is_refused_with_a_sentence)
{
	const struct {
		struct str bytes;
		const char *why;
	} cases[] = {
		{ STR(""), "the note has no empty line between its text and its signatures" },
		{ STR("text\n"), "the note has no empty line between its text and its signatures" },
		{ STR("text\n" DASH "a " ID_AND_A_BYTE "\n"), "the note has no empty line between its text and its signatures" },
		{ STR("text\n\n"), "the note has no signature" },
		{ STR("text\n\n" DASH "a " ID_AND_A_BYTE), "the last line of the note does not end" },
		{ STR("text\n\n" DASH "a " ID_AND_A_BYTE "\n\n"), "the note has no signature" },
		{ STR("te\xffxt\n\n" DASH "a " ID_AND_A_BYTE "\n"), "the note is not UTF-8" },
		{ STR("te\txt\n\n" DASH "a " ID_AND_A_BYTE "\n"), "the note has a control character" },
		{ STR("te\0xt\n\n" DASH "a " ID_AND_A_BYTE "\n"), "the note has a control character" },
		{ STR("text\r\n\n" DASH "a " ID_AND_A_BYTE "\n"), "the note has a control character" },
		{ STR("text\n\n- a " ID_AND_A_BYTE "\n"), "the note has a line below its text that is not a signature" },
		{ STR("text\n\n" DASH "a\n"), "the note has a line below its text that is not a signature" },
		{ STR("text\n\n" DASH "\n"), "the note has a line below its text that is not a signature" },
		{ STR("text\n\n" DASH "a \n"), "the note has a line below its text that is not a signature" },
		{ STR("text\n\n" DASH " " ID_AND_A_BYTE "\n"), "the note has a line below its text that is not a signature" },
		{ STR("text\n\n" DASH "a+b " ID_AND_A_BYTE "\n"), "the note has a line below its text that is not a signature" },
		{ STR("text\n\n" DASH "a  " ID_AND_A_BYTE "\n"), "the note has a line below its text that is not a signature" },
		{ STR("text\n\n" DASH "a " ID_AND_A_BYTE " \n"), "the note has a line below its text that is not a signature" },
		{ STR("text\n\n" DASH "a vBkBNg==\n"), "the note has a line below its text that is not a signature" },
		{ STR("text\n\n" DASH "a vBkBNgB=\n"), "the note has a line below its text that is not a signature" },
		{ STR("text\n\n" DASH "a " ID_AND_A_BYTE "\nmore\n"), "the note has a line below its text that is not a signature" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%zu", i);
		CHECK(!note_parse(cases[i].bytes, &note, &why));
		CHECK_STR(str_from(why), str_from(cases[i].why));
	}
	CHECK(note_parse(STR("text\n\n" DASH "a " ID_AND_A_BYTE "\n"), &note, &why));
	CHECK_INT(note.lines[0].blob_size, 1);
	CHECK(note_parse(STR("first\n\nsecond\n\n" DASH "a " ID_AND_A_BYTE "\n"), &note, &why));
	CHECK_STR(note.text, STR("first\n\nsecond\n"));
}

TEST(a_line_is_one_when_it_ends)
{
	struct str rest = STR("one\n\nthree"), line;

	CHECK(note_next_line(&rest, &line));
	CHECK_STR(line, STR("one"));
	CHECK(note_next_line(&rest, &line));
	CHECK_STR(line, STR(""));
	CHECK(!note_next_line(&rest, &line));
	CHECK_STR(rest, STR("three"));
	rest = str_of(NULL, 0);
	CHECK(!note_next_line(&rest, &line));
}

TEST(a_note_has_limits)
{
	static char huge[NOTE_MAX + 1];
	struct buf b;

	buf_init(&b);
	buf_add_str(&b, STR("text\n\n"));
	for (int i = 0; i < NOTE_SIGNATURES; i++)
		buf_add_str(&b, STR(DASH "a " ID_AND_A_BYTE "\n"));
	CHECK(note_parse(buf_str(&b), &note, &why));
	CHECK_INT(note.count, NOTE_SIGNATURES);
	buf_add_str(&b, STR(DASH "a " ID_AND_A_BYTE "\n"));
	CHECK(!note_parse(buf_str(&b), &note, &why));
	CHECK_STR(str_from(why), STR("the note has more than 100 signatures"));
	memset(huge, 'a', sizeof(huge));
	CHECK(!note_parse(str_of(huge, sizeof(huge)), &note, &why));
	CHECK_STR(str_from(why), STR("the note is longer than 1 MiB"));
	/* a signature of a kind that is not known may be long; it is kept out, the note is not */
	buf_clear(&b);
	buf_add_str(&b, STR("text\n\n" DASH "a "));
	base64_add(&b, str_of(huge, 2424));
	buf_add_byte(&b, '\n');
	CHECK(note_parse(buf_str(&b), &note, &why));
	CHECK_INT(note.lines[0].blob_size, 0);
	buf_free(&b);
}

/* The verdict over the note of tests/data with this instead of its lines. */
static enum note_verdict verdict_with(struct str lines, const struct key *k)
{
	struct buf b;
	enum note_verdict v;

	buf_init(&b);
	CHECK(note_parse(test_data("ledger/checkpoint"), &note, &why));
	buf_add_str(&b, note.text);
	buf_add_byte(&b, '\n');
	buf_add_str(&b, lines);
	CHECK(note_parse(buf_str(&b), &note, &why));
	v = note_check(&note, k, NULL);
	buf_free(&b);
	return v;
}

TEST(a_line_is_of_a_key_by_its_name_and_id_and_then_it_must_be_right)
{
	struct key log = key_of("ledger/log.vkey"), other = log;
	static struct note whole;
	struct str good, cosigned;
	struct buf b;

	buf_init(&b);
	CHECK(note_parse(test_data("ledger/checkpoint"), &whole, &why));
	good = whole.lines[0].line;
	cosigned = whole.lines[1].line;
	CHECK_INT(verdict_with(good, &log), NOTE_GOOD);
	CHECK_INT(verdict_with(cosigned, &log), NOTE_ABSENT);
	other.name = STR("log.example/other");
	CHECK_INT(verdict_with(good, &other), NOTE_ABSENT);
	other = log;
	other.id[3] ^= 1;
	CHECK_INT(verdict_with(good, &other), NOTE_ABSENT);
	other = log;
	other.public[0] ^= 1; /* somebody made a key that has our id */
	CHECK_INT(verdict_with(good, &other), NOTE_BAD);
	other = log;
	other.kind = 9;
	CHECK_INT(verdict_with(good, &other), NOTE_BAD);
	CHECK_INT(verdict_with(STR(DASH "log.example/tests " ID_AND_A_BYTE "\n"), &log), NOTE_BAD);
	/* one that is right does not excuse one that is wrong, in either order */
	buf_add_str(&b, good);
	buf_add_str(&b, good);
	CHECK_INT(verdict_with(buf_str(&b), &log), NOTE_GOOD);
	buf_add_str(&b, STR(DASH "log.example/tests " ID_AND_A_BYTE "\n"));
	CHECK_INT(verdict_with(buf_str(&b), &log), NOTE_BAD);
	buf_clear(&b);
	buf_add_str(&b, STR(DASH "log.example/tests " ID_AND_A_BYTE "\n"));
	buf_add_str(&b, good);
	CHECK_INT(verdict_with(buf_str(&b), &log), NOTE_BAD);
	buf_free(&b);
}

/* A flipped bit makes it no note, a line of nobody, or a bad line: never a good one. */
TEST(no_flipped_bit_of_a_signed_note_passes)
{
	struct key log = key_of("ledger/log.vkey"), witness = key_of("ledger/witness.vkey");
	struct str bytes = test_data("ledger/checkpoint");
	char *copy = test_alloc(bytes.n);
	size_t witness_line;

	CHECK(note_parse(bytes, &note, &why));
	witness_line = (size_t)(note.lines[1].line.p - bytes.p);
	memcpy(copy, bytes.p, bytes.n);
	for (size_t bit = 0; bit < 8 * bytes.n; bit++) {
		copy[bit / 8] ^= (char)(1 << bit % 8);
		test_case("bit %zu of byte %zu", bit % 8, bit / 8);
		if (note_parse(str_of(copy, bytes.n), &note, &why)) {
			CHECK(note_check(&note, &witness, NULL) != NOTE_GOOD || (bit / 8 < witness_line && bit / 8 >= note.text.n));
			CHECK(note_check(&note, &log, NULL) != NOTE_GOOD || bit / 8 >= witness_line);
		}
		copy[bit / 8] ^= (char)(1 << bit % 8);
	}
}

TEST(a_checkpoint_is_three_lines_and_perhaps_more)
{
	static const char root[] = "tIzfgmRXRV/AUNGMzX4+03Zep7FOBGCGtjuomt0jjgA=";
	static const struct {
		const char *format, *why; /* with one %s for the root */
	} cases[] = {
		{ "log.example/tests\n7\n%s\n", NULL },
		{ "log.example/tests\n0\n%s\n", NULL },
		{ "a name with spaces + more\n9223372036854775807\n%s\n", NULL },
		{ "log.example/tests\n7\n%s\nextension\nanother\n", NULL },
		{ "", "the checkpoint does not begin with the name of a log" },
		{ "log.example/tests", "the checkpoint does not begin with the name of a log" },
		{ "\n7\n%s\n", "the checkpoint does not begin with the name of a log" },
		{ "log.example/tests\n", "the second line of the checkpoint is not the size of a log" },
		{ "log.example/tests\n07\n%s\n", "the second line of the checkpoint is not the size of a log" },
		{ "log.example/tests\n-7\n%s\n", "the second line of the checkpoint is not the size of a log" },
		{ "log.example/tests\n+7\n%s\n", "the second line of the checkpoint is not the size of a log" },
		{ "log.example/tests\n7 \n%s\n", "the second line of the checkpoint is not the size of a log" },
		{ "log.example/tests\n0x7\n%s\n", "the second line of the checkpoint is not the size of a log" },
		{ "log.example/tests\n9223372036854775808\n%s\n", "the second line of the checkpoint is not the size of a log" },
		{ "log.example/tests\n18446744073709551616\n%s\n", "the second line of the checkpoint is not the size of a log" },
		{ "log.example/tests\n7\n", "the third line of the checkpoint is not a hash in base64" },
		{ "log.example/tests\n7\n%s", "the third line of the checkpoint is not a hash in base64" },
		{ "log.example/tests\n7\n%s \n", "the third line of the checkpoint is not a hash in base64" },
		{ "log.example/tests\n7\nAAAA\n", "the third line of the checkpoint is not a hash in base64" },
		{ "log.example/tests\n7\ntIzfgmRXRV/AUNGMzX4+03Zep7FOBGCGtjuomt0jjgB=\n",
		  "the third line of the checkpoint is not a hash in base64" },
		{ "log.example/tests\n7\n%s\n\n", "the checkpoint has an empty line, or one that does not end" },
		{ "log.example/tests\n7\n%s\nextension", "the checkpoint has an empty line, or one that does not end" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *at = strstr(cases[i].format, "%s");
		struct checkpoint c = { .size = 99 };
		char text[200];

		test_case("%zu", i);
		snprintf(text, sizeof(text), "%.*s%s%s", at ? (int)(at - cases[i].format) : 200, cases[i].format, at ? root : "",
			 at ? at + 2 : "");
		CHECK_INT(checkpoint_parse(str_from(text), &c, &why), cases[i].why == NULL);
		if (cases[i].why)
			CHECK_STR(str_from(why), str_from(cases[i].why));
		else
			CHECK_INT(c.root.b[0], 0xb4);
		CHECK(cases[i].why == NULL || c.size == 99);
	}
}

TEST(what_we_sign_is_to_the_byte_what_others_sign)
{
	struct signer log = signer_of(LOG), witness = signer_of(WITNESS);
	struct str want = test_data("ledger/checkpoint");
	struct err err = { .kind = ERR_NONE };
	struct checkpoint c;
	struct buf b;

	buf_init(&b);
	CHECK(note_parse(want, &note, &why));
	CHECK(checkpoint_parse(note.text, &c, &why));
	CHECK_STR(c.origin, STR("log.example/tests"));
	CHECK_INT(c.size, 7);
	checkpoint_add_text(&b, &c);
	CHECK_STR(buf_str(&b), note.text);
	buf_clear(&b);
	CHECK(checkpoint_sign(&b, &c, &log, &err));
	CHECK(cosignature_add_line(&b, note.text, &witness, TIME, &err));
	CHECK_STR(buf_str(&b), want);
	CHECK(!checkpoint_sign(&b, &c, &witness, &err));
	CHECK_STR(str_from(err.text), STR("witness.example/one is not the key of a log"));
	CHECK(!cosignature_add_line(&b, note.text, &log, TIME, &err));
	CHECK_STR(str_from(err.text), STR("log.example/tests is not the key of a witness"));
	CHECK(!cosignature_add_line(&b, note.text, &witness, UINT64_MAX, &err));
	CHECK_STR(buf_str(&b), want);
	buf_free(&b);
}

TEST(a_witness_that_cosigned_twice_did_so_at_the_later_time)
{
	struct signer witness = signer_of(WITNESS);
	struct err err = { .kind = ERR_NONE };
	uint64_t time;
	struct buf b;

	buf_init(&b);
	CHECK(note_parse(test_data("ledger/checkpoint"), &note, &why));
	buf_add_str(&b, note.text);
	buf_add_byte(&b, '\n');
	CHECK(cosignature_add_line(&b, note.text, &witness, 300, &err));
	CHECK(cosignature_add_line(&b, note.text, &witness, 100, &err));
	CHECK(note_parse(buf_str(&b), &note, &why));
	CHECK_INT(note_check(&note, &witness.key, &time), NOTE_GOOD);
	CHECK_INT(time, 300);
	buf_free(&b);
}

/* The verdict over the cosignature with this blob, which need not be one that we would make. */
static enum note_verdict verdict_of_blob(const struct signer *witness, struct str blob)
{
	struct buf b, bytes;
	enum note_verdict v;

	buf_init(&b);
	buf_init(&bytes);
	buf_add(&bytes, witness->key.id, KEY_ID);
	buf_add_str(&bytes, blob);
	buf_add_str(&b, STR(DASH "witness.example/one "));
	base64_add(&b, buf_str(&bytes));
	buf_add_byte(&b, '\n');
	v = verdict_with(buf_str(&b), &witness->key);
	buf_free(&bytes);
	buf_free(&b);
	return v;
}

/* A time of more than 63 bits, signed well. */
static void sign_far_future(const struct signer *witness, uint8_t blob[72])
{
	struct err err = { .kind = ERR_NONE };
	struct buf b;

	buf_init(&b);
	CHECK(note_parse(test_data("ledger/checkpoint"), &note, &why));
	buf_add_str(&b, STR("cosignature/v1\ntime 9223372036854775808\n"));
	buf_add_str(&b, note.text);
	memcpy(blob, "\x80\0\0\0\0\0\0\0", 8);
	CHECK(ed25519_sign(witness->seed, buf_str(&b), blob + 8, &err));
	buf_free(&b);
}

TEST(a_cosignature_has_its_length_and_a_time_of_63_bits)
{
	struct signer witness = signer_of(WITNESS);
	uint8_t blob[73] = { 0 };

	CHECK(note_parse(test_data("ledger/checkpoint"), &note, &why));
	memcpy(blob, note.lines[1].blob, 72);
	CHECK_INT(verdict_of_blob(&witness, str_of(blob, 72)), NOTE_GOOD);
	CHECK_INT(verdict_of_blob(&witness, str_of(blob, 73)), NOTE_BAD);
	CHECK_INT(verdict_of_blob(&witness, str_of(blob, 71)), NOTE_BAD);
	CHECK_INT(verdict_of_blob(&witness, str_of(blob + 8, 64)), NOTE_BAD);
	CHECK_INT(verdict_of_blob(&witness, str_of(blob, 1)), NOTE_BAD);
	sign_far_future(&witness, blob);
	CHECK_INT(verdict_of_blob(&witness, str_of(blob, 72)), NOTE_BAD);
}

/* ---- published notes ---- */

static bool is_good_for_all(struct arena *a, struct val c)
{
	struct val_iter it = val_begin(val_get(c, STR("vkeys")));
	bool is_any = false;
	struct val vkey;
	struct key k;

	while (val_next(&it, &vkey)) {
		enum note_verdict v;

		CHECK(key_parse(val_text(vkey, a), &k));
		v = note_check(&note, &k, NULL);
		if (v == NOTE_BAD)
			return false;
		is_any = is_any || v == NOTE_GOOD;
	}
	return is_any;
}

static struct str bytes_of(struct arena *a, struct val text)
{
	struct buf b;
	struct str bytes;

	buf_init(&b);
	CHECK(base64_parse(&b, val_text(text, a)));
	bytes = arena_copy(a, buf_str(&b));
	buf_free(&b);
	return bytes;
}

static void check_case(struct arena *a, struct val c, size_t counts[2])
{
	bool want = val_text_is(val_get(c, STR("expect")), STR("accept"));
	struct checkpoint tree;

	test_case("%.*s", STR_ARG(val_raw(val_get(c, STR("id")))));
	if (val_text_is(val_get(c, STR("kind")), STR("open"))) {
		CHECK_INT(note_parse(bytes_of(a, val_get(c, STR("msg_b64"))), &note, &why) && is_good_for_all(a, c), want);
		counts[want]++;
	} else if (val_text_is(val_get(c, STR("kind")), STR("tree"))) {
		/* Go's tree head is a checkpoint whose first line is always the same */
		struct str text = bytes_of(a, val_get(c, STR("text_b64")));
		bool is = checkpoint_parse(text, &tree, &why) && str_eq(tree.origin, STR("go.sum database tree"));
		int64_t size;

		/* ... and which does not mind empty lines and lines that do not end behind the third: C2SP's does */
		CHECK(is == want || (want && why == strstr(why, "the checkpoint has an empty line")));
		if (is && val_i64(val_get(c, STR("size")), &size))
			CHECK_INT(tree.size, size);
		counts[want]++;
	}
}

TEST(published_notes_and_tree_heads_are_judged_as_published)
{
	struct str rest = test_read(test_shared("corpora/06-merkle-notes/dev/notes/cases.jsonl"));
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 0 });
	size_t counts[2] = { 0, 0 };
	struct arena a;
	struct val v;

	arena_init(&a);
	while (rest.n > 0) {
		CHECK(json_parse_copy(p, str_cut(rest, '\n', &rest), &v, NULL));
		check_case(&a, v, counts);
	}
	CHECK(counts[0] > 0 && counts[1] > 0);
	json_parser_close(p);
	arena_free(&a);
}
