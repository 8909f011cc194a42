/*
 * config.json of a run as a struct: everything that decided what was sent and how it was judged, and no key. The table
 * in config.c says for each member its name, rules and place here; bench/run/config.h adds what the prompts and
 * targets are to a run.
 */
#ifndef DIALECT_BENCH_CONFIG_H
#define DIALECT_BENCH_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* How tools are found in text; the words are in this order. */
enum detector { DETECT_DEFAULT, DETECT_REFERENCE };

struct config_suite { /* a file, or builtin:NAME */
	struct str path, sha256;
};

struct config_header {
	struct str name, sha256;
};

struct config_target {
	struct str provider, model;
	struct str thinking; /* p NULL: null */
	struct str tag, base;
};

struct suite_var; /* of bench/suite/suite.h: a name and a value */

/* What headers say may be a key: of each only its name is kept and a digest over created_at, the name and the value. */
#define CONFIG_HEADERS                                                     \
	struct {                                                           \
		struct str header_file; /* p NULL: null */                 \
		const struct config_header *headers;                       \
		size_t header_count;                                       \
	}

struct config_headers {
	CONFIG_HEADERS;
};

/* In the order of the file. */
#define BENCH_CONFIG                                                                                          \
	struct {                                                                                              \
		struct str run_id, created_at, version; /* created_at: RFC 3339 */                            \
		const struct str *command;                                                                    \
		size_t command_count;                                                                         \
		const struct config_suite *suites;                                                            \
		size_t suite_count;                                                                           \
		struct str suite_digest;                                                                      \
		const struct str *prompts_sent; /* each an object; only for the writer */                     \
		size_t prompts_sent_count;                                                                    \
		const struct config_target *targets_asked;                                                    \
		size_t targets_asked_count;                                                                   \
		uint64_t repeat;                                                                              \
		uint64_t concurrency; /* 0: "auto" */                                                         \
		uint64_t timeout_ms, retries, retry_delay_ms;                                                 \
		bool stream;                                                                                  \
		double temperature;  /* negative: null, the provider's own */                                 \
		uint64_t max_tokens; /* 0: null */                                                            \
		struct str system;   /* p NULL: null */                                                       \
		enum detector detector;                                                                       \
		uint64_t seed, warmup;                                                                        \
		double budget_usd; /* negative: null */                                                       \
		struct str price_table;                                                                       \
		bool allow_commands;                                                                          \
		struct str sandbox; /* what keeps programs of validators in; p NULL: null */                  \
		const struct str *tags;                                                                       \
		size_t tag_count;                                                                             \
		const struct suite_var *vars;                                                                 \
		size_t var_count;                                                                             \
		bool allow_unreachable;                                                                       \
		struct config_suite mock_script; /* path.p NULL: null */                                      \
		CONFIG_HEADERS;                                                                               \
		struct str prices;        /* a path; p NULL: null */                                          \
		struct str rescored_from; /* p NULL: left out */                                              \
	}

struct bench_config {
	BENCH_CONFIG;
};

/* The members of the file, for dialect/record/io.h. */
extern const struct record_type bench_config_type;

#endif
