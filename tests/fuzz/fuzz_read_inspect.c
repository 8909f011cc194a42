/* Inspect logs and samples. */
#include "fuzz_read.h"

FUZZ_READ("inspect")
