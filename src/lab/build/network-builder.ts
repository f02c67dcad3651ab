/**
 * Network builder: lays the cables of a topology between real switches and NICs, as the scenario sets them.
 */
import { assert } from '../../base/assert.ts'
import { leastOf } from '../../base/extremes.ts'
import { InputError, inputError } from '../../base/issue.ts'
import { Memory } from '../../base/memory.ts'
import type { RandomStreams } from '../../base/random.ts'
import { createSerialization, type Serialization } from '../../base/serialization.ts'
import { type Balance, type BalanceDefinition, balances } from '../../fabric/balance/index.ts'
import { Marker } from '../../fabric/link/ecn.ts'
import type { Buffer } from '../../fabric/buffer/buffer.ts'
import { Fabric } from '../../fabric/fabric.ts'
import { Network } from '../../fabric/network.ts'
import { Nic } from '../../fabric/nic/nic.ts'
import type { NicOptions } from '../../fabric/nic/nic-options.ts'
import { PortNic } from '../../fabric/nic/port-nic.ts'
import { Port, type PortOptions } from '../../fabric/link/port.ts'
import type { CompletionSink } from '../../fabric/nic/queue-pair.ts'
import { Switch } from '../../fabric/switch/switch.ts'
import { verbsFrameLimit } from '../../fabric/nic/verbs-end.ts'
import { classTable, cnpCodepointFor, codepointFor } from '../../scenario/class-map.ts'
import { hasWorkRequests } from '../../scenario/rules/operations.ts'
import type { Scenario } from '../../scenario/scenario.ts'
import { expectArrival } from '../../topology/fixed-routes.ts'
import { computeRoutes, type Routes } from '../../topology/routes.ts'
import type { Topology } from '../../topology/topology.ts'
import type { FrameSizes } from '../../transport/endpoint.ts'
import { checkClock } from './clock.ts'
import { definitionOf, withPath } from './definitions.ts'
import { hostAddresses } from './host-addresses.ts'
import { HostPorts } from './host-ports.ts'
import {
  classBits,
  cnmBytes,
  createBuffer,
  createCongestionPoint,
  createScheduler,
  createTelemetry,
  type FrameLimits,
  frameLimits,
  framesByWorkload,
  frameSizes,
  headerBytesOf,
  hasPaths,
  pfcRules,
  TransmitTables,
  trimmingOf,
  type PortPlan,
  MarkingRules,
} from './device-options.ts'
import { Mistakes } from './mistakes.ts'
import { topologyOf } from './scenario-topology.ts'

export interface BuiltNetwork {
  readonly network: Network
  readonly topology: Topology
  readonly routes: Routes
  readonly balance: Balance
  readonly hostPorts: HostPorts
  /** IPv4 address of each endpoint. */
  readonly addresses: Int32Array
  /** Of queue pairs with the scenario's own schemes. */
  readonly frames: FrameSizes
  /** Of the queue pairs of each workload. */
  readonly framesOf: readonly FrameSizes[]
  readonly frameLimits: FrameLimits
  /** Of a frame that cut-through switches wait for; 0: switches store and forward. */
  readonly headerBytes: number
  readonly serialization: Serialization
  /** Ports of each link: the end at `a`, the end at `b`. */
  readonly linkPorts: readonly (readonly [Port, Port])[]
}

/** Ends of a node's links in port order. */
interface NodeEnd extends PortPlan {
  readonly link: number
  readonly isA: boolean
}

export function buildNetwork(
  scenario: Scenario,
  random: RandomStreams,
  sink: CompletionSink,
  memory = new Memory(),
  reported: Mistakes | null = null,
  hasVerbs: boolean = hasWorkRequests(scenario),
): BuiltNetwork {
  const mistakes = reported ?? new Mistakes()
  const topology = topologyOf(scenario)
  const ends = endsByNode(topology)
  const hostRates = topology.endpoints.map((host) => {
    if (ends[host]!.length === 1) return ends[host]![0]!.rateBps
    throw inputError(
      'topology',
      'one link per port of a host',
      `${ends[host]!.length} links at ${topology.names[host]} (node ${host})`,
    )
  })
  const frames = frameSizes(scenario)
  const headerBytes = headerBytesOf(scenario)
  const serialization = createSerialization(scenario.time.quantum, scenario.time.rounding)
  checkClock(scenario.time.quantum, serialization, topology, frames)
  const framesOf = framesByWorkload(scenario, frames)
  const limits = frameLimits([frames, ...framesOf])
  const workBytes = hasVerbs ? verbsFrameLimit(limits.dataBytes) : 0
  const largestBytes = Math.max(limits.anyBytes, scenario.frames.pfc, cnmBytes(scenario), workBytes)
  const tables = new TransmitTables(serialization, frames.gapBytes, largestBytes)
  const position = new Map(topology.endpoints.map((host, i) => [host, i]))
  const inputs = ends.flatMap((of, node) =>
    of.map(() => (scenario.switch.buffer.kind === 'input-queued' && !position.has(node) ? of.length : 1)),
  )
  const fabric = new Fabric(memory, inputs, createTelemetry(scenario), headerBytes)
  const network = new Network(fabric)
  const { classes } = scenario
  const classOf = classTable(classes)
  const unseeded = { ...scenario.balance, seeds: [] }
  const balance = mistakes.attemptOr(
    () => withPath('balance', () => createBalance(scenario.balance)),
    () => createBalance(unseeded),
  )
  const addresses = mistakes.attemptOr(
    () => hostAddresses(scenario, topology),
    () => hostAddresses({ ...scenario, nic: { ...scenario.nic, firstAddress: '0.0.0.0', addresses: [] } }, topology),
  )
  const computed = mistakes.demand(() => withPath('topology', () => computeRoutes(topology)))
  const isArriving = mistakes.attempt(() => {
    if (topology.fixedRoutes.length > 0) withPath('topology', () => expectArrival(topology, computed))
    return true
  })
  // Along routes that go round nobody would find an end.
  const routes = isArriving === true ? computed : computeRoutes({ ...topology, fixedRoutes: [] })
  const { ackAtSwitch } = classes
  const ackCodepoint = ackAtSwitch === null ? -1 : codepointFor(classOf, ackAtSwitch, 'classes.ackAtSwitch')
  const cnpCodepoint = cnpCodepointFor(classOf, classes)
  const trimming = trimmingOf(scenario, classOf)
  const scheduler = createScheduler(scenario, fabric)
  const slowestHostBps = leastOf(hostRates)
  const rules = pfcRules(scenario)
  const markingRules = new MarkingRules(scenario)
  let isBufferSound = true
  const portOfHost = portsByEndpoint(topology)
  const linkEnds: [Port | null, Port | null][] = topology.links.map(() => [null, null])

  for (let node = 0; node < topology.nodeCount; node++) {
    const nodeEnds = ends[node]!
    const hostPosition = position.get(node)
    const at = hostPosition === undefined ? createSwitch(node, nodeEnds) : null
    const nic = hostPosition === undefined ? null : createNic(node, hostPosition)
    network.switches[node] = at
    if (nic !== null) network.nics[hostPosition!] = nic
    nodeEnds.forEach((end, i) => {
      const options: PortOptions = {
        id: network.ports.length,
        index: i + 1,
        rateBps: end.rateBps,
        delayPs: end.delayPs,
        transmitPs: tables.of(end.rateBps),
        pfc: rules,
        pfcFrameBytes: scenario.frames.pfc,
        notifiesEnd: at !== null && scenario.switch.release === 'end',
        at,
        nic,
        scheduler: at !== null && scenario.switch.scheduler === 'dwrr' ? createScheduler(scenario, fabric) : scheduler,
        marker: at === null ? null : new Marker(markingRules.of(end.rateBps), random.stream(`ecn/${node}/${i + 1}`)),
      }
      const port = new Port(fabric, options)
      network.addPort(port)
      linkEnds[end.link]![end.isA ? 0 : 1] = port
      if (nic !== null) nic.plug(port)
      else if (at !== null) at.addPort(port)
    })
    at?.setRoutes(routes, topology.endpoints.length)
  }
  const linkPorts = linkEnds.map(([a, b]): [Port, Port] => {
    a!.connect(b!)
    b!.connect(a!)
    return [a!, b!]
  })
  network.recordTargets()
  const hostPorts = new HostPorts(scenario.nic, network, topology, routes)
  network.hostOf = hostPorts.hostOf
  network.hostCount = topology.hostPorts.length
  for (const issue of portIssues(scenario.nic, hostPorts)) mistakes.attempt(() => raise(issue))
  if (reported === null) mistakes.settle()
  return {
    network,
    topology,
    routes,
    balance,
    hostPorts,
    addresses,
    frames,
    framesOf,
    headerBytes,
    frameLimits: limits,
    serialization,
    linkPorts,
  }

  function createBalance(values: { readonly kind: string }): Balance {
    return definitionOf<BalanceDefinition>(balances, values).create(values, {
      nodeCount: topology.nodeCount,
      isSwitch: (node) => node < topology.nodeCount && !position.has(node),
      random,
      hasPaths: hasPaths(scenario),
      classOf,
      egress: fabric.queues,
      clock: fabric.queue,
    })
  }

  /** Of the switches that a buffer does not fit the first one is told. */
  function bufferOf(node: number, nodeEnds: readonly NodeEnd[]): Buffer {
    const create = (of: Scenario): Buffer => createBuffer(of, node, nodeEnds, slowestHostBps, limits, memory)
    if (isBufferSound) {
      const buffer = mistakes.attempt(() => create(scenario))
      if (buffer !== undefined) return buffer
      isBufferSound = false
    }
    const { buffer } = scenario.switch
    assert(buffer.kind === 'shared-buffer', 'a buffer without a pool has room for what it sets aside')
    return create({ ...scenario, switch: { ...scenario.switch, buffer: { ...buffer, pool: 'whole' } } })
  }

  function createSwitch(node: number, nodeEnds: readonly NodeEnd[]): Switch {
    const s = scenario.switch
    return new Switch(fabric, {
      node,
      buffer: bufferOf(node, nodeEnds),
      lossless: rules.lossless,
      classOf,
      latencyPs: s.latency,
      releaseAtEnd: s.release === 'end',
      markAtDequeue: s.ecn.at === 'dequeue',
      wredClasses: classBits(s.wred.classes),
      wredThresholdBytes: s.wred.threshold,
      congestionPoint: createCongestionPoint(scenario, node, nodeEnds.length, cnpCodepoint, random),
      trimming,
      sourceOf: (flow) => network.sourceOf(flow),
      balance,
    })
  }

  function createNic(node: number, hostPosition: number): Nic {
    const options: NicOptions = {
      node,
      position: hostPosition,
      ackClass: classes.ackAtHost ?? -1,
      ackCodepoint,
      cnpClass: classes.cnpAtHost,
      cnpCodepoint,
      isCompacting: scenario.nic.roundRobin === 'compacting',
      packetsPerTurn: scenario.nic.packetsPerTurn,
      wake: scenario.nic.wake,
      pairs: network.pairs,
      sink,
    }
    return portOfHost === null ? new Nic(fabric, options) : new PortNic(fabric, options, portOfHost[hostPosition]!)
  }
}

/** What of the NIC's settings does not go with the ports of hosts. */
function portIssues({ portChoice, wake, roundRobin }: Scenario['nic'], { isSeveral }: HostPorts): InputError[] {
  if (!isSeveral) {
    const expected = 'bound, or hosts with several ports (topology rails, planes or graph)'
    return portChoice === 'bound' ? [] : [inputError('nic.portChoice', expected, portChoice)]
  }
  const rest = 'as hosts have several ports'
  return [
    ...(wake === 'earliest' ? [] : [inputError('nic.wake', `earliest, ${rest}`, wake)]),
    ...(roundRobin === 'stable' ? [] : [inputError('nic.roundRobin', `stable, ${rest}`, roundRobin)]),
  ]
}

function raise(error: InputError): never {
  throw error
}

/** Number of each endpoint among the ports of its host; null where every host has one. */
function portsByEndpoint({ endpoints, hostPorts }: Topology): number[] | null {
  if (hostPorts.every((ports) => ports.length === 1)) return null
  const numbers = endpoints.map(() => 0)
  for (const ports of hostPorts) ports.forEach((endpoint, port) => (numbers[endpoint] = port))
  return numbers
}

function endsByNode(topology: Topology): NodeEnd[][] {
  const ends: NodeEnd[][] = Array.from({ length: topology.nodeCount }, () => [])
  topology.links.forEach((link, index) => {
    const plan = { link: index, rateBps: link.rateBps, delayPs: link.delayPs }
    ends[link.a]!.push({ ...plan, isA: true })
    ends[link.b]!.push({ ...plan, isA: false })
  })
  return ends
}
