/** Runs of HPCC itself (CC_MODE 3): which of its settings are carried over, and which are refused. */
import { expect, test } from 'vitest'
import { run as simulate } from '../../lab/index.ts'
import { textsOf } from '../../core/results/index.ts'
import { parseScenario } from '../../lab/scenario/index.ts'
import { refusal, config, importing } from './hpcc.test-bench.ts'
import { adapted, differs, found } from '../findings.test-bench.ts'
import type { ImportInput } from '../importer.ts'
import { edited, sample } from '../samples.test-files.ts'

const run = (changes: Record<string, string | undefined> = {}, options: Record<string, string> = {}): ImportInput =>
  sample('run/config.txt', options, changes)

const KEYS = 'FAST_REACT 1\nU_TARGET 0.9\nMI_THRESH 0\nINT_MULTI 2\nMULTI_RATE 0\nSAMPLE_FEEDBACK 0\n'
const mode3 = (keys = KEYS) => config(['CC_MODE 1\n', `CC_MODE 3\n${keys}`], ['VAR_WIN 0', 'VAR_WIN 1'])

test('HPCC is imported with its telemetry, its rates and its window', () => {
  const { scenario, findings } = importing(run(mode3()))
  expect(scenario).toMatchObject({
    frames: { dataOverhead: '48B', everyOverhead: '0B', telemetry: '42B', ack: '46B', minimum: '0B' },
    switch: { telemetry: { timeUnit: '1ns', sentUnit: '256B', queueUnit: '160B' } },
    qp: { ackInterval: 1, window: '37.4KB', windowVariable: true, pacing: 'follow', rateRounding: 'bps' },
    congestion: {
      kind: 'hpcc',
      limit: 'rate',
      eta: 0.9,
      maxStage: 0,
      additiveRate: '30Mbps',
      baseRtt: '7.48us',
      minRate: '100Mbps',
      perAck: true,
    },
  })
  expect(findings).toContainEqual(differs('telemetry-rates', { rateBps: [40e9], reportedAsBps: 25e9 }))
  expect(findings).not.toContainEqual(found('without-effect', { reason: 'read only with CC_MODE 3' }))
  expect(findings).not.toContainEqual(differs('hpcc-window'))
  expect(parseScenario(JSON.stringify(scenario)).congestion.kind).toBe('hpcc')
})

test('an imported run can be simulated', () => {
  const { scenario } = importing(run(mode3()))
  const result = simulate(parseScenario(JSON.stringify(scenario)), { check: true })
  expect(textsOf(result.flows, 'status')).toEqual(['finished', 'finished', 'finished'])
})

test.each([
  [1, 'dcqcn'],
  [8, 'dctcp-rate'],
])('with ENABLE_QCN 0 under CC_MODE %i the run has no marks', (mode, scheme) => {
  const changes = config(['ENABLE_QCN 1', 'ENABLE_QCN 0'], ['CC_MODE 1', `CC_MODE ${mode}`])
  const { scenario, findings } = importing(run(changes))
  expect(findings).toContainEqual(adapted('marks-off', { congestion: scheme }, { file: 'run/config.txt', line: 1 }))
  expect(findings).toContainEqual(found('without-effect', { names: ['KMIN_MAP', 'KMAX_MAP', 'PMAX_MAP'] }))
  // The senders exceed the link rate, so that the thresholds of the file would mark.
  const flows = ['0 2 1MB 0us', '1 2 1MB 0us', '3 2 1MB 0us']
  const crowded = { ...scenario, workload: [{ kind: 'trace', flows }] }
  const { flows: done, counters } = simulate(parseScenario(JSON.stringify(crowded)), { check: true })
  expect(textsOf(done, 'status')).toEqual(['finished', 'finished', 'finished'])
  expect(counters.ecnMarks).toBe(0)
  const enabled = importing(run(config(['CC_MODE 1', `CC_MODE ${mode}`]))).scenario
  const marked = simulate(parseScenario(JSON.stringify({ ...enabled, workload: crowded.workload })))
  expect(marked.counters.ecnMarks).toBeGreaterThan(0)
})

test('ENABLE_QCN 0 under a control that ignores marks switches marking off', () => {
  const { scenario, findings } = importing(run(config(['ENABLE_QCN 1', 'ENABLE_QCN 0'], ['CC_MODE 1', 'CC_MODE 7'])))
  expect(scenario).toMatchObject({ switch: { ecn: { classes: [] } } })
  expect(findings).not.toContainEqual(adapted('marks-off'))
})

test('FAST_REACT 0 and defaults of its code are carried over', () => {
  const { scenario } = importing(run(mode3('FAST_REACT 0\nMULTI_RATE 0\n')))
  expect(scenario).toMatchObject({ congestion: { eta: 0.95, maxStage: 5, perAck: false } })
  expect(scenario).toMatchObject({ switch: { telemetry: { sentUnit: '128B', queueUnit: '80B' } } })
})

test.each([
  ['MULTI_RATE 0', 'MULTI_RATE 1', 'MULTI_RATE: expected 0 (one rate for a flow), received 1 (a rate for each hop)'],
  ['MULTI_RATE 0\n', '', 'MULTI_RATE: expected 0 (one rate for a flow), received 1 (a rate for each hop)'],
  ['FEEDBACK 0', 'FEEDBACK 1', 'SAMPLE_FEEDBACK: expected 0, received 1 (hops without a queue are skipped)'],
  ['U_TARGET 0.9', 'U_TARGET 9', 'U_TARGET: expected a number 0.01 to 1, received "9"'],
])('settings without a counterpart are refused: %s as %s', (from, to, message) => {
  expect(refusal(run(mode3(KEYS.replace(from, to))))).toContain(message)
})

test('HPCC without a window is refused', () => {
  const changes = config(['CC_MODE 1\n', `CC_MODE 3\n${KEYS}`], ['HAS_WIN 1', 'HAS_WIN 0'])
  expect(refusal(run(changes))).toContain('HAS_WIN: expected 1, as HPCC of that simulator divides queues by the window')
})

test('keys of HPCC have no effect on other controls, with a note', () => {
  const { findings } = importing(run(mode3(), { congestion: 'dcqcn' }))
  const names = ['FAST_REACT', 'U_TARGET', 'MI_THRESH', 'INT_MULTI', 'MULTI_RATE', 'SAMPLE_FEEDBACK']
  expect(findings).toContainEqual(found('without-effect', { names, reason: 'read only with CC_MODE 3' }))
})

test('windows are noted to differ where the fastest pair of hosts is not the farthest', () => {
  const slow = edited('run/net.txt', ['3 5 40Gbps', '3 5 10Gbps'], ['4 5 40Gbps', '4 5 10Gbps'])
  const maps = config(
    ['CC_MODE 1\n', `CC_MODE 3\n${KEYS}`],
    [/_MAP 2 1/g, '_MAP 3 10000000000 0 1'],
    ['GLOBAL_T 1', 'GLOBAL_T 0'],
  )
  const { findings } = importing(run({ ...slow, ...maps }))
  expect(findings).toContainEqual(differs('hpcc-window'))
  expect(findings).toContainEqual(differs('base-rtts-of-pairs'))
})
