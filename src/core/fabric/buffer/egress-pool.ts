/**
 * HOT. Shared buffer whose limited egress queues share a pool of their own, as in conweave's simulator. The pool counts the
 * bytes of a queue beyond its reserve, and a packet has to fit into its share as a whole.
 * A class of its own, so that other buffers do not ask for each packet.
 * Source: conweave, CheckEgressAdmission and UpdateEgressAdmission.
 */
import { SharedBuffer, type SharedBufferOptions } from './shared.ts'

class EgressPoolBuffer extends SharedBuffer {
  protected override chargeEgress(queue: number, bytes: number): void {
    const before = this.egress[queue]!
    this.egress[queue] = before + bytes
    if ((this.rules.egressLimited & (1 << (queue & 7))) === 0) return
    this.egressUsed += this.countedEgress(before + bytes) - this.countedEgress(before)
  }

  protected override countedEgress(queueBytes: number): number {
    const over = queueBytes - this.rules.egressReserveBytes
    return over > 0 ? over : 0
  }

  protected override mayEgress(out: number, trafficClass: number, sizeBytes: number): boolean {
    const shared = this.countedEgress(this.egress[out * 8 + trafficClass]!)
    return shared + sizeBytes <= this.egressAlpha[trafficClass]! * (this.rules.egressPoolBytes - this.egressUsed)
  }
}

/** The shared buffer of these options. */
export function createSharedBuffer(options: SharedBufferOptions): SharedBuffer {
  return options.egressPoolBytes === null ? new SharedBuffer(options) : new EgressPoolBuffer(options)
}
