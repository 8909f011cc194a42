/* A wrapped server: bytes, ends, and what a recorder is told. Our standard streams are files meanwhile. */
#include "capture/mcp/mcp_wrap.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/file.h"
#include "harness/test.h"
#include "net/local.h"

static char dir[] = "/tmp/trackway-wrap-XXXXXX";
static struct arena arena;

/* Runs `sh -c script` with this input; what it wrote is in *out. */
static struct mcp_wrap_outcome wrap(const char *script, struct str in, struct mcp_wrap_options o, struct str *out)
{
	const char *const argv[] = { "sh", "-c", script, NULL };
	struct str from = ARENA_JOIN(&arena, str_from(dir), STR("/in")), to = ARENA_JOIN(&arena, str_from(dir), STR("/out"));
	int was_in = dup(0), was_out = dup(1), fd;
	struct mcp_wrap_outcome end;
	struct err err = { .kind = ERR_NONE };
	bool good;

	fd = open(from.p, O_RDWR | O_CREAT | O_TRUNC, 0600);
	CHECK(fd >= 0 && write(fd, in.p, in.n) == (ssize_t)in.n && lseek(fd, 0, SEEK_SET) == 0);
	dup2(fd, 0);
	close(fd);
	fd = open(to.p, O_RDWR | O_CREAT | O_TRUNC, 0600);
	dup2(fd, 1);
	close(fd);
	o.argv = argv;
	o.env = (const char *const *)environ;
	good = mcp_wrap_run(&arena, &o, &end, &err);
	dup2(was_in, 0);
	dup2(was_out, 1);
	CHECK(good && file_read(&arena, to, (size_t)1 << 26, out, &err));
	unlink(from.p);
	unlink(to.p);
	return end;
}

static void open_place(void)
{
	signal(SIGPIPE, SIG_IGN); /* as the program does */
	arena_init(&arena);
	CHECK(mkdtemp(dir));
}

static void close_place(void)
{
	CHECK_INT(rmdir(dir), 0);
	arena_free(&arena);
}

TEST(bytes_and_ends_are_the_servers)
{
	static const struct { const char *script, *in, *out; int status, signal; } cases[] = {
		{ "cat", "a\nb", "a\nb", 0, 0 },
		{ "cat; exit 9", "", "", 9, 0 },
		{ "echo before; kill -KILL $$", "x", "before\n", 0, 9 },
		{ "exec <&-; sleep 0.1; echo deaf", "not read", "deaf\n", 0, 0 },
		{ "exec >&-; cat >/dev/null; exit 4", "x", "", 4, 0 },
	};
	struct str out;

	open_place();
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct mcp_wrap_options o = { .set_traceparent = i % 2 };
		struct mcp_wrap_outcome end = wrap(cases[i].script, str_from(cases[i].in), o, &out);

		CHECK_STR(out, str_from(cases[i].out));
		CHECK_INT(end.status, cases[i].status);
		CHECK_INT(end.signal, cases[i].signal);
		CHECK(!end.heard);
	}
	close_place();
}

TEST(a_megabyte_passes_unchanged)
{
	struct str out, in;
	struct buf b;

	open_place();
	buf_init(&b);
	for (int i = 0; i < 200000; i++)
		buf_printf(&b, "%d\n", i * 7919);
	in = buf_str(&b);
	wrap("cat", in, (struct mcp_wrap_options){ .chunks = true }, &out);
	CHECK(str_eq(in, out));
	buf_free(&b);
	close_place();
}

TEST(a_server_that_cannot_be_started_is_an_error)
{
	const char *const argv[] = { "/nowhere/server", NULL };
	struct mcp_wrap_options o = { .argv = argv, .env = (const char *const *)environ };
	struct mcp_wrap_outcome end;
	struct err err = { .kind = ERR_NONE };

	arena_init(&arena);
	CHECK(!mcp_wrap_run(&arena, &o, &end, &err));
	CHECK_INT(err.kind, ERR_IO);
	arena_free(&arena);
}

TEST(a_recorder_is_told)
{
	static const char said[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"t\"}}\n";
	struct mcp_wrap_options o = { .name = STR("n"), .run = STR("r"), .session = STR("s") };
	struct mcp_wrap_outcome end;
	struct err err;
	char told[4096];
	struct str out;
	ssize_t n;
	int at, fd;

	open_place();
	o.socket = ARENA_JOIN(&arena, str_from(dir), STR("/s.sock"));
	at = local_listen(o.socket, &err);
	CHECK(at >= 0);
	end = wrap("read line; echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}'", str_from(said), o, &out);
	CHECK(end.heard && end.told == 2 && end.dropped == 0);
	fd = accept(at, NULL, NULL);
	n = fd >= 0 ? recv(fd, told, sizeof(told), 0) : -1;
	CHECK(n > 0);
	CHECK(str_has(str_of(told, (size_t)n), STR("{\"v\":\"sighting/1\",\"kind\":\"tool_begin\",\"layer\":\"mcp\"")));
	CHECK(str_has(str_of(told, (size_t)n), STR("\"run\":\"r\",\"session\":\"s\"")));
	CHECK(str_has(str_of(told, (size_t)n), STR("\"kind\":\"tool_end\"")));
	close(fd);
	close(at);
	unlink(o.socket.p);
	close_place();
}
