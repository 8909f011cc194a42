/* Attributes as OTLP/JSON spells them: {"key":"a","value":{"intValue":"1"}}, joined by commas. */
#ifndef DIALECT_OTLP_PUT_H
#define DIALECT_OTLP_PUT_H

#include "base/buf.h"
#include "model/event.h"

/* Adds text that is JSON, or a piece of it, already. */
void otlp_put_raw(struct buf *out, const char *text);

/*
 * The beginning: {"key":"a","value":{ ; the caller adds what is inside, and }}. Begins with a comma unless `out` is
 * empty or ends with a bracket. The key is written as it is: it must need no escape.
 */
void otlp_put_key(struct buf *out, struct str key);

/* Each adds one attribute, and nothing for what is absent. A null is a value that holds nothing: {}. */
void otlp_put_text(struct buf *out, struct str key, struct str text);
void otlp_put_count(struct buf *out, struct str key, struct figure f);
void otlp_put_signed(struct buf *out, struct str key, struct figure f); /* n as two's complement */
void otlp_put_number(struct buf *out, struct str key, struct amount a);
void otlp_put_truth(struct buf *out, struct str key, enum truth t);

/* A list of one word; nothing when word.p is NULL. */
void otlp_put_word(struct buf *out, struct str key, struct str word);

#endif
