/* Replays that become runs of their own: forks and updates, as options and as words. */
#ifndef CMD_REPLAY_FORK_H
#define CMD_REPLAY_FORK_H

#include "json/write.h"
#include "replay/replaying.h"

/* What --from (p NULL: not given) and --update make of the mode. False with *err (ERR_USAGE). */
bool replay_fork_choose(struct str from, bool update, struct replaying_options *o, struct err *err);

/* Adds what was served, what was asked, and which run it has become; nothing for other replays. */
void replay_fork_say(struct buf *b, struct arena *a, const struct replaying_outcome *out);

/* "EXACT up to seq 12" of a fork; else the word alone. In the arena. */
struct str replay_fork_verdict(struct arena *a, const struct replaying_outcome *out);

/* The member `forked`: an object, or null for other replays. */
void replay_fork_put(struct json_writer *w, const struct replaying_outcome *out);

#endif
