/* opencode: exports and event logs. */
#include "fuzz_read.h"

FUZZ_READ("opencode")
