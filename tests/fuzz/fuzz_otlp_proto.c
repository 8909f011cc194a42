/* Requests of OTLP as protobuf. */
#include "fuzz_otlp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_otlp(data, size, false);
}
