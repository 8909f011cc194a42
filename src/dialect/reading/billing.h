/*
 * What an answer says of its bill beside its tokens: the dollars that the service states, and the tier by which the
 * request is billed. All of it is only looked at and stays in the rest of the record.
 *
 *	usage.cost                            OpenRouter, LiteLLM, Vercel: dollars (OpenRouter's credits are dollars)
 *	usage.cost.total_cost                 Perplexity
 *	usage.cost_in_usd_ticks               xAI: 10,000,000,000 of them are a dollar
 *	usage.estimated_cost                  DeepInfra
 *	usage.cost_details.upstream_inference_cost, usage.is_byok
 *	                                      OpenRouter with the user's own key at the vendor: `cost` is then the fee
 *	                                      of the router alone, and the vendor's bill comes on top of it
 *	x-litellm-response-cost               LiteLLM, a header of the answer
 *	service_tier                          OpenAI and Groq beside usage, Anthropic inside it
 *	usage.speed, usage.inference_geo      Anthropic: the fast mode, and where the model must run
 *	serviceTier, trafficType              Gemini, in usageMetadata
 */
#ifndef DIALECT_READING_BILLING_H
#define DIALECT_READING_BILLING_H

#include "dialect/reading/reading.h"

/* The dollars that a usage object states; absent when it states none that can be, or only a part of them. */
struct amount billing_stated(struct val usage);

/*
 * The tier that an answer with this usage was billed by, as struct event has it: "" when it says the ordinary one. What
 * raises the price in several ways has all their words: "batch+us". The text lives in the batch.
 */
struct str billing_tier(struct reading *r, struct val body, struct val usage);

/* The dollars that a header of an answer states; absent when it is another header, or no amount. */
struct amount billing_header(struct str name, struct str value);

/* Sets both in a STEP. Nothing changes where the answer does not say. */
void billing_read(struct reading *r, struct event *step, struct val body, struct val usage);

#endif
