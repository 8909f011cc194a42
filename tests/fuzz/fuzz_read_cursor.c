/* What the agent of Cursor prints, hooks and transcripts of its editor. */
#include "fuzz_read.h"

FUZZ_READ("cursor")
