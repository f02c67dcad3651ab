/** Why: the causes of slow messages, each proved by a run without it. */
export { BUDGET, type Ran, type RunAll, why, whyBetween } from './why.ts'
