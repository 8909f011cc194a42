/*
 * Who sends the requests: frameworks, agents and SDKs that name themselves in User-Agent and in headers of SDKs. A
 * header is a stranger's text: only names of our own table reach a trace, each with a version of digits, dots and a
 * short suffix, and nothing else of it does.
 */
#ifndef CAPTURE_OBSERVE_CLIENT_H
#define CAPTURE_OBSERVE_CLIENT_H

#include "base/str.h"
#include "json/write.h"
#include "net/http/http.h"

#define CLIENT_VERSION 24 /* bytes of a version */
#define CLIENTS_MOST 12   /* of one list; more are passed over */

/* A name of the table and its version. */
struct client {
	const char *name;
	char version[CLIENT_VERSION + 1];
};

/* Those of a request, or of a run: each name once. All zero at first. */
struct clients {
	struct client list[CLIENTS_MOST];
	size_t count;
};

/* Adds whoever the headers of a request name. What is no version makes no client. */
void clients_read(struct clients *c, const struct http_head *h);

/* Adds those of a request to those of a run; a name that is there keeps its version. */
void clients_add(struct clients *c, const struct clients *more);

/* Writes them as a JSON object: {"pydantic-ai":"2.66.1"}; {} when there are none. */
void clients_write(struct json_writer *j, const struct clients *c);

/* The framework of agent-trace that a User-Agent names; p NULL for none of its words. */
struct str client_framework(struct str user_agent);

#endif
