/* The figures in Prometheus' text format, version 0.0.4. */
#ifndef WATCH_TEXT_H
#define WATCH_TEXT_H

#include "watch/tail.h"

#define TEXT_MEDIA "text/plain; version=0.0.4; charset=utf-8"

/* Adds the whole page. What nobody knows is NaN, as Prometheus' own libraries write it. */
void text_add(struct buf *out, const struct figures *f, const struct tail *t);

#endif
