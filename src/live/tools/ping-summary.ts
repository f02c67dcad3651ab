/** Results of probes: rows of the log that `rocelab pingmesh` reads, and figures of each pair of hosts. */
import { knownQuantile, quantileOfSorted, sortedValues } from '../../core/results/quantiles.ts'
import type { Probe } from './prober.ts'

/** One host that probes another. */
export interface PingRoute {
  readonly source: string
  readonly destination: string
  /** `tor`: on the same switch; `fabric`: not, or not known. */
  readonly scope: 'tor' | 'fabric'
}

export const LOG_HEAD = 'time,source,destination,scope,source_port,traffic_class,status,rtt_ns,age_ns\n'

/** @param startUs instant of picosecond 0, microseconds since the beginning of 1970 */
export function logRow({ source, destination, scope }: PingRoute, probe: Probe, startUs: number): string {
  const { port, atPs, status, rttPs, agePs } = probe
  const us = startUs + Math.floor(atPs / 1e6)
  const instant = `${new Date(Math.floor(us / 1e3)).toISOString().slice(0, -1)}${`${us % 1e3}`.padStart(3, '0')}Z`
  const rttNs = Number.isNaN(rttPs) ? '' : Math.round(rttPs / 1e3)
  return `${[instant, source, destination, scope, port, 0, status, rttNs, Math.round(agePs / 1e3)].join(',')}\n`
}

export interface PingFigures extends PingRoute {
  readonly sent: number
  /** Without an answer; those that had no end yet, or were behind a lost one, are not counted. */
  readonly lost: number
  readonly p50Us: number
  /** NaN of fewer than a hundred. */
  readonly p99Us: number
  readonly maxUs: number
}

/** Probes of one pair of hosts, whose round trips are kept up to a number. */
export class PingTally {
  readonly #route: PingRoute
  readonly #times: number[] = []
  #sent = 0
  #lost = 0

  constructor(route: PingRoute) {
    this.#route = route
  }

  add({ status, rttPs }: Probe): void {
    if (status === 'unfinished' || status === 'flushed') return
    this.#sent++
    if (status !== 'ok') this.#lost++
    // If there are very many, the last ones count.
    else if (this.#times.length < TIMES_MAX) this.#times.push(rttPs / 1e6)
    else this.#times[this.#sent % TIMES_MAX] = rttPs / 1e6
  }

  get figures(): PingFigures {
    const sorted = sortedValues(this.#times)
    const [p50Us, maxUs] = [quantileOfSorted(sorted, 0.5), quantileOfSorted(sorted, 1)]
    return { ...this.#route, sent: this.#sent, lost: this.#lost, p50Us, p99Us: knownQuantile(sorted, 0.99), maxUs }
  }
}

const TIMES_MAX = 1_000_000

/** A host of a mesh file: name, address, and the switch that it is on, if that is known. */
export interface MeshHost {
  readonly name: string
  readonly address: string
  readonly tor: string | null
}

/** Lines of NAME ADDRESS [TOR]; # begins a comment. Gives the number of the first line that is wrong instead. */
export function readMesh(text: string): readonly MeshHost[] | number {
  const hosts: MeshHost[] = []
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    const words = line.replace(/#.*/, '').trim()
    if (words === '') continue
    const [, name, address, tor] = /^([^\s,"]+)\s+([^\s,"]+)(?:\s+([^\s,"]+))?$/.exec(words) ?? []
    if (name === undefined || address === undefined || hosts.some((host) => host.name === name)) return at + 1
    hosts.push({ name, address, tor: tor ?? null })
  }
  return hosts
}

export function routeBetween(source: MeshHost, destination: MeshHost): PingRoute {
  const scope = source.tor !== null && source.tor === destination.tor ? 'tor' : 'fabric'
  return { source: source.name, destination: destination.name, scope }
}
