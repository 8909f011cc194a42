#include "proc/user_ids.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/test.h"

TEST(in_a_new_user_namespace_we_stay_who_we_were_and_files_keep_their_owner)
{
	uid_t uid = getuid();
	gid_t gid = getgid();
	const char *dir = test_dir();
	struct stat before, after;

	CHECK(stat(dir, &before) == 0);
	if (unshare(CLONE_NEWUSER) != 0)
		SKIP("no user namespace can be made: %s", strerror(errno));
	CHECK(getuid() != uid || uid == 65534);
	if (!user_ids_keep(uid, gid))
		SKIP("the system makes user namespaces, and lets nobody use them");
	CHECK_INT(getuid(), uid);
	CHECK_INT(getgid(), gid);
	CHECK(stat(dir, &after) == 0);
	CHECK_INT(after.st_uid, before.st_uid);
	/* the maps can be written once */
	CHECK(!user_ids_keep(uid, gid));
}
