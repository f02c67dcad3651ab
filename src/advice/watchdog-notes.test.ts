import { expect, test } from 'vitest'
import { parseScenario } from '../scenario/index.ts'
import { watchdogNotes } from './watchdog-notes.ts'

const notes = (watchdog: string, more = ''): string[] =>
  watchdogNotes(
    parseScenario(`
name: notes
topology: {kind: star, hosts: 2}
workload: [{kind: permutation, messageSize: 1KB, messages: 1}]
switch: {watchdog: ${watchdog}}
${more}`),
  )

test.each([
  ['"off"', ''],
  ['broadcom', ''],
  ['paper', ''],
])('nothing is noted with %s', (watchdog) => {
  expect(notes(watchdog)).toEqual([])
})

test.each([
  ['{kind: broadcom, pollInterval: 50ms}', 'pollInterval is 50.0 ms; switches take 100 ms to 1.00 s'],
  ['{kind: generic, detectionTime: 6s}', 'detectionTime is 6.00 s; switches take 100 ms to 5.00 s'],
  ['{kind: nvidia, restorationTime: "off"}', 'never comes back'],
  ['{kind: nvidia, action: alert}', 'storms are reported and spread'],
])('%s: %s', (watchdog, text) => {
  expect(notes(watchdog)).toEqual([expect.stringContaining(text)])
})

test('a watchdog without PFC has nothing to watch', () => {
  expect(notes('broadcom', 'pfc: {classes: []}')).toEqual([expect.stringContaining('nothing to watch')])
})
