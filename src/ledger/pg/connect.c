/*
 * Connections to PostgreSQL: opens them, checks the server, runs statements, and tries again what may be tried
 * again.
 */
#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/seed.h"
#include "base/stop.h"
#include "ledger/be.h"
#include "ledger/pg/private.h"

#define FIRST_PAUSE_MS 10
#define LAST_PAUSE_MS 1000
#define OPTIONS 64 /* keywords of a connection */
#define LOCK_TIMEOUT "4s" /* then a word is said, and it is tried again, for a minute in all */

/* ---- what to do about a failure ---- */

/*
 * 40001 and 40P01 say that nothing was done. 40003 says that nobody knows, as does a lost connection: then it is done
 * again, and what was done before is found there.
 */
enum pg_next pg_after(const char *state, bool connected)
{
	static const char again[][6] = { "40001", "40P01", "40003", "55P03" }; /* the last: somebody holds the lock */
	static const char gone[][6] = { "57P01", "57P02", "57P03" }; /* the server stops, or is only just starting */

	if (!connected)
		return PG_RECONNECT;
	if (!state)
		return PG_GIVE_UP;
	for (size_t i = 0; i < COUNT(again); i++)
		if (strcmp(state, again[i]) == 0)
			return PG_RETRY;
	for (size_t i = 0; i < COUNT(gone); i++)
		if (strcmp(state, gone[i]) == 0)
			return PG_RECONNECT;
	return strncmp(state, "08", 2) == 0 ? PG_RECONNECT : PG_GIVE_UP;
}

unsigned pg_pause_ms(unsigned tries)
{
	unsigned shift = tries < 7 ? tries : 7;
	unsigned ms = FIRST_PAUSE_MS << shift;

	return ms < LAST_PAUSE_MS ? ms : LAST_PAUSE_MS;
}

/* The lot keeps those apart who failed together. */
bool pg_pause(unsigned tries)
{
	uint64_t ns = (uint64_t)pg_pause_ms(tries) * 1000000;
	struct timespec pause;
	uint32_t lot;

	seed_random(&lot, sizeof(lot));
	ns = ns / 2 + ns * lot / UINT32_MAX / 2;
	pause = (struct timespec){ .tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000) };
	nanosleep(&pause, NULL);
	return !stop_signal();
}

bool pg_goes_on(struct pg_patience *p, enum pg_next next)
{
	uint64_t now = clock_mono_ns();

	if (p->tries == 0)
		p->since_ns = now;
	if (next == PG_DONE || next == PG_GIVE_UP || (next == PG_RETRY && p->tries + 1 >= PG_TRIES) ||
	    now - p->since_ns > UINT64_C(1000000) * PG_PATIENCE_MS)
		return false;
	return pg_pause(p->tries++);
}

/* ---- errors ---- */

/* Messages of the library do not have the password in them; should one do, this takes it out. */
static void hide_password(char *text, const char *password)
{
	size_t n = password ? strlen(password) : 0;

	if (n == 0)
		return;
	for (char *p = strstr(text, password); p; p = strstr(p + n, password))
		memset(p, '*', n);
}

/* The first sentence of what libpq says, which may have several lines. */
static bool connection_failed(const struct pg *g, const char *what, struct err *err)
{
	struct str rest, said = str_from(g->conn ? PQerrorMessage(g->conn) : "there is no memory for a connection");
	struct str line = str_cut(str_trim(said), '\n', &rest);

	err_set(err, ERR_IO, "%.*s: %s: %.*s", STR_ARG(g->where), what, STR_ARG(line));
	hide_password(err->text, g->conn ? PQpass(g->conn) : NULL);
	return false;
}

static bool is_state(const char *state, const char *const *list)
{
	for (; state && *list; list++)
		if (strcmp(state, *list) == 0)
			return true;
	return false;
}

/* What the server says, and what its code asks the user to do. A result without a message is a lost connection. */
static void statement_failed(const struct pg *g, const PGresult *r, struct err *err)
{
	static const char *const absent[] = { "3F000", "42P01", "42883", NULL };
	const char *state = PQresultErrorField(r, PG_DIAG_SQLSTATE);
	const char *said = PQresultErrorField(r, PG_DIAG_MESSAGE_PRIMARY);
	const char *help = "";

	if (!said) {
		connection_failed(g, "the connection was lost", err);
		return;
	}
	if (is_state(state, absent))
		help = ERR_HELP "there is no ledger here, or one of another version: 'trackway ledger init' makes one";
	else if (state && strcmp(state, "42501") == 0)
		help = ERR_HELP "this needs one of the roles ledger_writer, ledger_publisher, ledger_auditor and "
			       "ledger_eraser, which an administrator grants; making a ledger needs the right to "
			       "create a schema";
	else if (state && strcmp(state, "55P03") == 0)
		help = ERR_HELP "another session has held the log for a minute, perhaps asleep in a transaction: "
			       "pg_stat_activity tells which, and pg_terminate_backend ends it";
	err_set(err, state && strncmp(state, "23", 2) == 0 ? ERR_DATA : ERR_IO, "%.*s: %s (%s)%s", STR_ARG(g->where),
		said, state ? state : "without a code", help);
}

/* ---- statements ---- */

void pg_bind(const struct pg_query *q, struct pg_bound *out)
{
	int n = 0;

	for (; n < PG_VALUES && q->values[n].type; n++) {
		const struct pg_value *v = q->values + n;
		bool is_number = v->type == PG_OID_NUMBER;

		assert(v->bytes.n <= INT_MAX);
		if (is_number)
			be_put(out->numbers[n], v->number, sizeof(out->numbers[n]));
		out->types[n] = v->type;
		out->values[n] = is_number ? (const char *)out->numbers[n] : v->bytes.n ? v->bytes.p : "";
		out->sizes[n] = is_number ? (int)sizeof(out->numbers[n]) : (int)v->bytes.n;
	}
	out->count = n;
}

static void add_int(struct buf *out, size_t n)
{
	uint8_t bytes[4];

	assert(n <= INT32_MAX);
	be_put(bytes, n, sizeof(bytes));
	buf_add(out, bytes, sizeof(bytes));
}

/* The binary form of an array: dimensions, whether it has NULLs, the type; for the dimension its length and first
 * index; then each element behind its size. */
void pg_array_begin(struct buf *array, size_t count)
{
	buf_clear(array);
	add_int(array, count ? 1 : 0);
	add_int(array, 0);
	add_int(array, PG_OID_BYTES);
	if (count == 0)
		return;
	add_int(array, count);
	add_int(array, 1);
}

void pg_array_add(struct buf *array, struct str bytes)
{
	add_int(array, bytes.n);
	buf_add_str(array, bytes);
}

uint64_t pg_number(const PGresult *r, int row, int column)
{
	int n = PQgetlength(r, row, column);

	return be_get(PQgetvalue(r, row, column), n < 8 ? (unsigned)n : 8);
}

struct str pg_bytes(const PGresult *r, int row, int column)
{
	return str_of(PQgetvalue(r, row, column), (size_t)PQgetlength(r, row, column));
}

bool pg_digest(const PGresult *r, int row, int column, struct digest *out)
{
	struct str s = pg_bytes(r, row, column);

	if (s.n != SHA256_SIZE)
		return false;
	memcpy(out->b, s.p, SHA256_SIZE);
	return true;
}

/* ---- connecting ---- */

/* The notice receiver of libpq: `own` is the struct pg, which must not move while it is connected. */
static void pass_notice(void *own, const PGresult *r)
{
	const struct pg *g = own;
	const char *state = PQresultErrorField(r, PG_DIAG_SQLSTATE);
	const char *said = PQresultErrorField(r, PG_DIAG_MESSAGE_PRIMARY);

	/* Class 01 is for warnings; what comes before a connection is lost is told with the error. */
	if (g->warn && said && state && strncmp(state, "01", 2) == 0)
		g->warn(g->context, said);
}

/* What we want when neither the URL nor the environment says something else. */
static const struct {
	const char *keyword, *value;
} wanted[] = {
	{ "connect_timeout", "10" },
	{ "fallback_application_name", "trackway" },
	{ "client_encoding", "UTF8" },
	/* A server that has gone without a word is noticed within a minute or so, not within hours. */
	{ "keepalives_idle", "30" },
	{ "keepalives_interval", "10" },
	{ "keepalives_count", "3" },
	{ "tcp_user_timeout", "60000" },
};

static const char *wanted_value(const PQconninfoOption *o)
{
	const char *given = o->envvar ? getenv(o->envvar) : NULL;

	if (o->val || (given && *given))
		return o->val;
	for (size_t i = 0; i < COUNT(wanted); i++)
		if (strcmp(o->keyword, wanted[i].keyword) == 0)
			return wanted[i].value;
	return NULL;
}

/* Connects with what the URL says, and our own wishes where neither it nor the environment says something. */
static bool connect_now(struct pg *g, struct err *err)
{
	const char *keywords[OPTIONS + 1] = { NULL }, *values[OPTIONS + 1] = { NULL };
	PQconninfoOption *options = PQconninfoParse(g->url.p, NULL);
	size_t n = 0;

	/* What the library says about it would have pieces of the URL in it, and so perhaps of the password. */
	if (!options)
		return err_set(err, ERR_USAGE, "%.*s: this is not the URL of a database"
			       ERR_HELP "postgres://USER@HOST:PORT/DATABASE, with %%XX for characters that mean "
			       "something there, and parameters of libpq behind '?'", STR_ARG(g->where));
	for (PQconninfoOption *o = options; o->keyword && n < OPTIONS; o++) {
		const char *value = wanted_value(o);

		if (!value)
			continue;
		keywords[n] = o->keyword;
		values[n++] = value;
	}
	g->conn = PQconnectdbParams(keywords, values, 0);
	PQconninfoFree(options);
	if (PQstatus(g->conn) != CONNECTION_OK)
		return connection_failed(g, "cannot connect", err);
	PQsetNoticeReceiver(g->conn, pass_notice, g);
	return true;
}

bool pg_check_setting(struct str where, const char *name, const char *value, const char **warning, struct err *err)
{
	static const struct {
		const char *name, *bad, *consequence, *unknown;
	} rows[] = {
		{ "fsync", "off", "a crash would lose or damage what was acknowledged",
		  "the server does not say whether it syncs its files (fsync): see that commits survive a crash" },
		{ "full_page_writes", "off", "a crash could tear pages that nobody notices",
		  "the server does not say whether it guards against torn pages (full_page_writes)" },
		{ "synchronous_commit", "off", "commits would be acknowledged before they are on the disk",
		  "the server does not say whether it waits for the disk (synchronous_commit)" },
	};

	*warning = NULL;
	if (strcmp(name, "data_checksums") == 0) {
		if (!value || strcmp(value, "off") == 0)
			*warning = "the server keeps no checksums of its pages (data_checksums): damage shows only in "
				   "'trackway ledger verify'";
		return true;
	}
	for (size_t i = 0; i < COUNT(rows); i++) {
		if (strcmp(rows[i].name, name) != 0)
			continue;
		/*
		 * Clusters that only speak the protocol have no such settings, since they keep their commits in another
		 * way; refusing them would shut out what the retries are there for. So they are let in with a word.
		 */
		if (!value)
			*warning = rows[i].unknown;
		else if (strcmp(value, rows[i].bad) == 0)
			return err_set(err, ERR_IO, "%.*s: the server runs with %s=%s: %s"
				       ERR_HELP "set %s=on in its configuration; a ledger cannot do without",
				       STR_ARG(where), name, value, rows[i].consequence, name);
	}
	return true;
}

static const char *const settings[] = { "fsync", "full_page_writes", "synchronous_commit", "data_checksums" };

/* The settings of a result of (name, value) rows, terminated as libpq has them. */
static bool check_settings(struct pg *g, const PGresult *r, struct err *err)
{
	for (size_t i = 0; i < COUNT(settings); i++) {
		const char *value = NULL, *warning;

		for (int row = 0; row < PQntuples(r); row++)
			if (strcmp(PQgetvalue(r, row, 0), settings[i]) == 0)
				value = PQgetvalue(r, row, 1);
		if (!pg_check_setting(g->where, settings[i], value, &warning, err))
			return false;
		if (warning && g->warn && !g->warned)
			g->warn(g->context, warning);
	}
	g->warned = true;
	return true;
}

static PGresult *ask(struct pg *g, const char *sql)
{
	return PQexecParams(g->conn, sql, 0, NULL, NULL, NULL, NULL, 1);
}

/* Only for writers. Asked again at each new connection, since it may lead to another server. */
static bool check_server(struct pg *g, struct err *err)
{
	PGresult *r;
	bool good;

	if (g->read_only)
		return true;
	r = ask(g, "SELECT name::text, setting FROM pg_catalog.pg_settings WHERE name IN "
		   "('fsync', 'full_page_writes', 'synchronous_commit', 'data_checksums')");
	good = PQresultStatus(r) == PGRES_TUPLES_OK;
	if (good)
		good = check_settings(g, r, err);
	else
		statement_failed(g, r, err);
	PQclear(r);
	if (!good)
		return false;
	r = ask(g, "SELECT pg_catalog.pg_is_in_recovery()");
	if (PQresultStatus(r) == PGRES_TUPLES_OK && PQntuples(r) == 1 && pg_number(r, 0, 0))
		good = err_set(err, ERR_IO, "%.*s: this server is a standby, and takes no entries"
			       ERR_HELP "name the primary, or several hosts and target_session_attrs=read-write",
			       STR_ARG(g->where));
	PQclear(r);
	return good;
}

/* Names are looked up nowhere but where we say; whoever hangs with the log locked is not waited for for ever. */
static bool prepare_session(struct pg *g, struct err *err)
{
	PGresult *r = PQexec(g->conn, "SET search_path = pg_catalog");
	bool good = PQresultStatus(r) == PGRES_COMMAND_OK;

	if (!good)
		statement_failed(g, r, err);
	PQclear(r);
	if (good) /* best effort: not every cluster has it */
		PQclear(PQexec(g->conn, "SET lock_timeout = '" LOCK_TIMEOUT "'"));
	if (good && g->read_only)
		PQclear(PQexec(g->conn, "SET default_transaction_read_only = on"));
	return good;
}

bool pg_open(struct pg *g, struct err *err)
{
	if (!pg_check_url(g->url, err))
		return false;
	if (connect_now(g, err) && check_server(g, err) && prepare_session(g, err))
		return true;
	pg_close(g);
	return false;
}

void pg_close(struct pg *g)
{
	if (g->conn)
		PQfinish(g->conn);
	g->conn = NULL;
}

/* ---- running ---- */

static bool is_connected(const struct pg *g)
{
	return g->conn && PQstatus(g->conn) == CONNECTION_OK;
}

/* A connection that comes back is looked at like a new one: it may lead to another server now. */
static bool reconnect(struct pg *g, struct err *err)
{
	if (is_connected(g))
		return true;
	pg_close(g);
	return pg_open(g, err);
}

static bool is_locked(const PGresult *r)
{
	static const char *const states[] = { "55P03", NULL };

	return is_state(PQresultErrorField(r, PG_DIAG_SQLSTATE), states);
}

/* Also counts what was lost, closes a connection that is gone, and says once that somebody holds the log. */
static enum pg_next failed(struct pg *g, const PGresult *r, struct err *err)
{
	enum pg_next next = pg_after(PQresultErrorField(r, PG_DIAG_SQLSTATE), is_connected(g));

	statement_failed(g, r, err);
	if (is_locked(r) && g->warn && !g->waited) {
		g->warn(g->context, "another session holds the log: waiting for it, for a minute at most");
		g->waited = true;
	}
	if (next == PG_RECONNECT) {
		g->lost++;
		pg_close(g);
	}
	return next;
}

enum pg_next pg_try(struct pg *g, const struct pg_query *q, PGresult **out, struct err *err)
{
	static const int binary[PG_VALUES] = { 1, 1, 1, 1 };
	ExecStatusType status;
	struct pg_bound b;
	PGresult *r;

	*out = NULL;
	if (!is_connected(g) && !reconnect(g, err))
		return PG_RECONNECT;
	pg_bind(q, &b);
	r = PQexecParams(g->conn, q->sql, b.count, b.types, b.values, b.sizes, binary, 1);
	status = PQresultStatus(r);
	if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK) {
		*out = r;
		return PG_DONE;
	}
	enum pg_next next = failed(g, r, err);
	PQclear(r);
	return next;
}

bool pg_run(struct pg *g, const struct pg_query *q, PGresult **out, struct err *err)
{
	struct err why = { .kind = ERR_NONE };
	struct pg_patience patience = { .tries = 0 };
	enum pg_next next;

	do {
		next = pg_try(g, q, out, &why);
	} while (pg_goes_on(&patience, next));
	if (next == PG_DONE)
		return true;
	*err = why;
	return false;
}

bool pg_ask_number(struct pg *g, const struct pg_query *q, uint64_t *out, bool *found, struct err *err)
{
	PGresult *r;

	if (!pg_run(g, q, &r, err))
		return false;
	*found = PQntuples(r) == 1 && !PQgetisnull(r, 0, 0);
	if (*found)
		*out = pg_number(r, 0, 0);
	PQclear(r);
	return true;
}

bool pg_ask_bytes(struct pg *g, const struct pg_query *q, struct arena *a, struct str *out, bool *found,
		  struct err *err)
{
	PGresult *r;

	if (!pg_run(g, q, &r, err))
		return false;
	*found = PQntuples(r) == 1 && !PQgetisnull(r, 0, 0);
	if (*found)
		*out = arena_copy(a, pg_bytes(r, 0, 0));
	PQclear(r);
	return true;
}

enum pg_next pg_script(struct pg *g, const char *sql, struct err *err)
{
	enum pg_next next = PG_DONE;
	PGresult *r;

	if (!is_connected(g) && !reconnect(g, err))
		return PG_RECONNECT;
	r = PQexec(g->conn, sql);
	if (PQresultStatus(r) != PGRES_COMMAND_OK && PQresultStatus(r) != PGRES_TUPLES_OK)
		next = failed(g, r, err);
	PQclear(r);
	return next;
}
