#include "cmd/frame/opt.h"

#include "harness/test.h"
#include "unit/cmd/sample.h"

TEST(an_option_is_found_by_its_whole_name_only)
{
	CHECK(opt_find_name(sample_table, STR("jobs")) == &sample_table[4]);
	CHECK(opt_find_name(sample_table, STR("job")) == NULL);
	CHECK(opt_find_name(sample_table, STR("jobss")) == NULL);
	CHECK(opt_find_name(NULL, STR("jobs")) == NULL);
	CHECK(opt_find_letter(sample_table, 'o') == &sample_table[2]);
	CHECK(opt_find_letter(sample_table, 'x') == NULL);
	CHECK(opt_find_letter(sample_table, 0) == NULL);
	CHECK(opt_find_letter(NULL, 'o') == NULL);
}

TEST(flags_counters_and_optional_values_do_not_take_the_next_word)
{
	static const bool needs[] = { false, false, true, true, true, true, true, false };

	for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++) {
		test_case("%s", sample_table[i].name);
		CHECK_INT(opt_needs_value(&sample_table[i]), needs[i]);
	}
}

TEST(sizes_are_whole_numbers_with_units)
{
	static const struct {
		const char *text;
		bool ok;
		size_t want;
	} cases[] = {
		{ "0", true, 0 },
		{ "4096", true, 4096 },
		{ "4096B", true, 4096 },
		{ "1K", true, 1024 },
		{ "1KiB", true, 1024 },
		{ "64M", true, (size_t)64 << 20 },
		{ "1GiB", true, (size_t)1 << 30 },
		{ "3TiB", true, (size_t)3 << 40 },
		{ "2T", true, (size_t)2 << 40 },
		{ "1G", true, (size_t)1 << 30 },
		{ "5MiB", true, (size_t)5 << 20 },
		{ "5kB", true, 5000 },
		{ "5MB", true, 5000000 },
		{ "5GB", true, 5000000000 },
		{ "5TB", true, 5000000000000 },
		{ "18446744073709551615", true, SIZE_MAX },
		{ "18446744073709551616", false, 0 },
		{ "16777216T", false, 0 },
		{ "16777215T", true, (size_t)16777215 << 40 },
		{ "", false, 0 },
		{ "M", false, 0 },
		{ "-1", false, 0 },
		{ "+1", false, 0 },
		{ "1.5M", false, 0 },
		{ "1 M", false, 0 },
		{ "1m", false, 0 },
		{ "1Mb", false, 0 },
		{ "0x10", false, 0 },
		{ "1KK", false, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t got = 7;

		test_case("'%s'", cases[i].text);
		CHECK_INT(opt_parse_size(str_from(cases[i].text), &got), cases[i].ok);
		CHECK(got == (cases[i].ok ? cases[i].want : 7));
	}
}

TEST(choices_are_the_words_between_bars)
{
	struct str words = STR("slow|fast|exact");

	CHECK_STR(opt_next_choice(&words), STR("slow"));
	CHECK_STR(opt_next_choice(&words), STR("fast"));
	CHECK_STR(opt_next_choice(&words), STR("exact"));
	CHECK(opt_next_choice(&words).p == NULL);
}

/* Sets the option `row` of the sample from the text (NULL for none). */
static bool set(struct sample_options *o, size_t row, const char *value, struct err *err)
{
	static struct arena a;

	return opt_set(&sample_table[row], o, &a, STR("--it"), str_from(value), err);
}

TEST(each_kind_stores_its_value)
{
	struct sample_options o = { 0 };
	struct err err = { .kind = ERR_NONE };

	CHECK(set(&o, 0, NULL, &err) && o.deep);
	CHECK(set(&o, 1, NULL, &err) && set(&o, 1, NULL, &err));
	CHECK_INT(o.often, 2);
	CHECK(set(&o, 2, "a", &err) && set(&o, 2, "b", &err));
	CHECK_STR(o.output, STR("b"));
	CHECK(set(&o, 2, "", &err) && o.output.p && o.output.n == 0);
	CHECK(set(&o, 3, "2K", &err));
	CHECK_INT(o.size, 2048);
	CHECK(set(&o, 4, "4294967295", &err));
	CHECK_INT(o.jobs, 4294967295);
	CHECK(set(&o, 5, "exact", &err));
	CHECK_INT(o.mode, 2);
	CHECK(set(&o, 7, NULL, &err) && o.json.given && !o.json.value.p);
	CHECK(set(&o, 7, "a,b", &err));
	CHECK_STR(o.json.value, STR("a,b"));
	CHECK_INT(err.kind, ERR_NONE);
}

TEST(a_list_keeps_every_value_in_order)
{
	struct sample_options o = { 0 };
	struct err err;
	char text[100][8];

	for (int i = 0; i < 100; i++) {
		text[i][0] = (char)('0' + i / 10);
		text[i][1] = (char)('0' + i % 10);
		text[i][2] = 0;
		CHECK(set(&o, 6, text[i], &err));
	}
	CHECK_INT(o.tags.count, 100);
	for (int i = 0; i < 100; i++)
		CHECK_STR(o.tags.items[i], str_from(text[i]));
}

TEST(a_value_of_the_wrong_kind_is_a_usage_error_and_changes_nothing)
{
	static const struct {
		size_t row;
		const char *value, *text;
	} cases[] = {
		{ 0, "yes", "--it takes no value" },
		{ 1, "3", "--it takes no value" },
		{ 2, NULL, "--it needs a value: FILE" },
		{ 3, "lots", "--it: 'lots' is not a size" ERR_HELP
			     "write a whole number of bytes, or one with K, M or G such as 64M" },
		{ 4, "-1", "--it: '-1' is not a whole number" },
		{ 4, "", "--it: '' is not a whole number" },
		{ 4, "4294967296", "--it: 4294967296 is too large, the most is 4294967295" },
		{ 5, "fats", "--it: 'fats' is not one of slow|fast|exact" ERR_HELP "did you mean 'fast'?" },
		{ 5, "ex", "--it: 'ex' is not one of slow|fast|exact" },
		{ 6, NULL, "--it needs a value: K=V" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sample_options o = { .jobs = 5, .mode = 1, .size = 9 };
		struct err err = { .kind = ERR_NONE };

		test_case("row %zu, '%s'", cases[i].row, cases[i].value);
		CHECK(!set(&o, cases[i].row, cases[i].value, &err));
		CHECK_INT(err.kind, ERR_USAGE);
		CHECK_STR(str_from(err.text), str_from(cases[i].text));
		CHECK(!o.deep && !o.often && o.jobs == 5 && o.mode == 1 && o.size == 9 && o.tags.count == 0);
	}
}

TEST(json_fields_are_selected_by_name)
{
	static const char *const known[] = { "version", "commit", NULL };
	static const struct {
		const char *value; /* NULL: --json alone */
		bool ok, version, commit;
	} cases[] = {
		{ NULL, true, true, true },
		{ "version", true, true, false },
		{ "commit,version", true, true, true },
		{ "commit,commit", true, false, true },
		{ "comit", false, false, false },
		{ "version,", true, true, false },
		{ " commit , version ", true, true, true },
		{ ",version", false, false, false },
		{ "", false, false, false },
		{ "versio", false, false, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct opt_maybe json = { true, str_from(cases[i].value) };
		struct err err = { .kind = ERR_NONE };

		test_case("--json=%s", cases[i].value);
		CHECK_INT(opt_check_fields(json, known, &err), cases[i].ok);
		CHECK_INT(err.kind, cases[i].ok ? ERR_NONE : ERR_USAGE);
		if (!cases[i].ok)
			continue;
		CHECK_INT(opt_has_field(json, STR("version")), cases[i].version);
		CHECK_INT(opt_has_field(json, STR("commit")), cases[i].commit);
	}
}
