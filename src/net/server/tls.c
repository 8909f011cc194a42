/* TLS on connections of the server: what comes is opened before it is read, what goes is sealed before it is sent. */
#include <assert.h>
#include <errno.h>

#include "base/arena.h"
#include "net/server/private.h"

enum { GATHERED_KEPT = 256 << 10 }; /* a buffer that grew beyond is given back */

/* Once for a connection, however its handshake ends. */
static void server_tls_tell(struct conn *c, const struct tls *t)
{
	const struct server_ops *ops = c->server->o.ops;

	if (!c->shaken && c->through && ops->shaken)
		ops->shaken(c->server->o.context, c->through, t);
	c->shaken = true;
}

void conn_tls_begin(struct conn *c, struct str sealed)
{
	struct server *s = c->server;

	assert(c->entered && !c->tls);
	if (!s->room)
		s->room = mem_alloc(TLS_ROOM);
	c->tls = tls_server(c->entered, &s->sealed.text);
	c->entered = NULL;
	c->begun = false; /* no head has: the handshake comes first */
	conn_tls_read(c, sealed);
}

/* An alert may be on its way to the client; a close with bytes unread would take it away again. */
static void server_tls_fail(struct conn *c)
{
	server_tls_tell(c, c->tls);
	if (c->wire.fd >= 0 && !c->asked)
		conn_linger(c);
	else
		conn_close(c);
}

void conn_tls_read(struct conn *c, struct str sealed)
{
	struct server *s = c->server;
	struct str plain;

	while (c->wire.fd >= 0 && c->phase != CONN_LINGER) {
		enum tls_next next = tls_open(c->tls, &sealed, s->room, TLS_ROOM, &plain);

		outgoing_send(&s->sealed, &c->wire);
		switch (next) {
		case TLS_MORE:
			return;
		case TLS_READY:
			c->since = uv_now(s->loop);
			server_tls_tell(c, c->tls);
			break;
		case TLS_OPENED:
			conn_take(c, plain);
			break;
		case TLS_CLOSED:
			wire_end(&c->wire);
			conn_ended(c);
			return;
		case TLS_FAILED:
			server_tls_fail(c);
			return;
		}
	}
}

/* Head and pieces are sealed at once: one record and one system call for a small answer. */
void conn_send(struct conn *c)
{
	struct server *s = c->server;

	if (!c->tls) {
		outgoing_send(&s->out, &c->wire);
		return;
	}
	outgoing_gather(&s->out, &s->gathered);
	if (c->wire.fd >= 0 && !tls_seal(c->tls, buf_str(&s->gathered)))
		c->wire.broken = EPROTO;
	outgoing_send(&s->sealed, &c->wire);
	buf_clear(&s->gathered);
	if (s->gathered.cap > GATHERED_KEPT)
		buf_free(&s->gathered);
}

void conn_tls_part(struct conn *c)
{
	if (!c->tls || c->wire.fd < 0)
		return;
	tls_close(c->tls);
	outgoing_send(&c->server->sealed, &c->wire);
}

void conn_tls_lost(struct conn *c)
{
	if (c->tls)
		server_tls_tell(c, NULL);
}
