/**
 * Lateness in jobs: of each round of a collective, and of each of its steps where operations were logged, how far its last
 * rank was behind the median one. Units: picoseconds.
 */
import { numbersOf, type Result, tableOfKind, textsOf } from '../../core/results/index.ts'

export interface Lateness {
  readonly tag: string
  readonly iteration: number
  /** -1: the whole round. */
  readonly step: number
  readonly rank: number
  readonly rankName: string
  /** "leaf 0 port 3": the switch port of its host; "": not known. */
  readonly port: string
  readonly latePs: number
}

/** The latest first; rounds, then steps. */
export function latenessOf(result: Result): { readonly rounds: Lateness[]; readonly steps: Lateness[] } {
  const ports = portsOf(result)
  const sorted = (all: Lateness[]): Lateness[] => all.toSorted((a, b) => b.latePs - a.latePs)
  return { rounds: sorted(roundsOf(result, ports)), steps: sorted(stepsOf(result, ports)) }
}

/** By job and rank. */
function portsOf(result: Result): Map<string, string> {
  const table = tableOfKind(result, 'ranks')
  if (table === undefined) return new Map()
  const [ranks, ports, peers] = [numbersOf(table, 'rank'), numbersOf(table, 'port'), textsOf(table, 'peerName')]
  return new Map(
    textsOf(table, 'tag').map((tag, row) => [`${tag} ${ranks[row]!}`, `${peers[row]!} port ${ports[row]!}`]),
  )
}

function roundsOf(result: Result, ports: ReadonlyMap<string, string>): Lateness[] {
  const table = tableOfKind(result, 'collectives')
  if (table === undefined) return []
  const [tags, names] = [textsOf(table, 'tag'), textsOf(table, 'lastName')]
  const at = (name: string, row: number): number => numbersOf(table, name)[row]!
  return tags.flatMap((tag, row): Lateness[] => {
    const latePs = at('donePs', row) - at('medianDonePs', row)
    if (Number.isNaN(latePs)) return []
    const rank = at('lastRank', row)
    const port = ports.get(`${tag} ${rank}`) ?? ''
    return [{ tag, iteration: at('iteration', row), step: -1, rank, rankName: names[row]!, port, latePs }]
  })
}

/** A step ends on a rank with its last receive. */
function stepsOf(result: Result, ports: ReadonlyMap<string, string>): Lateness[] {
  const table = tableOfKind(result, 'operations')
  if (table === undefined) return []
  const [tags, kinds, hosts] = [textsOf(table, 'tag'), textsOf(table, 'kind'), textsOf(table, 'rankName')]
  const [ranks, donePs] = [numbersOf(table, 'rank'), numbersOf(table, 'donePs')]
  const [iterations, steps] = [numbersOf(table, 'iteration'), numbersOf(table, 'step')]
  /** By step: the row of each rank's last receive. */
  const ends = new Map<string, Map<number, number>>()
  tags.forEach((tag, row) => {
    if (kinds[row] !== 'receive' || iterations[row]! < 0 || Number.isNaN(donePs[row]!)) return
    const key = `${iterations[row]!} ${steps[row]!} ${tag}`
    const own = ends.get(key) ?? new Map<number, number>()
    ends.set(key, own)
    const known = own.get(ranks[row]!)
    if (known === undefined || donePs[row]! >= donePs[known]!) own.set(ranks[row]!, row)
  })
  return [...ends.values()].flatMap((own): Lateness[] => {
    const rows = [...own.values()].toSorted((a, b) => donePs[a]! - donePs[b]! || a - b)
    const last = rows.at(-1)!
    const latePs = donePs[last]! - donePs[rows[rows.length >> 1]!]!
    if (latePs === 0) return []
    const [tag, rank] = [tags[last]!, ranks[last]!]
    const port = ports.get(`${tag} ${rank}`) ?? ''
    return [{ tag, iteration: iterations[last]!, step: steps[last]!, rank, rankName: hosts[last]!, port, latePs }]
  })
}
