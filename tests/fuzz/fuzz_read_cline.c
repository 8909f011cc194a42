/* Sessions of Cline, in all their forms. */
#include "fuzz_read.h"

FUZZ_READ("cline")
