/* One event as one canonical OTUTL record, message or note: the table's members and what was kept beside them. */
#ifndef DIALECT_OTUTL_EMIT_H
#define DIALECT_OTUTL_EMIT_H

#include "base/id.h"
#include "dialect/otutl/convert.h"
#include "model/money.h"

/* What a run came to. */
struct otutl_totals {
	uint64_t model_steps, tool_calls, tool_results, errors;
	struct usage usage;
	struct money money;
	bool timed; /* some event had a time of its own: first_ns and last_ns are set */
	int64_t first_ns, last_ns;
};

/* Working memory, and what the record says that its event does not. All texts are borrowed. */
struct otutl_emit {
	struct arena arena; /* of the record */
	struct otutl_pieces members, ext, ours, inner;

	char run_id[ID_UUID_TEXT];
	uint64_t seq;
	size_t run_id_at;         /* out: where in the buffer run_id went, 0 for messages and notes */
	struct str tool;          /* the call's URI */
	struct str notes;         /* elements that ride on this record; empty: none */
	struct str request;       /* messages, in the same way */
	struct str moved_call, moved_parent; /* an id that the rules do not let stand in its place; p NULL: none */
	bool carrier;             /* the record is only there for its notes */
	bool back;                /* its time lies before that of the record before, and the source has it so */
	bool chunks;              /* write them */
	bool bare;                /* only what the event itself says: no id, seq, ts, type, source, totals */
	struct str source_format, source_sha256;
	const struct otutl_totals *totals;
};

/* Sets up working memory, all else as zeros. It lasts until otutl_emit_free. */
void otutl_emit_init(struct otutl_emit *w);
void otutl_emit_free(struct otutl_emit *w);

/*
 * Adds the object of an event, without a line end: canonical, whatever the event holds, as long as its texts are UTF-8
 * and its JSON canonical. Sets w->run_id_at. Nothing of the event is kept.
 */
void otutl_emit(struct otutl_emit *w, struct buf *out, const struct event *e);

#endif
