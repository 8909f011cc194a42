/* Requests, responses and streams of the Responses API. */
#include "fuzz_read.h"

FUZZ_READ("openai-responses")
