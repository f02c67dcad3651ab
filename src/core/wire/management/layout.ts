/**
 * Layouts of messages as tables: where each field is, and its size. One reader and one writer serve all tables, and the types
 * of messages follow from them. Integers are big-endian; bits that no field names are written as 0 and not read.
 */

/** Up to 32 bits, within the four bytes from `at` on. */
export interface NumberField {
  readonly at: number
  /** Bits before it, counted from the most significant bit of the byte at `at`. */
  readonly skip: number
  readonly bits: number
}

/** 64 bits. */
export interface LongField {
  readonly at: number
  readonly isLong: true
}

export interface BytesField {
  readonly at: number
  readonly length: number
}

type Field = NumberField | LongField | BytesField
export type Layout = Readonly<Record<string, Field>>

type ValueOf<F> = F extends NumberField ? number : F extends LongField ? bigint : Uint8Array
/** Values of the fields of a layout. */
export type FieldsOf<L> = { readonly [name in keyof L]: ValueOf<L[name]> }

export const bits = (at: number, count: number, skip = 0): NumberField => ({ at, skip, bits: count })
export const long = (at: number): LongField => ({ at, isLong: true })
export const bytes = (at: number, length: number): BytesField => ({ at, length })

/** Reads the fields of a layout that begins at `from`; the view is long enough for all of them. */
export function readFields<L extends Layout>(layout: L, view: DataView, from: number): FieldsOf<L> {
  const values = Object.entries(layout).map(([name, field]) => [name, readField(field, view, from + field.at)])
  // The names and the types of the values are those of the layout, which fromEntries() cannot express.
  return Object.fromEntries(values) as FieldsOf<L>
}

/** Writes the fields of a layout into bytes that are 0; values are cut to the size of their fields. */
export function writeFields<L extends Layout>(layout: L, view: DataView, from: number, values: FieldsOf<L>): void {
  for (const [name, field] of Object.entries(layout)) {
    const at = from + field.at
    const value: number | bigint | Uint8Array = values[name]!
    if (typeof value === 'bigint') view.setBigUint64(at, value)
    else if (typeof value === 'number') writeNumber(field as NumberField, view, at, value)
    else {
      const room = new Uint8Array(view.buffer, view.byteOffset + at, (field as BytesField).length)
      room.set(value.subarray(0, room.length))
    }
  }
}

function readField(field: Field, view: DataView, at: number): number | bigint | Uint8Array {
  if ('isLong' in field) return view.getBigUint64(at)
  if ('length' in field) return new Uint8Array(view.buffer, view.byteOffset + at, field.length).slice()
  let value = 0
  const end = field.skip + field.bits
  const lastBytes = Math.ceil(end / 8)
  for (let byte = 0; byte < lastBytes; byte++) value = value * 256 + view.getUint8(at + byte)
  return Math.floor(value / 2 ** (lastBytes * 8 - end)) % 2 ** field.bits
}

/** Adds the bits of a number to those of its neighbours in the same bytes. */
function writeNumber({ skip, bits: count }: NumberField, view: DataView, at: number, value: number): void {
  const end = skip + count
  const lastBytes = Math.ceil(end / 8)
  let rest = (value % 2 ** count) * 2 ** (lastBytes * 8 - end)
  for (let byte = lastBytes - 1; byte >= 0; byte--) {
    view.setUint8(at + byte, view.getUint8(at + byte) | (rest % 256))
    rest = Math.floor(rest / 256)
  }
}
