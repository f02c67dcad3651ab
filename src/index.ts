/**
 * The package's root: a scenario read, run and summed up. The rooms have the rest: `rocelab/lab`, `rocelab/results`, ...
 * @module rocelab
 */
export { VERSION } from './base/version.ts'
export { formatIssue, InputError, type Issue } from './base/issue.ts'
export { createSimulation, type Progress, run, type Simulation, type SimulationOptions } from './lab/index.ts'
export {
  completionsOf,
  type Interval,
  interval95,
  numbersOf,
  quantile,
  type Result,
  summarize,
  type Summary,
  type Table,
  type TablePart,
  textsOf,
  toObjects,
  withPart,
  writeCsv,
  writeParquet,
} from './results/index.ts'
export { checkScenario, formatScenario, parseScenario, type Scenario, type Schemes } from './scenario/index.ts'
