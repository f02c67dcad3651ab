/** Measured beside expected: logs of nccl-tests, perftest and their kin, and what hardware can do. */
export { type Answer, type Reason, type RowAnswer, type Seen, type Verdict, VERDICTS } from './answer.ts'
export {
  expectationOf,
  expectationOfFabric,
  type Expectation,
  factsOfSettings,
  type LogText,
  type Question,
  type Understood,
} from './expect.ts'
export { factsOfFabric } from './fabric-facts.ts'
export { type FactName, type Facts, factsIn, keyOf } from './fabric-line.ts'
export { FORM_NAMES, readLog } from './forms/index.ts'
export { type Ceiling, type PartId, PARTS } from './parts.ts'
export type { Log, Reading, Unread } from './readings.ts'
