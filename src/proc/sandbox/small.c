/* The small program's bytes are a part of every program of ours but of itself: the Makefile says how. */
#include "proc/sandbox/linux.h"

extern const char shell_shim_begin[];
extern const uint64_t shell_shim_size;

struct str sandbox_small_program(void)
{
	return str_of(shell_shim_begin, (size_t)shell_shim_size);
}
