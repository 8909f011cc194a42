#include "harness/test.h"
#include "net/websocket/websocket.h"

static struct http_head head_of(struct http_header *headers, size_t count)
{
	return (struct http_head){ .headers = headers, .count = count, .upgrade = true };
}

TEST(the_accept_of_the_standard_comes_out)
{
	struct buf b = { 0 };

	websocket_add_accept(&b, STR("dGhlIHNhbXBsZSBub25jZQ=="));
	CHECK_STR(buf_str(&b), STR("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="));
	buf_free(&b);
}

TEST(only_an_upgrade_to_websocket_asks_for_one)
{
	struct http_header asks[] = { { STR("Upgrade"), STR("WebSocket") } }, other[] = { { STR("Upgrade"), STR("h2c") } };
	struct http_head h = head_of(asks, 1), o = head_of(other, 1);

	CHECK(websocket_is_asked(&h));
	CHECK(!websocket_is_asked(&o));
	h.upgrade = false; /* Connection does not say it */
	CHECK(!websocket_is_asked(&h));
}

/* As it would be answered: what was read, written again. */
static struct str said(struct buf *b, const struct websocket_deflate *d)
{
	buf_clear(b);
	websocket_add_extensions(b, d);
	return d->on ? buf_str(b) : STR("none");
}

TEST(what_was_agreed_on_is_read_from_the_answer)
{
	static const struct {
		const char *value, *want;
	} cases[] = {
		{ "", "none" },
		{ "permessage-deflate", "permessage-deflate" },
		{ "Permessage-Deflate ; server_no_context_takeover", "permessage-deflate; server_no_context_takeover" },
		{ "permessage-deflate;client_no_context_takeover;client_max_window_bits=\"12\"",
		  "permessage-deflate; client_no_context_takeover; client_max_window_bits=12" },
		{ "permessage-deflate; server_max_window_bits=8", "permessage-deflate; server_max_window_bits=8" },
		{ "permessage-deflate; client_max_window_bits", NULL }, /* only an offer leaves it open */
		{ "permessage-deflate; server_max_window_bits=16", NULL },
		{ "permessage-deflate; server_max_window_bits=07", NULL },
		{ "permessage-deflate; server_no_context_takeover=1", NULL },
		{ "permessage-deflate; server_no_context_takeover; server_no_context_takeover", NULL },
		{ "permessage-deflate; mux", NULL },
		{ "x-webkit-deflate-frame", NULL },
		{ "permessage-deflate, permessage-deflate", NULL },
	};
	struct buf b = { 0 };

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct http_header h[] = { { STR("X"), STR("y") }, { STR("Sec-WebSocket-Extensions"), str_from(cases[i].value) } };
		struct http_head answer = head_of(h, 2);
		struct websocket_deflate d;
		bool known = websocket_agreed(&answer, &d);

		test_case("%s", cases[i].value);
		CHECK(known == (cases[i].want != NULL));
		if (known)
			CHECK_STR(said(&b, &d), str_from(cases[i].want));
	}
	buf_free(&b);
}

TEST(a_server_takes_the_first_offer_that_it_can_do)
{
	static const struct {
		const char *value, *want;
	} cases[] = {
		{ "", "none" },
		{ "mux", "none" },
		{ "permessage-deflate; client_max_window_bits", "permessage-deflate" },
		{ "permessage-deflate; server_max_window_bits=8, permessage-deflate; server_max_window_bits=10",
		  "permessage-deflate; server_max_window_bits=10" },
		{ "permessage-deflate; what, permessage-deflate; server_no_context_takeover; client_max_window_bits=11",
		  "permessage-deflate; server_no_context_takeover; client_max_window_bits=11" },
	};
	struct buf b = { 0 };

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct http_header h[] = { { STR("sec-websocket-extensions"), str_from(cases[i].value) } };
		struct http_head request = head_of(h, 1);
		struct websocket_deflate d;

		test_case("%s", cases[i].value);
		websocket_choose(&request, &d);
		CHECK_STR(said(&b, &d), str_from(cases[i].want));
	}
	buf_free(&b);
}
