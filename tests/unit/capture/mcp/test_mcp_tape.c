/* Messages as lines of the cassette. */
#include "capture/mcp/mcp_tape.h"

#include "harness/test.h"

static void check(struct str message, const char *body)
{
	struct mcp_tape t = { .server = STR("s"), .instance = 0, .sender = MCP_SERVER, .message = message, .ns = 5000,
			      .before_ns = -1 };
	struct str head = STR("{\"lane\":\"mcp\",\"server\":\"s\",\"instance\":\"0000000000000000\",\"from\":\"server\","
			      "\"t_us\":5,\"delay_us\":0,\"body\":");
	struct buf out;

	buf_init(&out);
	mcp_tape_add(&out, &t);
	CHECK(str_starts(buf_str(&out), head));
	CHECK(str_ends(buf_str(&out), str_from(body)));
	buf_free(&out);
}

TEST(bytes_stand_there_exactly)
{
	check(STR("{\"a\" : 1}"), "\"size\":9,\"enc\":\"json\",\"inline\":{\"a\" : 1}}}");
	check(STR("{\"a\":1}\r"), "\"size\":8,\"enc\":\"utf8\",\"inline\":\"{\\\"a\\\":1}\\r\"}}");
	check(STR("\xff"), "\"size\":1,\"enc\":\"base64\",\"inline\":\"/w==\"}}");
	check(str_of(NULL, 20000000), "\"body\":{\"size\":20000000,\"lost\":true}}");
}
