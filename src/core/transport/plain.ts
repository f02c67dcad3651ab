/**
 * Plain: a second build of the rooms on the path of every packet leaves out what most scenarios do not use: work requests,
 * READs, Receive WQEs, held ACKs, host stacks, trimming, telemetry, RTT requests, latency of switches, early drops and QCN,
 * windows in bytes. The rest fits the processor's instruction cache better. What it leaves out stands behind `!PLAIN`;
 * constructors refuse what they lack, and lab/simulation/full-needs.ts says which scenarios need the full one.
 */

/** true in the plain program (scripts/inline.mjs). */
export const PLAIN: boolean = false
