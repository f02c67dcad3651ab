/** Chakra traces written by hand, for tests: just enough of Protocol Buffers. */

/** A varint of a number or of 64 bits. */
export function varint(value: number | bigint): number[] {
  const septets: number[] = []
  let rest = BigInt.asUintN(64, BigInt(value))
  for (; rest > 127n; rest >>= 7n) septets.push(Number(rest & 127n) | 128)
  return [...septets, Number(rest)]
}

const textBytes = (text: string): number[] => [...new TextEncoder().encode(text)]

/** A field with a varint. */
export const number = (field: number, value: number | bigint): number[] => [...varint(field * 8), ...varint(value)]
/** A field with bytes, a text or a message. */
export function bytes(field: number, content: readonly number[] | string): number[] {
  const raw = typeof content === 'string' ? textBytes(content) : content
  return [...varint(field * 8 + 2), ...varint(raw.length), ...raw]
}

/** An attribute; numbers are int64 unless `field` says otherwise. */
export function attribute(name: string, value: number | bigint | string, field = 9): number[] {
  const content = typeof value === 'string' ? bytes(29, value) : number(field, value)
  return bytes(10, [...bytes(1, name), ...content])
}

export interface NodeOptions {
  readonly name?: string
  readonly data?: readonly number[]
  readonly control?: readonly number[]
  readonly us?: number
  readonly attributes?: Readonly<Record<string, number | bigint | string>>
  /** Further fields, encoded. */
  readonly more?: readonly number[]
  readonly isPacked?: boolean
}

export const [COMPUTE, SEND, RECEIVE, COLLECTIVE] = [4, 5, 6, 7] as const

export function node(id: number | bigint, type: number, options: NodeOptions = {}): number[] {
  const { name = '', data = [], control = [], us = 0, attributes = {}, more = [], isPacked = false } = options
  const ids = (field: number, list: readonly number[]): number[] =>
    isPacked ? bytes(field, list.flatMap(varint)) : list.flatMap((each) => number(field, each))
  return [
    ...(id === 0 ? [] : number(1, id)),
    ...bytes(2, name),
    ...number(3, type),
    ...ids(4, control),
    ...ids(5, data),
    ...(us === 0 ? [] : number(7, us)),
    ...Object.entries(attributes).flatMap(([key, value]) => attribute(key, value)),
    ...more,
  ]
}

export const record = (message: readonly number[]): number[] => [...varint(message.length), ...message]

export const METADATA = bytes(1, '0.0.4')

/** A file of nodes. */
export function traceOf(nodes: readonly (readonly number[])[], metadata: readonly number[] = METADATA): Uint8Array {
  return Uint8Array.from([metadata, ...nodes].flatMap(record))
}
