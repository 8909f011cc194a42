#include "dialect/record/leak_name.h"
#include "harness/test.h"

TEST(keys_of_any_shape_look_like_keys)
{
	static const char *const keys[] = {
		"sk-helicone-eu-abc1234-def5678-ghi9012-jkl3456", "SK-x", "pk_live_x", "0123456789abcdef",
		"a8f3k2m9x0q1z7w4", "bot123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1", "dGhlIHBhdGllbnQgaGFzIGNhbmNlcg",
		"VGhlIHBhdGllbnQgaGFzIGFpZHM", "1234567890123456", "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrst",
		"x/sk-a", "a3f1c2d4-5b6a-7c8d-9e0f-1a2b3c4d5e6f",
	};

	for (size_t i = 0; i < COUNT(keys); i++) {
		test_case("%s", keys[i]);
		CHECK(leak_looks_like_key(str_from(keys[i])));
	}
}

TEST(names_do_not)
{
	static const char *const names[] = {
		"", "claude-3-5-sonnet-20241022", "gpt-4o-mini-2024-07-18", "DeepSeekR1DistillQwen32B", "Qwen2VL7BInstruct",
		"Qwen3-Coder-480B-A35B-Instruct-FP8", "llama-v3p1-405b-instruct", "createPullRequestV2", "HTTPServerRequest",
		"listS3BucketsInRegion", "invoke-with-response-stream", "task-list", "risk-model", "desk-1", "text-embedding-ada-002",
	};

	for (size_t i = 0; i < COUNT(names); i++) {
		test_case("%s", names[i]);
		CHECK(!leak_looks_like_key(str_from(names[i])));
	}
	/* groups alone are a key among models, but the name of many a server of tools */
	CHECK(!leak_has_key_run(STR("a3f1c2d4-5b6a-7c8d-9e0f-1a2b3c4d5e6f")));
	CHECK(leak_has_key_run(STR("0123456789abcdef")));
}

TEST(mail_has_something_before_the_sign_and_a_domain_behind_it)
{
	static const char *const mails[] = { "bob@example.com", "user/x@example.com/secret", "a.b+c@mail.example.org" };
	static const char *const others[] = {
		"claude-x@20250101", "tool@1.2", "@cf/meta/llama-3.1-8b", "@example.com", "a@b", "a@.com", "a@b.", "",
	};

	for (size_t i = 0; i < COUNT(mails); i++) {
		test_case("%s", mails[i]);
		CHECK(leak_has_mail(str_from(mails[i])));
	}
	for (size_t i = 0; i < COUNT(others); i++) {
		test_case("%s", others[i]);
		CHECK(!leak_has_mail(str_from(others[i])));
	}
}

TEST(a_persons_number_is_three_two_and_four_digits)
{
	CHECK(leak_has_person_number(STR("123-45-6789")));
	CHECK(leak_has_person_number(STR("bob ssn 123-45-6789 x")));
	CHECK(!leak_has_person_number(STR("2024-07-18")));
	CHECK(!leak_has_person_number(STR("1123-45-6789")));
	CHECK(!leak_has_person_number(STR("123-45-67890")));
	CHECK(!leak_has_person_number(STR("123-45-678")));
}

TEST(what_acts_on_a_terminal_is_a_control)
{
	static const char *const bad[] = { "\x1b", "a\nb", "\x7f", "\xc2\x9b", "\xe2\x80\xae", "\xef\xbb\xbf", "\xff", "\xc2" };

	for (size_t i = 0; i < COUNT(bad); i++) {
		test_case("%zu", i);
		CHECK(leak_has_controls(str_from(bad[i])));
	}
	CHECK(!leak_has_controls(STR("read_file")));
	CHECK(!leak_has_controls(STR("\xe6\x90\x9c\xe7\xb4\xa2")));
}
