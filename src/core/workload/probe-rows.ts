/** Probe rows: what a prober keeps of each of its probes, by the number of the message. */
import type { Failure, Probe, ProbeScope } from './probe.ts'
import type { Message } from './workload.ts'

interface Row extends Omit<Probe, 'status' | 'rttPs' | 'agePs'> {
  /** Latency of both hosts, which comes on top of what the network takes. */
  readonly addedPs: number
  /** NaN: it has not ended. */
  endPs: number
  status: Probe['status']
}

export class ProbeRows {
  readonly #rows: Row[] = []

  get count(): number {
    return this.#rows.length
  }

  add(m: Message, scope: ProbeScope, addedPs: number): void {
    const { startPs, source, destination, sourcePort, destinationPort, trafficClass } = m
    const labels = { sourcePort, destinationPort, trafficClass }
    this.#rows.push({ startPs, source, destination, scope, ...labels, addedPs, endPs: NaN, status: 'unfinished' })
  }

  /** Only the first end of a probe counts. */
  end(nowPs: number, number: number, status: 'ok' | Failure): void {
    const row = this.#rows[number]!
    if (row.status !== 'unfinished') return
    row.endPs = nowPs
    row.status = status
  }

  probes(nowPs: number): readonly Probe[] {
    return this.#rows.map(({ endPs, addedPs, ...row }) => ({
      ...row,
      rttPs: row.status === 'ok' ? endPs - row.startPs + addedPs : NaN,
      agePs: (row.status === 'unfinished' ? nowPs : endPs) - row.startPs,
    }))
  }
}
