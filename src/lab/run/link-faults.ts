/**
 * Link faults: attaches the scenario's faults to links, and takes links down and up at their times.
 */
import { inputError } from '../../base/issue.ts'
import type { RandomStreams } from '../../base/random.ts'
import {
  bernoulliFault,
  corruptionFault,
  everyNthFault,
  faultChain,
  gilbertElliottFault,
  ipIdFault,
  type LinkFault,
} from '../../fabric/link/fault.ts'
import type { FaultValues } from '../../fabric/params.ts'
import type { Port } from '../../fabric/link/port.ts'
import type { Scenario } from '../../scenario/scenario.ts'
import { computeRoutes } from '../../topology/routes.ts'
import { type Direction, directionsOf, selectDirections } from '../build/link-selection.ts'
import type { Mistakes } from '../build/mistakes.ts'
import type { BuiltNetwork } from '../build/network-builder.ts'
import { addTuples } from '../pairs/pairs.ts'
import { layBroadcast } from './faults/broadcast.ts'
import { layServerDown } from './faults/server-down.ts'

/** Selectors that match no link are mistakes. */
export function layFaults(scenario: Scenario, built: BuiltNetwork, random: RandomStreams, mistakes: Mistakes): void {
  const chains = new Map<Port, LinkFault[]>()
  const add = (direction: Direction, fault: LinkFault): void => {
    const chain = chains.get(direction.to)
    if (chain === undefined) chains.set(direction.to, [fault])
    else chain.push(fault)
  }
  for (const direction of directionsOf(built)) {
    const { lossRatio } = built.topology.links[direction.link]!
    if (lossRatio > 0) add(direction, bernoulliFault(lossRatio, 'both', random.stream(`loss/${direction.name}`)))
  }
  scenario.faults.forEach((values, i) => {
    const path = `faults.${i}`
    mistakes.attempt(() => {
      if (values.kind === 'link-down') {
        scheduleCut(values, built, path)
        return
      }
      if (values.kind === 'server-down') return layServerDown(values, built, path)
      if (values.kind === 'broadcast') return layBroadcast(scenario, values, built, path)
      for (const direction of selectDirections(values.links, built, `${path}.links`)) {
        add(direction, createFault(values, random, `${i}/${direction.name}`))
      }
    })
  })
  for (const [port, chain] of chains) port.fault = faultChain(chain)
  built.network.recordTargets()
}

type LossValues = Exclude<FaultValues, { kind: 'link-down' | 'server-down' | 'broadcast' }>

function createFault(values: LossValues, random: RandomStreams, name: string): LinkFault {
  switch (values.kind) {
    case 'bernoulli':
      return bernoulliFault(values.probability, values.packets, random.stream(`bernoulli/${name}`))
    case 'every-nth':
      return everyNthFault(values.n, values.offset, values.packets)
    case 'ip-id':
      return ipIdFault(values.lowByte, values.packets)
    case 'gilbert-elliott':
      return gilbertElliottFault(values, values.packets, random.stream(`gilbert-elliott/${name}`))
    default:
      return corruptionFault(values.bitErrorRatio, random.stream(`corruption/${name}`))
  }
}

function scheduleCut(values: Extract<FaultValues, { kind: 'link-down' }>, built: BuiltNetwork, path: string): void {
  if (values.up !== null && values.up <= values.down)
    throw inputError(`${path}.up`, 'a time after `down`', `${values.up} ps, with down at ${values.down} ps`)
  const links = [...new Set(selectDirections(values.links, built, `${path}.links`).map((d) => d.link))]
  const { network } = built
  // Without convergence time, routes change in the event that takes the link down.
  const converge = network.addActor({ onEvent: () => reroute(built) })
  const rerouteFrom = (nowPs: number): void => {
    if (values.converge === 0) reroute(built)
    else network.actAt(nowPs + values.converge, converge)
  }
  const cut = network.addActor({
    onEvent: (nowPs) => {
      for (const link of links) for (const port of built.linkPorts[link]!) cutEnd(built, port)
      network.recordTargets()
      rerouteFrom(nowPs)
    },
  })
  network.actAt(values.down, cut)
  if (values.up === null) return
  const restore = network.addActor({
    onEvent: (nowPs) => {
      for (const link of links) for (const port of built.linkPorts[link]!) port.restore()
      rerouteFrom(nowPs)
    },
  })
  network.actAt(values.up, restore)
}

function cutEnd(built: BuiltNetwork, port: Port): void {
  port.cut()
  built.network.switches[port.node]?.flush(port)
}

function reroute(built: BuiltNetwork): void {
  const routes = computeRoutes(built.topology, (link) => built.linkPorts[link]![0].isUp)
  for (const at of built.network.switches) at?.setRoutes(routes, built.topology.endpoints.length)
  built.hostPorts.onRoutes(routes, (pair) => addTuples(built, pair))
}
