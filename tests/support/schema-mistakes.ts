/**
 * A small reading of JSON Schema 2020-12, independent of the code that writes our schema: the keywords it uses, no
 * more. A keyword it does not know is an error, so that none passes unread.
 */
type Json = Readonly<Record<string, unknown>>

const SILENT = new Set(['$schema', '$defs', 'title', 'description', 'default'])

/** Where and why `value` breaks `schema`; empty when it is valid. */
export function schemaMistakes(schema: object, value: unknown): string[] {
  return check(schema as Json, value, '', schema as Json)
}

function check(schema: Json, value: unknown, path: string, root: Json): string[] {
  return Object.entries(schema).flatMap(([keyword, rule]) => checkKeyword(keyword, rule, schema, value, path, root))
}

function checkKeyword(
  keyword: string,
  rule: unknown,
  schema: Json,
  value: unknown,
  path: string,
  root: Json,
): string[] {
  const fail = (isWrong: boolean, why: string): string[] => (isWrong ? [`${path}: ${why}`] : [])
  const record = typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined
  switch (keyword) {
    case '$ref': {
      const steps = String(rule).split('/').slice(1)
      return check(
        steps.reduce((at, step) => at[step] as Json, root),
        value,
        path,
        root,
      )
    }
    case 'type':
      return fail(!isOfType(rule as string, value), `no ${rule as string}`)
    case 'const':
      return fail(value !== rule, 'another constant')
    case 'enum':
      return fail(!(rule as unknown[]).includes(value), 'not in the enumeration')
    case 'pattern':
      return fail(typeof value === 'string' && !new RegExp(rule as string, 'u').test(value), 'not like the pattern')
    case 'minimum':
      return fail(typeof value === 'number' && value < (rule as number), `below ${rule as number}`)
    case 'maximum':
      return fail(typeof value === 'number' && value > (rule as number), `above ${rule as number}`)
    case 'minItems':
      return fail(Array.isArray(value) && value.length < (rule as number), `fewer than ${rule as number}`)
    case 'maxItems':
      return fail(Array.isArray(value) && value.length > (rule as number), `more than ${rule as number}`)
    case 'items':
      return Array.isArray(value) ? value.flatMap((item, i) => check(rule as Json, item, `${path}.${i}`, root)) : []
    case 'required':
      return record === undefined
        ? []
        : (rule as string[]).flatMap((name) => fail(!Object.hasOwn(record, name), `${name} is missing`))
    case 'properties':
      return Object.entries(rule as Record<string, Json>).flatMap(([name, inner]) =>
        record !== undefined && Object.hasOwn(record, name) ? check(inner, record[name], `${path}.${name}`, root) : [],
      )
    case 'additionalProperties': {
      const known = Object.keys((schema['properties'] ?? {}) as Json)
      return Object.keys(record ?? {}).flatMap((name) => (known.includes(name) ? [] : [`${path}.${name}: not allowed`]))
    }
    case 'anyOf':
      return fail(
        !(rule as Json[]).some((inner) => check(inner, value, path, root).length === 0),
        'none of the alternatives',
      )
    default:
      return fail(!SILENT.has(keyword), `keyword ${keyword} is not known here`)
  }
}

function isOfType(type: string, value: unknown): boolean {
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value)
  return typeof value === type
}
