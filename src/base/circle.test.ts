/** Circles are found where there are any, against a naive twin. */
import { describe, expect, test } from 'vitest'
import { findCircle } from './circle.ts'
import { createRandomStreams } from './random.ts'

const circleIn = (edges: Readonly<Record<string, readonly string[]>>): string[] | null =>
  findCircle(Object.keys(edges), (node) => edges[node] ?? [])

describe('findCircle', () => {
  test.each([
    ['nothing', {}, null],
    ['a line', { a: ['b'], b: ['c'], c: [] }, null],
    ['two ways to one place', { a: ['b', 'c'], b: ['d'], c: ['d'], d: [] }, null],
    ['a circle', { a: ['b'], b: ['c'], c: ['a'] }, ['a', 'b', 'c']],
    ['a circle at the end of a line', { a: ['b'], b: ['c'], c: ['b'] }, ['b', 'c']],
    ['one that is its own next', { a: ['a'] }, ['a']],
  ])('%s', (_name, edges, circle) => expect(circleIn(edges)).toEqual(circle))

  test('a long path does not run out of stack', () => {
    const nodes = Array.from({ length: 200_000 }, (_, k) => k)
    const next = (node: number): number[] => (node + 1 < nodes.length ? [node + 1] : [])
    expect(findCircle(nodes, next)).toBeNull()
    expect(findCircle(nodes, (node) => (node + 1 < nodes.length ? [node + 1] : [0]))).toHaveLength(nodes.length)
  })

  test('a random graph has a circle exactly if removing nodes without successors leaves some', () => {
    const random = createRandomStreams(1).stream('graphs')
    let found = 0
    for (let k = 0; k < 500; k++) {
      const count = 1 + random.below(9)
      const edges = Array.from({ length: count }, () =>
        Array.from({ length: random.below(3) }, () => random.below(count)),
      )
      const circle = findCircle([...edges.keys()], (node) => edges[node]!)
      let left = [...edges.keys()]
      for (let before = -1; before !== left.length;) {
        before = left.length
        left = left.filter((node) => edges[node]!.some((next) => left.includes(next)))
      }
      expect(circle !== null).toBe(left.length > 0)
      if (circle === null) continue
      found++
      circle.forEach((node, at) => expect(edges[node]).toContain(circle[(at + 1) % circle.length]))
      expect(new Set(circle).size).toBe(circle.length)
    }
    expect(found).toBeGreaterThan(100)
    expect(found).toBeLessThan(450)
  })
})
