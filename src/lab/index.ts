/** Lab: build a scenario, run it, check it. */
export { closedTags } from './closed-tags.ts'
export { congestionOf, recoveryOf, scenarioTimeout, waysOf } from './definitions.ts'
export { congestionNeeds, frameSizes } from './hardware.ts'
export type { ExpectedTraffic, Forecast } from './forecast.ts'
export { irnStateOf, type IrnState } from './irn-state.ts'
export { headroomPlan, type HeadroomPlan, type LinkHeadroom } from './headroom-plan.ts'
export { connectionPaths, type ConnectionPath, type ConnectionPaths, type PathLink } from './paths.ts'
export {
  type Background,
  Perftest,
  PERFTEST_OPERATIONS,
  type PerftestOperation,
  type PerftestPlan,
  type PerftestResult,
} from './perftest.ts'
export { topologyOf } from './scenario-topology.ts'
export { ScriptedPair } from './scripted-pair.ts'
export { VerbsNetwork, type VerbsNetworkOptions } from './verbs-network.ts'
export type { LinkEnd, SharedValues } from './verbs-links.ts'
export { createSimulation, run, type Progress, type Simulation, type SimulationOptions } from './simulation.ts'
