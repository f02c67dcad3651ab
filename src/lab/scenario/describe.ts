/**
 * Every param of a tree as a flat row, for lists and documentation pages.
 */
import { defaultOf, isLike, type Param, type ParamFields, type Part } from '../../core/base/params.ts'
import { printParam } from './text/print.ts'
import { isQuantity, limitsOf, unitsOf } from './text/wording.ts'

/** One param, or one definition of a variant (type 'kind'). */
export interface ParamRow {
  /** "switch.buffer[shared-buffer].size", "workload[].load": brackets hold a definition's name, or stand for list items. */
  readonly path: string
  readonly type: Param['type'] | 'kind'
  /** Units it may be written in; empty for values without. */
  readonly unit: string
  /** As text, "required" when it must be given, empty for groups. */
  readonly default: string
  /** "from 0 to 7", the choices or kinds, "off" where it is allowed. */
  readonly range: string
  readonly help: string
  readonly source: string
  /** Parts of the network that may have their own value by `changes`; empty: one value holds everywhere. */
  readonly per: Part | ''
  /** It may change during a run. */
  readonly live: boolean
}

/** How far the params around one may vary. */
interface Around {
  readonly per: Part | ''
  readonly live: boolean
}

/** Rows of everything below `param` that is not hidden, parents before children, in the order of declaration. */
export function describeParam(param: Param, path = ''): ParamRow[] {
  const rows: ParamRow[] = []
  addRows(rows, param, path, { per: '', live: false })
  return rows
}

function addRows(rows: ParamRow[], param: Param, path: string, above: Around): void {
  if (param.isHidden === true) return
  const around = { per: param.per ?? above.per, live: param.live ?? above.live }
  if (path !== '') {
    rows.push({
      path,
      type: param.type,
      unit: isQuantity(param) ? unitsOf(param).join(' ') : '',
      default: defaultText(param),
      range: rangeText(param),
      help: helpText(param),
      source: param.source ?? '',
      ...around,
    })
  }
  // Its params have rows at the group or variant that it is like.
  if (isLike(param)) return
  if (param.type === 'group') addFields(rows, { ...param.shorthands, ...param.fields }, path, around)
  if (param.type === 'list' && (param.item.type === 'group' || param.item.type === 'variant'))
    addInner(rows, param.item, `${path}[]`, around)
  if (param.type === 'variant') addInner(rows, param, path, around)
}

/** Rows for the contents of a list's item or a variant, without one for the item or variant itself. */
function addInner(rows: ParamRow[], param: Param, path: string, around: Around): void {
  if (param.type === 'group') addFields(rows, param.fields, path, around)
  if (param.type !== 'variant') return
  for (const definition of param.definitions) {
    const inside = `${path}[${definition.name}]`.replace('[][', '[')
    const { help, source = '' } = definition
    rows.push({ path: inside, type: 'kind', unit: '', default: '', range: '', help, source, ...around })
    addFields(rows, definition.params, inside, around)
  }
}

function addFields(rows: ParamRow[], fields: ParamFields, path: string, around: Around): void {
  for (const [name, param] of Object.entries(fields))
    addRows(rows, param, path === '' ? name : `${path}.${name}`, around)
}

/**
 * Params that `changes` may vary, in the order of declaration. Those below one of the same variation are left out:
 * they vary with it.
 */
export function variableParams(param: Param): ParamRow[] {
  const rows = describeParam(param).filter(({ per, type }) => per !== '' && type !== 'kind')
  return rows.filter(
    ({ path, per, live }) =>
      !rows.some(
        (above) =>
          above.per === per &&
          above.live === live &&
          /^[.[]/.test(path.slice(above.path.length)) &&
          path.startsWith(above.path),
      ),
  )
}

/** For a list of texts the help also gives the form of an item; such lists may be in a file of their own. */
function helpText(param: Param): string {
  if (param.type !== 'list' || param.item.type !== 'text') return param.help
  return `${param.help}; each ${param.item.help}; or {file: PATH}, one per line`
}

function defaultText(param: Param): string {
  if ('like' in param && param.like !== undefined) return `as ${param.like}`
  if (param.type === 'group') return ''
  if (param.type === 'variant') return param.default ?? 'required'
  const value = defaultOf(param)
  if (value === undefined) return 'required'
  const printed = printParam(param, value)
  return typeof printed === 'string' ? printed : JSON.stringify(printed)
}

function rangeText(param: Param): string {
  switch (param.type) {
    case 'choice':
      return param.choices.join(', ')
    case 'variant':
      return param.definitions.map((definition) => definition.name).join(', ')
    case 'list':
      if (param.maxItems !== undefined) return `${param.minItems} to ${param.maxItems}`
      return param.minItems === 0 ? '' : `at least ${param.minItems}`
    case 'text':
      return param.off ? 'off' : ''
    case 'flag':
      return 'true, false'
    case 'group':
      return ''
    default:
      return [limitsOf(param), param.off ? 'off' : ''].filter((part) => part !== '').join(', or ')
  }
}
