/* For the rows of agents.c that read settings: what they have in common. */
#ifndef CAPTURE_AGENTS_PRIVATE_H
#define CAPTURE_AGENTS_PRIVATE_H

#include "capture/agents/agents.h"
#include "json/json.h"

#define AGENT_SETTINGS_MOST (1u << 20) /* bytes of a settings file; a larger one counts as absent */

/* The rows' own readers. */
bool agent_claude_read(struct agent_plan *p, struct err *err);
bool agent_codex_read(struct agent_plan *p, struct err *err);
bool agent_gemini_read(struct agent_plan *p, struct err *err);

/* A variable of the child's environment; absent when it is not set or empty. */
struct str agent_variable_of(const struct agent_plan *p, const char *name);

/* Whether an agent that asks this address by itself must be given ours, or interception takes its connections. */
bool agent_needs_address(const struct agent_plan *p, struct str address);

/* A new change at the end of the plan. */
struct agent_change *agent_add_change(struct agent_plan *p);

/* A settings file, followed if it is a link; absent when it cannot be read, is no regular file or too large. */
struct str agent_read_settings(struct agent_plan *p, struct str path);

/*
 * JSON of settings: an object, or none. Names may repeat, and the last one counts, as for the agents. The parser holds
 * it until the caller closes it; NULL for an absent text.
 */
struct json_parser *agent_parse_settings(struct str text, struct val *out);

/*
 * The value of an option with one of these two names at argv[i], which may be the next argument or stand behind "=",
 * and for a short one (of two bytes) directly behind it. *taken gets how many arguments that is. Absent when argv[i] is
 * another, or nothing follows.
 */
struct str agent_option_at(const struct agent_plan *p, size_t i, const char *name, const char *other, size_t *taken);

#endif
