/**
 * Traffic for a fabric: no file tells it. Hosts that send in a class of their own, or without rate control, do so here.
 *     incast:N        N hosts send to one at the same time, and each host receives once, up to ROUNDS hosts
 *     permutation:L   each host sends to the next at a load of L
 *     all-reduce:S    all hosts reduce a buffer of a size, as NCCL lays its rings and trees and as the environment of the job has it
 *     storm:HOST      the NIC of HOST pauses without end for a time, while hosts send to it and to each other
 */
import { inputError } from '../../core/base/issue.ts'
import { formatQuantity, parseQuantity } from '../../core/base/units.ts'
import { allReduceOf } from './all-reduce.ts'
import type { Branch } from '../importer.ts'
import type { FabricClasses } from './classes.ts'
import type { HostGroups } from './hosts.ts'
import type { FabricNetwork, NetworkDevice } from './network.ts'
import { FABRIC, type Page } from './page.ts'

export type Traffic =
  | { readonly kind: 'incast'; readonly senders: number }
  | { readonly kind: 'permutation'; readonly load: number }
  | { readonly kind: 'all-reduce'; readonly sizeBytes: number }
  | { readonly kind: 'storm'; readonly host: string }

export const STANDARD_TRAFFIC: Traffic = { kind: 'incast', senders: 8 }

const FORMS = 'incast:N, permutation:LOAD, all-reduce:SIZE or storm:HOST'

/** As readTraffic takes it. */
export function trafficText(traffic: Traffic): string {
  switch (traffic.kind) {
    case 'incast':
      return `incast:${traffic.senders}`
    case 'permutation':
      return `permutation:${traffic.load}`
    case 'all-reduce':
      return `all-reduce:${formatQuantity('size', traffic.sizeBytes)}`
    default:
      return `storm:${traffic.host}`
  }
}

/** @throws Error for a text that is no traffic */
export function readTraffic(text: string): Traffic {
  const [, kind = '', value = ''] = /^([a-z-]{1,20}):(.{1,1000})$/.exec(text) ?? []
  const wrong = (expected: string): Error => new Error(`expected ${expected}, received ${JSON.stringify(text)}`)
  switch (kind) {
    case 'incast': {
      const senders = /^\d{1,5}$/.test(value) ? Number(value) : 0
      if (senders < 1) throw wrong('incast:N with a number of senders from 1')
      return { kind, senders }
    }
    case 'permutation': {
      const load = /^\d?\.?\d{1,9}$/.test(value) ? Number(value) : NaN
      if (!(load > 0 && load <= 1)) throw wrong('permutation:LOAD with a load above 0 and up to 1')
      return { kind, load }
    }
    case 'all-reduce': {
      const sizeBytes = parseQuantity('size', value)
      if (
        sizeBytes === undefined ||
        sizeBytes < ELEMENT_BYTES ||
        sizeBytes % ELEMENT_BYTES > 0 ||
        sizeBytes > ALL_REDUCE_MOST
      )
        throw wrong('all-reduce:SIZE with whole elements of 4 bytes, up to 16GiB, such as all-reduce:64MiB')
      return { kind, sizeBytes }
    }
    case 'storm':
      return { kind, host: value }
    default:
      throw wrong(`${FORMS}, such as incast:8`)
  }
}

/** Most hosts that receive, one after the other. */
const ROUNDS = 8
const INCAST_BYTES = 20e6
/** A round may take as much longer than it has to before the next begins. */
const ROUND_SLACK = 3
const MESSAGE_BYTES = 1e6
const ELEMENT_BYTES = 4
const ALL_REDUCE_MOST = 2 ** 34
const MESSAGES = 20
/** Steps of small buffers. */
const ALL_REDUCE_LEAST_PS = 1e9
const STORM_PS = 10e6
/** Longer than most watchdogs need to detect it and to restore. */
const STORM_LENGTH_PS = 1.5e12
const STORM_STOP_PS = 3e12
const STORM_EVERY_PS = 20e9
const STORM_MESSAGE_BYTES = 64e3
/** Times that traffic may take longer than on an idle network before the run ends. */
const END_SLACK = 10

interface Flow {
  readonly from: NetworkDevice
  readonly to: NetworkDevice
  readonly bytes: number
  readonly startPs: number
}

export interface TrafficInput {
  readonly network: FabricNetwork
  readonly classes: FabricClasses
  readonly groups: HostGroups
  readonly traffic: Traffic
  /** Devices that are to take part. */
  readonly concerned: readonly string[]
  readonly page: Page
}

export interface TrafficGroups {
  readonly workload: readonly Branch[]
  readonly faults: readonly Branch[]
  readonly measure: Branch
  /** Receive side of NICs, where no switch would queue otherwise. */
  readonly receive: Branch | null
}

const rateOf = ({ ports }: NetworkDevice): number => ports.reduce((sum, { rateBps }) => sum + rateBps, 0)
const timePs = (bytes: number, bps: number): number => Math.round((bytes * 8e12) / bps)

/** @throws InputError for a host that is not there */
export function trafficOf(input: TrafficInput): TrafficGroups {
  const { traffic, page } = input
  page.assumed('workload', FABRIC, traffic.kind, 'no file tells the traffic')
  const { flows, receive = null, fault, endPs } = plansOf(input)
  return {
    workload: traffic.kind === 'all-reduce' ? [allReduceOf(input, traffic.sizeBytes)] : tracesOf(input, flows),
    faults: fault === undefined ? [] : [fault],
    measure: { end: 'drain', stop: formatQuantity('duration', endPs) },
    receive,
  }
}

interface Plan {
  readonly flows: readonly Flow[]
  readonly receive?: Branch | null
  readonly fault?: Branch
  readonly endPs: number
}

function plansOf(input: TrafficInput): Plan {
  const { traffic } = input
  switch (traffic.kind) {
    case 'incast':
      return incastOf(input, traffic.senders)
    case 'permutation':
      return permutationOf(input, traffic.load)
    case 'all-reduce': {
      const slowest = input.network.hosts.reduce((least, host) => Math.min(least, rateOf(host)), Infinity)
      return { flows: [], endPs: END_SLACK * Math.max(ALL_REDUCE_LEAST_PS, timePs(2 * traffic.sizeBytes, slowest)) }
    }
    default:
      return stormOf(input, traffic.host)
  }
}

/** Hosts with the concerned ones first: those themselves, then those at a switch that is concerned. */
function orderedHosts({ network, concerned }: TrafficInput): NetworkDevice[] {
  const rank = ({ device, ports }: NetworkDevice): number =>
    concerned.includes(device) ? 0 : ports.some(({ peer }) => concerned.includes(peer.device)) ? 1 : 2
  return network.hosts.toSorted((a, b) => rank(a) - rank(b))
}

function incastOf(input: TrafficInput, wanted: number): Plan {
  const hosts = orderedHosts(input)
  const senders = Math.min(wanted, hosts.length - 1)
  let startPs = 0
  let endPs = 0
  const flows = hosts.slice(0, ROUNDS).flatMap((to, round) => {
    const own = Array.from({ length: senders }, (_, i): Flow => {
      const from = hosts[(round + 1 + i) % hosts.length]!
      return { from, to, bytes: INCAST_BYTES, startPs }
    })
    const idealPs = timePs(senders * INCAST_BYTES, rateOf(to))
    endPs = Math.max(endPs, startPs + END_SLACK * idealPs)
    startPs += ROUND_SLACK * idealPs
    return own
  })
  return { flows, endPs, receive: senders > 1 ? null : slowReceive(input) }
}

/** With one sender no queue grows, unless the receiver takes less than its link brings. */
function slowReceive({ network, page }: TrafficInput): Branch {
  const slowest = network.hosts
    .flatMap(({ ports }) => ports)
    .reduce((least, { rateBps }) => Math.min(least, rateBps), Infinity)
  const busRate = formatQuantity('rate', slowest / 2)
  page.assumed(
    'nic.receive.busRate',
    FABRIC,
    busRate,
    'one sender fills no queue: NICs take half of what a link brings',
  )
  // CNPs, which are lossy, are not to be lost for want of room.
  return { kind: 'pipeline', busRate, sharing: 'per-class' }
}

function permutationOf(input: TrafficInput, load: number): Plan {
  const hosts = orderedHosts(input)
  let endPs = 0
  const flows = hosts.flatMap((from, i) => {
    const to = hosts[(i + Math.ceil(hosts.length / 2)) % hosts.length]!
    const everyPs = Math.round(timePs(MESSAGE_BYTES, rateOf(from)) / load)
    endPs = Math.max(endPs, END_SLACK * MESSAGES * everyPs)
    return Array.from({ length: MESSAGES }, (_, k): Flow => ({ from, to, bytes: MESSAGE_BYTES, startPs: k * everyPs }))
  })
  return { flows, endPs }
}

function stormOf(input: TrafficInput, name: string): Plan {
  const hosts = orderedHosts(input)
  const stormed = hosts.find(({ device }) => device === name)
  if (stormed === undefined) {
    const some = hosts.slice(0, 3).map(({ device }) => device)
    throw inputError('--traffic', `storm:HOST with a host that has a link, such as ${some.join(', ')}`, `storm:${name}`)
  }
  const others = hosts.filter((host) => host !== stormed)
  const burst = others
    .slice(0, ROUNDS)
    .map((from): Flow => ({ from, to: stormed, bytes: INCAST_BYTES, startPs: 2 * STORM_PS }))
  const rounds = Math.floor(STORM_LENGTH_PS / STORM_EVERY_PS)
  const background = others.flatMap((from, i) =>
    others.length === 1
      ? []
      : Array.from({ length: rounds }, (_, k): Flow => {
          const to = others[(i + 1 + (k % (others.length - 1))) % others.length]!
          return { from, to, bytes: STORM_MESSAGE_BYTES, startPs: k * STORM_EVERY_PS }
        }),
  )
  const time = (ps: number): string => formatQuantity('duration', ps)
  const fault = {
    kind: 'pause-storm',
    hosts: stormed.name,
    from: time(STORM_PS),
    until: time(STORM_PS + STORM_LENGTH_PS),
  }
  return { flows: [...burst, ...background], fault, endPs: STORM_STOP_PS }
}

/** One trace of the flows that are controlled as the scenario says, and one of the others. */
function tracesOf({ network, classes, groups, traffic }: TrafficInput, flows: readonly Flow[]): Branch[] {
  const number = new Map(network.hosts.map((host, i) => [host, i]))
  const lineOf = ({ from, to, bytes, startPs }: Flow): string => {
    const c = classes.ofHost.get(from)!
    const ends = `${number.get(from)!} ${number.get(to)!}`
    const when = `${formatQuantity('size', bytes)} ${formatQuantity('duration', startPs)}`
    return `${ends} ${when}${c === classes.data ? '' : ` class=${c}`}`
  }
  const isLike = ({ from, to }: Flow): boolean => groups.isControlled(from) && groups.isControlled(to)
  const own = groups.congestion === 'none' ? flows : flows.filter(isLike)
  const free = flows.filter((flow) => !own.includes(flow))
  const trace = (of: readonly Flow[], more: Branch): Branch[] =>
    of.length === 0 ? [] : [{ kind: 'trace', flows: of.map(lineOf), tag: traffic.kind, ...more }]
  return [...trace(own, {}), ...trace(free, { congestion: 'none' })]
}
