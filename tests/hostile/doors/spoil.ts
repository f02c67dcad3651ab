/** Files as nobody has meant them: text and bytes that are changed, and names that a shell or a path would follow. */
import type { Draw } from '../../../src/core/base/draw.ts'
import { mutated } from '../../../src/doctor/diagnosis/make/mutated.test-data.ts'

/** Most characters of a text: floods have tests of their own. */
const MOST_CHARACTERS = 60_000
const NUMBERS = [0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff]

type ByteChange = (bytes: Uint8Array, draw: Draw, other: Uint8Array) => Uint8Array

/** A position, the first bytes more likely: heads decide what the rest is. */
const positionIn = ({ length }: Uint8Array, draw: Draw): number =>
  draw.chance(0.5) ? draw.whole(0, Math.min(length, 64)) : draw.whole(0, length)

const joined = (...parts: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts))

const BYTE_CHANGES: readonly ByteChange[] = [
  // A bit, a byte, a number of some width and order, noise.
  (bytes, draw) => {
    const changed = Uint8Array.from(bytes)
    changed[positionIn(bytes, draw)]! ^= 1 << draw.whole(0, 7)
    return changed
  },
  (bytes, draw) => {
    const changed = Buffer.from(bytes)
    const width = draw.one([1, 2, 4])
    const position = positionIn(bytes, draw)
    if (position + width > changed.length) return changed
    const number = draw.one(NUMBERS) % 2 ** (8 * width)
    if (draw.chance(0.5)) changed.writeUIntLE(number, position, width)
    else changed.writeUIntBE(number, position, width)
    return changed
  },
  (bytes, draw) => {
    const changed = Uint8Array.from(bytes)
    const position = positionIn(bytes, draw)
    for (let i = position; i < Math.min(position + draw.whole(1, 32), changed.length); i++)
      changed[i] = draw.whole(0, 255)
    return changed
  },
  // Cut, a piece taken out, twice, or of another file.
  (bytes, draw) => bytes.subarray(0, draw.whole(0, bytes.length)),
  (bytes, draw) => {
    const position = positionIn(bytes, draw)
    return joined(bytes.subarray(0, position), bytes.subarray(position + draw.whole(1, 64)))
  },
  (bytes, draw) => {
    const position = positionIn(bytes, draw)
    return joined(bytes.subarray(0, position), bytes.subarray(Math.max(0, position - draw.whole(1, 256))))
  },
  (bytes, draw, other) => joined(bytes.subarray(0, positionIn(bytes, draw)), other.subarray(positionIn(other, draw))),
]

export function spoiltBytes(bytes: Uint8Array, draw: Draw, other: Uint8Array): Uint8Array {
  let spoilt = bytes
  for (let times = draw.whole(1, 4); times > 0; times--) spoilt = draw.one(BYTE_CHANGES)(spoilt, draw, other)
  return spoilt
}

export function spoiltText(bytes: Uint8Array, draw: Draw, other: Uint8Array): Uint8Array {
  const { text } = mutated(Buffer.from(bytes).toString(), draw, Buffer.from(other).toString())
  return Buffer.from(text.slice(0, MOST_CHARACTERS))
}

/** Names of files that are none of a path, of a shell or of a prototype. */
export const HOSTILE_NAMES: readonly string[] = [
  '$(touch x)',
  'a;touch x',
  '`touch x`',
  '-rf',
  '--out',
  '__proto__',
  'constructor',
  'a\nb',
  '\u202Egpu',
  '..gpu1',
  'a\u0007b\u001B[31m',
  '%s',
  ' ',
]
/** Those that only an archive can have. */
export const LEAVING_NAMES: readonly string[] = [
  '../../outside/file',
  '../x',
  '/tmp/x',
  'gpu1/../../../outside/file',
  'C:\\x',
  '..\\x',
  '',
  '.',
  '..',
  'a\u0000b',
]
