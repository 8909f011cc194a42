/*
 * Zip archives: the central directory at the end says what there is, and each member is unpacked on its own, as a
 * stream. Stored, deflated (8) and zstd (93) members are read, sizes of 64 bits too; encrypted ones and archives in
 * several pieces are not.
 *
 * An archive is foreign data, so nothing in it is believed: every offset and size is checked against the file,
 * members may not share bytes (an old way to make a small file unpack to a great deal), a member gives no more
 * bytes than it says and just those that its checksum says. A name is a name: nothing is ever written by it. Of
 * members with the same name the last counts, as with every program that adds to archives.
 *
 * A file is read where its members are. What cannot be read at any place (a pipe) is read into memory first,
 * up to ZIP_MEMORY_LIMIT.
 */
#ifndef SOURCE_ZIP_H
#define SOURCE_ZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "source/raw.h"

#define ZIP_MEMORY_LIMIT ((size_t)1 << 30)
#define ZIP_DIRECTORY_LIMIT ((size_t)64 << 20)

struct zip_entry {
	struct str name;
	uint64_t offset;       /* of its local header */
	uint64_t packed, size; /* as stored, and unpacked */
	uint32_t crc;
	uint16_t method, flags;
	bool hidden; /* a later member has the same name */
};

struct zip;

/* Whether an input that begins with this is a zip archive; RAW_HEAD bytes are enough. */
bool zip_matches(struct str head);

/*
 * Reads the directory. *from is open and nothing was read from it but its head; it outlives the zip. Entries
 * live as long as the zip, which is the caller's to close. NULL, with *err, when it cannot be read.
 */
struct zip *zip_open(struct raw *from, struct err *err);
void zip_close(struct zip *z);

/* What is in it, in the order of the directory. */
const struct zip_entry *zip_entries(const struct zip *z, size_t *count);

/*
 * From now on zip_read gives the bytes of this member. False, with *err: ERR_DATA when it is encrypted, damaged or
 * packed in an unknown way, ERR_LIMIT without memory, ERR_IO when it cannot be read. Another member may be begun after
 * that.
 */
bool zip_begin(struct zip *z, const struct zip_entry *entry, struct err *err);

/* As decode_read. Damage may be found only at the end, by the checksum: NEXT_FAIL then comes instead of NEXT_END. */
enum next zip_read(struct zip *z, char *into, size_t n, size_t *got, struct err *err);

#endif
