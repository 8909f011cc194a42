#include "sink/plot.h"

#include <math.h>

#include "harness/test.h"

static struct axis plot_axis(void)
{
	static const double ticks[] = { 0, 1 };

	return axis_share(ticks, 2);
}

TEST(a_value_without_an_interval_is_a_dot_alone)
{
	struct axis x = plot_axis();
	struct buf out;

	buf_init(&out);
	plot_add_whisker(&out, "dot", &x, 0.5, (struct interval){ NAN, NAN }, 10);
	CHECK_STR(buf_str(&out), STR("<circle class='dot' cx='50.00%' cy='10' r='5'/>"));
	buf_clear(&out);
	plot_add_whisker(&out, "all", &x, 0.5, (struct interval){ 0.25, 0.75 }, 10);
	CHECK(str_starts(buf_str(&out), STR("<g class='whisker all'><line class='reach' x1='25.00%' x2='75.00%'")));
	CHECK(str_ends(buf_str(&out), STR("r='3.5'/>")));
	buf_free(&out);
}

TEST(a_field_has_1_at_its_top_and_room_for_names_at_its_left)
{
	struct axis x = plot_axis();

	CHECK(plot_field_y(1) == PLOT_FIELD_TOP);
	CHECK(plot_field_y(0) == PLOT_FIELD_BOTTOM);
	CHECK(plot_field_x(&x, 0) == 12);
	CHECK(fabs(plot_field_x(&x, 1) - 94) < 1e-9);
}

TEST(ticks_are_written_in_the_largest_unit_that_they_are_whole_in)
{
	static const struct {
		double ms;
		const char *want;
	} cases[] = { { 500, "500\xE2\x80\xAFms" }, { 2000, "2\xE2\x80\xAFs" }, { 60000, "1\xE2\x80\xAFmin" },
		      { 7.2e6, "2\xE2\x80\xAFh" } };
	struct buf out;

	buf_init(&out);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		buf_clear(&out);
		plot_label_ms(&out, cases[i].ms);
		CHECK_STR(buf_str(&out), str_from(cases[i].want));
	}
	buf_clear(&out);
	plot_label_usd(&out, 0.02);
	plot_label_share(&out, 0.25);
	CHECK_STR(buf_str(&out), STR("$0.0225\xE2\x80\xAF%"));
	buf_free(&out);
}

TEST(an_axis_leaves_out_labels_that_have_no_room)
{
	static const double ticks[] = { 0, 0.05, 1 };
	struct axis x = axis_share(ticks, 3);
	struct buf out;

	buf_init(&out);
	plot_add_axis(&out, &x, "g", "what", plot_label_share);
	CHECK_INT(str_count(buf_str(&out), '%') > 0, 1);
	CHECK(str_has(buf_str(&out), STR("id='grid-g'")));
	CHECK(!str_has(buf_str(&out), STR(">5\xE2\x80\xAF%<")));
	CHECK(str_has(buf_str(&out), STR(">100\xE2\x80\xAF%<")));
	buf_free(&out);
}
