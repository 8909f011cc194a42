/*
 * A prompt as a list of numbers that tell which prompts begin alike, and nothing else (doc/decisions/018). The text is
 * cut into blocks of fixed size. Each block gets a number of 53 bits, made from a secret key, all blocks before it and
 * its own bytes: equal numbers mean equal beginnings. Without the key nobody can try out what a number stands for.
 *
 * How it is keyed: state 0 is the key, state i is SHA-256(state i-1, block i), and the number is the first 53 bits of
 * state i. The other 203 bits stay secret, so a number says nothing about the next one either.
 *
 * Tokens are not known here. A token is taken for four bytes. A long run of base64 (a picture, a file) is not text: it
 * counts as BLOCK_CHAIN_MEDIA bytes that depend on all of it.
 */
#ifndef CAPTURE_OBSERVE_BLOCK_CHAIN_H
#define CAPTURE_OBSERVE_BLOCK_CHAIN_H

#include "base/arena.h"
#include "base/crypto/sha256.h"

#define BLOCK_CHAIN_TOKENS 64u  /* of a block, unless the user says otherwise */
#define BLOCK_CHAIN_LEAST 16u
#define BLOCK_CHAIN_MOST 4096u
#define BLOCK_CHAIN_PER_TOKEN 4u /* bytes */
#define BLOCK_CHAIN_IDS 65536u   /* of a prompt; of one that has more nothing is told */
#define BLOCK_CHAIN_MEDIA 4096u  /* bytes that a run of base64 of this length or more counts as */

struct block_options {
	unsigned tokens; /* of a block; 0: prompts are not hashed */
	struct digest key;
	bool is_drawn; /* the key, for this once: a recorder of many runs gives each numbers of its own */
};

/* Where the chain of a prompt stands: its state, then the bytes of the block that is not full yet. */
struct block_chain {
	struct sha256 sha;
	struct digest key;
	size_t size;   /* of a block, in bytes */
	uint8_t *held; /* SHA256_SIZE bytes of state, then `filled` bytes */
	size_t filled;
	uint64_t *ids; /* of the full blocks */
	size_t count, cap;
	bool over;     /* there were more than BLOCK_CHAIN_IDS */
};

/* Ready for block_chain_begin. The key is wiped by block_chain_free. */
void block_chain_init(struct block_chain *c, const struct block_options *o);
void block_chain_free(struct block_chain *c);

/* An empty prompt. */
void block_chain_begin(struct block_chain *c);

/* Goes on from where another prompt stood: `held` as block_chain_held gave it, and the ids of its full blocks. */
void block_chain_resume(struct block_chain *c, struct str held, const uint64_t *ids, size_t count);

/* More of the prompt. Runs of base64 are found within one call only. */
void block_chain_add(struct block_chain *c, struct str text);

/* `n` bytes that are not known, but follow from `name`: an answer that only the service has. */
void block_chain_add_unknown(struct block_chain *c, struct str name, size_t n);

/* The state and the bytes of the last block, to go on from later; good until the next call. */
struct str block_chain_held(const struct block_chain *c);

/* The number of the last block, which is not full. False when there is none. The chain may still go on. */
bool block_chain_last(struct block_chain *c, uint64_t *id);

/* Other numbers for these, which the key tells: in the arena. */
uint64_t *block_chain_own(struct arena *a, const struct digest *key, const uint64_t *ids, size_t count);

#endif
