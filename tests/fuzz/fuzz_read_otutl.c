#include "fuzz_read.h"

FUZZ_READ("otutl")
