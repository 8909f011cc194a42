/* Chats of Qwen Code. */
#include "fuzz_read.h"

FUZZ_READ("qwen-code")
