/**
 * Ideal under cut-through: how long a message takes alone in an empty network whose switches cut through.
 * A frame whose egress port is busy is stored, so the closed form of ideal.ts does not hold: frames are computed one by
 * one, over all links, until each full frame starts a constant time after the one before on every link, which takes a
 * few frames; the rest are added in one step.
 * Units: picoseconds, bytes. Source: docs/models/cut-through.md.
 */
import type { FrameTrain } from './frame-train.ts'
import { latencyPs, type Path } from './path-kinds.ts'

/** From the first bit sent to the last bit received. */
export function cutThroughPs(path: Path, train: FrameTrain, headerBytes: number): number {
  const { packets } = train
  const line = new Line(path, headerBytes)
  if (packets > 1) line.send(train.firstBytes)
  let left = Math.max(0, packets - 2)
  while (left > 0) {
    line.send(train.fullBytes)
    left--
    if (left > 0 && line.isSteady) {
      line.repeat(left)
      left = 0
    }
  }
  return line.send(train.lastBytes)
}

/** Links of a path with frames in a row. */
class Line {
  /** The last two frames started apart by the time of the slowest link: equal frames will keep that distance. */
  isSteady = false
  readonly #path: Path
  readonly #headerBytes: number
  /** By link: start of the last frame, and its end. */
  readonly #startPs: Float64Array
  readonly #freePs: Float64Array
  /** By link: time between two frames of the last one's size, which the slowest link up to there determines. */
  readonly #gapPs: Float64Array

  constructor(path: Path, headerBytes: number) {
    this.#path = path
    this.#headerBytes = headerBytes
    this.#startPs = new Float64Array(path.length).fill(NaN)
    this.#freePs = new Float64Array(path.length)
    this.#gapPs = new Float64Array(path.length)
  }

  /** Sends a frame as early as it can go; returns when its last bit is at the end. */
  send(sizeBytes: number): number {
    const path = this.#path
    const headerBytes = Math.min(sizeBytes, this.#headerBytes)
    // When the frame's header and its last bit are at the end of the link.
    let headerPs = 0
    let wholePs = 0
    let isSteady = true
    path.forEach(({ transmitPs, delayPs, rateBps }, i) => {
      const before = path[i - 1]
      const freePs = this.#freePs[i]!
      const mayCut = before !== undefined && rateBps <= before.rateBps && headerPs >= freePs
      const startPs = mayCut ? headerPs : Math.max(wholePs, freePs)
      const gapPs = Math.max(i === 0 ? 0 : this.#gapPs[i - 1]!, transmitPs[sizeBytes]!)
      // A link that is slower than all before it has a queue once no frame finds it free.
      const isSlower = i > 0 && gapPs > this.#gapPs[i - 1]!
      isSteady &&= startPs - this.#startPs[i]! === gapPs && (!isSlower || startPs >= wholePs)
      this.#gapPs[i] = gapPs
      this.#startPs[i] = startPs
      this.#freePs[i] = startPs + transmitPs[sizeBytes]!
      const next = path[i + 1]
      const onwardPs = delayPs + (next === undefined ? 0 : latencyPs(next))
      headerPs = startPs + transmitPs[headerBytes]! + onwardPs
      wholePs = startPs + transmitPs[sizeBytes]! + onwardPs
    })
    this.isSteady = isSteady
    return wholePs
  }

  /** Sends `count` more frames of the last one's size. */
  repeat(count: number): void {
    this.#freePs.forEach((freePs, i) => {
      this.#freePs[i] = freePs + count * this.#gapPs[i]!
    })
  }
}
