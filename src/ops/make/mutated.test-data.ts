/** Files as drawn, spoilt: cut, in another order, doubled, with other words, random bytes, long lines and deep nesting. */
import type { Draw } from '../../base/draw.ts'

/** No text gets longer by its own mutations. */
export const MOST_CHARACTERS = 1_000_000

const WORDS = [
  '__proto__',
  'constructor',
  '\u202Eleaf',
  'a\u0007b\u001B[31m',
  '"',
  "'",
  '%s',
  '-1',
  '1e999',
  '99999999999999999999',
  'NaN',
  '0x',
  '|',
  '1-4294967295',
  'Ethernet1/1-999999',
]
/** Characters that open something, which may stay open. */
const OPENINGS = ['[', '{', '{"a":', '(', '"', "'", '$(', '${', '<', 'if true; then\n', 'interfaces {\n', '- ', '  ']

const linesOf = (text: string): string[] => text.split('\n')

type Mutation = (text: string, draw: Draw, other: string) => string

/** Puts something at a random place. */
function inserted(text: string, draw: Draw, what: string): string {
  const at = draw.whole(0, text.length)
  return text.slice(0, at) + what + text.slice(at)
}

/** Mostly few, at times many. */
const count = (draw: Draw, most: number): number => Math.floor(most ** draw.between(0, 1))

const randomText = (draw: Draw, length: number): string =>
  Array.from({ length }, () => String.fromCharCode(draw.whole(0, draw.chance(0.5) ? 127 : 65_535))).join('')

export const MUTATIONS: Readonly<Record<string, Mutation>> = {
  cut: (text, draw) => text.slice(0, draw.whole(0, text.length)),
  swapped: (text, draw) => {
    const lines = linesOf(text)
    const [i, j] = [draw.whole(0, lines.length - 1), draw.whole(0, lines.length - 1)]
    ;[lines[i], lines[j]] = [lines[j]!, lines[i]!]
    return lines.join('\n')
  },
  doubled: (text, draw) => {
    const lines = linesOf(text)
    const at = draw.whole(0, lines.length - 1)
    const line = lines[at]!
    const times = Math.min(count(draw, 20_000), Math.floor(MOST_CHARACTERS / (line.length + 1)))
    return [...lines.slice(0, at), ...Array.from({ length: times }, () => line), ...lines.slice(at)].join('\n')
  },
  'without a line': (text, draw) => {
    const lines = linesOf(text)
    lines.splice(draw.whole(0, lines.length - 1), 1)
    return lines.join('\n')
  },
  'other words': (text, draw) => {
    const words = text.match(/[\w.-]+/g) ?? []
    if (words.length === 0) return draw.one(WORDS)
    const [word, by] = [draw.one(words), draw.one(WORDS)]
    return draw.chance(0.5) ? text.replace(word, () => by) : text.replaceAll(word, () => by)
  },
  'random bytes': (text, draw) => inserted(text, draw, randomText(draw, count(draw, 500))),
  'a long line': (text, draw) => {
    const line = draw.one(linesOf(text))
    const piece = draw.chance(0.5) ? line : draw.one(line.match(/\S+\s*/g) ?? [' '])
    const length = count(draw, 200_000)
    return inserted(text, draw, piece.repeat(Math.ceil(length / Math.max(piece.length, 1))).slice(0, length))
  },
  'deep nesting': (text, draw) => inserted(text, draw, draw.one(OPENINGS).repeat(count(draw, 20_000))),
  reversed: (text) => linesOf(text).toReversed().join('\n'),
  'one line': (text, draw) => text.replaceAll('\n', draw.one(['', ' ', '\r', ','])),
  'with another file': (text, draw, other) => inserted(text, draw, other),
}
const NAMES = Object.keys(MUTATIONS)

export interface Mutated {
  readonly text: string
  readonly names: readonly string[]
}

/** @param other another file that it may be mixed with */
export function mutated(text: string, draw: Draw, other: string): Mutated {
  const names = Array.from({ length: draw.whole(1, 4) }, () => draw.one(NAMES))
  let spoilt = text
  for (const name of names) spoilt = MUTATIONS[name]!(spoilt, draw, other).slice(0, MOST_CHARACTERS)
  return { text: spoilt, names }
}
