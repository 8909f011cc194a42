/* Sessions of pi. */
#include "fuzz_read.h"

FUZZ_READ("pi")
