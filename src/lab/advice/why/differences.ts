/**
 * Differences of two scenarios as suspects: each setting of the slower one, with the value that the faster one has.
 */
import { printScenario, type Scenario } from '../../scenario/index.ts'
import { flowText, kindOfPath, type Suspect } from './suspect.ts'

/** Keys that change no event. */
const APART: ReadonlySet<string> = new Set(['name', 'description', 'observe'])

export interface Difference {
  readonly path: string
  readonly now: unknown
  readonly faster: unknown
}

export function differencesOf(from: Scenario, to: Scenario): Suspect[] {
  const [a, b] = [from, to].map((one) => printScenario(one) as Fields) as [Fields, Fields]
  return Object.keys(a)
    .filter((key) => !APART.has(key))
    .flatMap((key) => differences(key, a[key], b[key]))
    .map(({ path, now, faster }): Suspect => ({
      kind: kindOfPath(path),
      stage: 'odd',
      subject: { path },
      others: [],
      sides: new Set(['declared']),
      now: flowText(now),
      usual: flowText(faster),
      sets: () => [`${path}=${flowText(faster)}`],
      nodes: [],
      weight: 1,
    }))
}

type Fields = Readonly<Record<string, unknown>>

function fieldsOf(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null
}

/** Paths at which two printed values differ; variants of another kind, changes of another path and lists of another length as a whole. */
export function differences(path: string, now: unknown, faster: unknown): Difference[] {
  if (JSON.stringify(now) === JSON.stringify(faster)) return []
  if (Array.isArray(now) && Array.isArray(faster) && now.length === faster.length)
    return now.flatMap((item, i) => differences(`${path}.${i}`, item, faster[i]))
  const [own, other] = [fieldsOf(now), fieldsOf(faster)]
  if (own === null || other === null || own['kind'] !== other['kind'] || own['path'] !== other['path'])
    return [{ path, now: bare(now), faster: bare(faster) }]
  return Object.keys(own).flatMap((key) => differences(`${path}.${key}`, own[key], other[key]))
}

/** A kind with no values of its own is its name. */
function bare(value: unknown): unknown {
  const fields = fieldsOf(value)
  return fields !== null && 'kind' in fields && Object.keys(fields).length === 1 ? fields['kind'] : value
}
