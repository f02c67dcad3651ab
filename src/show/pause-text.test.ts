/** Pauses as text: a storm in a graph, with and without watchdogs, as `run` prints it. */
import { describe, expect, test } from 'vitest'
import { run } from '../lab/index.ts'
import { parseScenario } from '../lab/scenario/index.ts'
import { resultFigures } from './figure/index.ts'
import { pauseText } from './pause-text.ts'

const storm = (cure: string, observe = 'pause-intervals, {kind: server-state, interval: 1ms}, watchdog, nic-receive') =>
  run(
    parseScenario(`
name: storm
topology: {kind: graph, nodes: 7, switches: [4, 5, 6], links: ["0 4 10Gbps 10ns", "1 4 10Gbps 10ns", "2 5 10Gbps 10ns", "3 5 10Gbps 10ns", "4 6 10Gbps 100ns", "5 6 10Gbps 100ns"]}
congestion: none
pfc: {classes: [3]}
switch: {buffer: {kind: shared-buffer, size: 600KB}}
qp: {ackTimeout: 5ms, retryLimit: 7}
workload: [{kind: trace, flows: [1 0 1MB 0us, 2 0 1MB 0us, 3 1 1MB 3ms, 1 2 1MB 3ms]}]
faults: [{kind: pause-storm, hosts: host 0, from: 100us}]
measure: {stop: 20ms, end: stop}
observe: [${observe}]
${cure}`),
  )

const labelsOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.split(/ {2,}/)[0]!)
    .filter((label) => label.includes('paused by'))

describe('a storm', () => {
  const text = pauseText(storm(''))

  test('is shown by stages down to its cause, and switches of one name by their tier', () => {
    const labels = labelsOf(text)
    expect(labels).toContain('switch of tier 1, paused by host')
    expect(labels).toContain('switch of tier 2, paused by switch of tier 1')
    expect(text).toMatch(/by host 0$/m)
  })

  test('shows how many servers are left', () => {
    expect(text).toMatch(/^servers available {2}4 at first, fewest 0 at .* ms, \d at the end$/m)
  })

  test('without a watchdog has no line of one', () => {
    expect(text).not.toContain('watchdog')
  })
})

test('the watchdog of a NIC is for good, and is marked in the timeline', () => {
  const result = storm('nic: {watchdog: 4ms}')
  expect(pauseText(result)).toMatch(/^NIC of host 0 +1 +4\.10 ms +never +[\d,]+ to it$/m)
  const timeline = resultFigures([{ label: '', result }]).find(({ name }) => name === 'pause-timeline')?.svg ?? ''
  expect(timeline.replace(/<[^>]*>/g, ' ')).toContain('NIC of host 0: pauses off for good at 4.10 ms')
})

test('a port that a switch has taken out of service is not restored while the pauses last', () => {
  const watchdog = '{kind: paper, detectionTime: 2ms, restorationTime: 2ms, pollInterval: 1ms}'
  const text = pauseText(storm(`changes: [{path: switch.watchdog, value: ${watchdog}, at: 1ms}]`))
  expect(text).toMatch(/^switch 4 port 1, class 3 +1 +[\d.]+ ms +not at the end +-$/m)
})

test('a run that observed nothing of it has no such part', () => {
  expect(pauseText(storm('', '{kind: drops}'))).toBe('')
})
