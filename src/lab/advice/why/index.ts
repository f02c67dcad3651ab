/** Why: the causes of slow messages, each proved by a run without it. */
export { BUDGET, type RunAll, why } from './why.ts'
