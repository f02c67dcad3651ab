/**
 * Recorded runs: one run of every page in docs/experiments is repeated with the current program and has to be the same.
 * Long runs are compared by the flows that ended in the first part of the arrivals, or by the digest of their beginning, in
 * beginnings.json: `UPDATE_DIGESTS=1 npm test -- tests/docs/recorded-runs` repeats the whole run, which has to give the recorded
 * digest, and takes that of its beginning anew.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { keyOf } from '../../src/papers/core/plan.ts'
import { type Outcome, type Point, readEarlierRuns } from '../../src/papers/index.ts'
import { DEFAULT, EARLY } from '../../src/papers/irn/arms.ts'
import { run } from '../../src/lab/index.ts'
import { completionsOf, numbersOf, sum } from '../../src/core/results/index.ts'
import { formatScenario, parseScenario, type Scenario } from '../../src/lab/scenario/index.ts'
import { stored } from './stored-docs.ts'

const BEGINNINGS = path.join(import.meta.dirname, 'beginnings.json')
const isUpdate = process.env['UPDATE_DIGESTS'] !== undefined

interface Beginning {
  /** That of the whole run. */
  readonly digest: string
  readonly until: string
  readonly digestThen: string
}

/** By the folder of the page. */
const beginnings = JSON.parse(readFileSync(BEGINNINGS, 'utf8')) as Record<string, Beginning>

/** Pages by folder, with their size and runs; runs with an earlier reading are from an older program. */
const pages = stored
  .filter(({ info }) => info.isEarlier !== true)
  .map(({ folder, info: { size }, experiment, runsCsv }) => {
    return { folder, size, experiment: experiment!, outcomes: readEarlierRuns(runsCsv) }
  })

/** The recorded run that is quickest to repeat, and its point. */
function pick(points: readonly Point[], outcomes: readonly Outcome[]): { point: Point; outcome: Outcome } {
  const known = outcomes.flatMap((outcome) => {
    const point = points.find(({ at, seed }) => keyOf(at) === keyOf(outcome.at) && seed === outcome.seed)
    return point === undefined ? [] : [{ point, outcome }]
  })
  const sizeOf = ({ outcome }: { outcome: Outcome }): number =>
    outcome.measures['packetHops'] ?? outcome.measures['dataPackets'] ?? 0
  // Prefers a setting of the page itself, since the default case has its own page.
  const own = known.filter(({ point: { at } }) => (at['setting'] ?? DEFAULT) !== DEFAULT)
  return (own.length > 0 ? own : known).toSorted((a, b) => sizeOf(a) - sizeOf(b))[0]!
}

/** The scenario, stopped at a time: the same events until then. */
function stopped(scenario: Scenario, time: string): Scenario {
  const sets = ['measure.warmUp=0us', 'measure.window=off', `measure.stop=${time}`]
  return parseScenario(formatScenario(scenario), { sets })
}

/** The values that identify a run: its digest, that of its beginning, or the count and times of the flows that ended early. */
function marksOf(folder: string, { scenario }: Point, outcome: Outcome): { recorded: unknown; again: unknown } {
  const { measures, digest } = outcome
  const beginning = beginnings[folder]
  if (beginning !== undefined) {
    const whole = isUpdate ? run(scenario, { check: false }).digest : beginning.digest
    const digestThen = run(stopped(scenario, beginning.until), { check: false }).digest
    if (isUpdate) beginnings[folder] = { ...beginning, digest: whole, digestThen }
    return { recorded: [digest, beginnings[folder]!.digestThen], again: [whole, digestThen] }
  }
  if (measures['earlyFlows'] === undefined) return { recorded: digest, again: run(scenario, { check: false }).digest }
  const untilPs = scenario.measure.generate! / EARLY
  const result = run(stopped(scenario, `${Math.ceil(untilPs / 1000) + 1}ns`), { check: false })
  const { completionPs } = completionsOf(result)
  const endsPs = numbersOf(result.flows, 'startPs')
    .map((startPs, row) => startPs + completionPs[row]!)
    .filter((endPs) => endPs <= untilPs)
  return {
    recorded: [measures['earlyFlows'], measures['earlyEndsPs']],
    again: [endsPs.length, sum(endsPs)],
  }
}

test('each beginning is of a page', () => {
  expect(Object.keys(beginnings).filter((folder) => !pages.some((page) => page.folder === folder))).toEqual([])
})

describe.each(pages.map((page) => [page.folder, page] as const))('%s', (folder, { experiment, size, outcomes }) => {
  test('a recorded run gives the same result when repeated', () => {
    const { point, outcome } = pick(experiment.points(size, outcomes[0]!.seed), outcomes)
    const { recorded, again } = marksOf(folder, point, outcome)
    expect(again, keyOf(point.at)).toEqual(recorded)
  }, 600_000)
})

afterAll(() => {
  if (isUpdate) writeFileSync(BEGINNINGS, `${JSON.stringify(beginnings, null, 2)}\n`)
})
