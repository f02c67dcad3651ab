/**
 * HOT. Path table: the virtual paths of a QP, 1 .. PATHS_MAX (transport/segment.ts), drawn at random when it is
 * created.
 * Which of them share links is unknown, and a port may occur twice.
 * Units: picoseconds. Source: [Survey] V-C: "a UDP source port can be viewed as a virtual path".
 */
import { DOUBLE_ZERO } from '../../base/double.ts'
import type { RandomStream } from '../../base/random.ts'
import { PATH_PORT } from '../segment.ts'

export const PATHS_MAX = 65_535 - PATH_PORT

interface PathTableOptions {
  readonly paths: number
  /** Probability that a probe takes another path. */
  readonly probe: number
  /** Minimum time between probes; NaN: no probes. */
  readonly rttPs: number
  readonly random: RandomStream
}

export class PathTable {
  private readonly table: Uint16Array
  private readonly random: RandomStream
  private readonly probe: number
  private readonly rttPs: number
  private probedPs = DOUBLE_ZERO

  constructor({ paths, probe, rttPs, random }: PathTableOptions) {
    this.table = Uint16Array.from({ length: paths }, () => 1 + random.below(PATHS_MAX))
    this.random = random
    this.probe = probe
    this.rttPs = rttPs
  }

  any(): number {
    return this.table[this.random.below(this.table.length)]!
  }

  /** This path, or once per round trip, with the probe's probability, a random one. */
  probed(nowPs: number, path: number): number {
    if (!(nowPs - this.probedPs >= this.rttPs)) return path
    this.probedPs = nowPs
    return this.random.uniform() < this.probe ? this.any() : path
  }
}
