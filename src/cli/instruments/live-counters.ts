/**
 * Live counters: what the collector of a run in progress has read, looked at between slices of the run.
 */
import type { Simulation } from '../../lab/index.ts'
import { alarmText, CounterWatch, expositionOf, type Reading, readingsOf } from '../../doctor/index.ts'
import { rowsBetween, tableOfKind } from '../../core/results/index.ts'
import type { Scenario } from '../../lab/scenario/index.ts'
import { type Address, MetricsServer } from './metrics-server.ts'

/** Its values of the observer that reads counters, the first of them; undefined: none does. */
function collectorOf({
  observe,
}: Scenario): Extract<Scenario['observe'][number], { readonly kind: 'counters' }> | undefined {
  return observe.find((one) => one.kind === 'counters')
}

export class LiveCounters {
  /** The last of each counter. */
  readonly #last = new Map<string, Reading>()
  readonly #intervalPs: number
  #rows = 0
  #nextPs = 0
  #nowPs = 0
  #server: MetricsServer | undefined
  readonly #watch = new CounterWatch()
  readonly #say: ((line: string) => void) | undefined

  /** @param say receives a line for each alarm that begins or ends; undefined: nobody watches */
  constructor(scenario: Scenario, say: ((line: string) => void) | undefined) {
    this.#intervalPs = collectorOf(scenario)!.interval
    this.#say = say
  }

  /** Gives the metrics at an address. @returns where. Throws InputError for an address that cannot be used. */
  async serve(address: Address): Promise<string> {
    this.#server = await MetricsServer.open(address, () => this.#exposition())
    return this.#server.url
  }

  /** The metrics are no longer to be had. */
  close(): void {
    this.#server?.close()
  }

  /** Takes the readings that are new since the last call, at most once an interval. */
  take(simulation: Simulation): void {
    this.#nowPs = simulation.progress().nowPs
    if (this.#nowPs < this.#nextPs) return
    this.#nextPs = this.#nowPs + this.#intervalPs
    const series = simulation.tables([], 'counters').map(({ rows }) => rows)
    const table = tableOfKind({ series }, 'counters')!
    // A table with fewer rows was thinned.
    const added = readingsOf(rowsBetween(table, table.rowCount < this.#rows ? 0 : this.#rows, table.rowCount))
    this.#rows = table.rowCount
    for (const reading of added)
      this.#last.set(`${reading.device}\n${reading.port}\n${reading.priority}\n${reading.name}`, reading)
    if (this.#say !== undefined) this.#raise(added, this.#say)
  }

  /** Alarms that readings begin and end, poll by poll. */
  #raise(added: readonly Reading[], say: (line: string) => void): void {
    for (let from = 0; from < added.length;) {
      let to = from
      while (to < added.length && added[to]!.timeNs === added[from]!.timeNs) to++
      const { begun, ended } = this.#watch.push(added.slice(from, to))
      for (const alarm of begun) say(alarmText(alarm, true))
      for (const alarm of ended) say(alarmText(alarm, false))
      from = to
    }
  }

  /** The metrics of now, for Prometheus. */
  #exposition(): string {
    return expositionOf(this.#last.values(), this.#nowPs / 1e12)
  }
}
