#include "bench/report/outputs_mark.h"

#include "base/build.h"
#include "harness/test.h"

TEST(a_mark_says_version_and_intervals)
{
	enum rate_method method = RATE_EXACT;
	struct str version;
	struct buf b;

	buf_init(&b);
	buf_add_str(&b, STR("x\n"));
	outputs_mark_add(&b, RATE_JEFFREYS);
	CHECK(outputs_mark_read(buf_str(&b), &version, &method));
	CHECK_STR(version, STR(BUILD_VERSION));
	CHECK_INT(method, RATE_JEFFREYS);
	CHECK(!outputs_mark_read(STR(""), &version, &method));
	CHECK(!outputs_mark_read(STR("<!-- trackway 1 -->\n"), &version, &method));
	buf_free(&b);
}
