/** Lab: build a scenario, run it, check it. */
export { closedTags, hasClosedLoop } from './run/closed-tags.ts'
export { congestionNeeds, congestionOf, pathVarietyOf, recoveryOf, scenarioTimeout } from './network/definitions.ts'
export { configSnapshots, DeviceConfigs } from './network/configs/device-configs.ts'
export { DeviceValues } from './network/device-values.ts'
export { frameSizes } from './network/frames.ts'
export { selectHosts } from './network/selection/host-selection.ts'
export { linksThatMatch } from './network/selection/link-selection.ts'
export { type PortOf, portsByNode, selectNodes } from './network/selection/node-selection.ts'
export { PortChecks } from './network/port-checks.ts'
export type { ExpectedTraffic, Forecast, LostMessages } from './checks/forecast.ts'
export { irnStateOf, type IrnState } from './network/irn-state.ts'
export {
  grownBuffer,
  type GrownBuffer,
  headroomPlan,
  type HeadroomPlan,
  type HeadroomVerdict,
  type PortHeadroom,
} from './network/headroom-plan.ts'
export { connectionPaths, type ConnectionPath, type ConnectionPaths, type PathLink } from './paths.ts'
export {
  type Background,
  Perftest,
  PERFTEST_OPERATIONS,
  type PerftestOperation,
  type PerftestPlan,
  type PerftestResult,
} from './perftest.ts'
export { topologyOf } from './network/scenario-topology.ts'
export { ScriptedPair } from './scripted-pair.ts'
export { VerbsNetwork, type VerbsNetworkOptions } from './verbs-network.ts'
export type { LinkEnd, SharedValues } from './pairs/verbs-links.ts'
export type { ByteStore } from './run/flow-pages.ts'
export {
  createSimulation,
  run,
  type Progress,
  SLICE_EVENTS,
  sliceSizes,
  type Simulation,
  type SimulationOptions,
} from './simulation/simulation.ts'
