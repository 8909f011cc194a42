/* aider's histories, which are text, and its analytics log. */
#include "fuzz_read.h"

FUZZ_READ("aider")
