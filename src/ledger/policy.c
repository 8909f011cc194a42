/*
 * Counts the lines of each kind first, so that the tables never grow and members can be numbered; then reads line by
 * line. A name must stand above its use, so there are no cycles.
 */
#include "ledger/policy.h"

#include <stdio.h>

#include "base/map.h"
#include "base/num.h"

#define NAMES_MAX 4096 /* witnesses and groups together; logs likewise */
#define TEXT_MAX ((size_t)4 << 20)

/* A policy while it is read. Witnesses and groups are numbered as members are. */
struct reading {
	struct arena *arena;
	struct policy *policy;
	struct map names, witness_keys, log_keys; /* a name to its number; public keys that were seen */
	bool *is_member;                          /* for each number: a group has it already */
	bool has_quorum;
};

/* ---- lines and words ---- */

/* The next word; empty when there is none. Only these two are white space here, says the specification. */
static struct str next_word(struct str *rest)
{
	struct str word = *rest;
	size_t begin = 0, end;

	if (rest->n == 0)
		return word;
	while (begin < rest->n && (rest->p[begin] == ' ' || rest->p[begin] == '\t'))
		begin++;
	for (end = begin; end < rest->n && rest->p[end] != ' ' && rest->p[end] != '\t';)
		end++;
	word = str_of(rest->p + begin, end - begin);
	*rest = str_skip(*rest, end);
	return word;
}

static size_t count_words(struct str rest)
{
	size_t n = 0;

	while (next_word(&rest).n > 0)
		n++;
	return n;
}

/* An optional last word. */
static bool take_url(struct str *rest, struct str *out, struct err *err)
{
	struct str word = next_word(rest);

	*out = word.n ? word : str_of(NULL, 0);
	if (next_word(rest).n > 0)
		return err_set(err, ERR_DATA, "there are words behind the URL");
	return true;
}

/* ---- names and keys ---- */

static bool policy_add_name(struct reading *r, struct str name, size_t number, struct err *err)
{
	bool added;
	uint64_t *value;

	if (str_eq(name, STR("none")))
		return err_set(err, ERR_DATA, "'none' is reserved: it means no quorum");
	value = map_add(&r->names, name, &added);
	if (!added)
		return err_set(err, ERR_DATA, "the name '%.*s' is taken already: witnesses and groups share names",
			       STR_ARG(name));
	*value = number;
	return true;
}

static bool get_name(struct reading *r, struct str name, size_t *out, struct err *err)
{
	const uint64_t *value = map_find(&r->names, name);

	if (!value)
		return err_set(err, ERR_DATA, "there is no witness or group '%.*s' above this line", STR_ARG(name));
	*out = (size_t)*value;
	return true;
}

/* The same public key under two names would count twice. */
static bool take_key(struct map *seen, struct str vkey, enum key_kind kind, struct key *out, struct err *err)
{
	bool added;

	if (!key_parse(vkey, out))
		return err_set(err, ERR_DATA, "'%.*s' is not a verifier key" ERR_HELP "it has the form name+id+base64",
			       STR_ARG(vkey));
	if (out->kind != kind)
		return err_set(err, ERR_DATA, "'%.*s' is a key %s", STR_ARG(vkey),
			       kind == KEY_LOG ? "of a witness, and a log has another kind"
					       : "of a log, and a witness has another kind");
	map_add(seen, str_of(out->public, ED25519_PUBLIC), &added);
	return added || err_set(err, ERR_DATA, "the key of '%.*s' is in the policy already", STR_ARG(out->name));
}

/* ---- each kind of line ---- */

static bool read_log(struct reading *r, struct str rest, struct err *err)
{
	struct policy *p = r->policy;
	struct str url;

	return take_key(&r->log_keys, next_word(&rest), KEY_LOG, &p->logs[p->log_count++], err) &&
	       take_url(&rest, &url, err);
}

static bool read_witness(struct reading *r, struct str rest, struct err *err)
{
	struct policy *p = r->policy;
	size_t number = p->witness_count++;
	struct policy_witness *w = &p->witnesses[number];

	w->name = next_word(&rest);
	return take_key(&r->witness_keys, next_word(&rest), KEY_WITNESS, &w->key, err) &&
	       take_url(&rest, &w->url, err) && policy_add_name(r, w->name, number, err);
}

/* 1 for any, `members` for all, else the number itself, which must be one that can be reached. */
static bool parse_threshold(struct str word, size_t members, size_t *out, struct err *err)
{
	uint64_t k = 0;

	if (str_eq(word, STR("any")))
		k = 1;
	else if (str_eq(word, STR("all")))
		k = members;
	else if (!num_parse_u64(word, &k) || k < 1 || k > members)
		return err_set(err, ERR_DATA, "'%.*s' is not 'any', 'all' or a number from 1 to %zu, its members",
			       STR_ARG(word), members);
	*out = (size_t)k;
	return true;
}

/* `witnesses` is their number in the whole file, from where groups are counted. */
static bool read_group(struct reading *r, struct str rest, size_t witnesses, struct err *err)
{
	size_t number = witnesses + r->policy->group_count;
	struct policy_group *g = &r->policy->groups[r->policy->group_count++];
	struct str threshold;
	size_t *members;

	g->name = next_word(&rest);
	threshold = next_word(&rest);
	g->member_count = count_words(rest);
	if (g->member_count == 0)
		return err_set(err, ERR_DATA, "a group needs members" ERR_HELP "group NAME any|all|K MEMBER...");
	if (!parse_threshold(threshold, g->member_count, &g->threshold, err))
		return false;
	members = arena_array(r->arena, size_t, g->member_count);
	for (size_t i = 0; i < g->member_count; i++) {
		struct str name = next_word(&rest);

		if (!get_name(r, name, &members[i], err))
			return false;
		if (r->is_member[members[i]])
			return err_set(err, ERR_DATA, "'%.*s' is a member of a group already, and can be of one only",
				       STR_ARG(name));
		r->is_member[members[i]] = true;
	}
	g->members = members;
	return policy_add_name(r, g->name, number, err);
}

static bool read_quorum(struct reading *r, struct str rest, struct err *err)
{
	struct str name = next_word(&rest);

	if (r->has_quorum)
		return err_set(err, ERR_DATA, "there is a quorum already");
	r->has_quorum = true;
	if (name.n == 0 || next_word(&rest).n > 0)
		return err_set(err, ERR_DATA, "a quorum is one name" ERR_HELP "quorum NAME, or quorum none");
	r->policy->quorum = SIZE_MAX;
	return str_eq(name, STR("none")) || get_name(r, name, &r->policy->quorum, err);
}

/* ---- the whole ---- */

/* How many lines begin with this word; also what bounds our tables. */
static size_t count_lines(struct str text, struct str first)
{
	size_t n = 0;

	while (text.n > 0) {
		struct str line = str_cut(text, '\n', &text);

		n += str_eq(next_word(&line), first);
	}
	return n;
}

/* Control characters are refused before a word is read: an editor would not show them. */
static bool read_line(struct reading *r, struct str line, size_t witnesses, struct err *err)
{
	struct str rest = line, word = next_word(&rest);

	for (size_t i = 0; i < line.n; i++)
		if (((uint8_t)line.p[i] < ' ' && line.p[i] != '\t') || line.p[i] == 0x7f)
			return err_set(err, ERR_DATA, "there is a control character" ERR_HELP
				       "lines end with a line feed alone, and words are parted by spaces and tabs");
	if (word.n == 0 || word.p[0] == '#')
		return true;
	if (str_eq(word, STR("log")))
		return read_log(r, rest, err);
	if (str_eq(word, STR("witness")))
		return read_witness(r, rest, err);
	if (str_eq(word, STR("group")))
		return read_group(r, rest, witnesses, err);
	if (str_eq(word, STR("quorum")))
		return read_quorum(r, rest, err);
	return err_set(err, ERR_DATA, "a policy line cannot begin with '%.*s'" ERR_HELP
		       "log, witness, group and quorum can", STR_ARG(word));
}

static bool read_lines(struct reading *r, struct str text, size_t witnesses, struct err *err)
{
	for (size_t number = 1; text.n > 0; number++) {
		struct str line = str_cut(text, '\n', &text);
		char place[32];

		snprintf(place, sizeof(place), "line %zu", number);
		if (!read_line(r, line, witnesses, err))
			return err_context(err, place);
	}
	return true;
}

bool policy_parse(struct arena *a, struct str text, struct policy *out, struct err *err)
{
	size_t logs, witnesses, groups;
	struct reading r = { .arena = a, .policy = out };

	if (text.n > TEXT_MAX)
		return err_set(err, ERR_LIMIT, "the policy is longer than 4 MiB");
	logs = count_lines(text, STR("log"));
	witnesses = count_lines(text, STR("witness"));
	groups = count_lines(text, STR("group"));
	if (logs > NAMES_MAX || witnesses + groups > NAMES_MAX)
		return err_set(err, ERR_LIMIT, "the policy names more than %d logs, or witnesses and groups",
			       NAMES_MAX);
	/* what was cut off while it was copied could ask for less than the whole */
	if (text.n > 0 && text.p[text.n - 1] != '\n')
		return err_set(err, ERR_DATA, "the last line of the policy does not end" ERR_HELP
			       "add a line feed, if nothing is missing behind it");
	*out = (struct policy){ .logs = arena_array(a, struct key, logs + 1),
				.witnesses = arena_array(a, struct policy_witness, witnesses + 1),
				.groups = arena_array(a, struct policy_group, groups + 1),
				.quorum = SIZE_MAX };
	r.is_member = arena_array(a, bool, witnesses + groups + 1);
	map_init(&r.names, a);
	map_init(&r.witness_keys, a);
	map_init(&r.log_keys, a);
	if (!read_lines(&r, text, witnesses, err))
		return false;
	return r.has_quorum || err_set(err, ERR_DATA, "the policy says no quorum" ERR_HELP
				       "add 'quorum NAME', or 'quorum none' to ask for no witness");
}

/* ---- checking ---- */

/* A bad signature of any log of the policy refuses the note, even beside a good one. */
static bool is_log_signed(struct arena *a, const struct policy *p, const struct note *n, struct str *why)
{
	struct checkpoint c;
	const char *reason;
	bool is = false;

	if (!checkpoint_parse(n->text, &c, &reason)) {
		*why = str_from(reason);
		return false;
	}
	for (size_t i = 0; i < p->log_count; i++) {
		enum note_verdict v = note_check(n, &p->logs[i], NULL);

		if (v == NOTE_BAD) {
			*why = arena_printf(a, "the signature of the log %.*s is wrong", STR_ARG(p->logs[i].name));
			return false;
		}
		is = is || (v == NOTE_GOOD && str_eq(p->logs[i].name, c.origin));
	}
	if (!is)
		*why = arena_printf(a, "no key of the policy for the log %.*s signed the checkpoint",
				    STR_ARG(c.origin));
	return is;
}

static struct str name_of(const struct policy *p, size_t number)
{
	return number < p->witness_count ? p->witnesses[number].name : p->groups[number - p->witness_count].name;
}

/* Members are above their group: one pass from the first on is enough. */
static void count_groups(const struct policy *p, bool *has)
{
	for (size_t i = 0; i < p->group_count; i++) {
		const struct policy_group *g = &p->groups[i];
		size_t n = 0;

		for (size_t m = 0; m < g->member_count; m++)
			n += has[g->members[m]];
		has[p->witness_count + i] = n >= g->threshold;
	}
}

/* Only when the quorum was not reached. Counts members of the quorum's own group, not those below. */
static struct str missing(struct arena *a, const struct policy *p, const bool *has)
{
	const struct policy_group *g;
	size_t n = 0;

	if (p->quorum < p->witness_count)
		return arena_printf(a, "the witness '%.*s' did not cosign", STR_ARG(name_of(p, p->quorum)));
	g = &p->groups[p->quorum - p->witness_count];
	for (size_t m = 0; m < g->member_count; m++)
		n += has[g->members[m]];
	return arena_printf(a, "the quorum '%.*s' needs %zu of its %zu members, and %zu cosigned", STR_ARG(g->name),
			    g->threshold, g->member_count, n);
}

bool policy_check(struct arena *a, const struct policy *p, const struct note *n, bool *signed_by, struct str *why)
{
	bool *has = arena_array(a, bool, p->witness_count + p->group_count + 1);

	for (size_t i = 0; i < p->witness_count; i++) {
		enum note_verdict v = note_check(n, &p->witnesses[i].key, NULL);

		if (v == NOTE_BAD) {
			*why = arena_printf(a, "the cosignature of the witness '%.*s' is wrong",
					    STR_ARG(p->witnesses[i].name));
			return false;
		}
		has[i] = v == NOTE_GOOD;
		if (signed_by)
			signed_by[i] = has[i];
	}
	if (!is_log_signed(a, p, n, why))
		return false;
	count_groups(p, has);
	if (p->quorum != SIZE_MAX && !has[p->quorum]) {
		*why = missing(a, p, has);
		return false;
	}
	return true;
}
