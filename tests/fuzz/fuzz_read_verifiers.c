/* Rollouts, traces and hosted samples of verifiers. */
#include "fuzz_read.h"

FUZZ_READ("verifiers")
