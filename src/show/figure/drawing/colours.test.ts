/** Colours of figures on the grounds of a page: they can be seen, read, and distinguished. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { PARTS } from '../../../core/results/index.ts'
import { ALARM, COLOURS, FAINT, INK, SOFT_INK, WATCHDOG } from './colours.ts'
import { DARK_COLOURS, darkRules, onDark } from './dark-colours.ts'
import { partColour } from './part-colours.ts'

const STYLE = readFileSync(path.join(import.meta.dirname, '../../html/page.css'), 'utf8')
/** The values of a property of the page's style: light, dark. */
const valuesOf = (name: string): readonly string[] =>
  Array.from(STYLE.matchAll(new RegExp(`--${name}: (#[0-9a-f]{6});`, 'g')), ([, value]) => value!)

const linear = (share: number): number => (share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4)
const lightOf = (colour: string): readonly [number, number, number] => {
  const [r, g, b] = [1, 3, 5].map((at) => linear(Number.parseInt(colour.slice(at, at + 2), 16) / 255))
  return [r!, g!, b!]
}

/** Contrast as WCAG 2 has it. */
function contrast(one: string, other: string): number {
  const [low, high] = [one, other]
    .map((colour) => {
      const [r, g, b] = lightOf(colour)
      return 0.2126 * r + 0.7152 * g + 0.0722 * b
    })
    .toSorted((a, b) => a - b)
  return (high! + 0.05) / (low! + 0.05)
}

/** Distance of two colours as seen, in OKLab; black and white are 1 apart. */
function distance(one: string, other: string): number {
  const [a, b] = [one, other].map((colour) => {
    const [red, green, blue] = lightOf(colour)
    const l = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue)
    const m = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue)
    const s = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue)
    return [
      0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
      1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
      0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
    ] as const
  })
  return Math.hypot(...a!.map((value, i) => value - b![i]!))
}

const LIGHT_GROUNDS = [valuesOf('ground')[0]!, valuesOf('panel')[0]!]
const DARK_GROUNDS = [valuesOf('ground')[1]!, valuesOf('panel')[1]!]
const leastContrast = (colour: string, grounds: readonly string[]): number =>
  Math.min(...grounds.map((ground) => contrast(colour, ground)))

test('contrast and distance are those of the standards', () => {
  expect(contrast('#ffffff', '#000000')).toBeCloseTo(21, 9)
  expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.478, 3)
  expect(distance('#ffffff', '#000000')).toBeCloseTo(1, 5)
})

test('no two parts of a completion time look alike, nor like the other parts, on either ground', () => {
  const light = [...PARTS.map(({ column }) => partColour(column)), partColour('')]
  expect(new Set(light).size).toBe(PARTS.length + 1)
  for (const colours of [light, light.map(onDark)]) {
    const pairs = colours.flatMap((one, i) => colours.slice(i + 1).map((other) => distance(one, other)))
    expect(Math.min(...pairs)).toBeGreaterThan(0.055)
  }
  for (const colour of light) {
    expect(leastContrast(colour, LIGHT_GROUNDS), colour).toBeGreaterThan(3)
    expect(leastContrast(onDark(colour), DARK_GROUNDS), onDark(colour)).toBeGreaterThan(3)
  }
})

test('series can be seen on a dark ground, and distinguished', () => {
  const dark = COLOURS.map(onDark)
  for (const colour of dark) expect(leastContrast(colour, DARK_GROUNDS), colour).toBeGreaterThan(3)
  const pairs = dark.flatMap((one, i) => dark.slice(i + 1).map((other) => distance(one, other)))
  expect(Math.min(...pairs)).toBeGreaterThan(0.05)
})

test.each([INK, SOFT_INK, FAINT, ALARM, WATCHDOG])('words in %s can be read on both grounds', (ink) => {
  expect(contrast(ink, LIGHT_GROUNDS[0]!)).toBeGreaterThan(4.5)
  expect(leastContrast(onDark(ink), DARK_GROUNDS)).toBeGreaterThan(4.5)
})

test('ground and ink of figures are those of the page', () => {
  const names = ['ground', 'ink', 'ink-soft']
  expect(['white', INK, SOFT_INK].map(onDark)).toEqual(names.map((name) => valuesOf(name)[1]))
})

test('each colour has a rule for what is filled and for what is drawn', () => {
  const rules = darkRules('svg')
  for (const [light, dark] of DARK_COLOURS) {
    expect(rules).toContain(`svg [fill='${light}' i] { fill: ${dark}; }`)
    expect(rules).toContain(`svg [stroke='${light}' i] { stroke: ${dark}; }`)
  }
})
