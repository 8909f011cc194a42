/* Sessions of Gemini CLI, and what it prints. */
#include "fuzz_read.h"

FUZZ_READ("gemini-cli")
