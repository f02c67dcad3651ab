/**
 * The package's root: a scenario read, run and summed up. The rooms have the rest: `rocelab/lab`, `rocelab/results`, ...
 * @module rocelab
 */
export { VERSION } from './core/base/version.ts'
export { formatIssue, InputError, type Issue } from './core/base/issue.ts'
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
} from './core/results/index.ts'
export { checkScenario, formatScenario, parseScenario, type Scenario, type Schemes } from './lab/scenario/index.ts'
