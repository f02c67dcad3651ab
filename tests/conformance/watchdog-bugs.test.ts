/** The scenarios of the two bugs of watchdogs in the field show them, and a flag turns each off. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { run } from '../../src/lab/index.ts'
import { numbersOf, type Result, textsOf } from '../../src/core/results/index.ts'
import { parseScenario } from '../../src/lab/scenario/index.ts'

function resultOf(name: string, from: string, to: string): Result {
  const text = readFileSync(path.join(import.meta.dirname, '../../scenarios', name), 'utf8')
  expect(text).toContain(from)
  return run(parseScenario(text.replaceAll(from, to)))
}

const stormsOf = ({ series }: Result): number[] => {
  const events = textsOf(series[0]!, 'event')
  const times = numbersOf(series[0]!, 'timePs')
  const classes = numbersOf(series[0]!, 'trafficClass')
  return [...times].filter((_, row) => events[row] === 'storm' && classes[row] === 3).map((ps) => ps / 1e9)
}

test('watchdog-false-restore: the storm is restored and found again every 600 ms; with all frames counted it is found once', () => {
  const times = stormsOf(resultOf('watchdog-false-restore.yaml', 'countsWithoutPfc: false', 'countsWithoutPfc: false'))
  expect(times.length).toBeGreaterThanOrEqual(3)
  expect(times.slice(1).map((ms, i) => Math.round(ms - times[i]!))).toEqual(times.slice(1).map(() => 600))
  expect(
    stormsOf(resultOf('watchdog-false-restore.yaml', 'countsWithoutPfc: false', 'countsWithoutPfc: true')),
  ).toHaveLength(1)
})

test('watchdog-shared-profile: healthy servers lose packets for lack of buffer; with a profile for each port none', () => {
  const lost = (profile: string): number =>
    resultOf('watchdog-shared-profile.yaml', 'profile: switch}', `profile: ${profile}}`).counters.drops[
      'buffer full'
    ] ?? 0
  expect(lost('switch')).toBeGreaterThan(0)
  expect(lost('port')).toBe(0)
})
