/* Paths of tiles have one spelling; bundles are taken apart and put together to the same bytes. */
#include "fuzz/fuzz.h"

#include "ledger/tile.h"

static void check_path(struct str path)
{
	char again[TILE_PATH_MAX];
	struct tile t;

	if (!tile_parse_path(path, &t))
		return;
	FUZZ_CHECK(t.level < TILE_LEVELS || t.level == TILE_ENTRIES);
	FUZZ_CHECK(t.width >= 1 && t.width <= TILE_WIDTH);
	FUZZ_CHECK(str_eq(str_of(again, tile_path(again, &t)), path));
}

/* Any tile that a log of some size has. */
static void check_place(const uint8_t *p)
{
	uint64_t size = 0, n;
	char path[TILE_PATH_MAX];

	for (int i = 0; i < 8; i++)
		size = size << 8 | p[i];
	for (unsigned level = 0; level < TILE_LEVELS; level++) {
		struct tile t, again;

		n = size >> (8 * level);
		FUZZ_CHECK(tile_full_count(level, size) * TILE_WIDTH + tile_partial_width(level, size) == n);
		if (n == 0)
			break;
		t = tile_of(level, n - 1, size);
		FUZZ_CHECK(tile_parse_path(str_of(path, tile_path(path, &t)), &again));
		FUZZ_CHECK(again.level == t.level && again.n == t.n && again.width == t.width);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str bytes = str_of(data, size), rest = bytes, entry;
	struct buf b;
	bool broken;

	check_path(bytes);
	if (size >= 8)
		check_place(data);
	buf_init(&b);
	while (bundle_next(&rest, &entry, &broken)) {
		FUZZ_CHECK(!broken && entry.n <= ENTRY_MAX);
		bundle_add(&b, entry);
	}
	FUZZ_CHECK(broken == (rest.n > 0));
	FUZZ_CHECK(str_eq(buf_str(&b), str_of(bytes.p, bytes.n - rest.n)));
	buf_free(&b);
	return 0;
}
