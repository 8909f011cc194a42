/* Each channel is read by itself; the first that holds anything decides, also when what it holds is wrong. */
#include "trial/run/verdict.h"

#include <math.h>

#include "json/put.h"

static const char *const verdict_names[VERDICT_CHANNELS] = { NULL, "fd3", "reward.json", "reward.txt" };

const char *verdict_channel_name(enum verdict_channel c)
{
	return verdict_names[c];
}

struct verdict_reading {
	struct arena *arena;
	struct json_parser *parser, *details_parser;
	struct verdict *out;
};

static void verdict_fail(struct verdict_reading *r, const char *sentence)
{
	r->out->error = arena_printf(r->arena, "%s %s", verdict_channel_name(r->out->channel), sentence);
}

/* "nan" of Python's json has no value; 1e999 is none either. */
static void take_reward(struct verdict_reading *r, bool is_number, double reward)
{
	if (!is_number || !isfinite(reward))
		verdict_fail(r, "gives a reward that is no finite number");
	else if (reward < 0 || reward > 1)
		r->out->error = arena_printf(r->arena, "%s gives the reward %g, which is outside of 0 to 1; it is not "
					     "cut to fit", verdict_channel_name(r->out->channel), reward);
	else
		*r->out = (struct verdict){ .completed = true, .reward = reward, .channel = r->out->channel };
}

/* `reward`, else the only number. */
static struct val find_reward(struct val root)
{
	struct val reward = val_get(root, STR("reward")), key, value;
	struct val_iter it = val_begin(root);
	size_t numbers = 0;

	if (!val_is_none(reward))
		return reward;
	while (val_next_member(&it, &key, &value))
		if (val_is(value, JSON_NUMBER)) {
			reward = value;
			numbers++;
		}
	return numbers == 1 ? reward : VAL_NONE;
}

/* The members that say something beside the reward, and those of details.json, which win. */
static void read_breakdown(struct verdict_reading *r, struct val root, struct val reward, struct str details)
{
	struct val more = VAL_NONE, key, value;
	struct json_writer w;
	struct val_iter it;
	size_t count = 0;
	struct buf out;

	if (details.p && json_parse_copy(r->details_parser, details, &more, NULL) && !val_is(more, JSON_OBJECT))
		more = VAL_NONE;
	buf_init(&out);
	json_write_init(&w, &out, JSON_COMPACT);
	json_write_begin_object(&w);
	it = val_begin(root);
	while (val_next_member(&it, &key, &value)) {
		struct str name = val_text(key, r->arena);

		if (value.at == reward.at || val_has(more, name))
			continue;
		json_write_key(&w, name);
		json_write_raw(&w, val_source(value));
		count++;
	}
	it = val_begin(more);
	while (val_next_member(&it, &key, &value)) {
		json_write_key(&w, val_text(key, r->arena));
		json_write_raw(&w, val_source(value));
		count++;
	}
	json_write_end_object(&w);
	if (count)
		r->out->breakdown = arena_take(r->arena, &out);
	else
		buf_free(&out);
}

static void read_object(struct verdict_reading *r, struct str text, struct str details)
{
	struct json_issue issue;
	struct val root, reward;
	double number = NAN;
	bool is_number;

	if (!json_parse_copy(r->parser, text, &root, &issue)) {
		verdict_fail(r, issue.code == JSON_E_TRAILING ?
			     "holds more than one document, so somebody else has written there too" :
			     "holds no JSON object");
		return;
	}
	reward = find_reward(root);
	if (!val_is(root, JSON_OBJECT) || val_is_none(reward)) {
		verdict_fail(r, "holds no object with a reward, or with one number only");
		return;
	}
	is_number = val_double(reward, &number);
	take_reward(r, is_number, number);
	if (r->out->completed)
		read_breakdown(r, root, reward, details);
}

/* ".5" is what bc prints, and Python's float reads "+1" and "1." too. */
static struct str complete_number(struct arena *a, struct str text)
{
	if (text.n > 1 && text.p[0] == '+')
		text = str_skip(text, 1);
	if (text.n > 1 && text.p[0] == '.')
		return ARENA_JOIN(a, STR("0"), text);
	return text.n > 1 && text.p[text.n - 1] == '.' ? ARENA_JOIN(a, text, STR("0")) : text;
}

static void read_plain(struct verdict_reading *r, struct str text, struct str details)
{
	double number = NAN;
	struct val root;
	bool is_number = json_parse_copy(r->parser, complete_number(r->arena, str_trim(text)), &root, NULL) &&
			 val_double(root, &number);

	take_reward(r, is_number, number);
	if (r->out->completed)
		read_breakdown(r, VAL_NONE, VAL_NONE, details);
}

void verdict_read(struct arena *a, const struct verdict_given *given, struct verdict *out)
{
	struct verdict_reading r = { .arena = a, .out = out };

	*out = (struct verdict){ .channel = VERDICT_NOWHERE };
	r.parser = json_parser_open((struct json_options){ .max_depth = 32 });
	r.details_parser = json_parser_open((struct json_options){ .max_depth = 32 });
	if (str_trim(given->fd).n) {
		out->channel = VERDICT_FD;
		read_object(&r, given->fd, given->details);
	} else if (given->json.p) {
		out->channel = VERDICT_JSON;
		read_object(&r, given->json, given->details);
	} else if (given->text.p) {
		out->channel = VERDICT_TEXT;
		read_plain(&r, given->text, given->details);
	} else {
		out->error = STR(VERDICT_MISSING);
	}
	json_parser_close(r.details_parser);
	json_parser_close(r.parser);
}
