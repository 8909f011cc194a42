/* What the asking half of a judge needs from the talking one besides judge.h. */
#ifndef TRIAL_CLASSIFY_JUDGE_TALK_H
#define TRIAL_CLASSIFY_JUDGE_TALK_H

extern const char judge_instructions[]; /* the system prompt of every question */

#endif
