/*
 * inventory.json: the machine and the tools that a run was made with. What is not there is {"error": why}; nothing that
 * is asked can hold a run up for more than a few seconds.
 *
 *	{"schema": "trackway.bench-inventory/1", "taken_at", "host": {"hostname", "sysname", "release", "machine",
 *	 "os", "cpu_model", "cpu_count", "ram_bytes", "gpus": []}, "tools": {"trackway", "ollama", "claude", "python3":
 *	 version or {"error"}}, "python_version": "3.11.2" or {"error"}, "ollama_list": [{"name", "id", "size",
 *	 "size_bytes", "modified"}] or {"error"}, "claude_version": ... or {"error"}}
 */
#ifndef BENCH_RUN_INVENTORY_H
#define BENCH_RUN_INVENTORY_H

#include "base/arena.h"
#include "base/buf.h"

/*
 * Adds the file; cannot fail. Blocks while tools are asked, each for TOOL_MS (bench/suite/tool.h) at most. `scratch` is
 * only for the making.
 */
void inventory_write(struct buf *out, struct arena *scratch); /* pretty, with its LF */

#endif
