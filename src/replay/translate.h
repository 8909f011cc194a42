/*
 * Answers of the tape as this run has to see them: values of the recorded run are replaced by those that stand for
 * them here, also where a stream cuts one in pieces. Number and order of events stay.
 */
#ifndef REPLAY_TRANSLATE_H
#define REPLAY_TRANSLATE_H

#include "base/buf.h"
#include "replay/ties.h"

struct json_parser;

/* Adds the answer to `out`; false, and nothing added, when there is nothing to replace. */
bool translate_answer(const struct ties *t, struct json_parser *p, struct str answer, struct buf *out);

/* Calls `see` for each text of an answer that looks volatile, put together where it was cut. */
void translate_scan(struct json_parser *p, struct str answer, void (*see)(void *context, struct str text),
		    void *context);

#endif
