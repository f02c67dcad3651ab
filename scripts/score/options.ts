/**
 * Options of the command line.
 */
import { parseArgs } from 'node:util'
import { EXAM_NAMES, type ExamName, EXAMS } from './exams.ts'
import { type Form, FORMS, NO_SEEDS, type SeedRange } from './seeds.ts'
import type { Kind } from './truth.ts'

export interface Options {
  readonly exam: ExamName
  readonly wanted: readonly { readonly form: Form; readonly seed: number }[]
  readonly kinds: readonly Kind[] | undefined
  readonly json: boolean
  /** Seed of an incident to show; null: scores are made. */
  readonly show: number | null
}

/** Options, or what is wrong with them. */
export function optionsOf(args: readonly string[]): Options | string {
  const parsed = valuesOf(args)
  if (typeof parsed === 'string') return parsed
  const { values, positionals } = parsed
  const [first = 'why', ...more] = positionals
  const sought = first === 'origins' && values.vendors ? 'vendors' : first
  const exam = EXAM_NAMES.find((name) => name === sought)
  if (exam === undefined || more.length > 0)
    return `expected one of ${EXAM_NAMES.join()}, received ${positionals.join()}`
  const { generator, scored } = EXAMS[exam]
  const given = { incident: values.seeds, healthy: values.healthy, loaded: values.loaded }
  const ranges = FORMS.map((form) => ({ form, range: rangeOf(given[form], scored[form]) }))
  const wrong = ranges.find(({ range }) => range === undefined)
  if (wrong !== undefined) return `expected seeds such as 10000-10060, received ${given[wrong.form]!}`
  const kinds = values.kinds?.split(',')
  const isKind = (name: string): name is Kind => (generator.kinds as readonly string[]).includes(name)
  if (kinds !== undefined && !kinds.every(isKind))
    return `expected kinds of ${generator.kinds.join()}, received ${kinds.join()}`
  const show = values.show === undefined ? null : Number(values.show)
  if (show !== null && !isSeed(show)) return `expected a seed, received ${values.show!}`
  const wanted = ranges.flatMap(({ form, range }) =>
    Array.from({ length: Math.max(0, range!.to - range!.from + 1) }, (_, i) => ({ form, seed: range!.from + i })),
  )
  return { exam, wanted, kinds: kinds as Kind[] | undefined, json: values.json, show }
}

/** Options as texts, or what is wrong with them. */
function valuesOf(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        seeds: { type: 'string' },
        healthy: { type: 'string' },
        loaded: { type: 'string' },
        kinds: { type: 'string' },
        json: { type: 'boolean', default: false },
        show: { type: 'string' },
        vendors: { type: 'boolean', default: false },
      },
    })
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

function rangeOf(text: string | undefined, standard: SeedRange): SeedRange | undefined {
  if (text === undefined) return standard
  if (text === 'none') return NO_SEEDS
  const [from, to = from] = text.split('-').map(Number) as [number, number?]
  return isSeed(from) && isSeed(to) && from <= to ? { from, to } : undefined
}

const isSeed = (value: number): boolean => Number.isSafeInteger(value) && value >= 0
