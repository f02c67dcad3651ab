/**
 * Hops of flows: the ports that the packet which completed a flow left by, and who went before it there. From the table of
 * the observer `autopsy`.
 */
import { numbersOf, type Result, type Table, tableOfKind, textsOf } from '../../core/results/index.ts'

export interface FlowHop {
  /** "leaf 0 port 3". */
  readonly port: string
  readonly startPs: number
  readonly queuePs: number
  readonly pausedPs: number
  /** Where most of the pause began; "": nowhere known. */
  readonly pausedBy: string
  /** "flow 3", or "queue pair 2" where that carries several; most time first. */
  readonly before: readonly { readonly name: string; readonly spanPs: number }[]
  /** The rest of `queuePs`. */
  readonly othersPs: number
}

export class FlowHops {
  readonly #table: Table | undefined
  /** By queue pair: rows of the table by number of the message. */
  readonly #rows = new Map<number, Map<number, number[]>>()
  readonly #pairs: Float64Array
  /** By flow: its number among the messages of its queue pair. */
  readonly #numbers: Float64Array
  /** By queue pair: the flow that it carries, -1: several. */
  readonly #only = new Map<number, number>()

  constructor(result: Result) {
    this.#table = tableOfKind(result, 'autopsy/hops')
    this.#pairs = numbersOf(result.flows, 'pair')
    const counts = new Map<number, number>()
    this.#numbers = this.#pairs.map((pair, flow) => {
      const number = counts.get(pair) ?? 0
      counts.set(pair, number + 1)
      this.#only.set(pair, number === 0 ? flow : -1)
      return number
    })
    if (this.#table === undefined) return
    const [pairs, messages] = [numbersOf(this.#table, 'pair'), numbersOf(this.#table, 'message')]
    pairs.forEach((pair, row) => {
      const ofPair = this.#rows.get(pair) ?? new Map<number, number[]>()
      this.#rows.set(pair, ofPair)
      const rows = ofPair.get(messages[row]!)
      if (rows === undefined) ofPair.set(messages[row]!, [row])
      else rows.push(row)
    })
  }

  /** In the order of the path; empty where the table has left them out. @param flow row of the flow table */
  of(flow: number): FlowHop[] {
    const table = this.#table
    if (table === undefined) return []
    const rows = this.#rows.get(this.#pairs[flow]!)?.get(this.#numbers[flow]!) ?? []
    const at = (name: string, row: number): number => numbersOf(table, name)[row]!
    return rows.map((row) => ({
      port: `${textsOf(table, 'nodeName')[row]!} port ${at('port', row)}`,
      startPs: at('startPs', row),
      queuePs: at('queuePs', row),
      pausedPs: at('pausedPs', row),
      pausedBy: textsOf(table, 'pausedBy')[row]!,
      before: [1, 2, 3].flatMap((i) => {
        const [pair, spanPs] = [at(`before${i}`, row), at(`before${i}Ps`, row)]
        return pair < 0 || spanPs === 0 ? [] : [{ name: this.#nameOf(pair), spanPs }]
      }),
      othersPs: at('beforeOthersPs', row),
    }))
  }

  /** Queue pairs whose packets went before those that completed the flow, most time first. @param flow row of the flow table */
  blockersOf(flow: number): { readonly pair: number; readonly spanPs: number }[] {
    const table = this.#table
    if (table === undefined) return []
    const sums = new Map<number, number>()
    for (const row of this.#rows.get(this.#pairs[flow]!)?.get(this.#numbers[flow]!) ?? []) {
      for (const i of [1, 2, 3]) {
        const pair = numbersOf(table, `before${i}`)[row]!
        if (pair >= 0) sums.set(pair, (sums.get(pair) ?? 0) + numbersOf(table, `before${i}Ps`)[row]!)
      }
    }
    return [...sums].map(([pair, spanPs]) => ({ pair, spanPs })).toSorted((a, b) => b.spanPs - a.spanPs)
  }

  #nameOf(pair: number): string {
    const flow = this.#only.get(pair) ?? -1
    return flow < 0 ? `queue pair ${pair}` : `flow ${flow}`
  }
}
