/* Sessions of Continue. */
#include "fuzz_read.h"

FUZZ_READ("continue")
