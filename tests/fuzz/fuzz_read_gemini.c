/* Gemini's answers, streams, contents and logs of exchanges. */
#include "fuzz_read.h"

FUZZ_READ("gemini")
