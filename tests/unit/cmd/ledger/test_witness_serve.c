#include "cmd/ledger/witness_serve.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/stop.h"
#include "harness/test.h"

/* Serves in a child whose standard output is a pipe; gives how it ended, after the signal. */
static int serve(const char *listen, int number, char *said, size_t size)
{
	struct frame frame = { .quiet = true };
	struct err err = { .kind = ERR_NONE };
	uint8_t seed[ED25519_SEED] = { 5 };
	struct signer signer;
	int ends[2], status = 0;
	size_t n = 0;
	pid_t child;

	CHECK(signer_init(&signer, STR("w.example/w"), KEY_WITNESS, seed, &err));
	CHECK(pipe(ends) == 0);
	child = fork();
	if (child == 0) {
		char dir[] = "/tmp/trackway-witness-XXXXXX";
		struct witness_service w = { .listen = str_from(listen), .signer = &signer, .frame = &frame };
		const char *lock;
		struct arena a;
		int got;

		dup2(ends[1], STDOUT_FILENO);
		close(ends[0]);
		close(ends[1]);
		stop_install();
		arena_init(&a);
		CHECK(mkdtemp(dir));
		w.state = str_from(dir);
		lock = arena_printf(&a, "%s/lock", dir).p;
		got = witness_serve(&a, &w, &err);
		unlink(lock);
		rmdir(dir);
		_exit(got == EXIT_FAIL ? (int)err.kind : got);
	}
	close(ends[1]);
	for (int lines = 0; lines < 2 && n + 1 < size;) {
		if (read(ends[0], said + n, 1) != 1)
			break;
		lines += said[n++] == '\n';
	}
	said[n] = '\0';
	if (n)
		kill(child, number);
	close(ends[0]);
	CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
	return WEXITSTATUS(status);
}

TEST(address_and_key_are_printed_and_a_signal_ends_it)
{
	char said[400];

	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	CHECK_INT(serve("127.0.0.1:0", SIGINT, said, sizeof(said)), EXIT_INTERRUPTED);
	CHECK(strncmp(said, "http://127.0.0.1:", 17) == 0 && strstr(said, "\nw.example/w+"));
	CHECK_INT(serve("[::1]:0", SIGTERM, said, sizeof(said)), EXIT_TERMINATED);
	CHECK(strncmp(said, "http://[::1]:", 13) == 0);
}

TEST(an_address_that_is_none_is_a_usage_error)
{
	char said[400];

	CHECK_INT(serve("nowhere", SIGINT, said, sizeof(said)), ERR_USAGE);
}
