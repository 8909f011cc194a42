/* Copies as much of the caller's struct as both headers know, then checks each member before anything is used. */
#include "lib/settings.h"

/* What the caller's struct has and ours has not must be zero: we could not do what it asks. */
static bool has_more(const struct tw_validate_options *options)
{
	const char *bytes = (const char *)options;

	for (size_t i = sizeof(*options); i < options->size; i++)
		if (bytes[i])
			return true;
	return false;
}

/* Copies the members that both versions know. NULL keeps the defaults in *out. */
static bool copy_known(struct tw_validate_options *out, const struct tw_validate_options *options, struct err *err)
{
	if (!options)
		return true;
	if (options->size < sizeof(options->size) || options->size > (1 << 16))
		return err_set(err, ERR_USAGE, "options.size is %zu; it must be sizeof(struct tw_validate_options)",
			       options->size);
	if (has_more(options))
		return err_set(err, ERR_USAGE, "the options ask for something that this version cannot do");
	memcpy(out, options, options->size < sizeof(*out) ? options->size : sizeof(*out));
	return true;
}

/* The format decides how a file is cut up once it is given. */
static enum source_shape shape_of(const struct dialect *as)
{
	if (as && as->forms == DIALECT_LINES)
		return SOURCE_LINES;
	return as && as->forms == DIALECT_DOCUMENT ? SOURCE_DOCUMENT : SOURCE_CONTENT;
}

/* Fills *s from checked options. On an error *s is untouched, so that a report can still be made with its defaults. */
static bool read_known(struct settings *s, const struct tw_validate_options *o, struct err *err)
{
	const struct dialect *as = o->format ? dialect_find(str_from(o->format)) : NULL;

	if (o->format && !as)
		return err_set(err, ERR_USAGE, "no format is called '%s'", o->format);
	if (as && !as->ops)
		return err_set(err, ERR_USAGE, "there are no rules for %s", o->format);
	if ((unsigned)o->mode > TW_PERMISSIVE)
		return err_set(err, ERR_USAGE, "options.mode is %d, which is no enum tw_mode", (int)o->mode);
	if (o->record_limit > SOURCE_RECORD_MAX)
		return err_set(err, ERR_USAGE, "options.record_limit is %zu; 2 GiB is the most", o->record_limit);
	s->as = as;
	s->check.mode = o->mode == TW_STRICT ? MODE_STRICT : o->mode == TW_PERMISSIVE ? MODE_PERMISSIVE : MODE_DEFAULT;
	s->check.secrets = o->secrets != 0;
	if (o->finding_limit)
		s->check.finding_limit = o->finding_limit == TW_EVERY_FINDING ? 0 : o->finding_limit;
	if (o->record_limit)
		s->source.record_limit = o->record_limit;
	s->source.shape = shape_of(as);
	s->jobs = o->jobs ? o->jobs : 1; /* nobody who did not ask gets threads */
	return true;
}

bool settings_read(struct settings *s, const struct tw_validate_options *options, struct err *err)
{
	struct tw_validate_options known = { .size = sizeof(known) };

	*s = (struct settings){
		.check = { .finding_limit = SETTINGS_FINDINGS },
		.source = { .shape = SOURCE_CONTENT, .record_limit = SOURCE_RECORD_LIMIT },
		.jobs = 1,
	};
	return copy_known(&known, options, err) && read_known(s, &known, err);
}
