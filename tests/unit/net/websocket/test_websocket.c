#include "net/websocket/websocket.h"

#include <stdlib.h>
#include <zlib.h>

#include "unit/net/websocket_frames.h"

static const struct frames_case server = { .sender = WEBSOCKET_SERVER }, client = { .sender = WEBSOCKET_CLIENT };

TEST(the_examples_of_the_standard_are_read)
{
	/* RFC 6455, 5.7 */
	frames_check(&server, STR("\x81\x05Hello"), STR("text Hello;"));
	frames_check(&client, STR("\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58"), STR("text Hello;"));
	frames_check(&server, STR("\x01\x03Hel\x80\x02lo"), STR("text Hello;"));
	frames_check(&server, STR("\x89\x05Hello"), STR("ping Hello;"));
	frames_check(&client, STR("\x8a\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58"), STR("pong Hello;"));
}

TEST(every_form_of_a_length_is_read)
{
	static const size_t sizes[] = { 0, 1, 125, 126, 127, 65535, 65536, 200000 };

	for (size_t i = 0; i < COUNT(sizes); i++) {
		for (int side = 0; side < 2; side++) {
			struct frames_case c = { .sender = side ? WEBSOCKET_SERVER : WEBSOCKET_CLIENT };
			struct websocket_frame f = { .kind = WEBSOCKET_BINARY, .masked = !side, .mask = 0x12345678 };
			struct buf frame = { 0 }, want = { 0 }, load = { 0 };

			test_case("%zu bytes, side %d", sizes[i], side);
			for (size_t k = 0; k < sizes[i]; k++)
				buf_add_byte(&load, (char)('a' + k % 23));
			websocket_add_frame(&frame, &f, buf_str(&load));
			CHECK_INT(frame.n, 2 + (sizes[i] < 126 ? 0 : sizes[i] < 65536 ? 2 : 8) + (side ? 0 : 4) + sizes[i]);
			buf_add_str(&want, STR("binary "));
			buf_add_str(&want, buf_str(&load));
			buf_add_byte(&want, ';');
			frames_check(&c, buf_str(&frame), buf_str(&want));
			buf_free(&frame), buf_free(&want), buf_free(&load);
		}
	}
}

TEST(control_frames_stand_between_the_fragments_of_a_message)
{
	frames_check(&server, STR("\x01\x03one\x89\x01p\x00\x03two\x8a\x00\x80\x05three\x81\x01x"),
		     STR("ping p;pong ;text onetwothree;text x;"));
	frames_check(&server, STR("\x01\x03one\x88\x02\x03\xe8\x80\x01x"), STR("close 1000 ;+"));
	frames_check(&server, STR("\x01\x03one\x80"), STR("+"));
	frames_check(&server, STR("\x81"), STR("+"));
	frames_check(&server, STR("\x81\x02x"), STR("+"));
	frames_check(&server, STR("\x01\x00\x80\x00"), STR("text ;"));
}

TEST(a_close_has_a_code_and_a_reason)
{
	frames_check(&server, STR("\x88\x00"), STR("close 1005 ;"));
	frames_check(&server, STR("\x88\x02\x03\xe8"), STR("close 1000 ;"));
	frames_check(&server, STR("\x88\x05\x0f\xa0" "bye"), STR("close 4000 bye;"));
	frames_check(&server, STR("\x88\x02\x03\xe8\x81\x01x\xff\xff"), STR("close 1000 ;")); /* nothing follows */
}

TEST(bad_frames_are_told)
{
	const struct {
		struct str bytes;
		const char *want;
		bool client;
	} cases[] = {
		{ STR("\x83\x00"), "!1002 a frame of a kind that nobody knows", false },
		{ STR("\x8b\x00"), "!1002 a frame of a kind that nobody knows", false },
		{ STR("\xc1\x00"), "!1002 a reserved bit of a frame is set", false },
		{ STR("\xa1\x00"), "!1002 a reserved bit of a frame is set", false },
		{ STR("\x91\x00"), "!1002 a reserved bit of a frame is set", false },
		{ STR("\x81\x80" "abcd"), "!1002 a frame of a server is masked", false },
		{ STR("\x81\x00"), "!1002 a frame of a client is not masked", true },
		{ STR("\x09\x00"), "!1002 a control frame is too large or in fragments", false },
		{ STR("\x89\x7e\x00\x7e"), "!1002 a control frame is too large or in fragments", false },
		{ STR("\x80\x00"), "!1002 a fragment has no message", false },
		{ STR("\x01\x01" "a\x81\x01" "b"), "!1002 a message begins inside another", false },
		{ STR("\x81\x7e\x00\x7d"), "!1002 the length of a frame is not told as it must be", false },
		{ STR("\x81\x7f\x00\x00\x00\x00\x00\x00\xff\xff"), "!1002 the length of a frame is not told as it must be", false },
		{ STR("\x81\x7f\x80\x00\x00\x00\x00\x01\x00\x00"), "!1002 the length of a frame is not told as it must be", false },
		{ STR("\x88\x01\x03"), "!1002 a close has a code that may not be sent", false },
		{ STR("\x88\x02\x03\xed"), "!1002 a close has a code that may not be sent", false },
		{ STR("\x88\x02\x00\x01"), "!1002 a close has a code that may not be sent", false },
		{ STR("\x88\x03\x03\xe8\xff"), "!1007 the reason of a close is not UTF-8", false },
		{ STR("\x81\x01\xff"), "!1007 a text message is not UTF-8", false },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%zu: %s", i, cases[i].want);
		frames_check(cases[i].client ? &client : &server, cases[i].bytes, str_from(cases[i].want));
	}
	frames_check(&server, STR("\x82\x01\xff"), STR("binary \xff;")); /* of bytes nobody asks */
}

TEST(a_message_beyond_the_limit_is_told_and_the_next_one_is_read)
{
	struct frames_case c = { .sender = WEBSOCKET_SERVER, .limit = 5 };

	frames_check(&c, STR("\x81\x05" "12345\x81\x06" "123456\x81\x01x"), STR("text 12345;large;text x;"));
	frames_check(&c, STR("\x01\x05" "12345\x89\x00\x80\x01" "6\x81\x01x"), STR("ping ;large;text x;"));
	/* one that says that it is huge takes no memory by that */
	frames_check(&c, STR("\x82\x7f\x7f\xff\xff\xff\xff\xff\xff\xff" "abc"), STR("+"));
}

TEST(a_message_can_be_given_up_from_outside)
{
	struct websocket_reader *r = websocket_reader_open(WEBSOCKET_SERVER, 100, NULL);
	struct str first = STR("\x81\x05" "123"), second = STR("45\x81\x01x");
	struct websocket_message m;

	CHECK_INT(websocket_next(r, &first, &m), WEBSOCKET_MORE);
	CHECK(websocket_held(r) > 3);
	websocket_skip(r);
	CHECK_INT(websocket_next(r, &second, &m), WEBSOCKET_TOO_LARGE);
	CHECK_INT(websocket_next(r, &second, &m), WEBSOCKET_MESSAGE);
	CHECK_STR(m.bytes, STR("x"));
	websocket_skip(r); /* it was given: nothing to give up */
	CHECK_STR(m.bytes, STR("x"));
	websocket_reader_close(r);
	websocket_reader_close(NULL);
}

/* ---- packed ---- */

TEST(the_packed_examples_of_the_standard_are_read)
{
	struct frames_case both = { .sender = WEBSOCKET_SERVER, .agreed = { .on = true } };
	struct frames_case alone = { .sender = WEBSOCKET_SERVER, .agreed = { .on = true, .server_alone = true } };

	/* RFC 7692, 7.2.3 */
	frames_check(&both, STR("\xc1\x07\xf2\x48\xcd\xc9\xc9\x07\x00"), STR("text Hello;"));
	frames_check(&both, STR("\x41\x03\xf2\x48\xcd\x80\x04\xc9\xc9\x07\x00"), STR("text Hello;"));
	frames_check(&both, STR("\xc1\x07\xf2\x48\xcd\xc9\xc9\x07\x00\xc1\x05\xf2\x00\x11\x00\x00"), STR("text Hello;text Hello;"));
	frames_check(&both, STR("\xc1\x0b\x00\x05\x00\xfa\xff" "Hello\x00"), STR("text Hello;"));
	frames_check(&both, STR("\xc1\x08\xf3\x48\xcd\xc9\xc9\x07\x00\x00"), STR("text Hello;")); /* a stream that ends */
	frames_check(&both, STR("\xc1\x08\xf3\x48\xcd\xc9\xc9\x07\x00\x00\xc1\x05\xf2\x00\x11\x00\x00"), STR("text Hello;text Hello;"));
	frames_check(&both, STR("\xc1\x0d\xf2\x48\x05\x00\x00\x00\xff\xff\xca\xc9\xc9\x07\x00"), STR("text Hello;"));
	frames_check(&alone, STR("\xc1\x07\xf2\x48\xcd\xc9\xc9\x07\x00\xc1\x07\xf2\x48\xcd\xc9\xc9\x07\x00"),
		     STR("text Hello;text Hello;"));
	/* messages of a socket that packs may be plain */
	frames_check(&both, STR("\x81\x02hi\xc1\x07\xf2\x48\xcd\xc9\xc9\x07\x00\x89\x01p"), STR("text hi;text Hello;ping p;"));
	/* without takeover nothing can be looked back to */
	frames_check(&alone, STR("\xc1\x07\xf2\x48\xcd\xc9\xc9\x07\x00\xc1\x05\xf2\x00\x11\x00\x00"),
		     STR("text Hello;!1007 a packed message is damaged"));
}

TEST(packed_frames_may_not_be_damaged_or_marked_wrongly)
{
	struct frames_case both = { .sender = WEBSOCKET_SERVER, .agreed = { .on = true } };

	frames_check(&both, STR("\xc1\x03\xff\xff\xff"), STR("!1007 a packed message is damaged"));
	frames_check(&both, STR("\xc9\x01p"), STR("!1002 a reserved bit of a frame is set"));
	frames_check(&both, STR("\x41\x03\xf2\x48\xcd\xc0\x04\xc9\xc9\x07\x00"), STR("!1002 a reserved bit of a frame is set"));
	frames_check(&both, STR("\xa1\x00"), STR("!1002 a reserved bit of a frame is set"));
}

TEST(what_follows_in_a_message_that_is_too_large_is_not_looked_at)
{
	struct frames_case c = { .sender = WEBSOCKET_SERVER, .limit = 2, .agreed = { .on = true, .server_alone = true } };

	frames_check(&c, STR("\xc1\x08\xf3\x48\xcd\xc9\xc9\x00\x07\x00\x81\x01x"), STR("large;text x;")); /* damaged behind its fifth byte */
}

/* Zeros that pack to a thousandth. */
static void add_bomb(struct buf *out, size_t size)
{
	struct websocket_deflate agreed = { .on = true };
	struct websocket_writer *w = websocket_writer_open(WEBSOCKET_SERVER, &agreed);
	char *zeros = calloc(1, size);

	CHECK(zeros != NULL);
	websocket_write(w, out, WEBSOCKET_BINARY, str_of(zeros, size), 0);
	free(zeros);
	websocket_writer_close(w);
}

TEST(a_bomb_is_skipped_and_a_larger_one_ends_the_reading)
{
	struct frames_case c = { .sender = WEBSOCKET_SERVER, .limit = 1 << 20, .agreed = { .on = true } };
	struct frames_case alone = { .sender = WEBSOCKET_SERVER, .limit = 1 << 20, .agreed = { .on = true, .server_alone = true } };
	struct buf b = { 0 };

	add_bomb(&b, 2 << 20);
	CHECK(b.n < 20000);
	buf_add_str(&b, STR("\x81\x01x"));
	frames_check(&c, buf_str(&b), STR("large;text x;"));
	frames_check(&alone, buf_str(&b), STR("large;text x;"));
	buf_clear(&b);
	add_bomb(&b, 16 << 20);
	buf_add_str(&b, STR("\x81\x01x"));
	frames_check(&c, buf_str(&b), STR("!1009 a message unpacks to far too much"));
	frames_check(&alone, buf_str(&b), STR("large;text x;")); /* nobody looks back: the rest is not even unpacked */
	buf_free(&b);
}

TEST(a_message_that_was_too_large_can_still_be_looked_back_to)
{
	struct frames_case c = { .sender = WEBSOCKET_SERVER, .limit = 1000, .agreed = { .on = true } };
	struct websocket_writer *w = websocket_writer_open(WEBSOCKET_SERVER, &c.agreed);
	struct buf b = { 0 }, text = { 0 }, want = { 0 };

	for (int i = 0; i < 400; i++)
		buf_printf(&text, "%d,", i);
	websocket_write(w, &b, WEBSOCKET_TEXT, buf_str(&text), 0);
	websocket_write(w, &b, WEBSOCKET_TEXT, str_of(text.p, 700), 0);
	buf_printf(&want, "large;text %.700s;", text.p);
	frames_check(&c, buf_str(&b), buf_str(&want));
	websocket_writer_close(w);
	buf_free(&b), buf_free(&text), buf_free(&want);
}

/* ---- written and read ---- */

TEST(what_is_written_is_read_back_with_every_agreement)
{
	static const int bits[] = { 0, 9, 12, 15 };
	static const size_t sizes[] = { 0, 1, 126, 5000, 70000 };

	for (size_t side = 0; side < 2; side++) {
		for (size_t i = 0; i < COUNT(bits) * 3; i++) {
			struct websocket_deflate d = { .on = i % 3 > 0, .client_alone = i % 3 == 2, .server_alone = i % 3 == 2,
						       .client_bits = bits[i / 3], .server_bits = bits[i / 3] };
			struct frames_case c = { .sender = side ? WEBSOCKET_SERVER : WEBSOCKET_CLIENT, .agreed = d };
			struct websocket_writer *w = websocket_writer_open(c.sender, &d);
			struct buf b = { 0 }, want = { 0 }, text = { 0 };

			test_case("side %zu, agreement %zu", side, i);
			for (size_t k = 0; k < COUNT(sizes); k++) {
				buf_clear(&text);
				for (size_t n = 0; n < sizes[k]; n++)
					buf_add_byte(&text, (char)('a' + n * n % 26));
				websocket_write(w, &b, WEBSOCKET_TEXT, buf_str(&text), 0xdeadbeef + (uint32_t)k);
				buf_add_str(&want, STR("text "));
				buf_add_str(&want, buf_str(&text));
				buf_add_byte(&want, ';');
			}
			websocket_write(w, &b, WEBSOCKET_PING, STR("p"), 7);
			websocket_write_close(w, &b, 1000, STR("done"), 8);
			buf_add_str(&want, STR("ping p;close 1000 done;"));
			frames_check(&c, buf_str(&b), buf_str(&want));
			websocket_writer_close(w);
			buf_free(&b), buf_free(&want), buf_free(&text);
		}
	}
	websocket_writer_close(NULL);
}
