#include "cmd/convert_job.h"

#include <unistd.h>

#include "base/build.h"
#include "base/crypto/sha256.h"
#include "base/file.h"
#include "base/stop.h"
#include "cmd/convert_output.h"
#include "cmd/frame/nearest.h"
#include "cmd/frame/opt.h"
#include "cmd/inputs.h"

/* One conversion, for file_replace_by. */
struct job {
	struct arena *arena;
	const struct convert_opts *o;
	struct convert_options options;
	struct convert_output output;
	struct pipeline *pipeline;
	struct args args;
	bool nothing; /* no run was in the input */
};

static const char *job_target_name(size_t i)
{
	return targets[i].name;
}

/* The target that --to names, in any case of letters; the error lists all of them. */
static bool job_get_target(struct str name, const struct target **out, struct err *err)
{
	static const struct choice choice = {
		.option = "--to", .noun = "target", .example = "otutl", .name = job_target_name,
	};

	for (const struct target *t = targets; t->name && name.p; t++) {
		if (str_eq_nocase(name, str_from(t->name))) {
			*out = t;
			return true;
		}
	}
	return nearest_refuse(&choice, name, err);
}

/* Or a directory: anything but standard output. */
static bool job_is_file(struct str path)
{
	return path.p && !str_eq(path, STR("-"));
}

/* Converts the inputs in the order of the arguments. One that cannot be opened is told, and the others go on. */
static bool job_convert_all(struct job *j, struct err *err)
{
	struct source_options how = {
		.record_limit = j->o->max_record,
		.shape = logs_shape_of(j->options.from),
		.file_groups = true,
		.except = job_is_file(j->o->output) ? j->o->output : (struct str){ .p = NULL },
		.want = j->output.is_tree ? convert_tree_want : NULL,
		.want_context = &j->output.tree,
	};
	struct convert_flow f = {
		.jobs = j->o->jobs,
		.options = &j->options,
		.to = j->pipeline,
		.digest = !j->o->no_digest,
		.input = convert_output_part,
		.see = convert_output_see,
		.tick = convert_output_tick,
		.context = &j->output,
	};
	struct err why = { .kind = ERR_NONE };
	bool done = true;

	for (size_t at = 0; done && at < j->args.count;) {
		f.from = inputs_open_next(j->arena, j->args.items, j->args.count, &at, how, &why);
		if (!f.from) {
			logs_missing(&j->output.logs, &why);
			continue;
		}
		j->output.tree.from = f.from;
		done = convert_flow_run(&f, err);
		j->output.tree.from = NULL;
		source_close(f.from);
	}
	return done && pipeline_finish(j->pipeline, err);
}

/* For file_replace_by: writes everything to `fd`. False without an error when there was no run (j->nothing). */
static bool job_write(void *context, int fd, struct err *err)
{
	struct job *j = context;

	j->output.fd = fd;
	if (!job_convert_all(j, err))
		return false;
	j->nothing = pipeline_tally(j->pipeline)->runs == 0;
	return !j->nothing; /* a file that is there is not replaced by nothing */
}

/* Sixteen digits that differ when anything does that decides the bytes of an output, but for its source. */
static struct str job_maker(const struct job *j)
{
	const struct convert_options *o = &j->options;
	struct str prices = o->prices ? prices_hash(o->prices) : STR("");
	struct str text = arena_printf(j->arena, "%s %s %s %s %d%d%d %zu %lld %.*s", BUILD_VERSION, build_commit(),
				       j->output.target->name, o->from ? o->from->name : "", o->chunks, o->permissive,
				       !j->o->no_digest, j->o->max_record, (long long)o->start_ns,
				       STR_ARG(prices));
	char hex[SHA256_HEX];
	struct sha256 sha;

	sha256_init(&sha);
	digest_hex(hex, sha256_of(&sha, text));
	sha256_free(&sha);
	return arena_copy(j->arena, str_of(hex, 16));
}

/* False with a usage error. */
static bool job_get_options(struct job *j, struct err *err)
{
	const struct convert_opts *o = j->o;
	const struct target *target = NULL;

	if (!job_get_target(o->to, &target, err) || !logs_get_format(o->from, &j->options.from, err))
		return false;
	if (!inputs_check_limit(o->max_record, err))
		return false;
	j->options.to = target->dialect;
	j->options.variant = o->anew ? "anew" : target->variant;
	j->options.chunks = o->chunks;
	j->options.permissive = o->permissive;
	j->options.coverage = o->coverage || o->coverage_json.p;
	j->output = (struct convert_output){
		.arena = j->arena,
		.frame = j->args.frame,
		.target = target,
		.path = o->output,
		.named = j->args.items,
		.named_count = j->args.count,
		.flat = o->flat,
		.update = o->update,
		.coverage = o->coverage,
		.coverage_json = o->coverage_json,
	};
	if (o->start.p && !target->dialect->write->needs_times)
		return usage_set(err, "leave it out", "--start is for otlp-json: %s needs no times", target->name);
	if (o->flat && o->update)
		return usage_set(err, "give one of them", "--flat and --update exclude each other");
	if (!logs_get_start(o->start, &j->options.start_ns, err) ||
	    !logs_get_prices(j->arena, o->no_cost, o->prices, &j->options.prices, err))
		return false;
	j->output.maker = job_maker(j);
	return true;
}

/* A file of -o is replaced as a whole and only by at least one run; standard output gets bytes as they come. */
int convert_job_run(struct arena *a, const struct convert_opts *o, struct args args, unsigned mode,
		    void (*seen)(void *context, const struct event *e), void *context, struct err *err)
{
	struct job j = { .arena = a, .o = o, .args = args };
	struct str path = j.o->output;
	int status = EXIT_FAIL;
	bool done;

	if (!inputs_name_runs(a, &j.args, err) || !job_get_options(&j, err))
		return EXIT_FAIL;
	j.output.seen = seen;
	j.output.seen_context = context;
	if (convert_output_init(&j.output, err)) {
		j.options.per_run = j.output.is_directory;
		j.options.apart = j.output.is_tree;
		j.pipeline = pipeline_open(&j.options, convert_output_sink(&j.output));
		if (job_is_file(path) && !j.output.is_directory)
			done = file_replace_by(path, job_write, &j, mode, err) || j.nothing ||
			       logs_explain_output(err);
		else
			done = job_write(&j, STDOUT_FILENO, err) || j.nothing;
		if (done)
			status = convert_output_end(&j.output, j.pipeline, err);
		else if (stop_signal() || j.output.is_tree)
			convert_output_interrupt(&j.output);
		pipeline_close(j.pipeline);
	}
	convert_output_free(&j.output);
	return status;
}
