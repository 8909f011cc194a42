/* Events of OpenHands, of V0 and of V1. */
#include "fuzz_read.h"

FUZZ_READ("openhands")
