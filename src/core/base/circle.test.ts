/** Circles are found where there are any, against a naive twin. */
import { describe, expect, test } from 'vitest'
import { circularParts, findCircle } from './circle.ts'
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

describe('circularParts', () => {
  test('are the sets of nodes that reach each other', () => {
    const random = createRandomStreams(2).stream('graphs')
    let several = 0
    for (let k = 0; k < 500; k++) {
      const count = 1 + random.below(12)
      const edges = Array.from({ length: count }, () =>
        Array.from({ length: random.below(3) }, () => random.below(count)),
      )
      const reaches = edges.map((next) => new Set(next))
      // A set that grows is walked to its end.
      for (const from of reaches) for (const by of from) for (const to of edges[by]!) from.add(to)
      const parts = new Map<string, number[]>()
      for (let node = 0; node < count; node++) {
        const part = [...reaches[node]!].filter((other) => reaches[other]!.has(node)).sort((a, b) => a - b)
        if (part.length > 0) parts.set(part.join(' '), part)
      }
      expect(circularParts(count, (node) => edges[node]!)).toEqual([...parts.values()])
      if (parts.size > 1) several++
    }
    expect(several).toBeGreaterThan(50)
  })

  test('a circle of many nodes does not run out of stack', () => {
    const count = 200_000
    expect(circularParts(count, (node) => [(node + 1) % count])).toHaveLength(1)
    expect(circularParts(count, (node) => (node + 1 < count ? [node + 1] : []))).toEqual([])
  })
})
