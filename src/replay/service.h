/* Whose service a recorded run asked, and by which of its interfaces: what runs of a batch are told apart by. */
#ifndef REPLAY_SERVICE_H
#define REPLAY_SERVICE_H

#include "replay/tape.h"

/*
 * "openai", as the recorder named it, and "chat completions"; "several" when the run's model calls differ in it. p NULL
 * when there was no model call, or its path is that of no interface we know. Points into the tape, or is a constant.
 */
struct str service_provider(const struct tape *t);
struct str service_api(const struct tape *t);

#endif
