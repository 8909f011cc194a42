/*
 * One file, or standard input ("-"), piece by piece and unpacked, for a reader that follows a document as it comes
 * (json/stream.h) and needs neither lines nor the whole.
 */
#ifndef SOURCE_PIECES_H
#define SOURCE_PIECES_H

#include "base/err.h"
#include "source/source.h"

struct pieces;

/*
 * NULL with *err when it cannot be opened or is a directory. Copies the path. Lives until pieces_close, which takes
 * NULL too.
 */
struct pieces *pieces_open(struct str path, struct err *err);
void pieces_close(struct pieces *p);

/*
 * NEXT_MORE: some bytes, which live until the next call. NEXT_FAIL, with *err, comes after the bytes before the damage,
 * and again at each further call.
 */
enum next pieces_next(struct pieces *p, struct str *piece, struct err *err);

#endif
