/* libcurl driven by the loop: curl says which sockets and which timer it wants, we say what became of them. */
#include "net/upstream_curl.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/arena.h"

#define SOON_OPENED 32 /* descriptors looked at for those that curl opens by itself */

struct curl_watch {
	uv_poll_t poll; /* first: freed as it */
	struct curl_state *state;
	curl_socket_t socket;
};

/* A connection lent by curl, for another protocol. */
struct curl_tunnel {
	uv_poll_t poll; /* first: freed as it */
};

static void run_due(uv_timer_t *soon);

void upstream_curl_make_due(struct curl_call *c)
{
	if (c->is_due)
		return;
	c->is_due = true;
	c->next_due = c->state->due;
	c->state->due = c;
	uv_timer_start(&c->state->soon, run_due, 0, 0);
}

/* ---- the end of a call ---- */

static void unlink_call(struct curl_call *c)
{
	struct curl_call **at = &c->state->due;

	*(c->before ? &c->before->next : &c->state->calls) = c->next;
	if (c->next)
		c->next->before = c->before;
	while (c->is_due && *at != c)
		at = &(*at)->next_due;
	if (c->is_due)
		*at = c->next_due;
	if (!c->state->calls && !c->state->closing)
		uv_timer_stop(&c->state->silent);
}

static void free_handle(uv_handle_t *h)
{
	mem_free(h);
}

static void free_call(struct curl_call *c)
{
	unlink_call(c);
	if (c->tunnel)
		uv_close((uv_handle_t *)&c->tunnel->poll, free_handle);
	if (c->added)
		curl_multi_remove_handle(c->state->multi, c->easy);
	curl_easy_cleanup(c->easy);
	curl_slist_free_all(c->headers);
	http_reader_close(c->reader);
	buf_free(&c->queue);
	mem_free(c);
}

/* curl is done with it, or we are. Not to be called while curl is at work. */
static void conclude(struct curl_call *c, CURLcode code)
{
	const struct upstream_ops *ops = c->call.ops;
	void *own = c->call.own;
	bool told = !c->gone, whole = code == CURLE_OK && c->has_head && !c->bad;
	enum upstream_failure failure = UPSTREAM_CUT;
	char why[CURL_WHY_MAX];

	if (told && !whole)
		failure = upstream_curl_explain(c, code, why);
	free_call(c);
	if (told && whole)
		ops->end(own);
	else if (told)
		ops->fail(own, failure, why);
}

/* ---- curl and the loop ---- */

static void close_state(struct curl_state *s)
{
	while (s->calls)
		free_call(s->calls);
	curl_multi_cleanup(s->multi);
	s->multi = NULL;
	uv_close((uv_handle_t *)&s->timer, NULL);
	uv_close((uv_handle_t *)&s->soon, NULL);
	uv_close((uv_handle_t *)&s->silent, NULL);
}

static void pump(struct curl_call *c);

static void tunnel_ready(uv_poll_t *poll, int status, int events)
{
	(void)status; /* an error shows when it is read */
	(void)events;
	pump(poll->data);
}

/* Sends and reads what can be, and waits for what can not. */
static void pump(struct curl_call *c)
{
	struct curl_state *s = c->state;
	CURLcode code;
	bool over;
	int events;

	c->unread = false;
	s->inside = true; /* so that the call stays while its user is told things */
	over = upstream_curl_tunnel_step(c, &code);
	s->inside = false;
	if (s->closing) {
		close_state(s);
	} else if (over && !c->gone) {
		conclude(c, code);
	} else if (!c->gone) {
		events = (c->paused ? 0 : UV_READABLE) | (c->queue.n > c->sent ? UV_WRITABLE : 0);
		if (events)
			uv_poll_start(&c->tunnel->poll, events, tunnel_ready);
		else
			uv_poll_stop(&c->tunnel->poll);
		if (c->unread && !c->paused)
			upstream_curl_make_due(c);
	}
}

static void open_tunnel(struct curl_call *c)
{
	curl_socket_t socket = CURL_SOCKET_BAD;

	curl_easy_getinfo(c->easy, CURLINFO_ACTIVESOCKET, &socket);
	c->tunnel = mem_alloc(sizeof(*c->tunnel));
	if (uv_poll_init_socket(c->state->loop, &c->tunnel->poll, socket) != 0) {
		mem_free(c->tunnel);
		c->tunnel = NULL;
		conclude(c, CURLE_COULDNT_CONNECT);
		return;
	}
	c->tunnel->poll.data = c;
	pump(c);
}

static void collect(struct curl_state *s)
{
	struct curl_call *c;
	CURLMsg *m;
	int left;

	while (s->multi && (m = curl_multi_info_read(s->multi, &left))) {
		CURLcode code = m->data.result;

		if (m->msg != CURLMSG_DONE || curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &c) != CURLE_OK)
			continue;
		/* either may close everything */
		if (code == CURLE_OK && c->upgrade && !c->gone)
			open_tunnel(c);
		else
			conclude(c, code);
	}
}

static void drive(struct curl_state *s, curl_socket_t socket, int events)
{
	int running;

	if (!s->multi)
		return;
	s->inside = true;
	curl_multi_socket_action(s->multi, socket, events, &running);
	s->inside = false;
	if (s->closing)
		close_state(s);
	else
		collect(s);
}

static void socket_ready(uv_poll_t *poll, int status, int events)
{
	struct curl_watch *w = (struct curl_watch *)poll;
	int flags = (events & UV_READABLE ? CURL_CSELECT_IN : 0) | (events & UV_WRITABLE ? CURL_CSELECT_OUT : 0);

	/* a socket with an error is read, so that curl sees which one, and whether another connection may help */
	drive(w->state, w->socket, status < 0 ? CURL_CSELECT_IN : flags);
}

static int watch_socket(CURL *easy, curl_socket_t socket, int what, void *context, void *socket_context)
{
	struct curl_state *s = context;
	struct curl_watch *w = socket_context;
	int events = (what & CURL_POLL_IN ? UV_READABLE : 0) | (what & CURL_POLL_OUT ? UV_WRITABLE : 0);

	(void)easy;
	if (what == CURL_POLL_REMOVE) {
		if (w)
			uv_close((uv_handle_t *)&w->poll, free_handle);
		curl_multi_assign(s->multi, socket, NULL);
		return 0;
	}
	if (!w) {
		w = mem_alloc(sizeof(*w));
		*w = (struct curl_watch){ .state = s, .socket = socket };
		if (uv_poll_init_socket(s->loop, &w->poll, socket) != 0) {
			mem_free(w);
			return -1;
		}
		curl_multi_assign(s->multi, socket, w);
	}
	return uv_poll_start(&w->poll, events, socket_ready) == 0 ? 0 : -1;
}

static void time_over(uv_timer_t *timer)
{
	drive(timer->data, CURL_SOCKET_TIMEOUT, 0);
}

static int set_timer(CURLM *multi, long ms, void *context)
{
	struct curl_state *s = context;

	(void)multi;
	if (ms < 0)
		uv_timer_stop(&s->timer);
	else
		uv_timer_start(&s->timer, time_over, (uint64_t)ms, 0);
	return 0;
}

/* ---- what is due ---- */

static void do_what_is_due(struct curl_call *c)
{
	struct curl_state *s = c->state;
	CURLcode code = CURLE_OK;

	if (c->gone) {
		free_call(c);
		return;
	}
	if (c->tunnel) {
		pump(c);
		return;
	}
	if (!c->added) {
		c->added = curl_multi_add_handle(s->multi, c->easy) == CURLM_OK;
		code = c->added ? CURLE_OK : CURLE_FAILED_INIT;
	} else {
		/* an answer that came before the request was complete: curl itself knows whether it wants the rest */
		if (c->queue.n > c->sent || c->finished || c->has_head)
			c->starved = false;
		if (!c->paused)
			c->stalled = false;
		s->inside = true;
		code = curl_easy_pause(c->easy, (c->stalled ? CURLPAUSE_RECV : 0) | (c->starved ? CURLPAUSE_SEND : 0));
		s->inside = false;
	}
	if (s->closing)
		close_state(s);
	else if (code != CURLE_OK && !c->gone)
		conclude(c, code);
}

static void run_due(uv_timer_t *soon)
{
	struct curl_state *s = soon->data;

	while (s->multi && s->due) {
		struct curl_call *c = s->due;

		s->due = c->next_due;
		c->is_due = false;
		do_what_is_due(c);
	}
	drive(s, CURL_SOCKET_TIMEOUT, 0);
}

static void look_for_silent(uv_timer_t *timer)
{
	struct curl_state *s = timer->data;
	uint64_t now = uv_now(s->loop);
	struct curl_call *c = s->calls;

	while (c && s->multi) {
		if (c->paused || c->starved)
			c->active = now; /* it is not the upstream that keeps us waiting */
		c->is_silent = now - c->active > s->options->idle_ms && !c->gone;
		if (!c->is_silent) {
			c = c->next;
			continue;
		}
		conclude(c, CURLE_OPERATION_TIMEDOUT);
		c = s->calls; /* whoever was told may have done anything */
	}
}

static void free_refused(uv_handle_t *h)
{
	mem_free(h->data);
}

static void refuse(uv_timer_t *timer)
{
	struct curl_call *c = timer->data;

	if (!c->gone)
		c->call.ops->fail(c->call.own, UPSTREAM_REFUSED, "the program is stopping");
	uv_close((uv_handle_t *)timer, free_refused);
}

static struct upstream_call *call_begin(void *state, const struct upstream_request *r, const struct upstream_ops *ops,
					void *own)
{
	struct curl_state *s = state;
	struct curl_call *c = mem_alloc(sizeof(*c));
	uint64_t often = s->options->idle_ms / 4 < 1000 ? s->options->idle_ms / 4 + 1 : 1000;

	*c = (struct curl_call){ .call = { &upstream_curl, ops, own }, .state = s, .next = s->calls };
	buf_init(&c->queue);
	if (s->closing) {
		c->is_due = true; /* for good: curl is never told of it */
		uv_timer_init(s->loop, &c->refusal);
		c->refusal.data = c;
		uv_timer_start(&c->refusal, refuse, 0, 0);
		return &c->call;
	}
	c->easy = curl_easy_init();
	c->reader = http_reader_open(HTTP_RESPONSE, &s->options->limits);
	http_reader_expect(c->reader, r->method);
	c->active = uv_now(s->loop);
	c->finished = r->framing == HTTP_NONE;
	upstream_curl_set_up(c, r);
	if (s->calls)
		s->calls->before = c;
	else
		uv_timer_start(&s->silent, look_for_silent, often, often);
	s->calls = c;
	upstream_curl_make_due(c);
	return &c->call;
}

/* ---- what the user of a call asks ---- */

static bool call_write(struct upstream_call *call, struct str bytes)
{
	struct curl_call *c = (struct curl_call *)call;

	if (c->state->closing)
		return true;
	buf_add_str(&c->queue, bytes);
	if ((c->starved && bytes.n) || c->tunnel)
		upstream_curl_make_due(c);
	c->full = c->queue.n - c->sent > CURL_QUEUED_MAX;
	return !c->full;
}

static void call_finish(struct upstream_call *call)
{
	struct curl_call *c = (struct curl_call *)call;

	c->finished = true;
	if (c->starved)
		upstream_curl_make_due(c);
}

static void call_cancel(struct upstream_call *call)
{
	struct curl_call *c = (struct curl_call *)call;

	c->gone = true;
	upstream_curl_make_due(c);
}

static void call_pause(struct upstream_call *call)
{
	((struct curl_call *)call)->paused = true;
}

static void call_resume(struct upstream_call *call)
{
	struct curl_call *c = (struct curl_call *)call;

	c->paused = false;
	if (c->stalled || c->tunnel)
		upstream_curl_make_due(c);
}

/* ---- the state of a pool ---- */

/* As OpenSSL's own programs do it; else what curl was built with. */
static void choose_trust(struct curl_state *s)
{
	const char *file = getenv("SSL_CERT_FILE"), *dir = getenv("SSL_CERT_DIR");
	CURL *easy;
	char *usual;

	s->ca_file = file && *file ? file : NULL;
	s->ca_dir = dir && *dir ? dir : NULL;
	if (s->ca_file || s->ca_dir)
		return;
	easy = curl_easy_init();
	if (curl_easy_getinfo(easy, CURLINFO_CAINFO, &usual) == CURLE_OK && usual && access(usual, R_OK) == 0)
		s->ca_file = usual;
	else if (curl_easy_getinfo(easy, CURLINFO_CAPATH, &usual) == CURLE_OK)
		s->ca_dir = usual;
	curl_easy_cleanup(easy);
}

/* curl makes itself a pair of sockets that every child process would inherit. */
static CURLM *open_multi(void)
{
	bool ours[SOON_OPENED];
	int first = dup(STDERR_FILENO); /* the lowest that is free */
	CURLM *multi;

	if (first < 0)
		return curl_multi_init();
	close(first);
	for (int i = 0; i < SOON_OPENED; i++)
		ours[i] = fcntl(first + i, F_GETFD) < 0;
	multi = curl_multi_init();
	for (int i = 0; i < SOON_OPENED; i++)
		if (ours[i] && fcntl(first + i, F_GETFD) >= 0)
			fcntl(first + i, F_SETFD, FD_CLOEXEC);
	return multi;
}

static void *state_open(uv_loop_t *loop, const struct upstream_options *o)
{
	struct curl_state *s = mem_alloc(sizeof(*s));

	*s = (struct curl_state){ .loop = loop, .options = o };
	curl_global_init(CURL_GLOBAL_DEFAULT);
	s->multi = open_multi();
	uv_timer_init(loop, &s->soon);
	uv_timer_init(loop, &s->timer);
	uv_timer_init(loop, &s->silent);
	s->timer.data = s->soon.data = s->silent.data = s;
	curl_multi_setopt(s->multi, CURLMOPT_SOCKETFUNCTION, watch_socket);
	curl_multi_setopt(s->multi, CURLMOPT_SOCKETDATA, s);
	curl_multi_setopt(s->multi, CURLMOPT_TIMERFUNCTION, set_timer);
	curl_multi_setopt(s->multi, CURLMOPT_TIMERDATA, s);
	curl_multi_setopt(s->multi, CURLMOPT_MAXCONNECTS, (long)o->kept);
	choose_trust(s);
	return s;
}

static void state_close(void *state)
{
	struct curl_state *s = state;

	s->closing = true;
	for (struct curl_call *c = s->calls; c; c = s->calls) {
		while (c && c->gone)
			c = c->next;
		if (!c)
			break;
		c->gone = true;
		c->call.ops->fail(c->call.own, UPSTREAM_CUT, "the program is stopping");
	}
	if (!s->inside)
		close_state(s); /* else when curl is done */
}

static void state_free(void *state)
{
	mem_free(state);
	curl_global_cleanup();
}

const struct upstream_kind upstream_curl = {
	.open = state_open,
	.begin = call_begin,
	.write = call_write,
	.finish = call_finish,
	.cancel = call_cancel,
	.pause = call_pause,
	.resume = call_resume,
	.close = state_close,
	.free = state_free,
};
