/* Words that vendors spell in many ways, folded into those of agent-trace and OTUTL; tool names made into URIs. */
#ifndef MODEL_WORDS_H
#define MODEL_WORDS_H

#include "base/arena.h"
#include "base/str.h"
#include "model/event.h"

/* "tool_use", "end_turn", "length", "error", or NULL: unknown, absent, or the turn goes on (pause_turn). */
const char *words_stop_reason(struct str vendor_word);

/*
 * A stop reason by which the service's filter or the model itself refused to go on. It is folded to "error", but the
 * call was answered, and did not fail.
 */
bool words_is_refusal(struct str vendor_word);

/* "auto", "none", "required", or NULL. "any", "tool", "function" are required. */
const char *words_tool_choice(struct str vendor_word);

/*
 * tool://VENDOR/NAME, mcp://SERVER/TOOL for an MCP tool (a server is given, or the name is
 * mcp__SERVER__TOOL). What a URI cannot hold is percent-encoded. A name that is a URI stays.
 */
struct str words_tool_uri(struct arena *a, struct str vendor, struct str server, struct str name);

/* The other way: *vendor (or *server) and the bare name, decoded. A URI of another kind is the name itself. */
void words_tool_of_uri(struct arena *a, struct str uri, struct str *vendor, struct str *server, struct str *name);

/* "success", "error", "interrupted"; p NULL for a status that is not known. And the other way. */
struct str words_status(enum run_status status);
enum run_status words_find_status(struct str word);

/* The same for words of other programs: "completed", "cancelled". One that is not known is an error. */
enum run_status words_fold_status(struct str word);

/* shell://local/PROGRAM, in the arena. */
struct str words_program_uri(struct arena *a, struct str program);

/* Whether a tool of this name runs command lines, and whether it reads what its arguments name. Guesses by words. */
bool words_tool_is_shell(struct str name);
bool words_tool_is_reader(struct str name);

/* Whether a tool of this name goes out of the process: network, file, database, browser, shell, MCP. */
bool words_tool_is_external(struct str name, bool mcp);

#endif
