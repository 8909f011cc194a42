/* Conversations of gptme. */
#include "fuzz_read.h"

FUZZ_READ("gptme")
