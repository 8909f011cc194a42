/* Conversations, in all three dialects. */
#include "fuzz_read.h"

FUZZ_READ("conversation")
