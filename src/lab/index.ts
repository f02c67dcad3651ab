/** Lab: build a scenario, run it, check it. */
export { closedTags } from './run/closed-tags.ts'
export { congestionNeeds, congestionOf, pathVarietyOf, recoveryOf, scenarioTimeout } from './build/definitions.ts'
export { DeviceValues } from './build/device-values.ts'
export { frameSizes } from './build/frames.ts'
export { selectHosts } from './build/selection/host-selection.ts'
export { linksThatMatch } from './build/selection/link-selection.ts'
export { type PortOf, portsByNode, selectNodes } from './build/selection/node-selection.ts'
export { PortChecks } from './build/port-checks.ts'
export type { ExpectedTraffic, Forecast, LostMessages } from './checks/forecast.ts'
export { irnStateOf, type IrnState } from './build/irn-state.ts'
export {
  grownBuffer,
  type GrownBuffer,
  headroomPlan,
  type HeadroomPlan,
  type HeadroomVerdict,
  type PortHeadroom,
} from './build/headroom-plan.ts'
export { connectionPaths, type ConnectionPath, type ConnectionPaths, type PathLink } from './paths.ts'
export {
  type Background,
  Perftest,
  PERFTEST_OPERATIONS,
  type PerftestOperation,
  type PerftestPlan,
  type PerftestResult,
} from './perftest.ts'
export { topologyOf } from './build/scenario-topology.ts'
export { ScriptedPair } from './scripted-pair.ts'
export { VerbsNetwork, type VerbsNetworkOptions } from './verbs-network.ts'
export type { LinkEnd, SharedValues } from './pairs/verbs-links.ts'
export type { ByteStore } from './run/flow-pages.ts'
export { createSimulation, run, type Progress, type Simulation, type SimulationOptions } from './simulation.ts'
