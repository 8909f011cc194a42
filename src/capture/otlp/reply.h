/*
 * What a receiver of OTLP answers: the response of an export, with what was rejected, or google.rpc.Status; in the
 * encoding of the request. Pure.
 */
#ifndef CAPTURE_OTLP_REPLY_H
#define CAPTURE_OTLP_REPLY_H

#include "base/buf.h"
#include "dialect/otlp/sight.h"

/* All was taken (nothing in protobuf, {} in JSON), or all but `rejected`, or there is only something to say. */
void otlp_reply_add_taken(struct buf *out, enum otlp_signal signal, bool is_json, uint64_t rejected, struct str why);

/* The request was not taken; `status` is that of HTTP. */
void otlp_reply_add_refusal(struct buf *out, bool is_json, int status, struct str why);

#endif
