/** Measured beside expected: logs of nccl-tests, perftest and their kin, and what hardware can do. */
export {
  type Answer,
  type Reason,
  type RowAnswer,
  type Seen,
  type Simulated,
  type Verdict,
  VERDICTS,
} from './answer.ts'
export {
  expectationOf,
  expectationOfFabric,
  type Expectation,
  factsOfSettings,
  type LogText,
  type Question,
  simulatedOn,
  simulationOfFabric,
  simulationsOf,
  type Understood,
  withSimulated,
} from './expect.ts'
export { factsOfFabric } from './fabric-facts.ts'
export { type FactName, type Facts, factsIn, keyOf } from './fabric-line.ts'
export { FORM_NAMES, readLog } from './forms/index.ts'
export { type Ceiling, type PartId, PARTS } from './parts.ts'
export { doublingSizes, simulatedRows, type SimulationPlan } from './simulation.ts'
export type { Log, Reading, Unread } from './readings.ts'
