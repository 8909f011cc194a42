/*
 * Writes C with the compiled expressions of src/base/crypto/secret_rules.c to standard output. Run by make; also
 * checks the lengths which the table states, since the scanner relies on them.
 */
#include <hs/hs.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/crypto/secret_rules.h"

static void give_up(const struct secret_rule *r, const char *why)
{
	fprintf(stderr, "gen-secrets: %s: %s\n", r ? r->id : "all", why);
	exit(1);
}

static void check_length(const struct secret_rule *r, const char *body)
{
	unsigned head = r->flags & SECRET_HEAD ? 1 : 0;
	hs_compile_error_t *error = NULL;
	hs_expr_info_t *info = NULL;
	char text[200];

	if (hs_expression_info(body, 0, &info, &error) != HS_SUCCESS)
		give_up(r, error->message);
	if (info->min_width != r->least)
		snprintf(text, sizeof(text), "the shortest key has %u bytes, not %u", info->min_width, r->least);
	else if (info->max_width != UINT_MAX && info->max_width != r->most + head)
		snprintf(text, sizeof(text), "the longest key has %u bytes, not %u", info->max_width - head, r->most);
	else
		text[0] = '\0';
	if (text[0])
		give_up(r, text);
	free(info);
}

static void write_words(const char *bytes, size_t size)
{
	printf("#include \"base/crypto/secret_db.h\"\n\nconst size_t secret_db_size = %zu;\n", size);
	printf("const uint64_t secret_db[] = {");
	for (size_t i = 0; i < size; i += sizeof(uint64_t)) {
		uint64_t word = 0;

		memcpy(&word, bytes + i, size - i < sizeof(word) ? size - i : sizeof(word));
		printf("%s0x%" PRIx64 ",", i % 64 ? "" : "\n", word);
	}
	printf("\n};\n");
}

int main(void)
{
	static char text[SECRET_RULES_MAX][SECRET_EXPRESSION_MAX];
	const char *expressions[SECRET_RULES_MAX];
	unsigned flags[SECRET_RULES_MAX], rows[SECRET_RULES_MAX];
	hs_platform_info_t any = { 0 }; /* what every processor has that Hyperscan runs on */
	hs_compile_error_t *error = NULL;
	hs_database_t *db = NULL;
	char *bytes = NULL;
	size_t size = 0;

	for (unsigned i = 0; i < secret_rules_count; i++) {
		secret_rules_body(&secret_rules[i], text[i]);
		if (!(secret_rules[i].flags & SECRET_NAMED))
			check_length(&secret_rules[i], text[i]);
		secret_rules_expression(&secret_rules[i], text[i]);
		expressions[i] = text[i];
		flags[i] = secret_rules_has_start(&secret_rules[i]) ? 0 : HS_FLAG_SOM_LEFTMOST;
		rows[i] = i;
	}
	if (hs_compile_multi(expressions, flags, rows, (unsigned)secret_rules_count, HS_MODE_BLOCK, &any, &db,
			     &error) != HS_SUCCESS)
		give_up(error->expression >= 0 ? &secret_rules[error->expression] : NULL, error->message);
	if (hs_serialize_database(db, &bytes, &size) != HS_SUCCESS)
		give_up(NULL, "the compiled expressions cannot be serialized");
	write_words(bytes, size);
	free(bytes);
	hs_free_database(db);
	return fflush(stdout) == 0 ? 0 : 1;
}
