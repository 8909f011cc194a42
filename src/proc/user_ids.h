/* Who we are in a new user namespace. Only Linux has these (user_ids_linux.c). */
#ifndef PROC_USER_IDS_H
#define PROC_USER_IDS_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * In a user namespace that was just made: we stay who we were outside, and files keep their owner for us and for our
 * children. False where the system does not allow it. Allocates nothing, so it may follow a fork.
 */
bool user_ids_keep(uid_t uid, gid_t gid);

#endif
