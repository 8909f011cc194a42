/* What assemble.c and assemble_step.c share: a run while it is put together. */
#ifndef MODEL_ASSEMBLE_PRIVATE_H
#define MODEL_ASSEMBLE_PRIVATE_H

#include "base/buf.h"
#include "base/map.h"
#include "json/json.h"
#include "model/assemble.h"
#include "model/calls.h"
#include "model/compaction.h"
#include "model/merge.h"

struct mend;

/* A call of a step that is not closed yet. */
struct step_call {
	struct step_call *next, *before;
	struct event *e;
	struct buf args; /* pieces joined */
	bool joined;     /* args holds them */
	struct open_call *open;
};

/* A step while pieces of it may come. */
struct step {
	struct branch *branch; /* in which it is open */
	struct event *e; /* what is known so far; its texts are in the bufs below */
	struct buf text, reasoning;
	bool has_text, has_reasoning;
	bool real;   /* something other than fallbacks came */
	bool marker; /* nothing but markers came */
	struct extra *extras, **last_extra, *latest; /* of its pieces, unless they are merged */
	struct step_call *calls, **last_call, *newest;
	size_t call_count;
};

/* One thing in the order it came. A step stands where its first piece stood, with its calls behind it. */
struct slot {
	struct slot *next;
	struct event *e;           /* NULL for a step that is not closed */
	struct step *step;         /* then */
	struct step_call *calls;   /* of a closed step */
	struct event *cost;        /* of a closed step */
	struct open_call *answers; /* RESULT and ERROR: the call that is over with it */
};

struct branch {
	struct slot *open; /* the step to which pieces are added; NULL for none */
	struct str latest; /* id of the latest closed step; in the run's arena or hold */
	struct buf latest_text;
};

struct assemble {
	bool (*put)(void *context, const struct event *e, struct err *err);
	void *context;
	struct assemble_options options;
	/* the run */
	bool begun, start_put;
	struct arena run; /* of the run */
	struct event *start, *end; /* end: what RUN_ENDs said so far, or NULL */
	struct map branches;
	struct branch **branch_list;
	size_t branch_count, branch_cap;
	struct calls calls;
	struct calls steps; /* only the ids that were used */
	uint64_t step_count, lone_count;
	struct moment last; /* ts of the event put last; its text is in last_text */
	char last_text[64];
	enum event_kind last_kind; /* of what was put last, notes and costs aside */
	bool cut;                  /* the step that was put last broke off, or the mark of one that never came */
	bool torn; /* the log breaks off in the middle of a line */
	/* what waits */
	size_t relief_at; /* bytes held below which it is not worth looking again */
	struct slot *first, **tail;
	struct arena hold, other;
	struct json_parser *parser;
	struct mend *mend;
	struct merge *merge;
	struct compactions compactions;
	struct buf scratch;
};

/* The branch of this name, made when it is new; p NULL names the main line. Lives until the end of the run. */
struct branch *assemble_branch(struct assemble *as, struct str name);

/* Adds a slot at the end. */
struct slot *assemble_queue(struct assemble *as, struct event *e);

/* A canonical string, in `a`. */
struct str assemble_quote(struct assemble *as, struct arena *a, struct str text);

/* "id#2", in `hold`. */
struct str assemble_number(struct assemble *as, struct str id, uint64_t number);

/* Adds {name: text} to what the event has under trackway/1. */
void assemble_remark(struct assemble *as, struct event *e, const char *name, struct str text);

/* ---- assemble_step.c ---- */

/* A STEP, or a piece of one: joins the open step of its branch or begins another. And a CALL, which joins a step. */
void assemble_add_step(struct assemble *as, const struct event *e);
void assemble_add_call(struct assemble *as, const struct event *e);

/* Nothing more will be added to the step that is open in the branch, if one is. */
void assemble_close_step(struct assemble *as, struct branch *b);

/* Frees a step with the calls it still has, which are not closed. */
void assemble_free_step(struct step *s);
void assemble_free_calls(struct step_call *first);

#endif
