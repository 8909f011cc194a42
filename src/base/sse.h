/*
 * Server-sent events, as the HTML standard has them (section 9.2): bytes in, events out.
 *
 * A stream is lines, ended by CR LF, LF or CR. A line is a field ("data: x"), a comment (":...") or blank; a blank
 * line ends an event. Fields of one event: every data line is one line of its data; the last event line is its type;
 * an id stays for all later events; a block without data is no event. One space after the colon is not part of the
 * value, and a byte order mark at the very beginning is not part of the stream.
 *
 * What makes it hard is that bytes arrive in any pieces: a CR at the end of a piece ends its line at once
 * (the event may be due now, and the LF may come in a minute or never), so the LF after it is remembered and
 * skipped. Everything else follows from doing whole lines: a line that stands whole in a piece is used
 * where it stands, one that does not is gathered first. Comments and fields nobody knows are not gathered, however
 * long they are.
 *
 * An event larger than the limit is given up, said once, and skipped up to its blank line: a stream cannot make
 * the reader hold more than that.
 *
 * Not done here: decoding. Ill-formed UTF-8 passes as it is; whoever reads the data replaces it or refuses it.
 */
#ifndef BASE_SSE_H
#define BASE_SSE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"

struct sse_event {
	struct str event; /* its type; p NULL when the stream does not say (then it is a "message") */
	struct str data;
	struct str id;    /* the last one the stream gave; p NULL when there was none yet */
	/* of sse_next_in_text only */
	size_t strange; /* its lines that are neither a field, a comment nor blank */
	size_t end;     /* with so many bytes of the text it was whole: a CR ends a line, without its LF */
};

enum sse_next {
	SSE_MORE,      /* all bytes are taken; no event is complete */
	SSE_EVENT,
	SSE_TOO_LARGE, /* an event beyond the limit is being skipped; go on as after an event */
};

struct sse_reader {
	uint64_t retry_ms; /* the last valid one; meaningful with has_retry */
	bool has_retry;
	uint64_t comments; /* seen so far */
	/* the rest is sse.c's */
	size_t limit;
	struct str lent; /* the first line of the data, in the bytes at hand; p NULL: in `data` */
	struct buf line, data, event, id;
	uint8_t line_kind; /* of the line at hand */
	uint8_t bom;       /* how many bytes of one were seen at the beginning */
	bool begun, after_cr, has_data, has_event, has_id, skipping;
};

#define SSE_LIMIT ((size_t)64 << 20)

/* limit: bytes of one event, at most; 0 means SSE_LIMIT. */
void sse_init(struct sse_reader *s, size_t limit);
void sse_free(struct sse_reader *s);

/* Forgets everything, as for a new connection; but not the id and the retry time, which outlive it. */
void sse_restart(struct sse_reader *s);

/*
 * Takes bytes from the front of *bytes until an event is complete or nothing is left; call again until SSE_MORE. The
 * event lasts until the next call, if the bytes do: data of one line that stands whole in them is not copied.
 */
enum sse_next sse_push(struct sse_reader *s, struct str *bytes, struct sse_event *out);

/*
 * The stream ended. By the standard what was begun without a blank line is no event; a recording that was cut
 * may still want it: true, and *out, when there is data. A last line without its end counts as a line.
 */
bool sse_rest(struct sse_reader *s, struct sse_event *out);

/*
 * The next event of a text that is all there, cut from the front of *left; false at its end. Data of one line
 * points into the text, data of several is joined in the arena; id is the event's own. What stands at the end
 * without a blank line is given as an event too. A byte order mark is skipped wherever an event may begin.
 */
bool sse_next_in_text(struct str *left, struct arena *scratch, struct sse_event *out);

/* Whether a line, with a byte order mark or not, is a field with a colon that the standard knows, or a comment. */
bool sse_is_line(struct str line);

/* The length of the first line without its end, and in *end where the next one begins. CR LF, LF and CR end a line. */
size_t sse_line(struct str text, size_t *end);

#endif
