/**
 * Random values of any param, for property tests: within all limits, often the default, sometimes the edge.
 * Rules over several values, and texts that a model parses, are not known here: `overrides` gives those.
 */
import { fc } from './properties.ts'
import { defaultOf, isLike, type Param, type ParamFields, type ValueOf } from '../../src/core/base/params.ts'

/**
 * Arbitraries in place of the generated ones, by path. Definitions of a variant and items of a list are no steps of
 * their own: "switch.buffer.alpha", "workload.load".
 */
export type Overrides = Readonly<Record<string, fc.Arbitrary<unknown>>>

/** Random values of `param`. Small lists; required values always, others with their default every second time. */
export function arbitraryOf<P extends Param>(param: P, overrides: Overrides = {}): fc.Arbitrary<ValueOf<P>> {
  return build(param, '', overrides) as fc.Arbitrary<ValueOf<P>>
}

function build(param: Param, path: string, overrides: Overrides): fc.Arbitrary<unknown> {
  const replaced = overrides[path]
  if (replaced !== undefined) return replaced
  if (isLike(param)) return fc.oneof({ weight: 6, arbitrary: fc.constant(null) }, whole(param, path, overrides))
  return whole(param, path, overrides)
}

function whole(param: Param, path: string, overrides: Overrides): fc.Arbitrary<unknown> {
  if (param.type === 'group') return fields(param.fields, path, overrides)
  if (param.type === 'variant') {
    return fc.oneof(
      ...param.definitions.map((definition) =>
        fields(definition.params, path, overrides).map((values) => ({ kind: definition.name, ...values })),
      ),
    )
  }
  const standard = defaultOf(param)
  const random = scalar(param, path, overrides)
  return standard === undefined ? random : fc.oneof(fc.constant(standard), random)
}

function fields(params: ParamFields, path: string, overrides: Overrides): fc.Arbitrary<Record<string, unknown>> {
  const members: Record<string, fc.Arbitrary<unknown>> = {}
  for (const [name, param] of Object.entries(params)) {
    members[name] = build(param, path === '' ? name : `${path}.${name}`, overrides)
  }
  return fc.record(members, { noNullPrototype: true })
}

function scalar(
  param: Exclude<Param, { type: 'group' | 'variant' }>,
  path: string,
  overrides: Overrides,
): fc.Arbitrary<unknown> {
  switch (param.type) {
    case 'flag':
      return fc.boolean()
    case 'choice':
      return fc.constantFrom(...param.choices)
    case 'text': {
      const words = fc.oneof(
        fc.string(),
        fc.string({ unit: 'binary' }),
        fc.constantFrom('off', 'null', '1', '1e3', 'a: b', '# x', '-', '0x1F', 'yes', '~', ' x ', 'a\nb'),
      )
      return param.off
        ? fc.oneof(
            fc.constant(null),
            words.filter((word) => word !== 'off'),
          )
        : words
    }
    case 'list':
      return fc.array(build(param.item, path, overrides), { minLength: param.minItems, maxLength: param.minItems + 3 })
    default:
      return number(param)
  }
}

function number(param: Extract<Param, { min?: number }>): fc.Arbitrary<unknown> {
  const min = param.min ?? 0
  const isWhole = param.type !== 'ratio' && param.type !== 'rate'
  const largest = param.type === 'rate' ? 1e15 : param.type === 'ratio' ? Number.MAX_VALUE : Number.MAX_SAFE_INTEGER
  const max = param.max ?? largest
  const some = isWhole
    ? fc.oneof(fc.integer({ min, max }), fc.integer({ min, max: Math.min(max, min + 100) }))
    : fc.double({ min, max, noNaN: true }).map((value) => (value === 0 ? 0 : value))
  return param.off ? fc.oneof(fc.constant(null), some) : some
}
