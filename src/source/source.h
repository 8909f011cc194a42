/*
 * The door through which bytes come in. A source walks over inputs (a file, standard input, the files
 * of a directory) and gives each input's bytes in chunks, decompressed. A chunk of a JSONL input ends
 * at a line boundary, whatever the sizes of the reads behind it; a document input comes as one chunk.
 *
 * Chunks live in a buffer that the caller lends to source_next, so that several can be in flight at
 * once; the source itself keeps only the unfinished last line. Memory does not grow with the input.
 */
#ifndef SOURCE_SOURCE_H
#define SOURCE_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

enum next { NEXT_MORE, NEXT_END, NEXT_FAIL };

#define SOURCE_PAD 64 /* readable bytes after a chunk's end, so that SIMD may look past it */
#define SOURCE_RECORD_LIMIT ((size_t)64 << 20)
#define SOURCE_RECORD_MAX ((size_t)2 << 30) /* the parser counts the bytes of a chunk in 32 bits */
#define SOURCE_CHUNK ((size_t)256 << 10)

enum source_shape {
	SOURCE_AUTO,     /* lines for .jsonl and .ndjson (before .gz or .zst), a document otherwise */
	SOURCE_LINES,    /* chunks end at a line boundary */
	SOURCE_DOCUMENT, /* one chunk holds the whole input */
	SOURCE_CONTENT,  /* by what is in it: lines unless the first value goes on over several of them */
};

struct source_io;

/* Files that are read as one, before they are. */
struct source_group {
	struct str name;    /* of the first; that of an archive, not of a member */
	struct str below;   /* its path below the directory given; the last component of a file given */
	uint64_t size;      /* stored bytes of all of them */
	uint64_t stamp;     /* of their names, sizes and times: another one when any of these changed */
	bool is_known;      /* all are regular files that could be looked at */
};

struct source_options {
	enum source_shape shape;
	size_t record_limit;        /* longest line (without its LF) or document; 0 means SOURCE_RECORD_LIMIT */
	size_t chunk_size;          /* aim; 0 means SOURCE_CHUNK */
	const struct source_io *io; /* the system calls to use, see io.h; NULL means the system's own */
	/*
	 * Files that belong together come as one file group: the members of a zip archive, a session with the files of
	 * its sub-agents (see file_group.h). Directories are then also walked for names ending in .eval, .sse, .traj
	 * and .log.
	 */
	bool file_groups;
	struct str except; /* a file or directory that walks pass over, where the output goes; p NULL for none */
	bool inside;       /* a link that leads out of the directory given is not read, and an error tells so */
	/*
	 * Asked of each directory that a walk comes to, the given one included: false passes it over. NULL takes all.
	 * May be asked more than once of one directory.
	 */
	bool (*enter)(void *context, struct str path);
	void *enter_context;
	/* Asked of each file group when its turn comes: false passes over it. NULL takes all. */
	bool (*want)(void *context, const struct source_group *group);
	void *want_context;
};

struct input {
	struct str name; /* as given, or that of the directory given and the path below it; "-" for standard input */
			 /* of a member of an archive: that of the archive, a slash, and its own */
	struct str below; /* the path below the directory given; the last component of a file that was given itself */
	uint64_t index;  /* 0, 1, ... in the order walked */
	bool lines;      /* what SOURCE_AUTO or SOURCE_CONTENT came to */
	bool events;     /* SOURCE_CONTENT: these lines are server-sent events, and chunks end behind whole ones */
	/*
	 * Inputs with the same number belong together and come one after the other. A file is a file group of its own
	 * unless options.file_groups found others for it.
	 */
	uint64_t file_group;
	struct str member; /* the name inside an archive; p NULL for a plain file */
};

struct chunk {
	struct str bytes;        /* somewhere in the lent buffer; SOURCE_PAD zero bytes follow */
	const struct input *input; /* lives as long as the source */
	uint64_t origin;         /* offset of bytes.p in the input, decompressed */
	uint64_t first_line;     /* number of its first line, from 1 */
	bool first, last;        /* of its input; an empty input gives one empty chunk with both set, and */
				 /* behind the last line of a slow pipe the last chunk may be empty too */
};

struct source;

/*
 * Paths are files, directories (walked in byte order of the paths; only names ending in .json, .jsonl,
 * .ndjson, with .gz or .zst after it or not) or "-". Nothing is opened yet (but for the heads of files that
 * may belong to a file group), but a path that does not exist fails here, and so does a directory without such files.
 */
struct source *source_open(struct arena *a, const struct str *paths, size_t count, struct source_options options,
			   struct err *err);

/*
 * Fills `into` (cleared first) with the next chunk. Gzip and zstd are recognised by their first bytes,
 * several members or frames in a row included. NEXT_FAIL: unreadable, damaged archive, or a line above
 * the limit (the message has the place, err->advice the way out). The whole lines before such a place
 * come first, a document does not come at all. Of *out only the input is set then. After NEXT_FAIL a further
 * call goes on with the next input.
 */
enum next source_next(struct source *s, struct buf *into, struct chunk *out, struct err *err);

/* From now on waits for a slow writer until a chunk is full, so that chunks do not depend on how fast it is. */
void source_be_patient(struct source *s);

/* False when source_next would have to wait for a slow writer on a pipe: a good moment to finish other work. */
bool source_is_ready(const struct source *s);

/* Bytes read from the outside so far (compressed size) and in all, 0 when that is not known; for progress. */
uint64_t source_bytes_read(const struct source *s);
uint64_t source_bytes_total(const struct source *s);

/* Of these bytes read, how many are of file groups that were passed over (options.want). */
uint64_t source_bytes_passed(const struct source *s);

/* File groups whose turn has come, passed over or not, and how many there are in all. An archive counts as one. */
uint64_t source_groups_begun(const struct source *s);
uint64_t source_groups_total(const struct source *s);

/* Closes what is open. The source itself is its arena's; inputs and their names stay as long as that. */
void source_close(struct source *s);

#endif
