/* Words of RO-Crate and of its profile, written the same for a ledger and for runs. */
#include "sink/export/crate_entity.h"

#include <stdio.h>

#include "base/clock.h"

#define CRATE "https://w3id.org/ro/crate/1.3"

const char crate_head[] = "{\"@context\":[\"" CRATE "/context\","
			  "\"https://w3id.org/ro/terms/workflow-run/context\"],\n\"@graph\":[\n"
			  "{\"@id\":\"" CRATE_METADATA "\",\"@type\":\"CreativeWork\","
			  "\"conformsTo\":{\"@id\":\"" CRATE "\"},\"about\":{\"@id\":\"./\"}},\n";

void crate_begin(struct json_writer *w, struct buf *out, struct str id, const char *type)
{
	json_write_init(w, out, JSON_COMPACT);
	json_write_begin_object(w);
	json_put_text(w, "@id", id);
	if (type)
		json_put_text(w, "@type", str_from(type));
}

void crate_put_link(struct json_writer *w, const char *name, struct str id)
{
	json_put_object(w, name);
	json_put_text(w, "@id", id);
	json_write_end_object(w);
}

void crate_add_reference(struct buf *to, bool is_first, struct str id)
{
	buf_add_str(to, is_first ? STR("{\"@id\":") : STR(",{\"@id\":"));
	json_write_quoted(to, id);
	buf_add_byte(to, '}');
}

void crate_put_time(struct json_writer *w, const char *name, int64_t ns)
{
	char text[48];
	size_t n = stamp_format_ns(text, ns, 3);

	memcpy(text + n - 1, "+00:00", 7);
	json_put_text(w, name, str_from(text));
}

void crate_put_file(struct json_writer *w, struct str name, const char *what, struct str media, uint64_t bytes,
		    struct digest digest, struct str about)
{
	char size[24];

	snprintf(size, sizeof(size), "%llu", (unsigned long long)bytes);
	json_put_text(w, "name", name);
	json_put_word(w, "description", what);
	json_put_text(w, "encodingFormat", media.n ? media : STR("application/octet-stream"));
	json_put_word(w, "contentSize", size);
	json_put_digest(w, "sha256", digest);
	if (about.p)
		crate_put_link(w, "about", about);
}

void crate_put_outcome(struct json_writer *w, bool failed, struct str error)
{
	json_put_word(w, "actionStatus",
		      failed ? "http://schema.org/FailedActionStatus" : "http://schema.org/CompletedActionStatus");
	if (failed && error.n)
		json_put_text(w, "error", error);
}

void crate_add_profile(struct buf *out)
{
	struct json_writer w;

	crate_begin(&w, out, STR(CRATE_PROFILE), NULL);
	json_put_raw(&w, "@type", STR("[\"CreativeWork\",\"Profile\"]"));
	json_put_text(&w, "name", STR("Process Run Crate"));
	json_put_text(&w, "version", STR("0.6"));
	json_write_end_object(&w);
}

void crate_add_license(struct buf *out, struct str license, const char *whom)
{
	struct json_writer w;
	char text[120];

	snprintf(text, sizeof(text), "Ask %s before you use these records.", whom);
	crate_begin(&w, out, license.p ? license : STR("#license"), "CreativeWork");
	json_put_text(&w, "name", license.p ? license : STR("no licence is stated"));
	json_put_word(&w, "description", license.p ? "The terms on which these records may be used." : text);
	json_write_end_object(&w);
}
