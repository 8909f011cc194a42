/* Rollouts of Codex and what codex exec prints. */
#include "fuzz_read.h"

FUZZ_READ("codex")
