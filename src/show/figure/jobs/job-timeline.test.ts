/** Timelines of jobs: all of few ranks, some of many, and none where operations are not known. */
import { expect, test } from 'vitest'
import { run } from '../../../lab/index.ts'
import { parseScenario } from '../../../lab/scenario/index.ts'
import { resultFigures } from '../index.ts'

function figuresOf(hosts: number, more = ''): ReturnType<typeof resultFigures> {
  const text = `name: job\ntopology: {kind: star, hosts: ${hosts}}\nworkload: [{kind: collective, algorithm: halving-doubling, size: 16KB, iterations: 2}]\n${more}`
  return resultFigures([{ label: 'job', result: run(parseScenario(text)) }])
}

const rowsOf = (svg: string): number => [...svg.matchAll(/>\d+ \(host \d+\)</g)].length

test('a row for each of a few ranks, in the whole run and in its slowest round', () => {
  const figures = figuresOf(8).filter(({ name }) => name.startsWith('job-'))
  expect(figures.map(({ name }) => name)).toEqual(['job-timeline', 'job-round'])
  for (const { svg } of figures) expect(rowsOf(svg)).toBe(8)
  const [keys] = figures[0]!.data!.groups.map((group) => group.keys)
  expect(keys).toEqual(['collective', '0', 'messages'])
})

test('of many ranks as many rows as can be read', () => {
  const [figure] = figuresOf(128).filter(({ name }) => name === 'job-timeline')
  expect(rowsOf(figure!.svg)).toBe(32)
  expect(figure!.svg.length).toBeLessThan(600_000)
})

test('without rows of flows there is no timeline', () => {
  expect(figuresOf(4, 'measure: {flows: operations}').filter(({ name }) => name.startsWith('job-'))).toEqual([])
})
