/*
 * The servers of a replay, on the recording's loop: the model server, to which all services lead, and the door of
 * shims and wrapped MCP servers; with the lanes behind them and the player that they all ask.
 */
#ifndef REPLAY_STAGE_H
#define REPLAY_STAGE_H

#include "capture/recording.h"
#include "replay/replaying.h"

struct stage;

/*
 * Makes lanes and player of the tape, which must live longer, as the arena. The routes of the options lead to the
 * stage's own server once it is open, unless the model is live. Closed by stage_close.
 */
struct stage *stage_new(struct arena *a, const struct replaying_options *o, const struct tape *t);

/* The replay leaves the tape there; before it is played. The fork must live longer. */
struct fork;
void stage_fork(struct stage *s, struct fork *f);

/* Opens the server of models alone, without a recording around it. Lives as long as the stage. */
struct tape_server *stage_listen(struct stage *s, const struct replaying_host *host, struct err *err);

/* What recording_run needs. Lives as long as the stage. */
const struct recording_stage *stage_recording(struct stage *s);

struct player *stage_player(struct stage *s);

/* Servers of MCP on standard streams; NULL where their clients are not answered from the tape. */
const struct mcp_lane *stage_mcp(const struct stage *s);

/* Whether what was recorded at this time was inside of a command that was served, and so could not happen again. */
bool stage_covers(const struct stage *s, const struct match_entry *e);

/* Commands that were served, whose effects on files were not replayed. */
uint64_t stage_unverified(const struct stage *s);

/* After the recording is over. */
void stage_close(struct stage *s);

#endif
