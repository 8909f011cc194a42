/*
 * What a string gives away that a trace must not hold: credentials in a URL, paths of a machine, environment
 * variables, text of a prompt, arguments of a tool. Keys of services are base/crypto/secret.h's.
 *
 * These are judgements about text, so each says what it takes and what it leaves. All are pure, need time in
 * proportion to the text and allocate nothing.
 */
#ifndef DIALECT_RECORD_LEAK_H
#define DIALECT_RECORD_LEAK_H

#include "base/str.h"

/*
 * A URL with credentials: something before an '@' in its authority, with or without a scheme
 * (https://me@host, user:pass@host/v1), or a parameter of the query or fragment with a value and a
 * name such as key, api_key, access_token, sig, password (see mask_is_credential). Leaves
 * https://host/a@b, ?key= without a value, ?max_tokens=5 and me@example.org.
 */
bool leak_url_credentials(struct str url);

/*
 * An absolute path: /srv/me (two components or more), ~/x, C:\x, C:/x/y, \\host\share, file:///x/y; anywhere
 * in the text where it begins a word or follows a quote, bracket or one of = : , ;. Its place goes to *at and *n
 * when they are given. Leaves paths of URLs with another scheme, //host/x, a/b, ./a/b, </div>, /2/3, and
 * routes of an API: /v1/chat/completions and /api/show, whose first component is "api" or v and digits.
 */
bool leak_has_path(struct str text, size_t *at, size_t *n);

/*
 * An environment: two or more assignments to names of three or more capitals, digits and underscores
 * (HOME=/root USER=me), one of PATH that begins with a slash, or "export" and an assignment. Leaves TP=8 DP=2,
 * a=1 b=2, ONE=1 alone and A == B.
 */
bool leak_has_environment(struct str text);

/*
 * A relative path: ./x, ../x, a/b.c with an ending of letters, a/b/c. Leaves a/b (and/or, text/plain, a model's name),
 * URLs, addresses without a scheme, 2026/11/17 and routes of an API. Too eager for anything but error messages.
 */
bool leak_has_relative_path(struct str text);

/*
 * Text: eight or more words (with a letter in each), or more than 200 characters. Words are what white space parts.
 */
bool leak_is_prose(struct str text);

/* Eight or more characters of scripts that put no spaces between words: Han, Kana, Hangul, Thai and their like. */
bool leak_has_unspaced(struct str text);

/* Either of them. */
bool leak_is_text(struct str text);

/* More than 200 characters. */
bool leak_is_long(struct str text);

/* Words that have a letter, counted up to `limit`. */
size_t leak_count_words(struct str text, size_t limit);

/* A word behind the first one that is an option (-c, --file); or has a slash, when `slash` counts too. */
bool leak_has_option(struct str text, bool slash);

/*
 * A member's name of the list in "Telemetry payload" of agent-trace.md, any *_api_key, or another usual name of
 * prompt or output text (system_prompt, arguments, input, result). Case does not count, nor do '-' and '_', so that
 * outputText is output_text. Leaves prompt_tokens.
 */
bool leak_is_blocked_name(struct str name);

/*
 * A tool's name with arguments: brackets, quotes, an assignment, a pipe, a line end, a URL, an absolute path, or a
 * further word that is an option or has a slash. Leaves filesystem.read_file, mcp__server__tool, functions.exec:0,
 * web search, namespace/tool, tool@1.2 and $web_search.
 */
bool leak_has_arguments(struct str tool);

/*
 * What an error message must not hold; *what names it ("a path", for "the message holds ..."). Takes paths, relative
 * ones too, and environments as above, URLs with credentials; arguments: call(x=1), call("x"), {"x":1}, options such as
 * -c and --file; prompts: several lines, 14 words or more than 200 characters, four words in quotes, scripts without
 * spaces, marks of a role (<|im_start|>, "role", a line that begins with user:), "prompt:" and what follows, what a
 * model is asked ("Write a ...", "you are a ..."). Leaves short phrases: child exited 3, HTTP 429 rate limit,
 * HTTPError(429), timed out after 30 s (limit 20). Keys are the caller's to find.
 */
bool leak_error_text(struct str text, const char **what);

#endif
