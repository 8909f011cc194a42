/*
 * A shim in a replay: it asks the replayer (TRACKWAY_REPLAY; replay/door.h has the protocol) what its command wrote and
 * how it ended, writes that, and ends likewise. The command does not run, whatever goes wrong, unless the replayer says
 * that it is to.
 */
#ifndef CAPTURE_SHELL_REPLAY_H
#define CAPTURE_SHELL_REPLAY_H

#include "capture/shell_tape.h"

#define SHELL_REPLAY_MISS 97 /* the exit status of a command that was not recorded, or when nobody answers */

/*
 * Asks at the socket. Writes to descriptors 1 and 2. *status is as waitpid has it. False: the command is to run, and
 * what it does is to be told to that socket.
 */
bool shell_replay_run(struct str socket, const struct shell_tape *t, int *status);

#endif
