/*
 * JSON by template, for the answers of the mock server. Their bytes are fixed by the APIs of others, and a template
 * shows such an answer as it stands on the wire, where calls of a json_writer hide it. Nothing checks the template
 * itself: the unit tests parse every answer that is made with one.
 */
#ifndef PROVIDER_MOCK_JSON_H
#define PROVIDER_MOCK_JSON_H

#include <stdarg.h>

#include "base/buf.h"

/*
 * Adds the template's text to `out`. In it ' stands for ", and each of these takes the arguments named:
 *   %s  struct str: a string with its quotes, escaped; null when p is NULL
 *   %t  struct str: the same without the quotes, for a place between them
 *   %w  const char *: a word that needs no escapes, with quotes; null when it is NULL
 *   %u  uint64_t: a number
 *   %j  struct str: JSON already, as it stands; nothing when it is empty
 *   %i  const char *prefix, const char *digits, uint64_t n: an id of a prefix, MOCK_ID_DIGITS digits and n in hex
 * Never fails; any other letter is a mistake of ours and is asserted.
 */
void mock_json_add(struct buf *out, const char *template, ...);

/* The same for a function that has such arguments itself. */
void mock_json_add_args(struct buf *out, const char *template, va_list args);

#define MOCK_ID_DIGITS 20 /* of the digits that all ids of an answer are made of */

#endif
