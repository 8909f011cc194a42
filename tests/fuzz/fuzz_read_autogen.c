/* Logs of AutoGen: core events, AgentChat, recorded clients, 0.2. */
#include "fuzz_read.h"

FUZZ_READ("autogen")
