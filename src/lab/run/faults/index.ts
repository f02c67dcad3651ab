/**
 * Faults: attaches the scenario's faults to its network and schedules them. Each kind has a file of its own; a new one is
 * declared in fabric/fault-params.ts and has a line in LAID.
 */
import type { RandomStreams } from '../../../core/base/random.ts'
import { bernoulliFault, faultChain, type LinkFault } from '../../../core/fabric/link/fault.ts'
import type { Port } from '../../../core/fabric/link/port.ts'
import type { FaultValues } from '../../../core/fabric/params.ts'
import type { Scenario } from '../../scenario/scenario.ts'
import { type Direction, directionsOf } from '../../network/selection/link-selection.ts'
import type { Mistakes } from '../../network/mistakes.ts'
import type { BuiltNetwork } from '../../network/network-builder.ts'
import { layBroadcast } from './broadcast.ts'
import { layLinkDown, layLinkFlap } from './link-down.ts'
import { HostStates } from './host-states.ts'
import { LinkStates } from './link-states.ts'
import { layLoss } from './loss.ts'
import { layServerDown } from './server-down.ts'
import { layPauseStorm } from './pause-storm.ts'
import type { FaultOf, FaultSite } from './site.ts'
import { laySwitchDown } from './switch-down.ts'

/** By kind. @throws InputError for links, nodes and times that do not fit */
const LAID: { readonly [K in FaultValues['kind']]: (values: FaultOf<K>, site: FaultSite) => void } = {
  none() {},
  bernoulli: layLoss,
  'every-nth': layLoss,
  'ip-id': layLoss,
  'gilbert-elliott': layLoss,
  corruption: layLoss,
  'link-down': layLinkDown,
  'link-flap': layLinkFlap,
  'switch-down': laySwitchDown,
  'server-down': layServerDown,
  broadcast: layBroadcast,
  'pause-storm': layPauseStorm,
}

/** Mistakes of all faults are collected. */
export function layFaults(scenario: Scenario, built: BuiltNetwork, random: RandomStreams, mistakes: Mistakes): void {
  const chains = new Map<Port, LinkFault[]>()
  const addLoss = (direction: Direction, fault: LinkFault): void => {
    const chain = chains.get(direction.to)
    if (chain === undefined) chains.set(direction.to, [fault])
    else chain.push(fault)
  }
  for (const direction of directionsOf(built)) {
    const { lossRatio } = built.topology.links[direction.link]!
    if (lossRatio > 0) addLoss(direction, bernoulliFault(lossRatio, 'both', random.stream(`loss/${direction.name}`)))
  }
  const links = new LinkStates(built)
  const hosts = new HostStates(built)
  scenario.faults.forEach((values, index) => {
    const site = { scenario, built, random, links, hosts, index, path: `faults.${index}`, addLoss }
    mistakes.attempt(() => lay(values, site))
  })
  for (const [port, chain] of chains) port.fault = faultChain(chain)
  built.network.recordTargets()
}

function lay<K extends FaultValues['kind']>(values: FaultOf<K>, site: FaultSite): void {
  // The compiler does not see that the kind of the values is the key of the function that takes them.
  const layKind = LAID[values.kind] as (values: FaultOf<K>, site: FaultSite) => void
  layKind(values, site)
}

/**
 * Time after which no fault ends and no parameter changes any more: what has stopped then does not start again by itself.
 * Picoseconds; 0 where nothing does.
 */
export function lastRecoveryPs({ faults, changes, nic }: Scenario): number {
  let lastPs = 0
  for (const fault of faults) {
    if ('up' in fault && fault.up !== null) lastPs = Math.max(lastPs, fault.up)
    if ('until' in fault && fault.until !== null) lastPs = Math.max(lastPs, fault.until)
    if (fault.kind === 'pause-storm' && nic.watchdog !== null) lastPs = Math.max(lastPs, fault.from + nic.watchdog)
  }
  for (const { at } of changes) lastPs = Math.max(lastPs, at)
  return lastPs
}
