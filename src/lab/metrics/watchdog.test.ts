import { expect, test } from 'vitest'
import { Tester } from '../../../tests/conformance/bench-watchdog.ts'
import { defaultsOf, MS } from '../../core/base/params.ts'
import { numbersOf, textsOf } from '../../core/results/index.ts'
import { createRandomStreams } from '../../core/base/random.ts'
import { watchdog } from './watchdog.ts'

test('a row when a class goes out of service and one when it comes back, with the packets discarded meanwhile', () => {
  const text = `switch: {watchdog: {kind: broadcom, detectionTime: 200ms, restorationTime: 200ms, pollInterval: 100ms}}`
  const tester = new Tester({ text })
  const { network, topology } = tester.built
  const observer = watchdog.create(defaultsOf(watchdog.params), {
    network,
    topology,
    random: createRandomStreams(1),
    maxRows: 100,
    completion: 'receiver',
    watchPairs: () => {},
  })
  network.fabric.watch = observer.watch!
  tester.stream({ from: 0, to: 1, load: 0.2 })
  const back = tester.stream({ from: 1, to: 0, load: 0.1 })
  tester.storm({ host: 1, fromPs: 100 * MS, toPs: 600 * MS })
  tester.run(1000 * MS)
  const table = observer.table(tester.nowPs)
  expect(textsOf(table, 'event')).toEqual(['storm', 'restore'])
  expect(textsOf(table, 'rule')).toEqual(['broadcom', 'broadcom'])
  expect([...numbersOf(table, 'trafficClass'), ...numbersOf(table, 'port')]).toEqual([3, 3, 2, 2])
  const [stormPs, restorePs] = numbersOf(table, 'timePs')
  expect(restorePs! - stormPs!).toBeGreaterThan(200 * MS)
  const atEnd = (name: string): number => numbersOf(table, name)[1]!
  expect([atEnd('txOk'), atEnd('rxOk'), numbersOf(table, 'txDropped')[0]]).toEqual([0, 0, 0])
  expect(atEnd('txDropped') + atEnd('rxDropped')).toBe(network.fabric.counters.drops.reduce((sum, n) => sum + n, 0))
  expect(Math.abs(atEnd('rxDropped') - back.offeredIn(stormPs!, restorePs!))).toBeLessThanOrEqual(2)
})
