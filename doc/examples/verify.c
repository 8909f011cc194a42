/*
 * Checks that an entry is in a ledger, with nothing but its proof and the key of the ledger.
 *
 *	cc -o verify verify.c $(pkg-config --static --cflags --libs trackway)
 *	./verify LOG.vkey TRIAL.tlog-proof TRIAL.entry
 *
 * The proof and the entry may come from anywhere. The key must come from somebody you trust.
 *
 * Exit status: 0 it is in the ledger, 1 it is not proved, 2 wrong usage, 3 a file could not be read.
 */
#include <stdio.h>

#include <trackway.h>

#define LIMIT (2 << 20) /* bytes: no proof and no entry is longer */

struct file {
	char bytes[LIMIT + 1]; /* ends with a NUL, for the key */
	size_t size;
};

static int read_file(struct file *f, const char *path)
{
	FILE *in = fopen(path, "rb");
	int is_whole;

	if (!in) {
		perror(path);
		return 0;
	}
	f->size = fread(f->bytes, 1, LIMIT, in);
	is_whole = !ferror(in) && fgetc(in) == EOF;
	fclose(in);
	f->bytes[f->size] = '\0';
	if (!is_whole)
		fprintf(stderr, "%s: it cannot be read, or is too long\n", path);
	return is_whole;
}

int main(int argc, char **argv)
{
	static struct file key, proof, entry;
	struct tw_checkpoint c = { .size = sizeof(c) };

	if (argc != 4) {
		fprintf(stderr, "usage: verify LOG.vkey TRIAL.tlog-proof TRIAL.entry\n");
		return 2;
	}
	if (!read_file(&key, argv[1]) || !read_file(&proof, argv[2]) || !read_file(&entry, argv[3]))
		return 3;
	if (!tw_proof_verify(proof.bytes, proof.size, entry.bytes, entry.size, key.bytes, &c)) {
		printf("%s: not proved: %s\n", argv[3], c.error);
		return 1;
	}
	printf("%s: entry %llu of the %llu that %s had\n", argv[3], (unsigned long long)c.index,
	       (unsigned long long)c.entries, c.origin);
	return 0;
}
