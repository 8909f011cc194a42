/* Chat completions: answers, streams, lists of messages, exchanges. */
#include "fuzz_read.h"

FUZZ_READ("openai-chat")
