/*
 * How a run ended, in a trajectory: our own writer adds an entry of role "metadata", whose `metadata` has these, where
 * a reader would think otherwise.
 */
#ifndef DIALECT_TRAJECTORY_END_H
#define DIALECT_TRAJECTORY_END_H

#define TRAJECTORY_STATUS "run_status"
#define TRAJECTORY_REASON "run_reason"

#endif
