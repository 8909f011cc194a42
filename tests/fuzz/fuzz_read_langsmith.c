/* Runs of LangSmith and LangChain: trees, lists, webhooks, batches, updates. */
#include "fuzz_read.h"

FUZZ_READ("langsmith")
