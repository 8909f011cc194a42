#include "net/peer.h"

#include "unit/net/sockets.h"

/* Two ends of one connection. */
static void join(int *ours, int *theirs)
{
	uint16_t port;
	int listener = hear(&port);

	*theirs = dial(port);
	*ours = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	CHECK(*ours >= 0);
	close(listener);
}

/* Whatever a packet needs on its way. */
static bool is_there_after_a_while(int fd, bool want)
{
	bool is = !want;

	for (unsigned i = 0; i < 500 && is != want; i++, usleep(1000))
		is = peer_is_there(fd);
	return is;
}

TEST(a_side_that_shut_its_half_is_there_and_one_that_closed_is_not)
{
	int ours, theirs;

	join(&ours, &theirs);
	CHECK(peer_is_there(ours));
	CHECK(shutdown(theirs, SHUT_WR) == 0);
	usleep(10000);
	CHECK(peer_is_there(ours));
	close(theirs);
	CHECK(!is_there_after_a_while(ours, false));
	close(ours);
}

TEST(a_side_that_closed_at_once_is_not_there)
{
	int ours, theirs;

	join(&ours, &theirs);
	close(theirs);
	CHECK(!is_there_after_a_while(ours, false));
	close(ours);
}

TEST(a_side_that_reset_the_connection_is_not_there)
{
	int ours, theirs;

	join(&ours, &theirs);
	slam(theirs);
	CHECK(!is_there_after_a_while(ours, false));
	close(ours);
}

TEST(what_is_no_connection_is_taken_to_be_there)
{
	int pair[2];

	CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0);
	CHECK(peer_is_there(pair[0]));
	CHECK(peer_acked(pair[0]) == UINT64_MAX);
	close(pair[0]), close(pair[1]);
}

TEST(bytes_the_other_kernel_took_are_counted)
{
	int ours, theirs;
	struct buf b = { 0 };

	join(&ours, &theirs);
	CHECK_INT(peer_acked(theirs), 0); /* the side that connected: its SYN does not count */
	say(theirs, STR("twelve bytes"));
	for (unsigned i = 0; i < 500 && peer_acked(theirs) != 12; i++)
		usleep(1000);
	CHECK_INT(peer_acked(theirs), 12);
	close(ours);
	usleep(1000);
	(void)!send(theirs, "to nobody", 9, MSG_NOSIGNAL);
	usleep(10000);
	CHECK_INT(peer_acked(theirs), 12);
	close(theirs);
	buf_free(&b);
}
