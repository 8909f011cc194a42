/* Events of CrewAI, and the requests that carry them. */
#include "fuzz_read.h"

FUZZ_READ("crewai")
