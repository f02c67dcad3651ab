import { expect, test } from 'vitest'
import { parseScenario } from '../../scenario/index.ts'
import { watchdogNotes } from './watchdog-notes.ts'

const notes = (watchdog: string, more = ''): unknown[] =>
  watchdogNotes(
    parseScenario(`
name: notes
topology: {kind: star, hosts: 2}
workload: [{kind: permutation, messageSize: 1KB, messages: 1}]
switch: {watchdog: ${watchdog}}
${more}`),
  ).map(({ id, subject: { path }, values: { timePs } }) => (timePs === undefined ? [id] : [id, path, timePs]))

test.each(['"off"', 'broadcom', 'paper'])('nothing is noted with %s', (watchdog) => {
  expect(notes(watchdog)).toEqual([])
})

test.each([
  ['{kind: broadcom, pollInterval: 50ms}', ['watchdog-time-unusual', 'switch.watchdog.pollInterval', 50e9]],
  ['{kind: generic, detectionTime: 6s}', ['watchdog-time-unusual', 'switch.watchdog.detectionTime', 6e12]],
])('%s: %j', (watchdog, note) => {
  expect(notes(watchdog)).toEqual([note])
})

test('a watchdog without PFC has nothing to watch', () => {
  expect(notes('broadcom', 'pfc: {classes: []}')).toEqual([['watchdog-without-pfc']])
})
