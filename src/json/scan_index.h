/*
 * First pass of a variant: from bytes to the index of places.
 * Included by scan_body.h, once per variant, after the primitives it names; hence static throughout.
 */
#ifndef JSON_SCAN_INDEX_H
#define JSON_SCAN_INDEX_H

/* Writes the number of the lowest bit and takes it away; without a bit it writes anything. */
INLINE uint64_t flatten_one(uint32_t *out, uint32_t base, uint64_t bits)
{
	*out = base + (uint32_t)bits_first(bits);
	return bits & (bits - 1);
}

/* Four at once: when there are fewer, the rest of `out` is overwritten with nonsense, for which SCAN_SLACK has room. */
INLINE uint64_t flatten_four(uint32_t *out, uint32_t base, uint64_t bits)
{
	bits = flatten_one(out, base, bits);
	bits = flatten_one(out + 1, base, bits);
	bits = flatten_one(out + 2, base, bits);
	return flatten_one(out + 3, base, bits);
}

/* Eight without looking, then four at a time: most blocks have fewer than eight places. */
INLINE uint32_t *flatten(uint32_t *out, uint32_t base, uint64_t bits)
{
	uint32_t *end = out + __builtin_popcountll(bits);

	bits = flatten_four(out, base, bits);
	bits = flatten_four(out + 4, base, bits);
	for (out += 8; bits; out += 4)
		bits = flatten_four(out, base, bits);
	return end;
}

/* The same for fewer places. */
INLINE uint32_t *flatten_few(uint32_t *out, uint32_t base, uint64_t bits)
{
	uint32_t *end = out + __builtin_popcountll(bits);

	for (; bits; out += 4)
		bits = flatten_four(out, base, bits);
	return end;
}

/* What one block of 64 bytes leaves to the next. The first two point to where the next entry goes. */
struct pass {
	uint32_t *index, *escapes;
	uint64_t in_string;   /* all ones when the block begins inside a string */
	uint64_t escaped;     /* bit 0: the block's first byte is escaped */
	uint64_t after_other; /* bit 0: the byte before the block is part of a bare scalar */
	uint64_t wrong;       /* control characters in strings */
	uint64_t newlines;    /* all ones when LF ends a value */
};

/*
 * Which bytes are escaped. A run of backslashes escapes at its first, third, fifth ... one. Adding a
 * run's first bit to the runs clears that run by its carry and leaves the others, so two additions
 * tell the runs that begin at an even place from those that begin at an odd one; no branch depends on
 * how many there are. The backslashes that begin an escape go to the list.
 */
INLINE uint64_t pass_escapes(struct pass *ps, uint32_t base, uint64_t slash)
{
	const uint64_t even = 0x5555555555555555u;
	uint64_t escaped = ps->escaped, first, begins;

	slash &= ~escaped;
	first = slash & ~(slash << 1);
	begins = slash & ~(slash + (first & even)) & even;
	begins |= slash & ~(slash + (first & ~even)) & ~even;
	ps->escapes = flatten_few(ps->escapes, base, begins);
	ps->escaped = begins >> 63;
	return begins << 1 | escaped;
}

/* One block: which bytes are inside strings is known first, and everything else is masked by that. */
INLINE void pass_block(struct pass *ps, uint32_t base, const uint8_t *p)
{
	struct quotes k = quotes_read(p);
	struct marks m;
	uint64_t inside, other, starts;

	if (k.slash | ps->escaped)
		k.quote &= ~pass_escapes(ps, base, k.slash);
	if (!k.quote && ps->in_string) { /* the middle of a long string: nothing to index */
		ps->wrong |= k.control;
		ps->after_other = 0;
		return;
	}
	inside = bits_prefix_xor(k.quote) ^ ps->in_string; /* opening quote in, closing quote out */
	ps->in_string = (uint64_t)((int64_t)inside >> 63);
	ps->wrong |= k.control & inside;

	m = marks_read(p);
	other = ~(m.delim | k.quote | inside);
	starts = other & ~(other << 1 | ps->after_other);
	ps->after_other = other >> 63;
	m.bracket |= m.newline & ps->newlines;
	ps->index = flatten(ps->index, base, (m.bracket & ~inside) | (k.quote & inside) | starts);
}

/* First pass: the index. False for bad UTF-8, control characters in strings, an open string. */
static bool scan_index(struct scan *s)
{
	struct pass ps = { .index = s->index, .escapes = s->escapes, .newlines = s->lines ? ~(uint64_t)0 : 0 };
	uint8_t tail[64];
	uint32_t at = s->from;
	struct utf8 u;
	bool last;

	utf8_begin(&u, s);
	do { /* one loop for whole blocks and the last one, so that the passes are inlined once */
		const uint8_t *p = s->text + at;

		last = s->to - at < 64;
		if (last) {
			memset(tail, ' ', sizeof(tail));
			memcpy(tail, p, s->to - at);
			p = tail;
		}
		utf8_block(&u, p);
		pass_block(&ps, at, p);
		at += 64;
	} while (!last);

	s->index_count = (size_t)(ps.index - s->index);
	s->escapes_count = (size_t)(ps.escapes - s->escapes);
	ps.index[0] = ps.index[1] = ps.index[2] = s->to;
	ps.escapes[0] = UINT32_MAX;
	return !ps.wrong && !ps.in_string && utf8_ok(&u);
}

#endif
