/* The options of record --listen, and a recorder that is told to end. */
#include "cmd/record_listen.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/stop.h"
#include "harness/test.h"

static const char *none(const char *name)
{
	(void)name;
	return NULL;
}

TEST(options_of_listening_need_an_address)
{
	struct str keep = STR("30d");
	const struct { struct record_listen_opts o; const char *said; } cases[] = {
		{ { .idle = 5 }, "--idle" },
		{ { .keep = { &keep, 1 } }, "--keep" },
		{ { .token_file = STR("x") }, "--token-file" },
		{ { .tls_cert = STR("x") }, "--tls-cert" },
		{ { .tls_key = STR("x") }, "--tls-key" },
	};
	struct err err;

	CHECK(record_listen_is_absent(&(struct record_listen_opts){ .idle = 0 }, &err));
	for (size_t i = 0; i < COUNT(cases); i++) {
		CHECK(!record_listen_is_absent(&cases[i].o, &err));
		CHECK_INT(err.kind, ERR_USAGE);
		CHECK(str_has(str_from(err.text), str_from(cases[i].said)));
	}
}

/* What is refused before anything is made or listens. */
TEST(an_address_beyond_this_machine_needs_a_token_and_tls)
{
	static struct str good[] = { { "30d", 3 }, { "10GiB", 5 } }, bad[] = { { "30x", 3 } }, zero[] = { { "0d", 2 } };
	const struct { struct record_listen_opts o; const char *said; } cases[] = {
		{ { .address = STR("0.0.0.0:0") }, "needs --token-file, --tls-cert and --tls-key" },
		{ { .address = STR("0.0.0.0:0"), .token_file = STR("t") }, "needs --tls-cert and --tls-key" },
		{ { .address = STR("[::]:0"), .tls_cert = STR("c"), .tls_key = STR("k") }, "needs --token-file" },
		{ { .address = STR("127.0.0.1:0"), .tls_cert = STR("c") }, "belong together" },
		{ { .address = STR("nonsense") }, "--listen cannot be" },
		{ { .address = STR("127.0.0.1:0"), .keep = { bad, 1 } }, "--keep cannot be '30x'" },
		{ { .address = STR("127.0.0.1:0"), .keep = { zero, 1 } }, "--keep cannot be '0d'" },
		{ { .address = STR("127.0.0.1:0"), .keep = { good, 2 }, .token_file = STR("/nowhere/t") }, "/nowhere/t" },
		{ { .address = STR("127.0.0.1:0"), .token_file = STR("/dev/null") }, "this is no token" },
	};
	struct frame f = { .quiet = true };
	struct recording_options r = { .argv = NULL };
	struct arena a;
	struct err err;

	arena_init(&a);
	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%s", cases[i].said);
		CHECK_INT(record_listen(&a, &f, &cases[i].o, &r, &err), EXIT_FAIL);
		CHECK(str_has(str_from(err.text), str_from(cases[i].said)));
	}
	r.intercept = true;
	CHECK_INT(record_listen(&a, &f, &(struct record_listen_opts){ .address = STR("8080") }, &r, &err), EXIT_FAIL);
	CHECK(str_has(str_from(err.text), STR("--intercept")));
	arena_free(&a);
}

TEST(addresses_are_printed_and_a_signal_ends_it)
{
	struct record_listen_opts o = { .address = STR("127.0.0.1:0") };
	struct recording_options r = { .argv = NULL };
	struct frame f = { .quiet = true };
	struct routes routes;
	struct arena a;
	struct err err;
	char line[4000];
	int ends[2], status;
	ssize_t n;
	pid_t child;

	arena_init(&a);
	CHECK(routes_init(&routes, &a, none, &err) && routes_set(&routes, STR("my-own"), STR("http://127.0.0.1:9"), "x", &err));
	r.routes = &routes;
	r.dir = arena_printf(&a, "%s/runs", test_dir());
	setenv("XDG_RUNTIME_DIR", test_dir(), 1);
	CHECK_INT(pipe(ends), 0);
	child = fork();
	if (child == 0) {
		dup2(ends[1], STDOUT_FILENO);
		close(ends[0]);
		close(ends[1]);
		stop_install();
		_exit(record_listen(&a, &f, &o, &r, &err));
	}
	close(ends[1]);
	n = read(ends[0], line, sizeof(line) - 1);
	CHECK(n > 0);
	CHECK(str_has(str_of(line, (size_t)n), STR("export OPENAI_BASE_URL=http://127.0.0.1:")));
	CHECK(str_has(str_of(line, (size_t)n), STR("/openai/v1\n")));
	CHECK(str_has(str_of(line, (size_t)n), STR("export TRACKWAY_UPSTREAM_MY_OWN=http://127.0.0.1:")));
	kill(child, SIGTERM);
	CHECK_INT(waitpid(child, &status, 0), child);
	CHECK(WIFEXITED(status));
	CHECK_INT(WEXITSTATUS(status), 143);
	close(ends[0]);
	arena_free(&a);
}
