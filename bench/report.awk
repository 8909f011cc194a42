# Tables, aims and JSON from the samples of bench/run. Two inputs: machine.tsv, then samples.tsv with
# workload, row, round, wall seconds, CPU seconds, bytes, records, digest, method and, for some, the peak of the
# memory in KiB.
# Variables: clock (wall or cpu), rounds, json (path to write).
BEGIN {
	FS = "\t"
	label["ours"] = "ours, every check"
	label["simdjson-each"] = "simdjson DOM, parse"
	label["simdjson-many"] = "simdjson DOM, parse_many"
	label["ours-two"] = "ours, two threads"
	label["simdjson-two-each"] = "simdjson, two threads, parse"
	label["simdjson-two-many"] = "simdjson, two threads, parse_many"
	label["jansson"] = "jansson"
	label["node"] = "JSON.parse"
	label["jq"] = "jq"
	label["canon"] = "ours, parse and canon"
	label["sha256"] = "SHA-256 alone, of the canonical bytes"
	label["hash"] = "ours, parse, canon and hash"
	label["hash-two"] = "ours, hashing on a second thread"
	label["hash-canonicalize"] = "npm canonicalize and node's SHA-256"
	label["validate"] = "ours, every rule"
	label["validate-two"] = "ours, every rule, two threads"
	label["validate-process"] = "trackway validate -q"
	label["validate-ajv"] = "ajv, JSON.parse and schema"
	label["validate-ajv-only"] = "ajv, schema alone"
	label["validate-python"] = "Python jsonschema, a slice"
	label["convert"] = "trackway convert, one thread"
	label["convert-two"] = "trackway convert, two threads"
	label["convert-peer"] = "Python, json of the standard library"
	aim["trace", "parse"] = 0.9; aim["trajectory", "parse"] = 1.3; aim["numbers", "parse"] = 1.4
	aim["trace", "hash"] = 10; aim["trajectory", "hash"] = 8; aim["numbers", "hash"] = 6
	aim["second"] = 0.8
	aim["gain"] = 0.95
	aim["validate", "simdjson"] = 0.7; aim["validate", "ajv"] = 5; aim["validate", "ajv-two"] = 9
	aim["validate", "python"] = 300; aim["validate", "memory"] = 1
	aim["convert"] = 30
	shown = "convert convert-two convert-peer validate validate-two validate-process validate-ajv validate-ajv-only validate-python " \
		"ours simdjson-each simdjson-many jansson node jq @ ours-two simdjson-two-each simdjson-two-many " \
		"hash hash-canonicalize canon sha256 hash-two"
}

FNR == NR { machine[++machines] = $1; value[$1] = $2; next }

{
	if (!($1 in seen)) { seen[$1]; order[++workloads] = $1 }
	key = $1 SUBSEP $2
	if (!(key in count)) { rows[$1] = rows[$1] (rows[$1] ? " " : "") $2; method[key] = $9 }
	wall[key, ++count[key]] = $4
	cpu[key, count[key]] = $5
	if ($2 != "sha256") bytes[$1] = bytes[$1] ? bytes[$1] : $6
	size[key] = $2 == "sha256" ? bytes[$1] : $6
	if ($10 > peak[key]) peak[key] = $10
	if ($2 ~ /^(ours|validate|convert)$/) records[$1] = $7
	if ($7 != "-" && size[key] == bytes[$1] && $2 != "sha256" && $1 in records && $7 != records[$1] &&
		method[key] !~ /refused/)
		complain($1 ": " $2 " finds " $7 " records, not " records[$1])
	if ($8 != "-") {
		if ($1 in digest && digest[$1] != $8) complain($1 ": " $2 " gives " $8 ", not " digest[$1])
		digest[$1] = $8
	}
}

function complain(text) {
	if (!(text in complained)) print "DISAGREEMENT: " text
	complained[text]
	disagreements++
}

# Seconds of the i-th sample. By CPU time two threads that never waited would need half of it each; what a program
# with helper threads of its own (node) would need is not known, so that the wall clock is its bound.
function took(w, r, i,    t) {
	t = wall[w, r, i] + 0
	return clock == "cpu" && r != "hash-two" ? smaller(t, cpu[w, r, i] / (r ~ /two/ ? 2 : 1)) : t
}

function sort_in(list, n, v) {
	for (; n > 1 && list[n - 1] > v; n--) list[n] = list[n - 1]
	list[n] = v
}

function middle(list, n) {
	return n == 0 ? 0 : n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2
}

# Fills the median, least and greatest rate in MB of input per second.
function rate(w, r,    key, n, i, times) {
	key = w SUBSEP r
	n = count[key]
	for (i = 1; i <= n; i++) sort_in(times, i, took(w, r, i))
	median[key] = size[key] / middle(times, n) / 1e6
	least[key] = size[key] / times[n] / 1e6
	greatest[key] = size[key] / times[1] / 1e6
}

# How many times faster a is than b: the median over turns that followed each other when both took the same turns,
# which leaves out what changed from one minute to the next; else the ratio of the medians.
function faster(w, a, b,    n, i, list) {
	n = count[w, a]
	if (n != count[w, b] || size[w, a] != size[w, b]) return ratio(of(w, a), of(w, b))
	for (i = 1; i <= n; i++) sort_in(list, i, took(w, b, i) / took(w, a, i))
	return middle(list, n)
}

function better(w, a, b) { return of(w, a) > of(w, b) ? a : b }

# The gain of two threads of ours over that of the peer, turn by turn.
function gains(w, one, two,    n, i, list) {
	n = count[w, "ours"]
	if (!n || count[w, "ours-two"] != n || count[w, one] != n || count[w, two] != n) return 0
	for (i = 1; i <= n; i++)
		sort_in(list, i, took(w, "ours", i) / took(w, "ours-two", i) / (took(w, one, i) / took(w, two, i)))
	return middle(list, n)
}

function of(w, r) { return median[w, r] + 0 }
function smaller(a, b) { return a < b ? a : b }
function ratio(a, b) { return b > 0 ? a / b : 0 }
function commas(n,    s) {
	s = sprintf("%d", n)
	while (s ~ /^[0-9][0-9][0-9][0-9]/ && sub(/[0-9][0-9][0-9](,|$)/, ",&", s)) continue
	return s
}

# The row of ours that a peer's row is held against, or "".
function ours_for(w, r) {
	if (w ~ /^(claude|openai)$/) return r == "convert-peer" ? "convert" : ""
	if (w == "run") return r ~ /^validate($|-two|-process)/ ? "" : "validate"
	if (r ~ /^(ours|canon$|sha256$|hash$|hash-two$)/) return ""
	if (sub(/.*@/, "", r)) return "ours@" r
	return r ~ /two/ ? "ours-two" : r ~ /^hash/ ? "hash" : "ours"
}

function name_of(r,    v) {
	if (r in label) return label[r]
	v = r; sub(/.*@/, "", v); sub(/@.*/, "", r)
	return (r == "ours" ? label["ours"] : label["simdjson-many"]) ", " v
}

function show(w, r,    key, own) {
	key = w SUBSEP r
	own = ours_for(w, r)
	if (own && !count[w, own]) own = ""
	if (count[key])
		printf "  %-38s %9.0f %17s %9s   %s\n", name_of(r), median[key],
			sprintf("(%.0f..%.0f)", least[key], greatest[key]),
			own ? sprintf("%.2f x", faster(w, own, r)) : "", method[key]
}

function table(w,    list, others, n, m, i, k) {
	printf "\n%s: %.1f MB, %s records\n", w, bytes[w] / 1e6, commas(records[w])
	printf "  %-38s %9s %17s %9s   %s\n", "", "MB/s", "(least..greatest)", "ours is", "how"
	n = split(shown, list, " ")
	m = split(rows[w], others, " ")
	for (i = 1; i <= n; i++) {
		if (list[i] != "@") show(w, list[i])
		else for (k = 1; k <= m; k++) if (others[k] ~ /@/) show(w, others[k])
	}
}

# A measured value of 0 stands for "not measured".
function judge(w, what, measured, goal, detail) {
	aims++
	aim_workload[aims] = w; aim_what[aims] = what; aim_value[aims] = measured; aim_goal[aims] = goal
	aim_verdict[aims] = measured == 0 ? "not measured" : measured >= goal ? "MET" : "NOT MET"
	printf "  %-11s %-56s %7s   aim %5.2f   %s%s\n", w, what, measured ? sprintf("%.2f", measured) : "-", goal,
		aim_verdict[aims], detail
}

function judge_workload(w,    one, two, slower, why, gain) {
	one = better(w, "simdjson-each", "simdjson-many")
	two = better(w, "simdjson-two-each", "simdjson-two-many")
	slower = of(w, "canon") < of(w, "sha256") ? "canon" : "sha256"
	judge(w, "strict parse / simdjson's DOM parse", faster(w, "ours", one), aim[w, "parse"], "")
	judge(w, "canon and run hash / npm canonicalize", faster(w, "hash", "hash-canonicalize"), aim[w, "hash"], "")
	why = share() < 0.95 ? ": the machine was busy" : clock == "cpu" ? ": needs the wall clock" : ""
	judge(w, "hashing on a second thread / slower of canon and SHA-256", why ? 0 : faster(w, "hash-two", slower),
		aim["second"], why)
	why = clock == "cpu" ? "" : why
	gain = sprintf("   (%.2f / %.2f)", faster(w, "ours-two", "ours"), faster(w, two, one))
	judge(w, "gain of two threads / simdjson's gain", why ? 0 : gains(w, one, two), aim["gain"], why ? why : gain)
}

# Two threads are only two when nobody else is at work; by CPU time they need half of it each.
function judge_validator(w,    one, why, used, allowed, detail) {
	one = better(w, "simdjson-each", "simdjson-many")
	judge(w, "every rule / simdjson's DOM parse", faster(w, "validate", one), aim["validate", "simdjson"], "")
	judge(w, "every rule / npm ajv", faster(w, "validate", "validate-ajv"), aim["validate", "ajv"], "")
	why = clock != "cpu" && share() < 0.95 ? ": the machine was busy" : ""
	judge(w, "every rule on two threads / npm ajv", why ? 0 : faster(w, "validate-two", "validate-ajv"),
		aim["validate", "ajv-two"], why)
	judge(w, "every rule / Python's jsonschema", faster(w, "validate", "validate-python"), aim["validate", "python"], "")
	used = peak[w, "validate-process"] * 1024 / 1e6
	allowed = 64 + 40 * (records[w] - 1) / 1e6
	if (used) detail = sprintf("   (%.1f / %.1f)", allowed, used)
	judge(w, "64 MB and 40 bytes a node / peak memory", ratio(allowed, used), aim["validate", "memory"], detail)
}

function judge_converter(w,    why) {
	judge(w, "converting / a Python converter", faster(w, "convert", "convert-peer"), aim["convert"], "")
	why = clock != "cpu" && share() < 0.95 ? ": the machine was busy" : ""
	judge(w, "converting on two threads / a Python converter", why ? 0 : faster(w, "convert-two", "convert-peer"),
		aim["convert"], why)
}

# How much of a core the single-thread rows got: less than all of it means that others were at work.
function share(    i, k, w, r, n, sum) {
	for (i = 1; i <= workloads; i++) {
		w = order[i]
		r = w == "run" ? "validate" : w ~ /^(claude|openai)$/ ? "convert" : "ours"
		for (k = 1; k <= count[w, r]; k++) {
			sum += ratio(cpu[w, r, k], wall[w, r, k])
			n++
		}
	}
	return n ? sum / n : 1
}

function quoted(s) {
	gsub(/\\/, "\\\\", s)
	gsub(/"/, "\\\"", s)
	return "\"" s "\""
}

function comma(i) { return i > 1 ? "," : "" }

function row_json(w, r,    key) {
	key = w SUBSEP r
	return sprintf("{\"name\":%s,\"method\":%s,\"mb_per_second\":{\"median\":%.1f,\"least\":%.1f,\"greatest\":%.1f},\"samples\":%d}",
		quoted(r), quoted(method[key]), median[key], least[key], greatest[key], count[key])
}

function workload_json(w,    n, i, list, s) {
	n = split(rows[w], list, " ")
	for (i = 1; i <= n; i++) s = s comma(i) row_json(w, list[i])
	return sprintf("{\"name\":%s,\"bytes\":%d,\"records\":%d,\"rows\":[%s]}", quoted(w), bytes[w], records[w], s)
}

function aim_json(i) {
	return sprintf("{\"workload\":%s,\"name\":%s,\"measured\":%s,\"aim\":%.2f,\"verdict\":%s}", quoted(aim_workload[i]),
		quoted(aim_what[i]), aim_value[i] ? sprintf("%.3f", aim_value[i]) : "null", aim_goal[i], quoted(tolower(aim_verdict[i])))
}

function write_json(    i, m, w, a) {
	for (i = 1; i <= machines; i++) m = m comma(i) quoted(machine[i]) ":" quoted(value[machine[i]])
	for (i = 1; i <= workloads; i++) w = w comma(i) workload_json(order[i])
	for (i = 1; i <= aims; i++) a = a comma(i) aim_json(i)
	printf("{\"schema\":\"trackway.bench/1\",\"clock\":%s,\"rounds\":%d,\"machine\":{%s},\"workloads\":[%s],\"aims\":[%s]}\n",
		quoted(clock), rounds, m, w, a) >json
	close(json)
}

END {
	for (i = 1; i <= machines; i++) printf "%-9s %s\n", machine[i], value[machine[i]]
	printf "%-9s %s; medians of %d rounds, ratios turn by turn\n", "clock", clock, rounds
	for (i = 1; i <= workloads; i++) {
		n = split(rows[order[i]], list, " ")
		for (k = 1; k <= n; k++) rate(order[i], list[k])
	}
	for (i = 1; i <= workloads; i++) table(order[i])
	print "\naims"
	for (i = 1; i <= workloads; i++) {
		if ((order[i], "parse") in aim) judge_workload(order[i])
		if (order[i] == "run") judge_validator(order[i])
		if (order[i] ~ /^(claude|openai)$/) judge_converter(order[i])
	}
	if (share() < 0.95)
		printf "\nThe machine was busy: programs with one thread got %.0f %% of a core.%s\n", 100 * share(),
			clock == "wall" ? " CLOCK=cpu may say more." : ""
	write_json()
	exit disagreements > 0
}
