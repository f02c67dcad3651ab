/**
 * Incast: many hosts send to one at the same time, again and again.
 * Senders are drawn anew for every repetition, without the receiver and without repetition. A repetition starts at a
 * fixed interval, or at the moment when the last message of the one before is finished.
 * Source: [IRN] section 4.4.3: 150 MB striped over M senders, M 10 to 50, 100 repetitions; MB taken as 10^6 bytes.
 * Deviates: [IRN] repeats whole runs; here repetitions follow each other in one.
 */
import { InputError, type Issue } from '../base/issue.ts'
import { count, countOrOff, duration, durationOrOff, MB, NEVER_PS, NS, size, sizeOrOff } from '../base/params.ts'
import type { RandomStream } from '../base/random.ts'
import { formatQuantity } from '../base/units.ts'
import { applyLabels, labelParams, sizeIssues, streamName } from './labels.ts'
import { defineWorkload, type Message, type Operation, type Source, type Waiting } from './workload.ts'

export const incast = defineWorkload({
  name: 'incast',
  help: 'many senders to one receiver at the same time',
  source: '[IRN] section 4.4.3',
  params: {
    senders: count({
      default: 30,
      min: 1,
      help: 'number of senders, drawn at random from the other hosts',
      source: '[IRN] section 4.4.3: 10 to 50',
    }),
    receiver: countOrOff({
      default: 0,
      help: 'host that receives; off: drawn at random for each repetition',
      source: '[IRN] section 4.4.3: fixed',
    }),
    connections: count({
      default: 1,
      min: 1,
      max: 4096,
      help: 'QPs of each sender, over which its bytes are split',
      source: '[IRN] section 4.4.3: one, and more without a number',
    }),
    total: size({
      default: 150 * MB,
      min: 1,
      help: 'bytes of one repetition, split evenly; when they do not divide, the first messages get one byte more',
      source: '[IRN] section 4.4.3',
    }),
    sizeEach: sizeOrOff({ default: null, min: 1, help: 'bytes of each sender, in place of total' }),
    repetitions: count({ default: 1, min: 1, help: 'number of repetitions', source: '[IRN] section 4.4.3: 100' }),
    interval: durationOrOff({
      default: null,
      min: 1 * NS,
      help: 'time from one repetition to the next; off: each starts when the one before is finished',
    }),
    start: duration({ default: 0, help: 'time of the first repetition' }),
    ...labelParams('incast'),
  },
  isClosed: ({ interval, repetitions }) => interval === null && repetitions > 1,
  create(values, context) {
    const issues = issuesOf(values, context.hostCount)
    if (issues.length > 0) throw new InputError(issues)
    const stream = context.random.stream(streamName('incast', values.tag, context))
    const label = (out: Message): void => applyLabels(out, values)
    return new IncastSource({
      ...values,
      hostCount: context.hostCount,
      untilPs: context.generateUntilPs,
      stream,
      label,
    })
  },
})

interface Sizes {
  readonly senders: number
  readonly connections: number
  readonly receiver: number | null
  readonly total: number
  readonly sizeEach: number | null
}

/** Issues with params that a network of `hostCount` hosts, or a message, cannot satisfy. */
function issuesOf(
  values: Sizes & { readonly operation: Operation; readonly workRequests: boolean },
  hostCount: number,
): Issue[] {
  const { senders, connections, receiver, total, sizeEach } = values
  const messages = senders * connections
  const others = hostCount - 1
  const issues: Issue[] = []
  const wrong = (path: string, expected: string, received: string): void => {
    issues.push({ path, expected, received, hint: '' })
  }
  if (senders > others) wrong('senders', `at most ${Math.max(0, others)}, the hosts without the receiver`, `${senders}`)
  if (receiver !== null && receiver >= hostCount) wrong('receiver', `a host 0 to ${others}`, `${receiver}`)
  if (sizeEach === null && total < messages) {
    const whom = connections === 1 ? `${senders} senders` : `${messages} connections`
    wrong('total', `a byte or more for each of ${whom}`, formatQuantity('size', total))
  }
  if (sizeEach !== null && sizeEach < connections)
    wrong('sizeEach', `a byte or more for each of ${connections} connections`, formatQuantity('size', sizeEach))
  const largestBytes = sizeEach === null ? Math.ceil(total / messages) : Math.ceil(sizeEach / connections)
  return [...issues, ...sizeIssues(sizeEach === null ? 'total' : 'sizeEach', values, largestBytes)]
}

interface Plan extends Sizes {
  readonly repetitions: number
  readonly interval: number | null
  readonly start: number
  readonly hostCount: number
  readonly untilPs: number
  readonly stream: RandomStream
  readonly label: (out: Message) => void
}

class IncastSource implements Source {
  nextStartPs: number
  readonly #plan: Plan
  /** All hosts; after a draw the first ones are the senders and the last one the receiver. */
  readonly #hosts: number[]
  #repetition = 0
  /** Messages of this repetition that were taken; those of a sender follow each other. */
  #taken = 0
  /** Messages taken and not finished, by number; only looked at when repetitions wait for each other. */
  readonly #unfinished = new Set<number>()
  #messageNumber = 0

  get leftBytes(): number {
    const { repetitions, senders, connections, total, sizeEach } = this.#plan
    const ofOneBytes = sizeEach === null ? total : sizeEach * senders
    return ofOneBytes * (repetitions - this.#repetition - this.#taken / (senders * connections))
  }

  constructor(plan: Plan) {
    this.#plan = plan
    this.#hosts = Array.from({ length: plan.hostCount }, (_, host) => host)
    this.nextStartPs = plan.start < plan.untilPs ? plan.start : NEVER_PS
  }

  take(out: Message): void {
    const { senders, connections, total, sizeEach, interval } = this.#plan
    const messages = senders * connections
    if (this.#taken === 0) this.#draw()
    const index = this.#taken++
    this.#plan.label(out)
    out.startPs = this.nextStartPs
    out.source = this.#hosts[Math.floor(index / connections)]!
    out.destination = this.#hosts[this.#hosts.length - 1]!
    out.sizeBytes = sizeEach === null ? part(total, messages, index) : part(sizeEach, connections, index % connections)
    out.connection = -1
    this.#unfinished.add(this.#messageNumber++)
    if (this.#taken < messages) return
    this.#taken = 0
    this.#repetition++
    this.#schedule(interval === null ? NEVER_PS : this.nextStartPs + interval)
  }

  onComplete(nowPs: number, messageNumber: number): void {
    this.#unfinished.delete(messageNumber)
    const isBetween = this.#unfinished.size === 0 && this.#taken === 0
    if (isBetween && this.#plan.interval === null) this.#schedule(nowPs)
  }

  waiting(nowPs: number): readonly Waiting[] {
    const { repetitions, senders, connections, interval, untilPs } = this.#plan
    const messages = (repetitions - this.#repetition) * senders * connections - this.#taken
    if (interval !== null || this.#messageNumber === 0 || messages === 0 || nowPs >= untilPs) return []
    const [behind = -1] = this.#unfinished
    return [{ behind, messages }]
  }

  #schedule(timePs: number): void {
    const { repetitions, untilPs } = this.#plan
    this.nextStartPs = this.#repetition < repetitions && timePs < untilPs ? timePs : NEVER_PS
  }

  /** The receiver to the end of the list, then the senders to its front, each drawn from those that are left. */
  #draw(): void {
    const { stream, receiver, senders } = this.#plan
    const hosts = this.#hosts
    const last = hosts.length - 1
    this.#swap(receiver === null ? stream.below(hosts.length) : hosts.indexOf(receiver), last)
    for (let index = 0; index < senders; index++) this.#swap(index, index + stream.below(last - index))
  }

  #swap(a: number, b: number): void {
    const hosts = this.#hosts
    const kept = hosts[a]!
    hosts[a] = hosts[b]!
    hosts[b] = kept
  }
}

/** Size of one of `parts` equal parts; the first ones are a byte larger where it does not divide evenly. */
function part(bytes: number, parts: number, index: number): number {
  return Math.floor(bytes / parts) + (index < bytes % parts ? 1 : 0)
}
