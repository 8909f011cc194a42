/* What the library knows: its version, the formats and their rules. All of it is constant. */
#include "base/buf.h"
#include "base/build.h"
#include "dialect/record/record.h"
#include "dialect/record/schema.h"
#include "trackway.h"

/* The public types are names for ours, which nobody outside can look into. */
static const struct dialect *inside_format(const struct tw_format *f)
{
	return (const struct dialect *)(const void *)f;
}

static const struct tw_format *outside_format(const struct dialect *d)
{
	return (const struct tw_format *)(const void *)d;
}

static const struct rule *inside_rule(const struct tw_rule *r)
{
	return (const struct rule *)(const void *)r;
}

static const struct tw_rule *outside_rule(const struct rule *r)
{
	return (const struct tw_rule *)(const void *)r;
}

static enum check_mode mode_of(enum tw_mode mode)
{
	return mode == TW_STRICT ? MODE_STRICT : mode == TW_PERMISSIVE ? MODE_PERMISSIVE : MODE_DEFAULT;
}

const char *tw_version(void)
{
	return BUILD_VERSION;
}

void tw_text_free(char *text)
{
	mem_free(text);
}

const struct tw_format *tw_format_at(size_t i)
{
	for (size_t at = 0; dialects[at]; at++)
		if (dialects[at]->ops && i-- == 0)
			return outside_format(dialects[at]);
	return NULL;
}

const struct tw_format *tw_format_find(const char *name)
{
	const struct dialect *d = name ? dialect_find(str_from(name)) : NULL;

	return d && d->ops ? outside_format(d) : NULL;
}

const char *tw_format_name(const struct tw_format *f)
{
	return inside_format(f)->name;
}

const char *tw_format_title(const struct tw_format *f)
{
	return inside_format(f)->title;
}

const struct tw_rule *tw_format_rule(const struct tw_format *f, size_t i)
{
	const struct rule *rules = inside_format(f)->rules;

	for (size_t at = 0; rules && rules[at].code; at++)
		if (at == i)
			return outside_rule(&rules[at]);
	return NULL;
}

char *tw_format_schema(const struct tw_format *f, enum tw_mode mode)
{
	const struct dialect *d = inside_format(f);
	struct buf text;

	if (!schema_has(d))
		return NULL;
	buf_init(&text);
	schema_add(&text, d, mode_of(mode));
	buf_add_byte(&text, '\0');
	return text.p;
}

const struct tw_rule *tw_rule_find(const char *code)
{
	return code ? outside_rule(dialect_find_rule(code, NULL)) : NULL;
}

const char *tw_rule_code(const struct tw_rule *rule)
{
	return inside_rule(rule)->code;
}

enum tw_severity tw_rule_severity(const struct tw_rule *rule, enum tw_mode mode)
{
	enum severity s = rule_severity(inside_rule(rule), mode_of(mode));

	return s == SEV_ERROR ? TW_ERROR : s == SEV_WARNING ? TW_WARNING : TW_INFO;
}

const char *tw_rule_sentence(const struct tw_rule *rule)
{
	return inside_rule(rule)->sentence;
}

const char *tw_rule_help(const struct tw_rule *rule)
{
	return inside_rule(rule)->help;
}

const char *tw_rule_why(const struct tw_rule *rule)
{
	return inside_rule(rule)->why;
}

const char *tw_rule_section(const struct tw_rule *rule)
{
	return inside_rule(rule)->section;
}

const char *tw_rule_example(const struct tw_rule *rule)
{
	return inside_rule(rule)->example;
}
