/* Trajectories of AEC-Bench. */
#include "fuzz_read.h"

FUZZ_READ("trajectory")
