#include "replay/mcp_alone.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/crypto/sha256.h"
#include "base/file.h"
#include "harness/test.h"

#define HEAD "{\"v\":\"cassette/v1\",\"run_id\":\"r1\",\"clock0_us\":1782900000000000,\"redacted\":false}\n"
#define ASK CALL("1", "1")
#define CALL(id, a) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/call\",\"params\":{\"name\":\"say\",\"arguments\":{\"a\":" a "}}}"
#define ANSWER "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"hi\"}]}}"

static void add_message(struct buf *b, unsigned x, const char *from, struct str body)
{
	char hex[SHA256_HEX];
	struct sha256 sha;

	sha256_init(&sha);
	digest_hex(hex, sha256_of(&sha, body));
	sha256_free(&sha);
	buf_printf(b, "{\"x\":%u,\"group\":1,\"lane\":\"mcp\",\"server\":\"s\",\"instance\":\"9f0c3a5be2d14478\",\"from\":\"%s\","
		   "\"t_us\":178290000100000%u,\"delay_us\":1,\"body\":{\"sha256\":\"%.64s\",\"size\":%zu,\"enc\":\"json\","
		   "\"inline\":%.*s}}\n", x, from, x, hex, body.n, STR_ARG(body));
}

/* What the server answers to a line. */
static struct str answer_to(struct arena *a, struct str line, bool *diverged)
{
	char path[] = "/tmp/trackway-alone-XXXXXX", text[4096];
	struct mcp_caller who = { .name = STR("s") };
	int in[2], out[2], fd = mkstemp(path);
	struct err err;
	struct buf b;
	ssize_t n;

	buf_init(&b);
	buf_add_str(&b, STR(HEAD));
	add_message(&b, 0, "client", STR(ASK));
	add_message(&b, 1, "server", STR(ANSWER));
	CHECK(file_write_all(fd, buf_str(&b), &err) && pipe(in) == 0 && pipe(out) == 0);
	close(fd);
	buf_free(&b);
	CHECK(write(in[1], line.p, line.n) == (ssize_t)line.n && write(in[1], "\n", 1) == 1);
	close(in[1]);
	CHECK(mcp_alone_run(a, str_from(path), &who, in[0], out[1], diverged, &err));
	unlink(path);
	n = read(out[0], text, sizeof(text));
	return arena_copy(a, str_of(text, n > 0 ? (size_t)n : 0));
}

TEST(a_recorded_call_has_its_answer_with_the_new_id_and_another_none)
{
	struct arena a;
	struct str got;
	bool diverged;

	arena_init(&a);
	got = answer_to(&a, STR(CALL("77", "1")), &diverged);
	CHECK(str_has(got, STR("\"id\":77")) && str_has(got, STR("\"text\":\"hi\"")) && !diverged);
	got = answer_to(&a, STR(CALL("78", "2")), &diverged);
	CHECK(str_has(got, STR("-32070")) && diverged);
	arena_free(&a);
}
