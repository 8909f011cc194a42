/* How many descriptors this process may have: every stream that passes a proxy is two connections. */
#ifndef PROC_DESCRIPTORS_H
#define PROC_DESCRIPTORS_H

/* As many as the system allows it. A child that was started before keeps the limit its user gave it. */
void descriptors_allow_many(void);

#endif
