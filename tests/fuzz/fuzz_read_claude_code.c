/* Claude Code's sessions and streams. */
#include "fuzz_read.h"

FUZZ_READ("claude-code")
