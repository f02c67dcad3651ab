/**
 * NCCL's own model of an all-reduce: what NCCL expects of itself, by which it chooses algorithm and protocol. It is no
 * measurement. Times in microseconds, rates in GB/s of 10^9 bytes, as in its source.
 * Source: NCCL, src/graph/tuning.cc (5067397): baseLat, hwLat, llMaxBws, perChMax*, treeCorrectionFactor.
 */

export const ALGORITHMS = ['ring', 'tree'] as const
export const NCCL_PROTOCOLS = ['LL', 'LL128', 'Simple'] as const
export type NcclAlgorithm = (typeof ALGORITHMS)[number]
export type NcclProtocol = (typeof NCCL_PROTOCOLS)[number]

/** GPUs and NICs of a job, as NCCL's search sees them. */
export interface NcclMachine {
  readonly servers: number
  /** Ranks of a server. */
  readonly gpus: number
  /** Generation of the GPU, as compute capability times ten: 70, 80, 90, 100. */
  readonly capability: number
  /** Channels that the search finds, and the rate of each between servers. */
  readonly channels: number
  readonly channelGBs: number
}

export interface NcclChoice {
  readonly algorithm: NcclAlgorithm
  readonly protocol: NcclProtocol
  readonly timeUs: number
  /** The part of the time that does not grow with the size. */
  readonly latencyUs: number
}

/** By protocol. */
type Each = readonly [ll: number, ll128: number, simple: number]
const BASE_US: Readonly<Record<NcclAlgorithm, Each>> = { ring: [6.6, 14, 8.4], tree: [6.8, 14, 8.4] }
/** A step over NVLink, and one between servers. */
const INSIDE_US: Readonly<Record<NcclAlgorithm, Each>> = { ring: [0.6, 1.9, 3.4], tree: [0.6, 1.25, 4] }
const BETWEEN_US: Readonly<Record<NcclAlgorithm, Each>> = { ring: [2.7, 4, 14], tree: [5, 8.5, 14] }
/** Added to a step inside a server where several take part. */
const OVERHEAD_US: Each = [1, 1, 3]

/** By generation of the GPU: Volta, Ampere, Hopper, Blackwell. Of three values: 1, 2, and more servers. */
const LL_MAX_GBS = [
  [39, 39, 20.4],
  [87.7, 22.5, 19],
  [141, 45, 35],
  [282, 90, 70],
] as const
const RING_LL128_GBS = [20, 20, 36.7, 40] as const
const TREE_LL128_GBS = [
  [20, 20, 20],
  [20, 20, 20],
  [36.7, 36.7, 29],
  [55.6, 31.67, 20],
] as const
const TREE_MAX_GBS = [
  [26.5, 18.5, 10],
  [24, 23.6, 17.8],
  [38.7, 41.4, 36],
  [70, 42.8, 24],
] as const
/** Share of the rate that a tree reaches, by the size: from 64 bytes on, a value for each doubling. */
const TREE_SHARE = [
  [1, 1, 1, 1, 0.9, 0.8, 0.7, 0.7, 0.7, 0.7, 0.6, 0.5, 0.4, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1, 1, 1, 1],
  [1, 1, 1, 1, 1, 0.9, 0.8, 0.8, 0.8, 0.7, 0.6, 0.6, 0.6, 0.6, 0.6, 0.6, 0.8, 0.9, 0.9, 0.9, 0.9, 1, 1, 1],
  [
    0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.8, 0.7, 0.6, 0.6, 0.5, 0.5, 0.5, 0.5, 0.6, 0.7, 0.8, 0.7, 0.7, 0.8, 0.9, 0.9,
    0.9,
  ],
] as const

const generationOf = (capability: number): 0 | 1 | 2 | 3 =>
  capability >= 100 ? 3 : capability >= 90 ? 2 : capability >= 80 ? 1 : 0

/** Whole doublings from 1; -1: below it. */
function doublings(of: number): number {
  let count = -1
  for (let rest = of; rest >= 1; rest /= 2) count++
  return count
}

/** Most that a channel carries of the buffer between servers, whatever its NIC: copies of the GPU; Infinity: NCCL has no limit. */
export function channelMostGBs(machine: NcclMachine, algorithm: NcclAlgorithm, protocol: number): number {
  const { servers, capability, channels } = machine
  const [generation, scale] = [generationOf(capability), Math.min(servers, 3) - 1]
  if (protocol === 0) return LL_MAX_GBS[servers === 1 ? generation : 0][scale]! / channels
  if (algorithm === 'ring') return protocol === 1 ? RING_LL128_GBS[generation] : Infinity
  const treeGBs = TREE_MAX_GBS[generation][scale]!
  return protocol === 1 ? Math.min(treeGBs, TREE_LL128_GBS[generation][scale]!) : treeGBs
}

/** Time of an all-reduce of a size by one algorithm and protocol. */
export function allReduceTime(
  machine: NcclMachine,
  algorithm: NcclAlgorithm,
  protocol: number,
  sizeBytes: number,
): NcclChoice {
  const rates = algorithm === 'ring' ? ringOf(machine, protocol, sizeBytes) : treeOf(machine, protocol, sizeBytes)
  const timeUs = rates.latencyUs + sizeBytes / (1000 * rates.algorithmGBs)
  return { algorithm, protocol: NCCL_PROTOCOLS[protocol]!, timeUs, latencyUs: rates.latencyUs }
}

interface Rates {
  readonly algorithmGBs: number
  readonly latencyUs: number
}

function ringOf(machine: NcclMachine, protocol: number, sizeBytes: number): Rates {
  const { servers, gpus, capability, channels, channelGBs } = machine
  const ranks = servers * gpus
  const steps = 2 * (ranks - 1)
  const whole = channels * channelGBs
  const bus = Math.min(channels * channelMostGBs(machine, 'ring', protocol), whole * [0.5, 0.92, 1][protocol]!)
  const between = servers > 1 ? BETWEEN_US[gpus === 1 ? 'tree' : 'ring'][protocol]! : 0
  const inside = Math.max(INSIDE_US.ring[protocol]!, servers > 1 ? OVERHEAD_US[protocol]! : 0)
  const crossing = servers === 1 ? 0 : 2 * (servers - 1)
  let latencyUs = BASE_US.ring[protocol]! + (steps - crossing) * inside + crossing * between
  // Channels that were found are used twice.
  const isPlain = protocol === 2 && servers > 1 && sizeBytes / (2 * channels * ranks) >= 64
  if (isPlain) latencyUs *= capability < 80 ? 1.9 : 1.4
  return { algorithmGBs: (bus * ranks) / steps, latencyUs }
}

function treeOf(machine: NcclMachine, protocol: number, sizeBytes: number): Rates {
  const { servers, gpus, capability, channels, channelGBs } = machine
  const [generation, scale] = [generationOf(capability), Math.min(servers, 3) - 1]
  let bus = Math.min(channels * channelGBs * 0.92, channels * TREE_MAX_GBS[generation][scale]!)
  const share128 = servers === 1 ? 7 / 9 : 120 / 128
  const most = channels * channelMostGBs(machine, 'tree', protocol)
  bus = Math.min(bus * [1 / 3.8, share128, 1][protocol]!, most)
  const doubling = doublings(sizeBytes / 64)
  const share = TREE_SHARE[protocol]![doubling] ?? 1
  const latencyUs =
    BASE_US.tree[protocol]! +
    2 * ((gpus - 1) * INSIDE_US.tree[protocol]! + doublings(servers) * BETWEEN_US.tree[protocol]!)
  return { algorithmGBs: bus * 0.5 * (doubling < 0 || doubling >= 23 ? 1 : share), latencyUs }
}

/**
 * The choice of NCCL for an all-reduce.
 * @param only algorithm and protocol that the job allows; absent: any
 */
export function ncclChoice(
  machine: NcclMachine,
  sizeBytes: number,
  only: { readonly algorithm?: NcclAlgorithm; readonly protocol?: NcclProtocol } = {},
): NcclChoice {
  const choices = ALGORITHMS.filter(
    (algorithm) => only.algorithm === undefined || algorithm === only.algorithm,
  ).flatMap((algorithm) =>
    NCCL_PROTOCOLS.map((protocol, i) => [protocol, i] as const)
      .filter(([protocol]) => only.protocol === undefined || protocol === only.protocol)
      .map(([, i]) => allReduceTime(machine, algorithm, i, sizeBytes)),
  )
  return choices.reduce((best, choice) => (choice.timeUs < best.timeUs ? choice : best))
}

/** Rate of a channel that NCCL's search settles on for a NIC: rates of Hopper and later between servers, GB/s. */
const CHANNEL_GBS = [48, 45, 42, 40, 30, 24, 22, 20, 18, 15, 12, 11, 10, 6, 5, 3, 2.4] as const

/** Channels and their rate for NICs of a rate: one channel a NIC, at the largest rate of the table below the NIC's. */
export function channelsOf(nics: number, rateBps: number): Pick<NcclMachine, 'channels' | 'channelGBs'> {
  const nicGBs = rateBps / 8e9
  return { channels: nics, channelGBs: CHANNEL_GBS.find((rate) => rate <= nicGBs) ?? nicGBs }
}
