/*
 * What a name gives away that is no name: a key of any shape, an address of mail, a person's number, characters that
 * act on a terminal. leak.h judges texts; these judge one word, as it stands in the place of a model, a tool, an id or
 * a part of a path. All are pure, need time in proportion to the word and allocate nothing.
 */
#ifndef DIALECT_RECORD_LEAK_NAME_H
#define DIALECT_RECORD_LEAK_NAME_H

#include "base/str.h"

/*
 * A key by its looks, of whatever service: a beginning that only keys have (sk-, pk-); 16 or more letters and
 * digits in a row that are mixed (four digits among letters, digits alone, or changes of case and kind as no name has
 * them: base64); 40 or more in a row of any kind. Takes digests and ids too: they are no names. Leaves
 * claude-3-5-sonnet-20241022, DeepSeekR1DistillQwen32B, llama-v3p1-405b-instruct, createPullRequestV2.
 */
bool leak_has_key_run(struct str word);

/* As above, or written in groups: two of six or more with a letter and three digits in each, as a UUID has them. */
bool leak_looks_like_key(struct str word);

/* somebody@example.com, anywhere in it. Leaves claude-x@20250101, tool@1.2 and @cf/meta/llama-3.1. */
bool leak_has_mail(struct str text);

/* Three, two and four digits with hyphens between them: a social security number. */
bool leak_has_person_number(struct str text);

/* Control characters (C0, DEL, C1), those that change the direction of writing or hide, and bytes that are no UTF-8. */
bool leak_has_controls(struct str text);

#endif
