/**
 * JSON Schema 2020-12 of a param tree, for editors: completion, hover help, and most mistakes while typing.
 * Weaker than the parser: it cannot express limits of quantities, nor rules over several values.
 */
import { defaultOf, isLike, type Definition, type Param, type ParamFields } from '../../core/base/params.ts'
import { LENGTH_NAMES, unitNames, type QuantityType } from '../../core/base/units.ts'
import { printParam } from './text/print.ts'
import { isQuantityType, limitsOf } from './text/wording.ts'

type Schema = Record<string, unknown>

/** Further spellings of units that the parser accepts. */
const SPELLINGS: Readonly<Record<QuantityType, readonly string[]>> = {
  rate: ['b/s', 'kbps', 'kb/s', 'Kb/s', 'Mb/s', 'Gb/s', 'Tb/s'],
  duration: [],
  size: ['kB'],
}

/** The schema of texts that `param` reads. */
export function paramJsonSchema(param: Param, title: string): object {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title,
    ...schemaOf(param),
    $defs: {
      rate: quantitySchema('rate'),
      duration: quantitySchema('duration'),
      size: quantitySchema('size'),
      off: { const: 'off' },
      propagation: quantitySchema('duration', LENGTH_NAMES),
      fraction: { type: 'string', pattern: '^\\s*(\\d+(\\.\\d+)?\\s*/\\s*\\d+(\\.\\d+)?|2\\s*\\^\\s*-?\\d{1,2})\\s*$' },
      fileOfItems: {
        type: 'object',
        properties: { file: { type: 'string', description: 'a text file, one item per line; # starts a comment' } },
        required: ['file'],
        additionalProperties: false,
      },
    },
  }
}

function quantitySchema(type: QuantityType, others: readonly string[] = []): Schema {
  const units = [...unitNames(type), ...SPELLINGS[type], ...others].join('|')
  return { type: 'string', pattern: `^\\s*\\d+(\\.\\d+)?\\s*(${units})\\s*$` }
}

function schemaOf(param: Param): Schema {
  return { ...shapeOf(param), description: descriptionOf(param), ...defaultSchema(param) }
}

function descriptionOf(param: Param): string {
  const limits = isQuantityType(param.type) && 'min' in param ? limitsOf(param) : ''
  return [param.help, limits, param.source === undefined ? '' : `Source: ${param.source}`]
    .filter((part) => part !== '')
    .join('. ')
}

function defaultSchema(param: Param): Schema {
  if (param.type === 'group' || param.type === 'variant') return {}
  const value = defaultOf(param)
  return value === undefined ? {} : { default: printParam(param, value) }
}

function shapeOf(param: Param): Schema {
  if ('like' in param && param.like !== undefined) return { $ref: `#/properties/${param.like}` }
  switch (param.type) {
    case 'rate':
    case 'duration':
    case 'size':
      return orOff(param.off, [{ $ref: `#/$defs/${param.isPropagation === true ? 'propagation' : param.type}` }])
    case 'ratio':
      return orOff(param.off, [{ type: 'number', ...limitsSchema(param) }, { $ref: '#/$defs/fraction' }])
    case 'count':
      return orOff(param.off, [{ type: 'integer', ...limitsSchema(param) }])
    case 'flag':
      return { type: 'boolean' }
    case 'text':
      return param.isAnyValue === true ? {} : { type: 'string' }
    case 'choice':
      return { enum: [...param.choices] }
    case 'list': {
      const array = {
        type: 'array',
        items: schemaOf(param.item),
        ...(param.minItems === 0 ? {} : { minItems: param.minItems }),
        ...(param.maxItems === undefined ? {} : { maxItems: param.maxItems }),
      }
      return { anyOf: [array, { $ref: '#/$defs/fileOfItems' }] }
    }
    case 'group':
      return objectSchema({ ...param.shorthands, ...param.fields })
    default: {
      const names = param.definitions
        .filter((definition) => !isRequired(definition.params))
        .map((definition) => definition.name)
      const byName = names.length === 0 ? [] : [{ enum: names }]
      return {
        anyOf: [
          ...byName,
          ...param.definitions.map((definition) => definitionSchema(definition, definition.name === param.default)),
        ],
      }
    }
  }
}

function limitsSchema(param: { readonly min?: number; readonly max?: number }): Schema {
  return {
    ...(param.min === undefined ? {} : { minimum: param.min }),
    ...(param.max === undefined ? {} : { maximum: param.max }),
  }
}

function orOff(off: boolean, shapes: readonly Schema[]): Schema {
  const all = off ? [...shapes, { $ref: '#/$defs/off' }] : shapes
  return all.length === 1 ? { ...all[0] } : { anyOf: all }
}

function objectSchema(fields: ParamFields): Schema {
  const required = Object.keys(fields).filter((name) => isParamRequired(fields[name]))
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(fields).map(([name, param]) => [name, schemaOf(param)])),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  }
}

function definitionSchema(definition: Definition, isDefault: boolean): Schema {
  const object = objectSchema(definition.params)
  const required = [...(isDefault ? [] : ['kind']), ...((object['required'] ?? []) as string[])]
  return {
    ...object,
    title: definition.name,
    description: descriptionOf({ type: 'group', fields: {}, ...textOf(definition) }),
    properties: { kind: { const: definition.name }, ...(object['properties'] as Schema) },
    ...(required.length === 0 ? {} : { required }),
  }
}

function textOf(definition: Definition): { help: string; source?: string } {
  return definition.source === undefined
    ? { help: definition.help }
    : { help: definition.help, source: definition.source }
}

/** Whether any of these params is required. */
function isRequired(fields: ParamFields): boolean {
  return Object.values(fields).some(isParamRequired)
}

function isParamRequired(param: Param | undefined): boolean {
  if (param === undefined || isLike(param)) return false
  if (param.type === 'group') return isRequired(param.fields)
  if (param.type !== 'variant') return param.default === undefined
  const chosen = param.definitions.find((definition) => definition.name === param.default)
  return chosen === undefined || isRequired(chosen.params)
}
