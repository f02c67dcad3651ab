import { expect, test } from 'vitest'
import { summarize } from '../../core/results/index.ts'
import { parseScenario } from '../scenario/index.ts'
import { run } from '../index.ts'

/** One flow of 10 MB alone, 64 data packets a 1024 bytes every 1.41 us or so, measured as given. */
const scenario = (measure: string): string => `{name: window, topology: {kind: star, hosts: 2, linkRate: 100Gbps},
  workload: [{kind: trace, flows: ["0 1 10MB 0us op=send"]}], measure: ${measure}}`

const LINE_SHARE = 1024 / (1024 + 82)

test('goodput in the window counts the packets that arrive in it, whatever their message', () => {
  const whole = summarize(run(parseScenario(scenario('{end: drain}'))))
  const windowed = run(parseScenario(scenario('{warmUp: 100us, window: 200us, end: drain}')))
  const summary = summarize(windowed)
  expect(summary.windowGoodputBps / 100e9).toBeCloseTo(LINE_SHARE, 3)
  expect(summary.flows.measured).toBe(0)
  expect(summary.goodputBps).toBe(whole.goodputBps)
  // A flow of 0.9 ms is over before this window is.
  const late = run(parseScenario(scenario('{warmUp: 800us, window: 1ms, end: drain}')))
  expect(late.windowPayloadBytes).toBeGreaterThan(0)
  expect(late.windowPayloadBytes).toBe(
    10e6 - run(parseScenario(scenario('{window: 800us, stop: 2ms}'))).windowPayloadBytes,
  )
})

test('a window that was never reached holds nothing', () => {
  expect(run(parseScenario(scenario('{warmUp: 1s, end: drain}'))).windowPayloadBytes).toBe(0)
})

test('sampling changes no event', () => {
  const plain = run(parseScenario(scenario('{end: drain}')))
  expect(run(parseScenario(scenario('{warmUp: 100us, window: 200us, end: drain}'))).digest).toBe(plain.digest)
})
