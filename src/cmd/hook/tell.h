/*
 * A hook of an agent: what it is told on standard input goes to the recorder as a line or two. Whatever happens, it
 * says nothing and succeeds, since the agent waits for it, shows what it prints, and stops at what it calls a failure.
 */
#ifndef CMD_HOOK_TELL_H
#define CMD_HOOK_TELL_H

#include <stdbool.h>

/*
 * Whether the command line asks for a hook and for nothing else, such as help. Asked before anything else is done in
 * the process: a hook runs before and after each tool, and wrong options must not stop the agent either.
 */
bool hook_is_asked(int argc, char **argv);

/* The hook of this agent. An exit status: always that of success. */
int hook_tell(const char *agent);

#endif
