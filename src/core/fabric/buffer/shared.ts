/**
 * HOT. Shared buffer: reserve, shared pool with dynamic thresholds, headroom.
 * Units: bytes of frames, below 2^31. Shapes: ports from 1; counters [class][port] in pairs; egress bytes
 * [port * 8 + class].
 * A counter takes bytes from its reserve, then from the shared pool while it is not over its threshold
 * alpha * (pool - shared in use), then (lossless) from headroom; a lossy packet over the threshold is dropped.
 * With `limitedByPool` it takes from the pool while there is room: the threshold causes pauses and nothing else.
 * Invariant: sum of min(ordinary, reserve) + sharedUsed + sum of headroom = bytes in the switch, where
 * sharedUsed = sum of max(0, ordinary - reserve).
 * Source: [MS-Scale] 6.2; Choudhury and Hahne 1998; bookkeeping in the order of the HPCC fork (docs/models/shared-buffer.md).
 * Deviates: thresholds follow every byte; real chips refresh them periodically and count cells.
 */
import { assert, CHECKED } from '../../base/assert.ts'
import { INTS, type Memory } from '../../base/memory.ts'
import { dynamicThresholdBytes } from '../formulas.ts'
import { ADMITTED, ADMITTED_OVER_XOFF, REFUSED, type Buffer } from './buffer.ts'

const counters = INTS

export interface SharedBufferOptions {
  readonly ports: number
  /** Shared pool: the memory minus reserves and headroom. */
  readonly poolBytes: number
  readonly reserveBytes: number
  /** [class * (ports + 1) + port]. */
  readonly alpha: Float64Array
  /** Headroom of one class, by port. */
  readonly headroomBytes: Float64Array
  /** Bit per lossless class. */
  readonly lossless: number
  readonly xonOffsetBytes: number
  /** A counter takes from the pool without regard to its threshold. */
  readonly limitedByPool: boolean
  /** The pool limits all bytes in the switch; beyond it any class takes from its port's headroom. */
  readonly limitedByTotal: boolean
  /** Bit per class whose egress queues are limited. */
  readonly egressLimited: number
  /** Bit per class whose egress queues are counted: those limited now or after some change. */
  readonly egressCounted: number
  /** By class. */
  readonly egressAlpha: Float64Array
  readonly egressReserveBytes: number
  /** Pool of the egress queues, without their reserves (egress-pool.ts); null: the shared pool, with their reserves. */
  readonly egressPoolBytes: number | null
  /** Memory of the counters. */
  readonly memory: Memory
}

/** Limits of a buffer that packets read. Buffers with equal ones share an object: on a large fabric it stays in the nearest cache. */
interface Rules {
  readonly stride: number
  readonly poolBytes: number
  readonly reserveBytes: number
  readonly lossless: number
  readonly egressLimited: number
  readonly egressCounted: number
  readonly limitedByPool: boolean
  readonly limitedByTotal: boolean
  readonly egressReserveBytes: number
  readonly egressPoolBytes: number
  /** Alpha of all classes and ports, or NaN. */
  readonly commonAlpha: number
}

/** Rules of the buffers of each simulation. */
const rulesOf = new WeakMap<Memory, Rules[]>()
/** Buffers that differ more do not share. */
const MOST_RULES = 64

/** The object of equal rules that other buffers of the simulation have, or this one. */
function commonRules(memory: Memory, rules: Rules): Rules {
  const known = rulesOf.get(memory) ?? []
  rulesOf.set(memory, known)
  const keys = Object.keys(rules) as (keyof Rules)[]
  const equal = known.find((other) => keys.every((key) => Object.is(other[key], rules[key])))
  if (equal !== undefined) return equal
  if (known.length < MOST_RULES) known.push(rules)
  return rules
}

export class SharedBuffer implements Buffer {
  // Fields that are used per packet come first, in one cache line.
  usedBytes = 0
  private sharedUsed = 0
  protected rules!: Rules
  /** Per (class, port), side by side: reserve and shared bytes, headroom bytes. */
  private readonly base: number
  protected egressUsed = 0
  /** Bytes of (port out, class), for counted classes only. */
  protected readonly egress: Float64Array
  /** By class; a field, as options come in many shapes. */
  protected egressAlpha!: Float64Array
  protected options!: Omit<SharedBufferOptions, 'memory'>
  private readonly memory: Memory

  constructor(options: SharedBufferOptions) {
    const length = (options.ports + 1) * 8
    this.memory = options.memory
    this.base = options.memory.take(2 * length)
    this.egress = new Float64Array(length)
    this.configure(options)
  }

  /** `reserveBytes`, `egressPoolBytes`, `limitedByTotal` and `egressCounted` have to stay as they are. */
  configure(options: Omit<SharedBufferOptions, 'memory'>): void {
    this.options = options
    this.egressAlpha = options.egressAlpha
    const stride = options.ports + 1
    const first = options.alpha[1]!
    this.rules = commonRules(this.memory, {
      stride,
      poolBytes: options.poolBytes,
      reserveBytes: options.reserveBytes,
      lossless: options.lossless,
      egressLimited: options.egressLimited,
      egressCounted: options.egressCounted,
      limitedByPool: options.limitedByPool,
      limitedByTotal: options.limitedByTotal,
      egressReserveBytes: options.egressReserveBytes,
      egressPoolBytes: options.egressPoolBytes ?? options.poolBytes,
      commonAlpha: options.alpha.every((a, i) => i % stride === 0 || a === first) ? first : NaN,
    })
    this.egressUsed = this.limitedEgress()
  }

  private counter(port: number, trafficClass: number): number {
    return this.base + ((Math.imul(trafficClass | 0, this.rules.stride) + port) << 1)
  }

  /** Bytes that a counter may take from the shared pool now, an integer. */
  thresholdBytes(port: number, trafficClass: number): number {
    const { rules } = this
    const free = rules.poolBytes - this.sharedUsed
    if (free <= 0) return 0
    const common = rules.commonAlpha
    const alpha = common === common ? common : this.options.alpha[Math.imul(trafficClass | 0, rules.stride) + port]!
    return dynamicThresholdBytes(alpha, free)
  }

  admit(port: number, trafficClass: number, out: number, sizeBytes: number): number {
    const { rules } = this
    const bit = 1 << trafficClass
    const isLimited = (rules.egressLimited & bit) !== 0
    if (isLimited && !this.mayEgress(out, trafficClass, sizeBytes)) return REFUSED
    const at = this.counter(port, trafficClass)
    const ordinary = counters[at]!
    const after = ordinary + sizeBytes
    const reserve = rules.reserveBytes
    if (rules.limitedByTotal) {
      if (!this.chargeByTotal(at, port, sizeBytes)) return REFUSED
    } else if (after <= reserve) counters[at] = after
    else {
      const shared = ordinary > reserve ? ordinary - reserve : 0
      const limit = rules.limitedByPool
        ? shared + rules.poolBytes - this.sharedUsed
        : this.thresholdBytes(port, trafficClass)
      if (after - reserve <= limit) {
        counters[at] = after
        this.sharedUsed += after - reserve < sizeBytes ? after - reserve : sizeBytes
      } else {
        if ((rules.lossless & bit) === 0) return REFUSED
        const headroom = counters[at | 1]! + sizeBytes
        if (headroom > this.options.headroomBytes[port]! && sizeBytes + shared > limit) return REFUSED
        counters[at | 1] = headroom
      }
    }
    if ((rules.egressCounted & bit) !== 0) this.chargeEgress(out * 8 + trafficClass, sizeBytes)
    this.usedBytes += sizeBytes
    return (rules.lossless & bit) !== 0 && this.isOverXoff(port, trafficClass) ? ADMITTED_OVER_XOFF : ADMITTED
  }

  isOverXoff(port: number, trafficClass: number): boolean {
    const at = this.counter(port, trafficClass)
    if (counters[at | 1]! > 0) return true
    const shared = counters[at]! - this.rules.reserveBytes
    return (shared > 0 ? shared : 0) >= this.thresholdBytes(port, trafficClass)
  }

  release(port: number, trafficClass: number, out: number, sizeBytes: number): void {
    const at = this.counter(port, trafficClass)
    const { rules } = this
    const reserve = rules.reserveBytes
    const headroom = counters[at | 1]!
    // Headroom drains first.
    const fromHeadroom = headroom < sizeBytes ? headroom : sizeBytes
    const ordinary = counters[at]!
    const shared = ordinary > reserve ? ordinary - reserve : 0
    const rest = sizeBytes - fromHeadroom
    counters[at | 1] = headroom - fromHeadroom
    counters[at] = ordinary - rest
    this.sharedUsed -= rest < shared ? rest : shared
    this.usedBytes -= sizeBytes
    if (CHECKED)
      assert(ordinary >= rest && this.sharedUsed >= 0 && this.usedBytes >= 0, 'a buffer releases more than it holds')
    if ((rules.egressCounted & (1 << trafficClass)) !== 0) this.chargeEgress(out * 8 + trafficClass, -sizeBytes)
  }

  admitCopy(trafficClass: number, out: number, sizeBytes: number): boolean {
    const bit = 1 << trafficClass
    if ((this.rules.egressLimited & bit) !== 0 && !this.mayEgress(out, trafficClass, sizeBytes)) return false
    if ((this.rules.egressCounted & bit) !== 0) this.chargeEgress(out * 8 + trafficClass, sizeBytes)
    return true
  }

  releaseCopy(trafficClass: number, out: number, sizeBytes: number): void {
    if ((this.rules.egressCounted & (1 << trafficClass)) !== 0) this.chargeEgress(out * 8 + trafficClass, -sizeBytes)
  }

  isUnderXon(port: number, trafficClass: number): boolean {
    const at = this.counter(port, trafficClass)
    if (counters[at | 1]! > 0) return false
    const shared = counters[at]! - this.rules.reserveBytes
    return shared <= 0 || shared + this.options.xonOffsetBytes <= this.thresholdBytes(port, trafficClass)
  }

  usedBy(port: number, trafficClass: number): number {
    const at = this.counter(port, trafficClass)
    return counters[at]! + counters[at | 1]!
  }

  headroomUsedBy(port: number, trafficClass: number): number {
    return counters[this.counter(port, trafficClass) + 1]!
  }

  chargeOf(sizeBytes: number): number {
    return sizeBytes
  }

  sharedUsedBy(port: number, trafficClass: number): number {
    const shared = counters[this.counter(port, trafficClass)]! - this.rules.reserveBytes
    return shared > 0 ? shared : 0
  }

  isQueueFull(out: number, trafficClass: number, sizeBytes: number): boolean {
    return (this.rules.egressLimited & (1 << trafficClass)) !== 0 && !this.mayEgress(out, trafficClass, sizeBytes)
  }

  get pools(): readonly string[] {
    return ['shared', 'egress']
  }

  poolUsedBytes(pool: number): number {
    return pool === 0 ? this.sharedUsed : this.egressUsed
  }

  audit(): string[] {
    const wrong: string[] = []
    const reserve = this.rules.reserveBytes
    let shared = 0
    let total = 0
    for (let at = 8; at < this.egress.length; at++) {
      const counter = this.counter(at >> 3, at & 7)
      const ordinary = counters[counter]!
      const headroom = counters[counter + 1]!
      if (ordinary < 0 || headroom < 0) wrong.push(`port ${at >> 3} class ${at & 7}: negative counter`)
      shared += ordinary > reserve ? ordinary - reserve : 0
      total += ordinary + headroom
    }
    const egress = this.limitedEgress()
    if (shared !== this.sharedUsed) wrong.push(`counters share ${shared}, the pool says ${this.sharedUsed}`)
    if (total !== this.usedBytes) wrong.push(`counters hold ${total}, the switch ${this.usedBytes}`)
    if (egress !== this.egressUsed) wrong.push(`egress queues hold ${egress}, their pool says ${this.egressUsed}`)
    return wrong
  }

  /** Takes from the pool while the switch holds no more than the pool in all, else from headroom, whatever the class. */
  private chargeByTotal(at: number, port: number, sizeBytes: number): boolean {
    const reserve = this.rules.reserveBytes
    const ordinary = counters[at]!
    const headroom = counters[at | 1]! + sizeBytes
    const mayRefuse = ordinary + headroom > reserve && this.usedBytes > this.rules.poolBytes
    if (mayRefuse && headroom > this.options.headroomBytes[port]!) return false
    if (this.usedBytes + sizeBytes > this.rules.poolBytes) counters[at | 1] = headroom
    else {
      const over = ordinary + sizeBytes - reserve
      counters[at] = ordinary + sizeBytes
      if (over > 0) this.sharedUsed += over < sizeBytes ? over : sizeBytes
    }
    return true
  }

  protected chargeEgress(queue: number, bytes: number): void {
    this.egress[queue] = this.egress[queue]! + bytes
    if (CHECKED) assert(this.egress[queue]! >= 0, 'a queue releases more than it holds')
    if ((this.rules.egressLimited & (1 << (queue & 7))) !== 0) this.egressUsed += bytes
  }

  /** Bytes that the queues of limited classes hold of their pool, summed anew. */
  private limitedEgress(): number {
    let sum = 0
    for (let at = 8; at < this.egress.length; at++) {
      if ((this.rules.egressLimited & (1 << (at & 7))) !== 0) sum += this.countedEgress(this.egress[at]!)
    }
    return sum
  }

  /** Bytes that a queue holds of its pool. */
  protected countedEgress(queueBytes: number): number {
    return queueBytes
  }

  protected mayEgress(out: number, trafficClass: number, sizeBytes: number): boolean {
    const { rules } = this
    const used = this.egress[out * 8 + trafficClass]! + sizeBytes
    const over = used - rules.egressReserveBytes
    return over <= 0 || over <= this.egressAlpha[trafficClass]! * (rules.poolBytes - this.egressUsed)
  }
}
