/**
 * Moved bytes: which messages get through before a run is stopped, if the links of their hosts are all that limits them.
 * A message waits for the link of its source, and then for that of its destination; each link serves in order of arrival.
 * Units: picoseconds, bytes.
 */
import type { Message } from '../../core/workload/workload.ts'

/** Messages of one workload. */
interface Moved {
  /** Share of their bytes that is received. */
  readonly share: number
  /** Sum over the messages of the time that they wait for links, until the time is over. */
  readonly waitPs: number
}

export class MovedBytes {
  /** By message. */
  readonly #startPs: number[] = []
  readonly #source: number[] = []
  readonly #destination: number[] = []
  readonly #sizeBytes: number[] = []
  readonly #workload: number[] = []

  add(workload: number, { startPs, source, destination, sizeBytes }: Message): void {
    this.#workload.push(workload)
    this.#startPs.push(startPs)
    this.#source.push(source)
    this.#destination.push(destination)
    this.#sizeBytes.push(sizeBytes)
  }

  /**
   * @param psPerByte by host: time that a byte of payload takes on its link
   * @param untilPs by workload: when the time is over
   */
  byWorkload(psPerByte: readonly number[], untilPs: readonly number[]): Moved[] {
    const sentFromPs = this.#served(this.#startPs, this.#source, psPerByte)
    const receivedFromPs = this.#served(sentFromPs, this.#destination, psPerByte)
    const sums = untilPs.map(() => ({ bytes: 0, movedBytes: 0, waitPs: 0 }))
    for (const [i, workload] of this.#workload.entries()) {
      const sum = sums[workload]!
      const [fromPs, sizeBytes, endPs] = [receivedFromPs[i]!, this.#sizeBytes[i]!, untilPs[workload]!]
      const slower = Math.max(psPerByte[this.#source[i]!]!, psPerByte[this.#destination[i]!]!)
      sum.bytes += sizeBytes
      sum.movedBytes += Math.max(0, Math.min(sizeBytes, (endPs - fromPs) / slower))
      sum.waitPs += Math.max(0, Math.min(fromPs, endPs) - this.#startPs[i]!)
    }
    return sums.map(({ bytes, movedBytes, waitPs }) => ({ share: bytes === 0 ? 1 : movedBytes / bytes, waitPs }))
  }

  /** By message: when its service begins at the link of one of its hosts. */
  #served(comesPs: ArrayLike<number>, hosts: readonly number[], psPerByte: readonly number[]): Float64Array {
    const fromPs = new Float64Array(comesPs.length)
    const freePs = new Float64Array(psPerByte.length)
    const order = Array.from(fromPs, (_, i) => i).sort((a, b) => comesPs[a]! - comesPs[b]!)
    for (const i of order) {
      const host = hosts[i]!
      fromPs[i] = Math.max(comesPs[i]!, freePs[host]!)
      freePs[host] = fromPs[i]! + this.#sizeBytes[i]! * psPerByte[host]!
    }
    return fromPs
  }
}
