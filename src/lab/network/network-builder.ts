/**
 * Network builder: from a scenario to a network of switches, NICs and links. buildNetwork() takes these steps in order:
 *   1. topology: the graph, and each node's ports                         scenario-topology.ts, nodesOf()
 *   2. frames: sizes, largest frames, the clock                           frames.ts, clock.ts
 *   3. fabric: event queue, packets and port records in one memory        createFabric()
 *   4. path choice, addresses and routes                                  createBalance(), addressesOf(), routesOf()
 *   5. switches, each with its buffer                                     addSwitches(), device-options.ts
 *   6. NICs, one per endpoint                                             addNics(), device-options.ts
 *   7. ports, linked in pairs, and the routes of switches                 addPorts(), device-options.ts
 *   8. tables of layer 2, and the receive sides of NICs                   layer2.ts, nics/nic-receive.ts
 *   9. ports of hosts: which of them queue pairs use                      host-ports.ts
 *  10. reads of payload                                                   nics/nic-send.ts
 * Queue pairs come later, with the traffic: pairs/pairs.ts.
 * Input errors of different steps are collected and thrown together; those of the graph and of the clock are thrown at
 * once, as nothing can be built on them.
 */
import { InputError, inputError } from '../../core/base/issue.ts'
import { Memory } from '../../core/base/memory.ts'
import type { RandomStreams } from '../../core/base/random.ts'
import { type Balance, type BalanceDefinition, balances } from '../../core/fabric/balance/index.ts'
import type { Buffer } from '../../core/fabric/buffer/buffer.ts'
import { Fabric } from '../../core/fabric/fabric.ts'
import { Marker } from '../../core/fabric/link/ecn.ts'
import { Port } from '../../core/fabric/link/port.ts'
import { Network } from '../../core/fabric/network.ts'
import { Nic } from '../../core/fabric/nic/nic.ts'
import { PortNic } from '../../core/fabric/nic/port-nic.ts'
import type { LastStarts } from '../../core/fabric/nic/send/message-gaps.ts'
import type { CompletionSink, QueuePair } from '../../core/fabric/pairs/queue-pair.ts'
import type { WatchedEnds } from '../../core/fabric/watch.ts'
import { hasWorkRequests } from '../scenario/rules/operations.ts'
import type { Scenario } from '../scenario/scenario.ts'
import { expectArrival } from '../../core/topology/fixed-routes.ts'
import { computeRoutes, type Routes } from '../../core/topology/routes.ts'
import type { Topology } from '../../core/topology/topology.ts'
import { definitionOf, hasPaths, withPath } from './definitions.ts'
import {
  createCongestionPoint,
  createTelemetry,
  DeviceOptions,
  nicOptions,
  nicQuirks,
  switchOptions,
  switchTable,
} from './device-options.ts'
import { DeviceValues } from './device-values.ts'
import { type NetworkFrames, networkFrames, TransmitTables } from './frames.ts'
import { hostAddresses } from './host-addresses.ts'
import { HostPorts } from './host-ports.ts'
import { connectLayer2, SwitchMaker } from './layer2.ts'
import { Mistakes } from './mistakes.ts'
import { PortChecks } from './port-checks.ts'
import { addReceives } from './nics/nic-receive.ts'
import { addReads, messageGapsOf } from './nics/nic-send.ts'
import { topologyOf } from './scenario-topology.ts'
import { Watchdogs } from './watchdogs.ts'
import { withBufferSize } from './buffer-size.ts'
import { bufferSizeBytes, createBuffer, type PortPlan, slowestHostBpsOf, withoutSetAside } from './switch-buffers.ts'

export interface BuiltNetwork extends NetworkFrames {
  readonly network: Network
  /** Bytes of the buffer of each switch, by node: those that were chosen, where the scenario leaves them open. */
  readonly bufferSizes: Float64Array
  readonly topology: Topology
  readonly routes: Routes
  readonly balance: Balance
  readonly hostPorts: HostPorts
  /** IPv4 address of each endpoint. */
  readonly addresses: Int32Array
  /** Ports of each link: the end at `a`, the end at `b`. */
  readonly linkPorts: readonly (readonly [Port, Port])[]
  /** The scenario as it holds at each device now. */
  readonly values: DeviceValues
  /** Options made from these values. */
  readonly devices: DeviceOptions
  /** Those of switches; not started yet. */
  readonly watchdogs: Watchdogs
  /** Rate of the slowest port of a host. */
  readonly slowestHostBps: number
  /** Called with each queue pair of messages that opens; where there are any, its ends are made to be observed. */
  readonly pairWatches: ((pair: QueuePair, ends: WatchedEnds) => void)[]
}

/** Options of a build, beside its scenario. */
export interface BuildOptions {
  readonly memory?: Memory
  /** Collects input errors for the caller; null: they are thrown here. */
  readonly reported?: Mistakes | null
  /** Verbs queue pairs send in this network, whose frames may be larger. */
  readonly hasVerbs?: boolean
  /** In place of the scenario's. */
  readonly topology?: Topology
}

/** @param sink observer of completed messages */
export function buildNetwork(
  scenario: Scenario,
  random: RandomStreams,
  sink: CompletionSink,
  options: BuildOptions = {},
): BuiltNetwork {
  const { memory = new Memory(), reported = null, hasVerbs = hasWorkRequests(scenario) } = options
  const mistakes = reported ?? new Mistakes()
  const topology = options.topology ?? topologyOf(scenario)
  const frames = networkFrames(scenario, topology)

  const values = valuesOf(scenario, topology, mistakes)
  const nodes = nodesOf(topology, values)
  const fabric = createFabric(scenario, nodes, frames.headerBytes, memory)
  const network = new Network(fabric)

  const balance = createBalance(scenario, topology, fabric, random, mistakes)
  const addresses = addressesOf(scenario, topology, mistakes)
  const routes = routesOf(topology, mistakes)

  const devices = new DeviceOptions()
  const checks = new PortChecks(scenario, topology, values)
  const slowestHostBps = slowestHostBpsOf(topology)
  const plan: Plan = { scenario, random, topology, nodes, frames, values, devices, checks, slowestHostBps }
  const bufferSizes = addSwitches(plan, network, balance, memory, mistakes)
  addNics(plan, network, sink)
  const linkPorts = addPorts(plan, network, new TransmitTables(scenario, frames, hasVerbs))
  network.setRoutes(routes)
  connectLayer2(scenario, network, topology, mistakes)
  checks.attach(network)
  addReceives({ network, values, devices, frameLimits: frames.frameLimits }, random, mistakes)
  network.recordTargets()

  const hostPorts = new HostPorts(scenario.nic, network, topology, routes)
  network.hostOf = hostPorts.hostOf
  network.hostCount = topology.hostPorts.length
  addReads(network, values)
  for (const issue of portIssues(scenario.nic, hostPorts)) mistakes.add(issue)

  if (reported === null) mistakes.settle()
  const watchdogs = new Watchdogs(network, values, random)
  const graph = { topology, routes, hostPorts, addresses, linkPorts }
  const facts = { bufferSizes, slowestHostBps, values, devices, watchdogs }
  return { ...frames, ...graph, ...facts, network, balance, pairWatches: [] }
}

/** Inputs of the steps that make devices. */
interface Plan {
  readonly scenario: Scenario
  readonly random: RandomStreams
  readonly topology: Topology
  readonly nodes: readonly NodePlan[]
  readonly frames: NetworkFrames
  readonly values: DeviceValues
  readonly devices: DeviceOptions
  readonly checks: PortChecks
  readonly slowestHostBps: number
}

/** A node before it is built. */
interface NodePlan {
  readonly node: number
  /** Index among the endpoints; null at a switch. */
  readonly endpoint: number | null
  /** Its ends of links, in port order. */
  readonly ends: readonly NodeEnd[]
}

interface NodeEnd extends PortPlan {
  readonly link: number
  /** The end at `a` of the link. */
  readonly isA: boolean
}

/** The scenario as it holds at each device; where its changes are not valid, without them. */
function valuesOf(scenario: Scenario, topology: Topology, mistakes: Mistakes): DeviceValues {
  return mistakes.attemptOr(
    () => new DeviceValues(scenario, topology),
    () => new DeviceValues({ ...scenario, changes: [] }, topology),
  )
}

/** Nodes by id. @throws InputError for an endpoint that has not exactly one link */
function nodesOf(topology: Topology, values: DeviceValues): NodePlan[] {
  const { endpoints, links, names } = topology
  const ends: NodeEnd[][] = Array.from({ length: topology.nodeCount }, () => [])
  links.forEach(({ a, b, rateBps, delayPs }, link) => {
    const valuesAt = (node: number): Scenario => values.ofPort(node, ends[node]!.length + 1)
    ends[a]!.push({ link, rateBps, delayPs, isA: true, values: valuesAt(a) })
    ends[b]!.push({ link, rateBps, delayPs, isA: false, values: valuesAt(b) })
  })
  for (const node of endpoints) {
    const { length } = ends[node]!
    if (length === 1) continue
    throw inputError('topology', 'one link per port of a host', `${length} links at ${names[node]} (node ${node})`)
  }
  const indexOf = new Map(endpoints.map((node, endpoint) => [node, endpoint]))
  return ends.map((its, node) => ({ node, endpoint: indexOf.get(node) ?? null, ends: its }))
}

function createFabric(scenario: Scenario, nodes: readonly NodePlan[], headerBytes: number, memory: Memory): Fabric {
  const isInputQueued = scenario.switch.buffer.kind === 'input-queued'
  // Per port: how many inputs its egress queues keep apart.
  const inputs = nodes.flatMap(({ endpoint, ends }) =>
    ends.map(() => (isInputQueued && endpoint === null ? ends.length : 1)),
  )
  return new Fabric(memory, inputs, createTelemetry(scenario), headerBytes)
}

/** The scenario's path choice; with seeds that are not valid, one without seeds, so that the build goes on. */
function createBalance(
  scenario: Scenario,
  { nodeCount, endpoints }: Topology,
  fabric: Fabric,
  random: RandomStreams,
  mistakes: Mistakes,
): Balance {
  const hosts = new Set(endpoints)
  const context = {
    nodeCount,
    isSwitch: (node: number) => node < nodeCount && !hosts.has(node),
    random,
    hasPaths: hasPaths(scenario),
    classOf: switchTable(scenario),
    egress: fabric.queues,
    clock: fabric.queue,
  }
  const definition = definitionOf<BalanceDefinition>(balances, scenario.balance)
  return mistakes.attemptOr(
    () => withPath('balance', () => definition.create(scenario.balance, context)),
    () => definition.create({ ...scenario.balance, seeds: [] }, context),
  )
}

/** Addresses of the endpoints; where they are not valid, some that are. */
function addressesOf(scenario: Scenario, topology: Topology, mistakes: Mistakes): Int32Array {
  const nic = { ...scenario.nic, firstAddress: '0.0.0.0', addresses: [] }
  return mistakes.attemptOr(
    () => hostAddresses(scenario, topology),
    () => hostAddresses({ ...scenario, nic }, topology),
  )
}

/** Routes by the topology's fixed routes; where packets would circle on those, shortest paths alone. */
function routesOf(topology: Topology, mistakes: Mistakes): Routes {
  const routes = mistakes.demand(() => withPath('topology', () => computeRoutes(topology)))
  if (topology.fixedRoutes.length === 0) return routes
  return mistakes.attemptOr(
    () => {
      withPath('topology', () => expectArrival(topology, routes))
      return routes
    },
    () => computeRoutes({ ...topology, fixedRoutes: [] }),
  )
}

/** `network.switches` by node, null at hosts. Returns the sizes of their buffers. A buffer that is too small is reported for the first such switch only. */
function addSwitches(
  { scenario, random, topology, nodes, frames, values, devices, slowestHostBps }: Plan,
  network: Network,
  balance: Balance,
  memory: Memory,
  mistakes: Mistakes,
): Float64Array {
  const bufferSizes = new Float64Array(topology.nodeCount)
  const makers = new SwitchMaker(scenario, topology)
  let fitted = (own: Scenario): Scenario => own
  const bufferOf = ({ node, ends }: NodePlan): Buffer => {
    const context = { node, ports: ends, slowestHostBps, limits: frames.frameLimits }
    const own = values.of(node)
    bufferSizes[node] = bufferSizeBytes(own, ends, frames.frameLimits)
    const create = (): Buffer => createBuffer(fitted(withBufferSize(own, bufferSizes[node]!)), context, memory)
    return mistakes.attemptOr(create, () => {
      fitted = withoutSetAside
      return create()
    })
  }
  for (const plan of nodes) {
    const { node, endpoint, ends } = plan
    if (endpoint !== null) {
      network.switches[node] = null
      continue
    }
    const own = values.of(node)
    const classes = devices.classes(own)
    const { cnpCodepoint } = devices.codepoints(scenario)
    const options = switchOptions(own, classes, {
      node,
      buffer: bufferOf(plan),
      congestionPoint: createCongestionPoint(scenario, node, ends.length, cnpCodepoint, random),
      sourceOf: (flow) => network.sourceOf(flow),
      balance,
    })
    network.switches[node] = makers.create(network.fabric, options)
  }
  return bufferSizes
}

/** `network.nics` by endpoint. */
function addNics(
  { scenario, topology, nodes, values, devices, checks }: Plan,
  network: Network,
  sink: CompletionSink,
): void {
  const { fabric, pairs } = network
  const numbers = portNumbers(topology)
  const quirks = nicQuirks(scenario, numbers !== null)
  const starts: LastStarts = new WeakMap()
  for (const { node, endpoint } of nodes) {
    if (endpoint === null) continue
    const own = values.of(node)
    const packets = checks.packetsOf(node, network)
    const messageGaps = messageGapsOf(own, network, starts)
    const its = { node, position: endpoint, messageGaps, pairs, packets, sink }
    const options = nicOptions(own, devices.codepoints(own), quirks, its)
    network.nics[endpoint] =
      numbers === null ? new Nic(fabric, options) : new PortNic(fabric, options, numbers[endpoint]!)
  }
}

/** Number of each endpoint among the ports of its host; null where every host has one. */
function portNumbers({ endpoints, hostPorts }: Topology): number[] | null {
  if (hostPorts.every((ports) => ports.length === 1)) return null
  const numbers = endpoints.map(() => 0)
  for (const ports of hostPorts) ports.forEach((endpoint, number) => (numbers[endpoint] = number))
  return numbers
}

/** Ports of all nodes, numbered node by node, and connected. Returns both ports of each link. */
function addPorts(
  { scenario, random, topology, nodes, devices, checks }: Plan,
  network: Network,
  tables: TransmitTables,
): [Port, Port][] {
  const { fabric } = network
  const { release } = scenario.switch
  const linkEnds: (Port | null)[][] = topology.links.map(() => [null, null])
  for (const { node, endpoint, ends } of nodes) {
    const at = network.switches[node]!
    const nic = endpoint === null ? null : network.nics[endpoint]!
    ends.forEach(({ link, isA, rateBps, delayPs, values }, i) => {
      const index = i + 1
      const port = new Port(fabric, {
        id: network.ports.length,
        index,
        rateBps,
        delayPs,
        transmitPs: tables.of(rateBps),
        pfc: devices.pfc(values, nic !== null && checks.isOneClass(node)),
        pfcFrameBytes: scenario.frames.pfc,
        notifiesEnd: at !== null && release === 'end',
        at,
        nic,
        scheduler: devices.scheduler(values, fabric, at !== null),
        marker:
          at === null
            ? null
            : new Marker(devices.marking(values, rateBps), () => random.stream(`ecn/${node}/${index}`)),
      })
      network.addPort(port)
      linkEnds[link]![isA ? 0 : 1] = port
      if (nic !== null) nic.plug(port)
      else at!.addPort(port)
    })
  }
  return linkEnds.map(([a, b]) => {
    a!.connect(b!)
    b!.connect(a!)
    return [a!, b!]
  })
}

/** A choice of ports where no host has several. */
function portIssues({ portChoice }: Scenario['nic'], { isSeveral }: HostPorts): InputError[] {
  if (isSeveral || portChoice === 'bound') return []
  return [
    inputError('nic.portChoice', 'bound, or hosts with several ports (topology rails, planes or graph)', portChoice),
  ]
}
