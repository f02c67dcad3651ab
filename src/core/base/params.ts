/**
 * Parameters: the settings of a model, declared once.
 * A definition declares a tree of params, from which the scenario's parser, defaults, printer, JSON Schema, help and
 * `list` are derived. Values are plain numbers in base units: rates in bit/s,
 * durations in picoseconds, sizes in bytes, ratios and counts without unit.
 * Invariant: a value of type ValueOf<P> printed and parsed again is the same value.
 */

/** Texts of every param. `source` names the paper section, the standard, or our own reason. */
export interface ParamText {
  readonly help: string
  readonly source?: string
  /** Parts of a network that may have a value of their own; undefined: as the group around it, or none. */
  readonly per?: Part
  /** The value may change during a run; undefined: as the group around it, or not. */
  readonly live?: boolean
  /** Not listed, and printed only where it is not the default. */
  readonly isHidden?: boolean
  /** Keys below it that earlier versions had, each with its default as they printed it, which is read and changes nothing. */
  readonly retired?: Readonly<Record<string, unknown>> | undefined
}

/** Parts of a network that a value may be given for: every part of that kind may have another. */
export type Part = 'switch' | 'host' | 'port' | 'pair'

interface Limits {
  readonly min?: number
  readonly max?: number
}

/** A number with a unit: rate (bit/s), duration (ps), size (bytes). Text form carries the unit: "40Gbps". */
export interface QuantityParam<N extends boolean = boolean> extends ParamText, Limits {
  readonly type: 'rate' | 'duration' | 'size'
  /** undefined: the user must give it. */
  readonly default: number | null | undefined
  /** True when the word `off` (value null) is allowed. */
  readonly off: N
  /** The delay of a cable, one way: it may also be written as a length, "40m" or "2km". Durations only. */
  readonly isPropagation?: boolean
}

/** A number without unit: ratio (real, also "1/16" and "2^-3"), count (integer). */
export interface NumberParam<N extends boolean = boolean> extends ParamText, Limits {
  readonly type: 'ratio' | 'count'
  readonly default: number | null | undefined
  readonly off: N
}

export interface FlagParam extends ParamText {
  readonly type: 'flag'
  readonly default: boolean | undefined
}

export interface TextParam<N extends boolean = boolean> extends ParamText {
  readonly type: 'text'
  readonly default: string | null | undefined
  readonly off: N
  /** Written as a value of any type (a number, a list, a group), which is kept as JSON text. */
  readonly isAnyValue?: boolean
}

export interface ChoiceParam<C extends string> extends ParamText {
  readonly type: 'choice'
  readonly choices: readonly C[]
  readonly default: C | undefined
}

/** A list of items of one type. */
export interface ListParam<I extends Param> extends ParamText {
  readonly type: 'list'
  readonly item: I
  /** Undefined: the user must give it. Values are in the item's value form. */
  readonly default: readonly ValueOf<I>[] | undefined
  readonly minItems: number
  readonly maxItems: number | undefined
}

/** A fixed set of named params. */
export interface GroupParam<F extends ParamFields> extends ParamText {
  readonly type: 'group'
  readonly fields: F
  /** Remedy shown to a user who writes `off` in place of the group; undefined: it cannot be turned off. */
  readonly howToDisable?: string | undefined
  /**
   * Key of the top-level group that this one overrides: where it is left out (null), that group holds, and so do its
   * fields for those left out here. Undefined: it overrides none.
   */
  readonly like?: string | undefined
  /** Keys that stand for others, which are filled in before the group is read: none of them has a value of its own. */
  readonly shorthands?: ParamFields
}

/** One of the registered definitions, chosen by its name in the key `kind`; its params stand beside `kind`. */
export interface VariantParam<D extends Definition> extends ParamText {
  readonly type: 'variant'
  readonly definitions: readonly D[]
  /** Name of the definition taken when nothing is given; undefined: the user must choose. */
  readonly default: string | undefined
  /** Key of the top-level variant that this one overrides: where it is left out (null), that one holds. Undefined: none. */
  readonly like?: string | undefined
  /** It has definitions from outside the program; its values know them. */
  readonly isExtended?: boolean
}

export type Param =
  | QuantityParam
  | NumberParam
  | FlagParam
  | TextParam
  | ChoiceParam<string>
  | ListParam<Param>
  | GroupParam<ParamFields>
  | VariantParam<Definition>

export interface ParamFields {
  readonly [name: string]: Param
}

/** Base of all registered definitions. Made by the `define...` function of its room. */
export interface Definition<N extends string = string, F extends ParamFields = ParamFields> extends ParamText {
  readonly name: N
  readonly params: F
}

/** A definition that is data alone, with the type of its name and params. */
export function definition<const N extends string, F extends ParamFields>(d: Definition<N, F>): Definition<N, F> {
  return d
}

/** The value a param takes. */
export type ValueOf<P> = P extends { type: 'rate' | 'duration' | 'size' | 'ratio' | 'count'; off: infer N }
  ? N extends true
    ? number | null
    : number
  : P extends { type: 'flag' }
    ? boolean
    : P extends { type: 'text'; off: infer N }
      ? N extends true
        ? string | null
        : string
      : P extends { type: 'choice'; choices: readonly (infer C)[] }
        ? C
        : P extends { type: 'list'; item: infer I }
          ? readonly ValueOf<I>[]
          : P extends { type: 'group'; fields: infer F }
            ? ValuesOf<F> | AbsentOf<P>
            : P extends { type: 'variant'; definitions: readonly (infer D)[] }
              ?
                  | (D extends { name: infer N; params: infer F } ? { readonly kind: N } & ValuesOf<F> : never)
                  | AbsentOf<P>
              : never

/** null where a top-level key holds in its place. */
type AbsentOf<P> = P extends { like: string } ? null : never

export type ValuesOf<F> = { readonly [K in keyof F]: ValueOf<F[K]> }

/**
 * Values of a definition whose params are not known to the caller: names and types are lost. Functions of a definition
 * that take values are declared as methods: their parameters are compared bivariantly, so that definitions with different
 * params fit in one list without a cast. The price: the compiler does not check that a definition gets its own values.
 */
export type AnyValues = ValuesOf<ParamFields>

interface QuantityOptions extends ParamText, Limits {
  readonly default?: number
}
interface OffOptions extends ParamText, Limits {
  /** null: off unless given. */
  readonly default: number | null
}

function quantity(type: 'rate' | 'duration' | 'size', o: QuantityOptions): QuantityParam<false> {
  return { ...o, type, default: o.default, off: false }
}
function quantityOrOff(type: 'rate' | 'duration' | 'size', o: OffOptions): QuantityParam<true> {
  return { ...o, type, off: true }
}

/** Bits per second. */
export const rate = (o: QuantityOptions): QuantityParam<false> => quantity('rate', o)
/** Picoseconds. */
export const duration = (o: QuantityOptions): QuantityParam<false> => quantity('duration', o)
/** Bytes. */
export const size = (o: QuantityOptions): QuantityParam<false> => quantity('size', o)
export const rateOrOff = (o: OffOptions): QuantityParam<true> => quantityOrOff('rate', o)
export const durationOrOff = (o: OffOptions): QuantityParam<true> => quantityOrOff('duration', o)
/** Delay of a cable, one way; its text may also be a length. */
export const propagation = (o: QuantityOptions): QuantityParam<false> => ({ ...duration(o), isPropagation: true })
export const propagationOrOff = (o: OffOptions): QuantityParam<true> => ({ ...durationOrOff(o), isPropagation: true })
export const sizeOrOff = (o: OffOptions): QuantityParam<true> => quantityOrOff('size', o)
/** A real number without unit; 0..1 unless limits are given. */
export const ratio = (o: QuantityOptions): NumberParam<false> => ({
  min: 0,
  max: 1,
  ...o,
  type: 'ratio',
  default: o.default,
  off: false,
})
export const ratioOrOff = (o: OffOptions): NumberParam<true> => ({ min: 0, max: 1, ...o, type: 'ratio', off: true })
/** An integer; 0 or more unless limits are given. */
export const count = (o: QuantityOptions): NumberParam<false> => ({
  min: 0,
  ...o,
  type: 'count',
  default: o.default,
  off: false,
})
export const countOrOff = (o: OffOptions): NumberParam<true> => ({ min: 0, ...o, type: 'count', off: true })
export const flag = (o: ParamText & { readonly default: boolean }): FlagParam => ({ ...o, type: 'flag' })
export const text = (o: ParamText & { readonly default?: string }): TextParam<false> => ({
  ...o,
  type: 'text',
  default: o.default,
  off: false,
})
/** A value of any type, kept as text: text as it is, everything else as JSON. */
export const anyValue = (o: ParamText): TextParam<false> => ({
  ...o,
  type: 'text',
  default: undefined,
  off: false,
  isAnyValue: true,
})
export const textOrOff = (o: ParamText & { readonly default: string | null }): TextParam<true> => ({
  ...o,
  type: 'text',
  off: true,
})
export const choice = <const C extends string>(
  choices: readonly C[],
  o: ParamText & { readonly default?: NoInfer<C> },
): ChoiceParam<C> => ({ ...o, type: 'choice', choices, default: o.default })
export const list = <I extends Param>(
  item: I,
  o: ParamText & { readonly default?: readonly ValueOf<I>[]; readonly minItems?: number; readonly maxItems?: number },
): ListParam<I> => ({ ...o, type: 'list', item, default: o.default, minItems: o.minItems ?? 0, maxItems: o.maxItems })
export const group = <F extends ParamFields>(
  fields: F,
  o: ParamText & { readonly howToDisable?: string },
): GroupParam<F> => ({ ...o, type: 'group', fields, howToDisable: o.howToDisable })
export const variant = <D extends Definition>(
  definitions: readonly D[],
  o: ParamText & { readonly default?: string },
): VariantParam<D> => ({ ...o, type: 'variant', definitions, default: o.default })

/** Key, on a value of an extended variant, of the definitions that it was chosen from: copies have it too, texts do not. */
const CHOICES = Symbol('choices')

/** The variant with further definitions. */
export const extended = <D extends Definition>(param: VariantParam<D>, more: readonly D[]): VariantParam<D> =>
  more.length === 0 ? param : { ...param, definitions: [...param.definitions, ...more], isExtended: true }

/** A value of a variant; of an extended one, it knows what it was chosen from. */
export function chosenFrom<V extends object>({ definitions, isExtended }: VariantParam<Definition>, value: V): V {
  return isExtended === true ? { ...value, [CHOICES]: definitions } : value
}

/** The definitions that a variant's value was chosen from. @param own the program's */
export function choicesOf<D extends Definition>(value: object, own: readonly D[]): readonly D[] {
  return (value as { readonly [CHOICES]?: readonly D[] })[CHOICES] ?? own
}

/** A group that overrides the top-level group `like`, field by field. */
export const groupLike = <F extends ParamFields, const K extends string>(
  fields: F,
  like: K,
  o: ParamText,
): GroupParam<F> & { readonly like: K } => ({ ...group(fields, o), like })
/** A variant that overrides the top-level variant `like`. */
export const variantLike = <D extends Definition, const K extends string>(
  definitions: readonly D[],
  like: K,
  o: ParamText,
): VariantParam<D> & { readonly like: K } => ({ ...variant(definitions, o), like })

/** Units for writing defaults: 2 * US, 40 * GBPS, 240 * KB. */
export const PS = 1
export const NS = 1_000
export const US = 1_000_000
export const MS = 1_000_000_000
export const SECOND = 1_000_000_000_000
export const BPS = 1
export const KBPS = 1e3
export const MBPS = 1e6
export const GBPS = 1e9
export const BYTE = 1
export const KB = 1e3
export const MB = 1e6
export const GB = 1e9
export const KIB = 1024
export const MIB = 1024 * 1024
/** A time later than any other. */
export const NEVER_PS: number = Infinity
/** The last instant that is exact, 2.5 hours: 2^53 - 1. Beyond it a double no longer holds every picosecond. */
export const LAST_PS: number = Number.MAX_SAFE_INTEGER

/** Default values of a definition's params; those without a default are undefined. */
export function defaultsOf<F extends ParamFields>(fields: F): ValuesOf<F> {
  const out: Record<string, unknown> = {}
  for (const [name, param] of Object.entries(fields)) out[name] = defaultOf(param)
  return out as ValuesOf<F>
}

/** The default value of one param. */
export function defaultOf(param: Param): unknown {
  if (isLike(param)) return null
  if (param.type === 'group') return defaultsOf(param.fields)
  if (param.type === 'variant') {
    const chosen = param.definitions.find((d) => d.name === param.default)
    return chosen === undefined ? undefined : chosenFrom(param, { kind: chosen.name, ...defaultsOf(chosen.params) })
  }
  return param.default
}

/** A top-level key holds where the param is left out. */
export function isLike(param: Param): boolean {
  return (param.type === 'group' || param.type === 'variant') && param.like !== undefined
}
