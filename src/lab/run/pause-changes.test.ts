/**
 * PFC that is turned off while a pause is in force: nobody stays paused by a port that pauses no more, whichever end lets
 * pauses expire.
 */
import { expect, test } from 'vitest'
import { textsOf } from '../../core/results/index.ts'
import { parseScenario } from '../scenario/index.ts'
import { run } from '../index.ts'

/** Two hosts that send more than the third takes, so that the switch pauses them. */
function outcome(changes: readonly string[]): readonly [readonly string[], number] {
  const { flows, counters } = run(
    parseScenario(`
name: pause-changes
topology: {kind: star, hosts: 3, linkRate: 10Gbps}
pfc: {refresh: 0}
recovery: {kind: irn, cap: 200}
qp: {ackTimeout: 500us, retryLimit: off}
switch: {buffer: {kind: shared-buffer, size: 300KB}}
workload: [{kind: trace, flows: ["0 2 1MB 0us", "1 2 1MB 0us"]}]
changes: [${changes.join()}]
`),
    { check: true },
  )
  return [[...new Set(textsOf(flows, 'status'))], counters.pauseFrames]
}

const OFF_AT_SWITCH = '{path: pfc.classes, value: [], at: 70us, nodes: switches}'

test.each([
  ['at both ends', []],
  ['at the switch, not at the hosts that it pauses', ['{path: pfc.expiry, value: false, nodes: hosts}']],
  ['at the hosts, not at the switch', ['{path: pfc.expiry, value: false, nodes: switches}']],
  ['nowhere', ['{path: pfc.expiry, value: false}']],
  [
    'at the hosts since the pause began',
    ['{path: pfc.expiry, value: false}', '{path: pfc.expiry, value: true, at: 65us}'],
  ],
])('pauses expire %s: all messages are finished', (_where, changes) => {
  const [statuses, pauses] = outcome([...changes, OFF_AT_SWITCH])
  expect(pauses).toBeGreaterThan(0)
  expect(statuses).toEqual(['finished'])
})

test('a change that would leave a switch too little room for its headroom is refused before the run', () => {
  const change = (value: string): string =>
    `{path: switch.buffer.believedDelay, value: ${value}, at: 70us, nodes: switches}`
  expect(() => outcome([change('100us')])).toThrow(
    /changes\.0\.value: expected switch\.buffer\.size to be more than .* not 300000 bytes, received switch\.buffer\.believedDelay = 100us/,
  )
  expect(outcome([change('2us')])[0]).toEqual(['finished'])
})
