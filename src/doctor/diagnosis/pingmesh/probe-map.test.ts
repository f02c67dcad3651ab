import { expect, test } from 'vitest'
import { analyse, baselineOf, MAP_ROWS_MAX, probeMap } from './index.ts'
import { meshLog } from './mesh.test-data.ts'

test('rows are sources and columns destinations', () => {
  const log = meshLog(({ from, to }) =>
    from === 2 ? { outcome: 'retry-exceeded' } : to === 9 ? { rttNs: 900_000 } : {},
  )
  const { labels, levels, hostsEach } = probeMap(analyse(log, baselineOf(meshLog())))
  expect([labels.length, labels[2], hostsEach]).toEqual([16, 'host 2', 1])
  expect(levels[0]![0]).toBe('none')
  expect(new Set(levels[2])).toEqual(new Set(['lost', 'none']))
  expect(levels[0]![9]).toBe('slow')
  expect(levels[0]![1]).toBe('good')
})

test('many hosts are pooled', () => {
  const hosts = Array.from({ length: 1152 }, (_, host) => `host ${host}`)
  const failed = { count: 4, failed: 4, failedInterval: { low: 0, high: 1 }, slowShare: 0 }
  const pair = {
    source: 'host 30',
    destination: 'host 1151',
    scope: 'fabric',
    percentiles: { p50: null, p99: null, p999: null },
  }
  const { labels, levels, hostsEach } = probeMap({ hosts, pairs: [{ ...pair, ...failed }] })
  expect(labels).toHaveLength(MAP_ROWS_MAX)
  expect([labels[1], hostsEach]).toEqual(['host 24 to host 47', 24])
  expect(levels[1]![47]).toBe('lost')
  expect(levels.flat().filter((level) => level !== 'none')).toHaveLength(1)
})
