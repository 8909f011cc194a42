/* How the targets of one program without libFuzzer make themselves known to it: standalone.c. */
#ifndef FUZZ_REPLAY_H
#define FUZZ_REPLAY_H

#include <stddef.h>
#include <stdint.h>

struct replay_target {
	const char *file; /* tests/fuzz/fuzz_json.c is the target "json" */
	int (*run)(const uint8_t *data, size_t size);
	struct replay_target *next;
};

/* Called before main. The target must live as long as the program. */
void replay_register(struct replay_target *t);

#endif
