/* Recorded exchanges of every API. */
#include "fuzz_read.h"

FUZZ_READ("cassette")
