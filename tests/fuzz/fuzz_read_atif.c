/* ATIF documents. */
#include "fuzz_read.h"

FUZZ_READ("atif")
