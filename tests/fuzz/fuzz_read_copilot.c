/* Sessions of the Copilot CLI. */
#include "fuzz_read.h"

FUZZ_READ("copilot")
