/* How long to wait before a question is put again. */
#include "transform/backoff.h"

static uint64_t doubled(uint64_t base, unsigned times)
{
	/* stops long before it could overflow */
	while (times-- > 0 && base < BACKOFF_LONGEST_MS)
		base *= 2;
	return base < BACKOFF_LONGEST_MS ? base : BACKOFF_LONGEST_MS;
}

int64_t backoff_delay_ms(struct stats_random *r, unsigned failed, uint64_t base_ms, int64_t retry_after_ms)
{
	uint64_t whole = doubled(base_ms, failed > 0 ? failed - 1 : 0);
	uint64_t delay = whole - whole / 2 + stats_random_below(r, whole / 2 + 1);
	uint64_t spread = stats_random_below(r, BACKOFF_SPREAD_MS + 1);

	if (retry_after_ms > BACKOFF_LONGEST_MS)
		return -1;
	if (retry_after_ms >= 0 && (uint64_t)retry_after_ms + spread > delay)
		delay = (uint64_t)retry_after_ms + spread;
	return (int64_t)delay;
}
