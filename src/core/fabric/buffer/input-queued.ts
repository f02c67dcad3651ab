/**
 * HOT. Input-queued buffer: each input port has memory of its own; outputs read it through virtual output queues.
 * Source: [IRN] 4.1 (240 KB per port, XOFF at buffer minus the link's BDP); any class may fill the port's memory,
 * PFC looks at each class.
 * Invariant: sum over classes of used[port] = portUsed[port] <= capacity.
 */
import { assert, CHECKED } from '../../base/assert.ts'
import { ADMITTED, ADMITTED_OVER_XOFF, REFUSED, type Buffer } from './buffer.ts'

export interface InputQueuedOptions {
  readonly ports: number
  readonly portBytes: number
  readonly xoffBytes: number
  /** Resume when below xoff by more than this. */
  readonly xonOffsetBytes: number
}

export class InputQueuedBuffer implements Buffer {
  usedBytes = 0
  private options!: InputQueuedOptions
  private portBytes!: number
  private xoffBytes!: number
  private readonly portUsed: Float64Array
  private readonly used: Float64Array

  constructor(options: InputQueuedOptions) {
    this.configure(options)
    this.portUsed = new Float64Array(options.ports + 1)
    this.used = new Float64Array((options.ports + 1) * 8)
  }

  configure(options: InputQueuedOptions): void {
    this.options = options
    this.portBytes = options.portBytes
    this.xoffBytes = options.xoffBytes
  }

  admit(port: number, trafficClass: number, _out: number, sizeBytes: number): number {
    const used = this.portUsed[port]! + sizeBytes
    if (used > this.portBytes) return REFUSED
    this.portUsed[port] = used
    const usedByClass = this.used[port * 8 + trafficClass]! + sizeBytes
    this.used[port * 8 + trafficClass] = usedByClass
    this.usedBytes += sizeBytes
    return usedByClass >= this.xoffBytes ? ADMITTED_OVER_XOFF : ADMITTED
  }

  isOverXoff(port: number, trafficClass: number): boolean {
    return this.used[port * 8 + trafficClass]! >= this.options.xoffBytes
  }

  release(port: number, trafficClass: number, _out: number, sizeBytes: number): void {
    this.portUsed[port]! -= sizeBytes
    this.used[port * 8 + trafficClass]! -= sizeBytes
    this.usedBytes -= sizeBytes
    if (CHECKED) assert(this.used[port * 8 + trafficClass]! >= 0, 'a buffer releases more than it holds')
  }

  /** Queues are virtual: a copy is one more entry of a list. */
  admitCopy(): boolean {
    return true
  }

  releaseCopy(): void {}

  isUnderXon(port: number, trafficClass: number): boolean {
    return this.used[port * 8 + trafficClass]! < this.options.xoffBytes - this.options.xonOffsetBytes
  }

  usedBy(port: number, trafficClass: number): number {
    return this.used[port * 8 + trafficClass]!
  }

  headroomUsedBy(): number {
    return 0
  }

  chargeOf(sizeBytes: number): number {
    return sizeBytes
  }

  sharedUsedBy(port: number, trafficClass: number): number {
    return this.usedBy(port, trafficClass)
  }

  isQueueFull(): boolean {
    return false
  }

  get pools(): readonly string[] {
    return []
  }

  poolUsedBytes(): number {
    return 0
  }

  audit(): string[] {
    const wrong: string[] = []
    let total = 0
    for (let port = 1; port <= this.options.ports; port++) {
      let sum = 0
      for (let c = 0; c < 8; c++) {
        const used = this.used[port * 8 + c]!
        if (used < 0) wrong.push(`port ${port} class ${c}: negative counter`)
        sum += used
      }
      total += sum
      if (sum !== this.portUsed[port]) wrong.push(`port ${port}: classes hold ${sum}, the port ${this.portUsed[port]}`)
      if (sum > this.options.portBytes) wrong.push(`port ${port}: holds ${sum} of ${this.options.portBytes}`)
    }
    if (total !== this.usedBytes) wrong.push(`ports hold ${total}, the switch ${this.usedBytes}`)
    return wrong
  }
}
