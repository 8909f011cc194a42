/*
 * Answers of receivers: the first byte picks the media type and whether it answers a success, the rest is the body. A
 * message lies inside of what was given or is text; only a success rejects anything.
 */
#include "fuzz.h"

#include "base/utf8.h"
#include "sink/push/reply.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const media[] = { "application/x-protobuf", "application/json; charset=utf-8", "text/plain", "x" };
	struct json_parser *parser;
	struct push_reply r, again;
	struct arena a;
	bool good;

	if (size == 0)
		return 0;
	good = data[0] & 4;
	arena_init(&a);
	parser = json_parser_open((struct json_options){ .max_values = 10000 });
	r = push_reply_read(&a, parser, str_from(media[data[0] & 3]), str_of(data + 1, size - 1), good);
	FUZZ_CHECK((r.kind == PUSH_REPLY_EMPTY) == (size == 1));
	FUZZ_CHECK(good || r.rejected == 0);
	FUZZ_CHECK(r.rejected <= INT64_MAX && r.message.n < size);
	FUZZ_CHECK(r.kind == PUSH_REPLY_FOREIGN || utf8_check(r.message) == r.message.n);
	if (r.kind != PUSH_REPLY_READ && r.kind != PUSH_REPLY_FOREIGN)
		FUZZ_CHECK(r.rejected == 0 && r.message.n == 0);
	r.message = arena_copy(&a, r.message);
	again = push_reply_read(&a, parser, str_from(media[data[0] & 3]), str_of(data + 1, size - 1), good);
	FUZZ_CHECK(again.kind == r.kind && again.rejected == r.rejected && str_eq(again.message, r.message));
	json_parser_close(parser);
	arena_free(&a);
	return 0;
}
