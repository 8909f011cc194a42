/* MCP messages in whatever loggers put around them. */
#include "fuzz_read.h"

FUZZ_READ("mcp")
