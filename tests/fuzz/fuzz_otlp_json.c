/* Requests of OTLP as JSON. */
#include "fuzz_otlp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_otlp(data, size, true);
}
