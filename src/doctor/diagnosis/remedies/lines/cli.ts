/**
 * Commands in configuration mode, each behind the lines of the blocks that it stands in, as several languages have them. A
 * policy or map that decides is changed where it is, under the name that the device has for it.
 */
import { percentOf } from '../../../devices/writers/cli/config-lines.ts'
import { type Path, type Row, type Said, safe, type Target } from './target.ts'

/** Begins names of this project, where a device has none for what is needed. */
export const OWN = 'rocelab'
const MARKING = ['marks', 'kminBytes', 'kmaxBytes', 'pmaxRatio']
export const MARKING_FIELDS = MARKING.map((field) => `classes.*.${field}`)
export const USUAL_PERCENT = 5

export const paths = (...each: readonly Path[]): Said => ({ paths: each })

/** A line at the port. */
export const atPort =
  (line: (target: Target, slot: number) => string) =>
  (target: Target, slot: number): Said =>
    paths([`interface ${target.name}`, line(target, slot)])

/** MTU and pauses of the whole link. */
export const common = (sendPause: string): Row[] => [
  { fields: ['mtuBytes'], say: atPort((target) => `mtu ${target.text('mtuBytes')}`) },
  ...(
    [
      ['takesGlobalPause', 'receive'],
      ['sendsGlobalPause', sendPause],
    ] as const
  ).map(([field, word]): Row => ({
    fields: [field],
    say: atPort((target) => `flowcontrol ${word} ${target.at(field) === true ? 'on' : 'off'}`),
  })),
]

export interface InputWords {
  readonly classMap: string
  readonly policyMap: string
  readonly class: string
  readonly set: string
  readonly match: string
  /** Group that a class gives its packets; '': nobody knows. */
  readonly groupOf: (target: Target, slot: number) => string
}

/** A class of its own for the DSCP, before all others of the policy. */
export function byPolicy(target: Target, d: number, words: InputWords): Said | null {
  const policy = target.named('input policy')
  const to = target.at(`dscpToClass.${d}`) as number
  const group = words.groupOf(target, to)
  if (policy === '' || group === '') return null
  const name = `${OWN}-dscp-${d}`
  const first = target.named('first class')
  const before = first === '' || first === name ? '' : ` insert-before ${first}`
  return {
    ...paths(
      [`${words.classMap} ${name}`, `${words.match} ${d}`],
      [`${words.policyMap} ${policy}`, `${words.class} ${name}${before}`, `${words.set} ${group}`],
    ),
    also: target.alike(target.sharing('input policy'), [`dscpToClass.${d}`]),
  }
}

/** The name that most other ports apply, at a port that applies none. @param fields that follow from it */
export function applied(
  target: Target,
  purpose: string,
  fields: readonly string[],
  line: (name: string) => string,
): Said | null {
  const donor = target.named(purpose) === '' ? target.donor(purpose) : undefined
  if (donor === undefined) return null
  return {
    ...paths([`interface ${target.name}`, line(safe(donor.names![purpose]!))]),
    also: target.asAt(donor, fields),
  }
}

export const CLASSIFIED = ['trust', 'classifies']

interface Marks {
  readonly kmin: number
  readonly kmax: number
  /** Undefined: not known. */
  readonly percent: number | undefined
}

/** Undefined: the thresholds are not known. */
export function marksOf(target: Target, slot: number): Marks | undefined {
  const of = (field: string): number | undefined => target.at(`classes.${slot}.${field}`) as number | undefined
  const [kmin, kmax, pmax] = [of('kminBytes'), of('kmaxBytes'), of('pmaxRatio')]
  if (kmin === undefined || kmax === undefined) return undefined
  return { kmin, kmax, percent: pmax === undefined ? undefined : percentOf(pmax) }
}

export const marksHere = (slot: number): string[] => MARKING.map((field) => `classes.${slot}.${field}`)
