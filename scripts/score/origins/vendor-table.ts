/**
 * Table of vendors: recall by neutral readings and by the forms of vendors, of the same runs: by kind, by lost polls and by
 * vendors of the devices at which the causes are.
 */
import { textTable } from '../../../src/show/index.ts'
import { shareText } from '../table.ts'
import { ORIGIN_KINDS } from '../truth.ts'
import type { OriginScore } from './one.ts'
import type { Graded } from './right.ts'
import { originsText } from './table.ts'
import { VENDORS_OF } from './vendors.ts'

const isNamed = ({ confidence }: Graded): boolean => confidence !== 'low'

/** Everything that was injected is named. @param kind of the causes that count; undefined: all */
function isHit({ drawn }: OriginScore, said: readonly Graded[], kind?: string): boolean {
  return drawn.causes.every(
    (cause, i) => (kind !== undefined && cause.kind !== kind) || said.some((one) => isNamed(one) && one.names === i),
  )
}

/** Whether a cause is at a device of the vendor, or at a port of one. Vendors of devices are in the order of nodes. */
function isAt({ drawn, damage }: OriginScore, vendor: string): boolean {
  const vendors = Object.values(damage.vendors ?? {})
  const nodes = drawn.causes.flatMap((cause) => [...cause.nodes, ...cause.ports.map(({ node }) => node)])
  return nodes.some((node) => vendors[node] === vendor)
}

function rowOf(label: string, scores: readonly OriginScore[], kind?: string): string[] {
  const neutral = scores.filter((score) => isHit(score, score.neutral ?? [], kind)).length
  const vendor = scores.filter((score) => isHit(score, score.said, kind)).length
  const names = (all: readonly Graded[]): Graded[] => all.filter((one) => isNamed(one) && !one.isTolerated)
  const precision = (of: (score: OriginScore) => readonly Graded[]): string => {
    const own = scores.flatMap((score) => names(of(score)))
    return shareText(own.filter((one) => one.names >= 0).length, own.length)
  }
  return [
    label,
    String(scores.length),
    shareText(neutral, scores.length),
    shareText(vendor, scores.length),
    precision((score) => score.neutral ?? []),
    precision((score) => score.said),
  ]
}

/** The table of origins by the forms of vendors, and behind it neutral readings and these beside each other. */
export function vendorsText(scores: readonly OriginScore[]): string {
  const incidents = scores.filter(({ form }) => form === 'incident')
  const healthy = scores.filter(({ form }) => form === 'healthy')
  const accused = healthy.filter(({ neutral }) => neutral?.some(isNamed)).length
  const vendors = [...VENDORS_OF.hosts, ...VENDORS_OF.switches].map(({ vendor }) => vendor)
  const rows = [
    ...ORIGIN_KINDS.map((kind) =>
      rowOf(
        kind,
        incidents.filter(({ drawn }) => drawn.causes.some((cause) => cause.kind === kind)),
        kind,
      ),
    ),
    ...[0, 0.1, 0.3].map((lost) =>
      rowOf(
        `${100 * lost} % of polls lost`,
        incidents.filter(({ damage }) => damage.lost === lost),
      ),
    ),
    ...vendors.map((vendor) =>
      rowOf(
        `at ${vendor}`,
        incidents.filter((score) => isAt(score, vendor)),
      ),
    ),
    rowOf('all', incidents),
  ]
  const heads = ['incidents', 'runs', 'neutral recall', 'vendor recall', 'neutral precision', 'vendor precision']
  const columns = heads.map((head, i) => ({ head, align: i === 0 ? ('left' as const) : ('right' as const) }))
  return `${originsText(scores)}\n${textTable(
    columns,
    rows.filter(([, count]) => count !== '0'),
  )}\nhealthy runs with somebody accused by neutral readings: ${accused} of ${healthy.length}\n`
}
