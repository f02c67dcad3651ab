import { expect, test } from 'vitest'
import { fc } from '../../../tests/support/properties.ts'
import { chosenRows } from './flows-section.ts'

/** The same with lists of rows. */
function naive(slowdown: readonly number[], most: number): number[] {
  const all = [...slowdown.keys()]
  if (all.length <= most) return all
  const valueOf = (row: number): number => (Number.isNaN(slowdown[row]) ? Infinity : slowdown[row]!)
  const ranked = all.toSorted((a, b) => (valueOf(a) === valueOf(b) ? a - b : valueOf(b) - valueOf(a)))
  const slowest = ranked.slice(0, Math.floor(most / 2))
  const others = all.filter((row) => !slowest.includes(row))
  const room = most - slowest.length
  const spaced = Array.from({ length: room }, (_, k) => others[Math.floor((k * others.length) / room)]!)
  return [...slowest, ...spaced].toSorted((a, b) => a - b)
}

test('a page holds the slowest flows, the first of equals, and every nth of the others', () => {
  const anySlowdowns = fc.array(fc.constantFrom(NaN, 1, 1.5, 2, 3, Infinity), { maxLength: 60 })
  fc.assert(
    fc.property(anySlowdowns, fc.integer({ min: 1, max: 40 }), (slowdown, most) => {
      expect(chosenRows(Float64Array.from(slowdown), most)).toEqual(naive(slowdown, most))
    }),
  )
})
