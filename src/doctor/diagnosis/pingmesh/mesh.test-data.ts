/** Logs for tests: four racks of four hosts, two racks a podset, with the fate of each probe given by the test. */
import { logOf, type Outcome, type Probe, type ProbeLog } from './log.ts'

export interface Fate {
  readonly outcome?: Outcome
  readonly rttNs?: number
}
export interface At {
  readonly from: number
  readonly to: number
  readonly scope: string
  readonly port: number
  /** From 0, one after the other. */
  readonly round: number
}

export const HOSTS = 16
export const name = (host: number): string => `host ${host}`
export const rackOf = (host: number): number => host >> 2
const BASE_NS: Readonly<Record<string, number>> = { tor: 8000, podset: 14_000, fabric: 20_000 }
export const ROUNDS = 400
export const ROUND_NS = 10_000

/** All hosts probe a host of each scope in each round. The round trip varies with the round by up to 40 %. */
export function meshLog(fateOf: (at: At) => Fate = () => ({})): ProbeLog {
  const probes: Probe[] = []
  for (let round = 0; round < ROUNDS; round++) {
    for (let from = 0; from < HOSTS; from++) {
      const peers = {
        tor: (from & ~3) | ((from + 1 + (round % 3)) & 3),
        podset: ((from ^ 4) & ~3) | (round & 3),
        fabric: ((from ^ 8) & 8) | (round & 7),
      }
      for (const [scope, to] of Object.entries(peers)) {
        const port = 50_000 + ((round >> 4) & 3)
        const usualNs = BASE_NS[scope]! * (1 + ((round * 37 + from) % 41) / 100)
        const { outcome = 'ok', rttNs = usualNs } = fateOf({ from, to, scope, port, round })
        probes.push({
          timeNs: round * ROUND_NS + from * 100,
          source: name(from),
          destination: name(to),
          scope,
          sourcePort: port,
          rttNs: outcome === 'ok' ? rttNs : NaN,
          outcome,
          ageNs: outcome === 'unfinished' ? (ROUNDS - round) * ROUND_NS : 2_000_000,
        })
      }
    }
  }
  return logOf(probes)
}
