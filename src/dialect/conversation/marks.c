/*
 * Failures are known by phrases in the JSON text itself, which is not parsed: none of the phrases has anything to
 * escape.
 */
#include "dialect/conversation/marks.h"

#include "base/ascii.h"
#include "dialect/record/field.h"

/*
 * "[exit code: N]" anywhere in the text, N not zero. A bracket with other digits or none counts for nothing, and the
 * search goes on behind it.
 */
static bool has_exit_code(struct str text)
{
	static const struct str mark = WORD("[exit code: ");
	size_t at;

	while ((at = str_find(text, mark)) != (size_t)-1) {
		size_t i = at + mark.n, digits = 0;
		bool other = false;

		i += i < text.n && text.p[i] == '-';
		for (; i < text.n && ascii_is_digit(text.p[i]); i++, digits++)
			other = other || text.p[i] != '0';
		if (other && digits && i < text.n && text.p[i] == ']')
			return true;
		text = str_of(text.p + at + mark.n, text.n - at - mark.n);
	}
	return false;
}

/* By what it says, as trials.md has it. None of these has anything that JSON would escape. */
bool conversation_marks_failure(struct str json)
{
	static const struct str signs[] = {
		WORD("Syntax error"), WORD("Error:"), WORD("Traceback (most recent"), WORD("command not found"),
		WORD("No such file or directory"), WORD("Permission denied"),
	};

	for (size_t i = 0; i < COUNT(signs); i++)
		if (str_has(json, signs[i]))
			return true;
	return has_exit_code(json);
}

bool conversation_is_sort_of(struct str type, struct str word)
{
	return str_eq(type, word) || (str_ends(type, word) && type.p[type.n - word.n - 1] == '_');
}

bool conversation_is_block(struct val block, struct str word)
{
	struct val type = val_get(block, STR("type"));

	return val_is(type, JSON_STRING) && conversation_is_sort_of(val_raw(type), word);
}
