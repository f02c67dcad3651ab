/**
 * Waits: the time that flows spent waiting, and where it began, from the tables of the observer `autopsy`.
 * Units: picoseconds.
 */
import {
  flowsOfMessages,
  numbersOf,
  originKinds,
  partsOf,
  type Result,
  spansOf,
  tableOfKind,
  textsOf,
} from '../../core/results/index.ts'

export type OriginKind = 'host' | 'storm' | 'switch' | 'nic' | 'link'

/** A place where waits of flows began. */
export interface OriginWaits {
  readonly kind: OriginKind
  readonly node: number
  /** Local index of the port; -1: none is named. */
  readonly port: number
  readonly name: string
  spanPs: number
  readonly flows: Set<number>
  /** By column of the part. */
  readonly parts: Map<string, number>
}

export class Waits {
  readonly #result: Result
  readonly #waitPs: Float64Array
  /** Columns of the parts that are waits. */
  readonly #waits: ReadonlySet<string>
  /** By row of the table of origins: the flow. */
  readonly #flowOf: Float64Array

  /** @param result with the columns of `autopsy` (isExplained) */
  constructor(result: Result) {
    this.#result = result
    const waits = partsOf(result.completion).filter(({ isWait }) => isWait)
    this.#waits = new Set(waits.map(({ column }) => column))
    const columns = waits.map((part) => spansOf(result, part))
    this.#waitPs = new Float64Array(result.flows.rowCount).map((_, row) => {
      const sum = columns.reduce((total, column) => total + column[row]!, 0)
      return Number.isNaN(sum) ? 0 : sum
    })
    const table = tableOfKind(result, 'autopsy/origins')
    this.#flowOf = table === undefined ? new Float64Array(0) : flowsOfMessages(result.flows, table)
  }

  /** Time that the flows waited. */
  of(flows: Iterable<number>): number {
    let sum = 0
    for (const flow of flows) sum += this.#waitPs[flow]!
    return sum
  }

  /** The same by column of the part. */
  parts(flows: Iterable<number>): Map<string, number> {
    const rows = [...flows]
    return new Map(
      partsOf(this.#result.completion)
        .filter(({ isWait }) => isWait)
        .map((part) => {
          const spansPs = spansOf(this.#result, part)
          return [part.column, rows.reduce((sum, row) => sum + (spansPs[row]! || 0), 0)]
        }),
    )
  }

  /** How many of the flows have waits of which not all have an origin. */
  withoutOrigin(flows: ReadonlySet<number>): number {
    const leftPs = this.#waitPs.slice()
    const table = tableOfKind(this.#result, 'autopsy/origins')
    if (table !== undefined) {
      const [parts, spans] = [textsOf(table, 'part'), numbersOf(table, 'spanPs')]
      this.#flowOf.forEach((flow, row) => {
        if (flow >= 0 && this.#waits.has(parts[row]!)) leftPs[flow]! -= spans[row]!
      })
    }
    return [...flows].filter((flow) => leftPs[flow]! > 0).length
  }

  /** Where it began, the longest first. */
  origins(flows: ReadonlySet<number>): OriginWaits[] {
    const table = tableOfKind(this.#result, 'autopsy/origins')
    if (table === undefined) return pauseOrigins(this.#result, flows)
    const [kinds, names, parts] = [textsOf(table, 'kind'), textsOf(table, 'origin'), textsOf(table, 'part')]
    const [nodes, ports, spans] = [numbersOf(table, 'node'), numbersOf(table, 'port'), numbersOf(table, 'spanPs')]
    const found = new Collected()
    this.#flowOf.forEach((flow, row) => {
      if (!flows.has(flow) || !this.#waits.has(parts[row]!)) return
      const origin = { kind: kinds[row]! as OriginKind, node: nodes[row]!, port: ports[row]!, name: names[row]! }
      found.add(origin, flow, parts[row]!, spans[row]!)
    })
    return found.sorted()
  }
}

/** The origins of pauses, in results of versions that knew no others. */
function pauseOrigins(result: Result, flows: ReadonlySet<number>): OriginWaits[] {
  const table = result.flows
  const [names, spans, kinds] = [textsOf(table, 'pausedBy'), numbersOf(table, 'pausedByPs'), originKinds(table)]
  const found = new Collected()
  for (const flow of flows) {
    if (names[flow] === '') continue
    const kind = kinds[flow] === 'host' ? 'host' : 'switch'
    found.add({ kind, node: -1, port: -1, name: names[flow]! }, flow, 'pausedPs', spans[flow]!)
  }
  return found.sorted()
}

class Collected {
  readonly #found = new Map<string, OriginWaits>()

  add(origin: Pick<OriginWaits, 'kind' | 'node' | 'port' | 'name'>, flow: number, part: string, spanPs: number): void {
    const key = `${origin.kind} ${origin.node} ${origin.port} ${origin.name}`
    const known = this.#found.get(key) ?? {
      ...origin,
      spanPs: 0,
      flows: new Set<number>(),
      parts: new Map<string, number>(),
    }
    this.#found.set(key, known)
    known.spanPs += spanPs
    known.flows.add(flow)
    known.parts.set(part, (known.parts.get(part) ?? 0) + spanPs)
  }

  /** The longest first. */
  sorted(): OriginWaits[] {
    return [...this.#found.values()].toSorted((a, b) => b.spanPs - a.spanPs || (a.name < b.name ? -1 : 1))
  }
}
