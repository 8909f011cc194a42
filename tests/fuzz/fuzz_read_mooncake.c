/* Load traces of Mooncake. */
#include "fuzz_read.h"

FUZZ_READ("mooncake")
