import { expect, test } from 'vitest'
import { Totals } from './totals.ts'

/** Samples a counter that grows by one per 10 ps, every 10 ps up to `endPs`; the intervals up to `askPs`. */
function intervals(maxRows: number, endPs: number, askPs: number): { fromPs: number; toPs: number; added: number }[] {
  let counter = 0
  const totals = new Totals(1, maxRows, (into) => (into[0] = counter))
  totals.sample(0)
  for (let nowPs = 10; nowPs <= endPs; nowPs += 10) {
    counter++
    totals.sample(nowPs)
  }
  const rows: { fromPs: number; toPs: number; added: number }[] = []
  totals.eachInterval(askPs, (fromPs, toPs, before, after) =>
    rows.push({ fromPs, toPs, added: after[0]! - before[0]! }),
  )
  return rows
}

test('intervals join from 0 on, and what came after the last sample is one more', () => {
  expect(intervals(100, 30, 35)).toEqual([
    { fromPs: 0, toPs: 10, added: 1 },
    { fromPs: 10, toPs: 20, added: 1 },
    { fromPs: 20, toPs: 30, added: 1 },
    { fromPs: 30, toPs: 35, added: 0 },
  ])
  expect(intervals(100, 30, 30)).toHaveLength(3)
})

test('where samples are thinned the intervals get longer and nothing is lost', () => {
  for (const maxRows of [2, 3, 4, 7, 16, 100]) {
    for (const endPs of [10, 70, 80, 90, 1000]) {
      const rows = intervals(maxRows, endPs, endPs)
      expect(rows.length).toBeLessThanOrEqual(maxRows)
      expect(rows.reduce((sum, row) => sum + row.added, 0)).toBe(endPs / 10)
      expect(rows[0]!.fromPs).toBe(0)
      expect(rows.at(-1)!.toPs).toBe(endPs)
      for (let i = 1; i < rows.length; i++) expect(rows[i]!.fromPs).toBe(rows[i - 1]!.toPs)
      // All but the last are equally long, a power of two of samples.
      const lengths = new Set(rows.slice(0, -1).map((row) => (row.toPs - row.fromPs) / 10))
      expect(lengths.size).toBeLessThanOrEqual(1)
      for (const length of lengths) expect(32 - Math.clz32(length & (length - 1))).toBe(0)
    }
  }
})

test('asking for the intervals changes nothing', () => {
  let counter = 0
  const totals = new Totals(1, 10, (into) => (into[0] = counter))
  const ask = (nowPs: number): number[] => {
    const times: number[] = []
    totals.eachInterval(nowPs, (_fromPs, toPs) => times.push(toPs))
    return times
  }
  totals.sample(10)
  counter = 5
  expect(ask(15)).toEqual([10, 15])
  totals.sample(20)
  expect(ask(20)).toEqual([10, 20])
})
