/*
 * What a fuzz target provides. It is called with one input after another, in one process, must not
 * keep anything between calls, and returns 0. A finding is a crash, a sanitizer's report, an abort
 * (FUZZ_CHECK) or a call that does not end.
 */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Without libFuzzer all targets are in one program, which knows each by the name of its file. */
#ifdef REPLAY
#include "fuzz/replay.h"

static int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
static struct replay_target replayed = { __BASE_FILE__, LLVMFuzzerTestOneInput, NULL };
__attribute__((constructor)) static void register_target(void) { replay_register(&replayed); }
#else
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
#endif

/* A property that must hold for every input; unlike assert it is checked in every build. */
#define FUZZ_CHECK(condition)                                                                    \
	do {                                                                                     \
		if (!(condition)) {                                                              \
			fprintf(stderr, "%s:%d: expected %s\n", __FILE__, __LINE__, #condition); \
			abort();                                                                 \
		}                                                                                \
	} while (0)

#endif
