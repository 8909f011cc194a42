/* Trajectories of SWE-agent and mini-swe-agent. */
#include "fuzz_read.h"

FUZZ_READ("swe-agent")
