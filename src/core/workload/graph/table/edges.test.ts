/** Edges and circles, against the plainest way to find them. */
import { expect, test } from 'vitest'
import { fc } from '../../../../../tests/support/properties.ts'
import { circleOf, Edges } from './edges.ts'

const COUNT = 8
const pairs = fc.array(fc.tuple(fc.nat(COUNT - 1), fc.nat(COUNT - 1)), { maxLength: 20 })

test('those that wait come in the order of their numbers, however they were given', () => {
  fc.assert(
    fc.property(pairs, (all) => {
      const edges = new Edges(COUNT, all.flat())
      for (let on = 0; on < COUNT; on++) {
        const seen: number[] = []
        edges.each(on, (id) => seen.push(id))
        expect(seen).toEqual(
          all
            .filter((pair) => pair[0] === on)
            .map((pair) => pair[1])
            .toSorted((a, b) => a - b),
        )
      }
    }),
  )
})

test('there is a circle exactly where something never begins, and each on it waits for the next', () => {
  fc.assert(
    fc.property(pairs, fc.array(fc.nat(COUNT - 1)), (all, anyOfThem) => {
      const needs = new Map(anyOfThem.filter((id) => all.some((pair) => pair[1] === id)).map((id) => [id, 1]))
      const begun = new Set<number>()
      for (let round = 0; round < COUNT; round++) {
        for (let id = 0; id < COUNT; id++) {
          const before = all.filter((pair) => pair[1] === id)
          const met = before.filter(([on]) => begun.has(on)).length
          if (met >= (needs.get(id) ?? before.length)) begun.add(id)
        }
      }
      const circle = circleOf(COUNT, [all.flat()], needs)
      expect(circle.length > 0).toBe(begun.size < COUNT)
      circle.forEach((id, at) => {
        const on = circle[(at + 1) % circle.length]
        expect(all).toContainEqual([on, id])
      })
    }),
  )
})
