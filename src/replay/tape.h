/*
 * A cassette in memory: every line of it as it was recorded (doc/formats/cassette.md), checked while it is loaded. The
 * bytes of a body are those that passed, and their digest is checked. What lines mean to each other (which message of
 * MCP answers which) is for the lanes to find out; nothing here is marked as used.
 */
#ifndef REPLAY_TAPE_H
#define REPLAY_TAPE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/finding.h"
#include "json/val.h"
#include "net/http/http.h"

enum tape_lane {
	TAPE_MODEL,    /* an exchange over HTTP or one request of a WebSocket */
	TAPE_MCP_HTTP, /* an exchange of MCP over HTTP */
	TAPE_MCP,      /* a message of MCP on standard streams */
	TAPE_SHELL,    /* a command */
};

enum tape_end { TAPE_EOF, TAPE_CUT, TAPE_CLIENT_LEFT, TAPE_REFUSED };

struct tape_body {
	struct str bytes; /* p NULL: they are not in the cassette */
	bool lost;        /* some of them were not kept */
};

struct tape_chunk {
	uint64_t offset, delay_us; /* where it begins; after the chunk before it, or after the request */
};

/* A piece of a command's output. */
struct tape_piece {
	bool error; /* of standard error */
	struct str bytes;
	uint64_t delay_us;
};

struct tape_http {
	struct str provider, endpoint, method, target;
	struct str base; /* the path of the service's address, which the target begins with; p NULL: not known */
	struct tape_body request, answer;
	int status; /* 0: there was no answer */
	struct http_header *headers; /* of the answer */
	size_t header_count;
	struct tape_chunk *chunks;
	size_t chunk_count;
	enum tape_end end;
	struct str versions; /* of the request (versions.h) */
	uint64_t socket; /* the x of the exchange that opened the WebSocket it came through, plus 1; 0: none */
};

struct tape_message {
	struct str server, instance;
	bool client; /* it is the client's, else the server's */
	uint64_t delay_us;
	struct tape_body body; /* the line without its end */
};

struct tape_command {
	struct str *argv;
	size_t argc;
	struct str cwd;          /* p NULL: not known; "<ws>/src" */
	struct str stdin_sha256; /* hexadecimal; p NULL: not known */
	struct str env;          /* the object as JSON */
	struct str id, parent;   /* p NULL: none */
	struct tape_piece *pieces;
	size_t piece_count;
	bool cut;
	int exit, signal; /* one of them is -1 */
};

struct tape_line {
	uint64_t x, group;
	uint64_t number; /* of the line in the file, from 1 */
	enum tape_lane lane;
	int64_t begun_us, ended_us; /* since 1970 */
	union {
		struct tape_http http;       /* TAPE_MODEL, TAPE_MCP_HTTP */
		struct tape_message message; /* TAPE_MCP */
		struct tape_command command; /* TAPE_SHELL */
	};
};

/* How the recorded child ended, of the last line. */
struct tape_ending {
	bool known;
	struct str exit_status, error;   /* as the summary of the trace has them */
	int code;                        /* exit code of the child; -1: not known */
	bool has_output;                 /* its standard output was kept, in the file `stdout` beside the cassette */
	uint64_t output_size;
	struct str output_sha256;        /* hexadecimal */
	bool terminal;                   /* it wrote to a terminal (a pty of ours) */
};

struct tape {
	struct str run_id;
	int64_t clock0_us;
	struct str sha256;   /* of the file: what is replayed */
	bool redacted;
	struct str redacted_with; /* the id of the key; p NULL: none is known */
	bool redacted_secrets;    /* only keys and credentials were replaced */
	struct tape_line *lines; /* in the order of x */
	size_t count;
	struct tape_ending ending;
	uint64_t age_us; /* unused by the loader; the caller's clock less clock0_us */
};

/*
 * Loads it; texts live in the arena. False and *err when the file cannot be read or is no cassette (ERR_DATA: place,
 * cause, what to do): a line that is no JSON, a digest that is not that of the bytes, an x twice, a header that is
 * missing. A last line that is torn, in a cassette without an end line, is left out.
 */
bool tape_load(struct arena *a, struct str path, struct tape *out, struct err *err);

/* The same from memory, which is copied; `name` stands in messages. */
bool tape_load_memory(struct arena *a, struct str name, struct str bytes, struct tape *out, struct err *err);

/* A text of a command's line: a string, or {"base64":..} of bytes that are none. A copy; p NULL: neither. */
struct str tape_text(struct arena *a, struct val v);

/* The line with this number of exchange; NULL for none. */
const struct tape_line *tape_find(const struct tape *t, uint64_t x);

#endif
