#include "cmd/export_otlp.h"

#include <stdlib.h>

#include "harness/test.h"

/* What options come to, with `format` or none. Everything lives as long as the test. */
static bool check(struct export_otlp_opts o, const char *format, struct export_otlp *x, struct export_options *options,
		  struct err *err)
{
	struct export_otlp_opts *kept = test_alloc(sizeof(*kept));
	struct arena *a = test_alloc(sizeof(*a));

	arena_init(a);
	*kept = o;
	*x = (struct export_otlp){ .o = kept, .arena = a };
	*options = (struct export_options){ .version = "1" };
	*err = (struct err){ .kind = ERR_NONE };
	return export_otlp_check(x, format ? export_find(str_from(format)) : NULL, options, err);
}

TEST(a_preset_decides_which_signals_are_sent_unless_that_is_said)
{
	static const struct {
		const char *to;
		int signal;
		bool good, traces, metrics;
	} cases[] = {
		{ NULL, -1, true, true, true },
		{ NULL, EXPORT_METRICS, true, false, true },
		{ NULL, EXPORT_TRACES, true, true, false },
		{ "phoenix", -1, true, true, false },
		{ "phoenix", EXPORT_BOTH, false, false, false },
		{ "phoenix", EXPORT_TRACES, true, true, false },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct export_otlp_opts o = { .send = true, .profile = -1, .signal = cases[i].signal };
		struct export_options options;
		struct export_otlp x;
		struct err err;

		test_case("%zu", i);
		if (cases[i].to)
			o.to = str_from(cases[i].to);
		CHECK_INT(check(o, NULL, &x, &options, &err), cases[i].good);
		if (cases[i].good)
			CHECK(x.wanted[PUSH_TRACES] == cases[i].traces && x.wanted[PUSH_METRICS] == cases[i].metrics);
	}
}

TEST(an_option_wins_over_the_environment)
{
	struct export_otlp_opts o = EXPORT_OTLP_DEFAULTS;
	struct export_options options;
	struct export_otlp x;
	struct err err;

	setenv("OTEL_SEMCONV_STABILITY_OPT_IN", "gen_ai_latest_experimental", 1);
	setenv("OTEL_SERVICE_NAME", "mine", 1);
	CHECK(check(o, "otlp-json", &x, &options, &err));
	CHECK_INT(options.profile, OTLP_GENAI_DEV);
	CHECK_STR(options.service, STR("mine"));
	o.profile = OTLP_SEED;
	CHECK(check(o, "otlp-json", &x, &options, &err));
	CHECK_INT(options.profile, OTLP_SEED);
	CHECK(check((struct export_otlp_opts)EXPORT_OTLP_DEFAULTS, "dot", &x, &options, &err));
	CHECK(!options.service.p); /* nobody looks at the variables for a drawing */
}

TEST(a_format_says_how_bodies_are_encoded)
{
	struct export_otlp_opts o = { .send = true, .profile = -1, .signal = -1 };
	struct export_options options;
	struct export_otlp x;
	struct err err;

	CHECK(check(o, "otlp-json", &x, &options, &err) && x.plans[PUSH_TRACES].encoding == PUSH_JSON);
	CHECK(check(o, "otlp-proto", &x, &options, &err) && x.plans[PUSH_METRICS].encoding == PUSH_PROTOBUF);
	CHECK(!check(o, "dot", &x, &options, &err));
	o.to = STR("phoenix");
	CHECK(!check(o, "otlp-json", &x, &options, &err)); /* it takes protobuf only */
}

TEST(times_are_shifted_so_that_the_last_run_ends_now)
{
	struct export_otlp_opts o = EXPORT_OTLP_DEFAULTS;
	struct trace items[] = { { .to_ns = 5 }, { .to_ns = 1000000000 }, { .to_ns = 7 } };
	struct trace_list runs = { .items = items, .count = COUNT(items) };
	struct export_otlp x = { .o = &o };
	struct export_options options = { .shift_ns = 0 };

	export_otlp_shift(&x, &runs, &options);
	CHECK_INT(options.shift_ns, 0);
	o.shift = STR("now");
	export_otlp_shift(&x, &runs, &options);
	CHECK(options.shift_ns > (int64_t)1700000000 * 1000000000);
}
