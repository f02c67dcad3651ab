/** Files as drawn, spoilt: cut, in another order, doubled, with other words, random bytes, long lines and deep nesting. */
import type { Draw } from '../../../core/base/draw.ts'

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
  '../../x',
  '$(touch x)',
  'a;b',
  '\u0000',
  '\uD800',
  '9'.repeat(400),
]
/** Characters of which a line that is long makes expressions search without end. */
const MARKS = ' \t"\'`()[]{}<>:;,.-_=+*#/\\|&%$@!?~^0aA'.split('')
const LINE_CHARACTERS = 30_000
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
  'another number': (text, draw) => {
    const numbers = [...text.matchAll(/\d+/g)]
    if (numbers.length === 0) return text
    const { index, 0: number } = draw.one(numbers)
    const by = draw.one([draw.one(numbers)[0], `${Number(number) + 1}`, `${draw.whole(0, 70_000)}`])
    return text.slice(0, index) + by + text.slice(index + number.length)
  },
  'another letter': (text, draw) => {
    const at = draw.whole(0, text.length)
    return text.slice(0, at) + draw.one(MARKS) + text.slice(at + draw.whole(0, 1))
  },
  'random bytes': (text, draw) => inserted(text, draw, randomText(draw, count(draw, 500))),
  'a long line': (text, draw) => {
    const line = draw.one(linesOf(text))
    const piece = draw.chance(0.5) ? line : draw.one(line.match(/\S+\s*/g) ?? [' '])
    const length = count(draw, 200_000)
    return inserted(text, draw, piece.repeat(Math.ceil(length / Math.max(piece.length, 1))).slice(0, length))
  },
  'a line of marks': (text, draw) => {
    const [line, piece] = [draw.one(linesOf(text)), draw.one(MARKS) + (draw.chance(0.5) ? draw.one(MARKS) : '')]
    const begun = draw.chance(0.5) ? line.slice(0, draw.whole(0, Math.min(line.length, 200))) : ''
    const marks = piece.repeat(LINE_CHARACTERS / piece.length)
    return inserted(text, draw, `\n${begun}${marks}${draw.one(['', '!', 'x', line.slice(0, 200)])}\n`)
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

/** Those after which a file may be one still. */
const LIGHT = ['another number', 'another letter', 'other words', 'swapped', 'without a line']

/** @param other another file that it may be mixed with */
export function mutated(text: string, draw: Draw, other: string): Mutated {
  const from = draw.chance(0.5) ? LIGHT : NAMES
  const names = Array.from({ length: draw.whole(1, from === LIGHT ? 2 : 4) }, () => draw.one(from))
  let spoilt = text
  for (const name of names) spoilt = MUTATIONS[name]!(spoilt, draw, other).slice(0, MOST_CHARACTERS)
  return { text: spoilt, names }
}
