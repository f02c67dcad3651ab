/**
 * Ideal: how long a message takes alone in an empty network, same headers; the latency of each switch counts. Switches store
 * and forward, or cut through (ideal-cut-through.ts).
 * A message whose packets keep one path takes the best one. One whose packets take several paths cannot take less than
 * any link, cut and path of its network allows (severalPs()): a lower bound, exact where no choice is left.
 * Source: [IRN] 4.1 (denominator of slowdown).
 * Units: picoseconds, bytes.
 */
import { leastOf, mostOf } from '../../core/base/extremes.ts'
import { type FrameTrain, laneTrain, singleFrame, trainBytes } from './frame-train.ts'
import { cutThroughPs } from './ideal-cut-through.ts'
import type { Cut } from './path-flow.ts'
import { betweenPs, latencyPs, type Path } from './path-kinds.ts'

/** Transmission times of one frame on each link of a path. */
function times(path: Path, frameBytes: number): number[] {
  return path.map((hop) => hop.transmitPs[frameBytes]!)
}

/**
 * Time of the data, from the first bit sent to the last bit received. Switches wait for `headerBytes` of a frame; 0: they
 * store and forward. Then all packets but the first (RETH) and the last (short) are equal, so the longest path through
 * the grid of packets and hops has a closed form: the first packet up to hop a, the equal ones from a to c with all but
 * one of them at the slowest link between, the last from c on.
 */
export function idealPs(path: Path, train: FrameTrain, headerBytes: number): number {
  const { packets, firstBytes, fullBytes, lastBytes } = train
  if (headerBytes > 0) return cutThroughPs(path, train, headerBytes)
  const last = times(path, lastBytes)
  const delayPs = betweenPs(path)
  if (packets === 1) return delayPs + sumOf(last)
  return delayPs + longestPathPs(packets, times(path, firstBytes), times(path, fullBytes), last)
}

/** Longest path through the grid of two packets or more: sum of transmission times. */
function longestPathPs(
  packets: number,
  first: readonly number[],
  full: readonly number[],
  last: readonly number[],
): number {
  const hops = last.length
  let longest = 0
  let head = 0
  for (let a = 0; a < hops; a++) {
    head += first[a]!
    let middle = 0
    let slowest = 0
    for (let c = a; c < hops; c++) {
      middle += full[c]!
      slowest = Math.max(slowest, full[c]!)
      let tail = 0
      for (let h = c; h < hops; h++) tail += last[h]!
      if (packets === 2) {
        if (c === a) longest = Math.max(longest, head + tail)
      } else longest = Math.max(longest, head + middle + (packets - 3) * slowest + tail)
    }
  }
  return longest
}

/** Time of one frame on the best path. */
export function framePs(paths: readonly Path[], frameBytes: number, headerBytes: number): number {
  return leastOf(paths.map((path) => idealPs(path, singleFrame(frameBytes), headerBytes)))
}

/** Paths from one port, and rates that they share. */
export interface Lane {
  readonly paths: readonly Path[]
  /** Packets of a message may take several of the paths. */
  readonly isSeveral: boolean
  /** Where all its paths together are narrowest. */
  readonly cut: Cut | null
}

/** Time of a message whose packets leave by one port. */
export function lanePs(lane: Lane, train: FrameTrain, link: LinkFacts): number {
  const { paths, isSeveral, cut } = lane
  if (!isSeveral) return leastOf(paths.map((path) => idealPs(path, train, link.headerBytes)))
  const endsPs = sharedEndsPs(paths, train, link.headerBytes)
  const [first, last] = [paths[0]![0]!, paths[0]!.at(-1)!]
  if (cut === null || cut.bps >= Math.min(first.rateBps, last.rateBps)) return endsPs
  return Math.max(endsPs, cutPs([lane], train, cut, link))
}

/** Facts of all links. */
export interface LinkFacts {
  /** Bytes of a frame that switches wait for; 0: they store and forward. */
  readonly headerBytes: number
  /** Preamble and gap of a frame. */
  readonly gapBytes: number
}

/**
 * The same over several ports. In turn: packets take them one after the other, beginning with any. Else as they are free:
 * no more than what all carry together.
 * @param cut where all lanes together are narrowest.
 */
export function lanesPs(
  lanes: readonly Lane[],
  train: FrameTrain,
  link: LinkFacts,
  { isCyclic, cut }: { readonly isCyclic: boolean; readonly cut: Cut | null },
): number {
  if (cut === null) return lanePs(lanes[0]!, train, link)
  const togetherPs = cutPs(lanes, train, cut, link)
  if (!isCyclic) {
    const paths = lanes.flatMap((lane) => lane.paths)
    const { packets, fullBytes, lastBytes } = train
    const shortestBytes = packets === 1 ? lastBytes : Math.min(fullBytes, lastBytes)
    return Math.max(togetherPs, framePs(paths, shortestBytes, link.headerBytes))
  }
  const cyclicPs = lanes.map((_, start) =>
    mostOf(
      lanes.map((_lane, i) => {
        const own = laneTrain(train, i, lanes.length)
        return own === null ? 0 : lanePs(lanes[(start + i) % lanes.length]!, own, link)
      }),
    ),
  )
  return Math.max(togetherPs, leastOf(cyclicPs))
}

/**
 * No less for packets that share the first link and the last, and may take any path between: each is at the last link
 * no earlier than alone, and from any time on that link has to carry all that come later.
 */
function sharedEndsPs(paths: readonly Path[], train: FrameTrain, headerBytes: number): number {
  const { packets, firstBytes, fullBytes, lastBytes } = train
  const { transmitPs } = paths[0]![0]!
  const last = paths[0]!.at(-1)!
  // Until the last link starts to send a frame that left at 0.
  const reachPs = (bytes: number): number => framePs(paths, bytes, headerBytes) - last.transmitPs[bytes]! - last.delayPs
  const [firstGapPs, gapPs] = [transmitPs[firstBytes]!, transmitPs[fullBytes]!]
  const firstPs = packets === 1 ? Infinity : reachPs(firstBytes)
  const middle = Math.max(0, packets - 2)
  const middlePs = middle === 0 ? Infinity : firstGapPs + reachPs(fullBytes)
  const lastPs = (packets === 1 ? 0 : firstGapPs + middle * gapPs) + reachPs(lastBytes)
  let endPs = 0
  const look = (fromPs: number): void => {
    const before = fromPs <= middlePs ? 0 : Math.ceil((fromPs - middlePs) / gapPs)
    const carriedPs =
      (firstPs >= fromPs && packets > 1 ? last.transmitPs[firstBytes]! : 0) +
      Math.max(0, middle - before) * last.transmitPs[fullBytes]! +
      (lastPs >= fromPs ? last.transmitPs[lastBytes]! : 0)
    endPs = Math.max(endPs, fromPs + carriedPs)
  }
  look(lastPs)
  if (packets > 1) look(firstPs)
  if (middle > 0) {
    // The sum is linear between these.
    const after = Math.min(middle - 1, Math.max(0, Math.floor((lastPs - middlePs) / gapPs)))
    for (const i of [0, after, Math.min(middle - 1, after + 1), middle - 1]) look(middlePs + i * gapPs)
  }
  return endPs + last.delayPs
}

/** No less for packets that have to cross the narrowest cut of the network. */
function cutPs(lanes: readonly Lane[], train: FrameTrain, cut: Cut, link: LinkFacts): number {
  const paths = lanes.flatMap((lane) => lane.paths)
  const gapPs = leastOf(paths.map(([source]) => source!.transmitPs[train.fullBytes]!)) / lanes.length
  const leavesPs = Math.max(0, train.packets - lanes.length) * gapPs
  const headPs = leastOf(paths.map((path) => headPsOf(path, cut.hopsBefore, train, { ...link, leavesPs })))
  const tailPs = leastOf(paths.map((path) => tailPsOf(path, cut.hopsBehind, train, link.headerBytes)))
  // Times are rounded to the clock.
  let rounding = 1
  for (const { rateBps, transmitPs } of paths.flat()) {
    for (const bytes of [train.firstBytes, train.fullBytes, train.lastBytes])
      rounding = Math.min(rounding, (transmitPs[bytes]! * rateBps) / (8e12 * (bytes + link.gapBytes)))
  }
  return Math.floor(headPs + tailPs + (rounding * trainBytes(train, link.gapBytes) * 8e12) / cut.bps)
}

/**
 * From the first bit sent until the first frame can go on behind `hops` links: one of those that leave first, or the last,
 * which is short and leaves at `leavesPs` or later.
 */
function headPsOf(
  path: Path,
  hops: number,
  train: FrameTrain,
  { headerBytes, leavesPs }: { readonly headerBytes: number; readonly leavesPs: number },
): number {
  if (hops === 0) return 0
  const { packets, firstBytes, fullBytes, lastBytes } = train
  const before = path.slice(0, hops)
  const aroundPs = betweenPs(before) + latencyPs(path[hops]!)
  const alone = (bytes: number): number =>
    aroundPs + sumOf(times(before, headerBytes > 0 ? Math.min(headerBytes, bytes) : bytes))
  return packets === 1
    ? alone(lastBytes)
    : Math.min(alone(Math.min(firstBytes, fullBytes)), leavesPs + alone(lastBytes))
}

/** From the last bit sent on a link with `hops` links behind it until it is received. */
function tailPsOf(
  path: Path,
  hops: number,
  { packets, fullBytes, lastBytes }: FrameTrain,
  headerBytes: number,
): number {
  const behind = path.slice(path.length - hops)
  const restPs = path[path.length - 1 - hops]!.delayPs + betweenPs(behind)
  if (headerBytes > 0) return restPs
  return restPs + sumOf(times(behind, packets === 1 ? lastBytes : Math.min(fullBytes, lastBytes)))
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0)
}
