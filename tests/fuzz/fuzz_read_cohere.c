/* Cohere's answers, streams and logs of exchanges. */
#include "fuzz_read.h"

FUZZ_READ("cohere")
