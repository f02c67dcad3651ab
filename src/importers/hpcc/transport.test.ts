/** Runs of HPCC itself (CC_MODE 3): what of its configuration goes over, and what has no counterpart. */
import { expect, test } from 'vitest'
import { run as simulate } from '../../lab/index.ts'
import { textsOf } from '../../results/index.ts'
import { parseScenario } from '../../scenario/index.ts'
import { complaint, config, importing } from './hpcc.test-bench.ts'
import type { ImportInput } from '../importer.ts'
import { edited, sample } from '../samples.test-files.ts'

const run = (changes: Record<string, string | undefined> = {}, options: Record<string, string> = {}): ImportInput =>
  sample('run/config.txt', options, changes)

const KEYS = 'FAST_REACT 1\nU_TARGET 0.9\nMI_THRESH 0\nINT_MULTI 2\nMULTI_RATE 0\nSAMPLE_FEEDBACK 0\n'
const mode3 = (keys = KEYS) => config(['CC_MODE 1\n', `CC_MODE 3\n${keys}`], ['VAR_WIN 0', 'VAR_WIN 1'])

test('comes with its telemetry, its rate, and its window beside it', () => {
  const { scenario, notes } = importing(run(mode3()))
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
  expect(notes).toContain('reports those of 40Gbps as 25Gbps; here they are reported as they are')
  expect(notes).not.toContain('U_TARGET')
  expect(notes).not.toContain('queues are divided')
  expect(parseScenario(JSON.stringify(scenario)).congestion.kind).toBe('hpcc')
})

test('it runs', () => {
  const { scenario } = importing(run(mode3()))
  const result = simulate(parseScenario(JSON.stringify(scenario)), { check: true })
  expect(textsOf(result.flows, 'status')).toEqual(['finished', 'finished', 'finished'])
})

test.each([
  [1, 'dcqcn'],
  [8, 'dctcp-rate'],
])('ENABLE_QCN 0 under CC_MODE %i: it runs, and nothing is marked', (mode, scheme) => {
  const changes = config(['ENABLE_QCN 1', 'ENABLE_QCN 0'], ['CC_MODE 1', `CC_MODE ${mode}`])
  const { scenario, notes } = importing(run(changes))
  expect(notes).toContain(`run/config.txt:1: ENABLE_QCN 0 with ${scheme}, which needs marks: it runs without any`)
  expect(notes).toContain('without effect here: KMIN_MAP, KMAX_MAP, PMAX_MAP')
  // More senders than the link carries, into a queue that the thresholds of the file would mark.
  const flows = ['0 2 1MB 0us', '1 2 1MB 0us', '3 2 1MB 0us']
  const crowded = { ...scenario, workload: [{ kind: 'trace', flows }] }
  const { flows: done, counters } = simulate(parseScenario(JSON.stringify(crowded)), { check: true })
  expect(textsOf(done, 'status')).toEqual(['finished', 'finished', 'finished'])
  expect(counters.ecnMarks).toBe(0)
  const enabled = importing(run(config(['CC_MODE 1', `CC_MODE ${mode}`]))).scenario
  const marked = simulate(parseScenario(JSON.stringify({ ...enabled, workload: crowded.workload })))
  expect(marked.counters.ecnMarks).toBeGreaterThan(0)
})

test('ENABLE_QCN 0 under a control that reads no marks turns them off', () => {
  const { scenario, notes } = importing(run(config(['ENABLE_QCN 1', 'ENABLE_QCN 0'], ['CC_MODE 1', 'CC_MODE 7'])))
  expect(scenario).toMatchObject({ switch: { ecn: { classes: [] } } })
  expect(notes).not.toContain('which needs marks')
})

test('one reaction for a round trip, and defaults of its code, go over', () => {
  const { scenario } = importing(run(mode3('FAST_REACT 0\nMULTI_RATE 0\n')))
  expect(scenario).toMatchObject({ congestion: { eta: 0.95, maxStage: 5, perAck: false } })
  expect(scenario).toMatchObject({ switch: { telemetry: { sentUnit: '128B', queueUnit: '80B' } } })
})

test.each([
  ['MULTI_RATE 0', 'MULTI_RATE 1', 'MULTI_RATE: expected 0 (one rate for a flow), received 1 (a rate for each hop)'],
  ['MULTI_RATE 0\n', '', 'MULTI_RATE: expected 0 (one rate for a flow), received 1 (a rate for each hop)'],
  ['FEEDBACK 0', 'FEEDBACK 1', 'SAMPLE_FEEDBACK: expected 0, received 1 (hops without a queue are passed over)'],
  ['U_TARGET 0.9', 'U_TARGET 9', 'U_TARGET: expected a number 0.01 to 1, received "9"'],
])('what has no counterpart is refused: %s as %s', (from, to, message) => {
  expect(complaint(run(mode3(KEYS.replace(from, to))))).toContain(message)
})

test('without a window it divides by nothing there', () => {
  const changes = config(['CC_MODE 1\n', `CC_MODE 3\n${KEYS}`], ['HAS_WIN 1', 'HAS_WIN 0'])
  expect(complaint(run(changes))).toContain('HAS_WIN: expected 1, as HPCC divides queues by the window there')
})

test('its keys change nothing for the others, and that is said', () => {
  const { notes } = importing(run(mode3(), { congestion: 'dcqcn' }))
  expect(notes).toContain(
    'without effect here: FAST_REACT, U_TARGET, MI_THRESH, INT_MULTI, MULTI_RATE, SAMPLE_FEEDBACK (read only with CC_MODE 3)',
  )
})

test('where the fastest pair is not the farthest, its window is another', () => {
  const slow = edited('run/net.txt', ['3 5 40Gbps', '3 5 10Gbps'], ['4 5 40Gbps', '4 5 10Gbps'])
  const maps = config(
    ['CC_MODE 1\n', `CC_MODE 3\n${KEYS}`],
    [/_MAP 2 1/g, '_MAP 3 10000000000 0 1'],
    ['GLOBAL_T 1', 'GLOBAL_T 0'],
  )
  const { notes } = importing(run({ ...slow, ...maps }))
  expect(notes).toContain('queues are divided by the largest window there')
  expect(notes).toContain('a base round trip of its own; here all have the longest')
})
