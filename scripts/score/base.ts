/**
 * Base: a healthy fabric with its schemes and its traffic, as drawn from a setting.
 */
import { topologyOf } from '../../src/lab/index.ts'
import type { Topology } from '../../src/core/topology/index.ts'
import type { Draw } from '../../src/core/base/draw.ts'
import { gbps, kilobytes, microseconds, scenarioOfTree, type Tree, type Values } from './tree.ts'

export interface Base {
  readonly tree: Tree
  readonly topology: Topology
  readonly scheme: SchemeName
  readonly isLossless: boolean
  readonly hostRateBps: number
  /** Payload that each host sends, as a share of its link. */
  readonly load: number
  /** Messages are posted from 0 until then. */
  readonly generatePs: number
  /** Tags of the traffic whose flows are the victims, and whether it is a closed loop, whose messages wait for others. */
  readonly tags: readonly string[]
  readonly isClosed: boolean
  /** Tag of a job whose hosts an injection may move: its messages are known by their number alone. */
  readonly movable?: string
  /** The fabric without its harmless differences; absent: it has none. */
  readonly plain?: Tree
}

/** Schemes, each with what its users set beside it (docs/models/, scenarios/). */
const SCHEMES = {
  none: { congestion: 'none' },
  dcqcn: { congestion: 'dcqcn' },
  irn: { recovery: 'irn', congestion: 'none' },
  'irn-dcqcn': { recovery: 'irn', congestion: 'dcqcn' },
  hpcc: { congestion: 'hpcc' },
  swift: { congestion: 'swift' },
  timely: { congestion: 'timely' },
  ldcp: { congestion: 'ldcp' },
} as const
export type SchemeName = keyof typeof SCHEMES
export const SCHEME_NAMES = Object.keys(SCHEMES) as readonly SchemeName[]
/** Schemes that use marks of switches. */
export const MARKED: readonly SchemeName[] = ['dcqcn', 'irn-dcqcn', 'ldcp']
export const LOSSY: readonly SchemeName[] = ['irn', 'irn-dcqcn', 'ldcp']
const ECHOES_IN_ACKS: readonly SchemeName[] = ['hpcc', 'ldcp']

export interface Shape {
  readonly topology: Values
  readonly hosts: number
  readonly hostGbps: number
}

/** Gb/s of hosts and of the links above them. */
export const leafSpine = (
  leaves: number,
  spines: number,
  hostsPerLeaf: number,
  [hostGbps, fabricGbps]: readonly [number, number],
): Shape => ({
  topology: {
    kind: 'leaf-spine',
    leaves,
    spines,
    hostsPerLeaf,
    hostRate: `${hostGbps}Gbps`,
    fabricRate: `${fabricGbps}Gbps`,
  },
  hosts: leaves * hostsPerLeaf,
  hostGbps,
})

export const fatTree = (hostGbps: number, edgeGbps: number, coreGbps: number, arity = 4): Shape => ({
  topology: {
    kind: 'fat-tree',
    arity,
    hostRate: `${hostGbps}Gbps`,
    edgeAggregationRate: `${edgeGbps}Gbps`,
    aggregationCoreRate: `${coreGbps}Gbps`,
    linkDelay: '1us',
  },
  hosts: arity ** 3 / 4,
  hostGbps,
})

/** Limits of the bases that are drawn. */
export interface Setting {
  readonly shapes: readonly Shape[]
  /** Least and most payload that each host sends, as a share of its link. */
  readonly load: readonly [number, number]
  /** Payload that one run carries, about; the time in which it is posted keeps its limits. */
  readonly runBits: number
  readonly generatePs: readonly [number, number]
  /** Packets of 4 KB carry four times as much for the same work: hosts of this rate and faster have them. */
  readonly largeFromGbps: number
  readonly bufferSizes: readonly string[]
  readonly alphas: readonly number[]
  /** Traffic that belongs to the healthy fabric and is no victim. */
  readonly beside?: (draw: Draw, shape: Shape, generatePs: number) => readonly Values[]
}

/** Fat trees are one in five. */
const SHAPES: readonly Shape[] = [
  leafSpine(4, 2, 4, [25, 100]),
  leafSpine(4, 4, 4, [25, 100]),
  leafSpine(4, 2, 8, [25, 100]),
  leafSpine(3, 2, 6, [25, 100]),
  leafSpine(6, 3, 3, [40, 100]),
  leafSpine(4, 4, 4, [40, 40]),
  leafSpine(4, 2, 4, [100, 400]),
  leafSpine(5, 4, 4, [100, 100]),
  fatTree(25, 50, 100),
  fatTree(40, 40, 40),
]

/** No tier is oversubscribed; a run has some hundreds of messages, and takes a second of processor time at most. */
export const USUAL: Setting = {
  shapes: SHAPES,
  load: [0.3, 0.6],
  runBits: 5e8,
  generatePs: [1.5e9, 4e9],
  largeFromGbps: 100,
  bufferSizes: ['2MB', '4MB', '8MB'],
  alphas: [0.125, 0.25, 0.5],
}
/** Longer runs for the packets that are larger. */
const LARGE_BITS = 3
/** Time after the last message in which runs may end. */
const DRAIN_PS = 4e9

/** Most messages are short, most bytes are in long ones; the mean is some 100 KB. */
const HEAVY_TAILS: readonly (readonly string[])[] = [
  ['8KB 0', '32KB 50', '128KB 85', '512KB 97', '2MB 100'],
  ['4KB 0', '16KB 40', '64KB 70', '256KB 92', '1MB 98', '3MB 100'],
]
const SIZES_KB = [16, 32, 64, 128, 256] as const

/** Bases in which an injection can do harm. */
export interface Wanted {
  readonly schemes: readonly SchemeName[]
  /** Messages are of this size or longer, where all have one size. */
  readonly leastKb: number
}
export const ANY: Wanted = { schemes: SCHEME_NAMES, leastKb: 0 }

export function drawBase(draw: Draw, { schemes, leastKb }: Wanted = ANY, setting: Setting = USUAL): Base {
  const scheme = draw.one(schemes)
  const shape = draw.one(setting.shapes)
  const load = draw.between(...setting.load)
  const hostRateBps = shape.hostGbps * 1e9
  const isLossless = !LOSSY.includes(scheme)
  const totalBps = shape.hosts * hostRateBps * load
  const isLarge = shape.hostGbps >= setting.largeFromGbps
  const bits = isLarge ? LARGE_BITS * setting.runBits : setting.runBits
  const [leastPs, mostPs] = setting.generatePs
  const generatePs = Math.min(mostPs, Math.max(leastPs, (bits / totalBps) * 1e12))
  const traffic = drawTraffic(draw, { ...shape, load, generatePs, leastKb })
  const beside = setting.beside?.(draw, shape, generatePs) ?? []
  const tree: Tree = {
    seed: draw.seed(),
    topology: shape.topology,
    ...schemeOf(scheme, shape.hostGbps),
    ...(isLarge && { frames: { payload: '4096B' } }),
    pfc: { classes: isLossless ? [3] : [] },
    switch: switchOf(scheme, shape.hostGbps, draw, setting),
    qp: {
      ackTimeout: isLossless ? '1ms' : '320us',
      retryLimit: 'off',
      ...(ECHOES_IN_ACKS.includes(scheme) && { ecnEcho: 'ack' }),
    },
    // Counted, not drawn: that an injection posts messages moves no path of the others.
    nic: { sourcePorts: 'per-pair' },
    workload: [...traffic.workload, ...beside],
    changes: [],
    faults: [],
    measure: { generate: microseconds(generatePs), stop: microseconds(generatePs + DRAIN_PS) },
    observe: [],
  }
  return {
    tree,
    topology: topologyOf(scenarioOfTree(tree)),
    scheme,
    isLossless,
    hostRateBps,
    load,
    generatePs,
    tags: traffic.workload.map(({ tag }) => String(tag)),
    isClosed: traffic.isClosed,
  }
}

/** TIMELY's step of 10 Mb/s is for 10 Gb/s and takes longer than these runs: here it is a hundredth of the link. */
function schemeOf(scheme: SchemeName, hostGbps: number): Values {
  if (scheme !== 'timely') return SCHEMES[scheme]
  return { congestion: { kind: 'timely', additiveRate: gbps(hostGbps * 1e7) } }
}

/** Marking thresholds of each scheme; those of DCQCN's paper are for 40 Gb/s. */
function switchOf(scheme: SchemeName, hostGbps: number, draw: Draw, { bufferSizes, alphas }: Setting): Values {
  const scale = Math.max(1, hostGbps / 40)
  const buffer = { kind: 'shared-buffer', size: draw.one(bufferSizes), alpha: draw.one(alphas) }
  if (scheme === 'ldcp') {
    const [kmin, kmax] = [kilobytes(20e3 * scale), kilobytes(60e3 * scale)]
    return { buffer, ecn: { kmin, kmax, pmax: 0.1 }, wred: { classes: [3], threshold: kmax } }
  }
  if (!MARKED.includes(scheme)) return { buffer }
  return { buffer, ecn: { kmin: kilobytes(5e3 * scale), kmax: kilobytes(200e3 * scale), pmax: 0.01 } }
}

interface Traffic {
  readonly workload: readonly Values[]
  readonly isClosed: boolean
}

interface Room {
  readonly hosts: number
  readonly hostGbps: number
  readonly load: number
  readonly generatePs: number
  readonly leastKb: number
}

function drawTraffic(draw: Draw, room: Room): Traffic {
  if (room.leastKb === 0 && draw.chance(0.15)) return { workload: [closedLoop(draw, room)], isClosed: true }
  const workRequests = draw.chance(0.15)
  const sizes = (): Values =>
    draw.chance(0.7)
      ? { kind: 'fixed', size: `${draw.one(SIZES_KB.filter((size) => size >= room.leastKb))}KB` }
      : { kind: 'cdf', points: draw.one(HEAVY_TAILS) }
  const poisson = (load: number, tag: string): Values => ({
    kind: 'poisson',
    load: Number(load.toFixed(3)),
    sizes: sizes(),
    tag,
    ...(workRequests && { workRequests }),
  })
  const isOne = draw.chance(0.7)
  const workload = isOne
    ? [poisson(room.load, 'storage')]
    : [poisson(room.load * 0.6, 'storage'), poisson(room.load * 0.4, 'rpc')]
  return { workload, isClosed: false }
}

/** Round trip of a small message and its ACK through these fabrics, about. */
const RTT_PS = 9e6

/**
 * Persistent queue pairs: each host has two, to hosts that nobody else of its number sends to, and one message under way
 * on each. The size of the messages makes the load.
 */
function closedLoop(draw: Draw, { hosts, hostGbps, load, generatePs }: Room): Values {
  const all = Array.from({ length: hosts }, (_, host) => host)
  const order = draw.some(all, hosts)
  const [near, far] = draw.some(all.slice(1), 2) as [number, number]
  const pairs = [near, far].flatMap((step) => all.map((at) => `${order[at]!} ${order[(at + step) % hosts]!}`))
  const share = load / 2
  const sizeBytes = ((share / (1 - share)) * RTT_PS * hostGbps) / 8e3
  const timePs = (sizeBytes * 8e3) / hostGbps / share
  return {
    kind: 'closed-loop',
    pairs,
    workRequests: true,
    messageSize: kilobytes(sizeBytes),
    outstanding: 1,
    messages: Math.round(generatePs / timePs),
    tag: 'block',
  }
}
