/*
 * How long a cassette takes to be ready: `replay_load FILE`. It is loaded, every digest checked, and its lanes are made
 * with the keys of all requests. Prints one line: exchanges, seconds until loaded, seconds until ready, CPU seconds
 * until ready.
 */
#include <stdio.h>

#include "common.h"
#include "replay/stage.h"

int main(int argc, char **argv)
{
	static const char *const command[] = { "agent", NULL };
	struct replaying_options o = { .mode = REPLAY_STUBBED, .argv = command };
	struct bench_clock begun, loaded, ready;
	struct err err = { .kind = ERR_NONE };
	struct stage *stage;
	struct tape tape;
	struct arena a;

	if (argc != 2)
		bench_fail("usage", "replay_load FILE");
	arena_init(&a);
	begun = bench_now();
	if (!tape_load(&a, str_from(argv[1]), &tape, &err))
		bench_fail(argv[1], err.text);
	loaded = bench_now();
	stage = stage_new(&a, &o, &tape);
	ready = bench_now();
	printf("%zu\t%.6f\t%.6f\t%.6f\n", tape.count, loaded.wall - begun.wall, ready.wall - begun.wall,
	       ready.cpu - begun.cpu);
	stage_close(stage);
	arena_free(&a);
	return 0;
}
