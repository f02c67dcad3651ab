/**
 * Ideal under cut-through: how long a message takes alone in an empty network whose switches cut through.
 * A frame that its port is not free for is stored, so the longest way through a grid of packets and links is no answer
 * here: frames are followed one by one, over all links, until each full frame starts a constant time after the one before
 * on every link, which is so after a few; the rest are as many steps at once.
 * Units: picoseconds, bytes. Source: docs/models/cut-through.md.
 */
import type { Port } from '../../fabric/link/port.ts'

/** Of `packets` frames the first and the last have sizes of their own; a single one has the last one's. */
interface FrameTrain {
  readonly packets: number
  readonly firstBytes: number
  readonly fullBytes: number
  readonly lastBytes: number
}

/** From the first bit sent to the last bit received. */
export function cutThroughPs(path: readonly Port[], train: FrameTrain, headerBytes: number): number {
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

/** The links of a path, on which one frame follows the other. */
class Line {
  /** No start of the last two frames depends on anything but the rates of links: it will be so for all that are equal. */
  isSteady = false
  readonly #path: readonly Port[]
  readonly #headerBytes: number
  /** By link: start of the last frame, and its end. */
  readonly #startPs: Float64Array
  readonly #freePs: Float64Array
  /** By link: time between two frames as large as the last one, which is that of the slowest link up to there. */
  readonly #gapPs: Float64Array

  constructor(path: readonly Port[], headerBytes: number) {
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
    // Of the frame at the port out of a link: its header, its last bit.
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
      const latencyPs = path[i + 1]?.at?.latencyPs ?? 0
      headerPs = startPs + transmitPs[headerBytes]! + delayPs + latencyPs
      wholePs = startPs + transmitPs[sizeBytes]! + delayPs + latencyPs
    })
    this.isSteady = isSteady
    return wholePs
  }

  /** As many frames more, each as the last one. */
  repeat(count: number): void {
    this.#freePs.forEach((freePs, i) => {
      this.#freePs[i] = freePs + count * this.#gapPs[i]!
    })
  }
}
