/**
 * Recorded runs: one run of every page in docs/experiments is repeated with the current program and has to be the same.
 * Long runs are compared by the flows that ended in the first part of the arrivals.
 */
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { experiments, type Outcome, type Point, readEarlierRuns } from '../../src/experiments/index.ts'
import { EARLY } from '../../src/experiments/irn/arms.ts'
import { run } from '../../src/lab/index.ts'
import { completionsOf, numbersOf, sum } from '../../src/results/index.ts'
import { formatScenario, parseScenario } from '../../src/scenario/index.ts'
import { read, ROOT } from './pages.ts'
import { EARLIER } from './reproduction.ts'

const FOLDER = 'docs/experiments'

function isEarlier(folder: string): boolean {
  const page = readdirSync(path.join(ROOT, FOLDER, folder)).find((name) => name.endsWith('.md'))!
  return read(`${FOLDER}/${folder}/${page}`).includes(EARLIER)
}

/** Pages by folder, with their size and runs. */
const pages = readdirSync(path.join(ROOT, FOLDER), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  // Runs with an earlier reading are from an older program, which their pages say.
  .filter(({ name }) => !isEarlier(name))
  .map(({ name: folder }) => {
    const file = readdirSync(path.join(ROOT, FOLDER, folder)).find(
      (name) => name.endsWith('.csv') && !/-(claims|expectations)\.csv$/.test(name),
    )!
    const experiment = experiments.find(({ name }) => name === path.basename(file, '.csv'))!
    const size = read(`${FOLDER}/${folder}/${path.basename(file, '.csv')}.md`).includes('--size full')
      ? ('full' as const)
      : ('small' as const)
    return { folder, experiment, size, outcomes: readEarlierRuns(read(`${FOLDER}/${folder}/${file}`)) }
  })

/** The recorded run that is quickest to repeat, and its point. */
function pick(points: readonly Point[], outcomes: readonly Outcome[]): { point: Point; outcome: Outcome } {
  const known = outcomes.flatMap((outcome) => {
    const point = points.find(({ condition, seed }) => condition === outcome.condition && seed === outcome.seed)
    return point === undefined ? [] : [{ point, outcome }]
  })
  const sizeOf = ({ outcome }: { outcome: Outcome }): number =>
    outcome.measures['packetHops'] ?? outcome.measures['dataPackets'] ?? 0
  // Prefers a setting of the page itself, since the default case has its own page.
  const own = known.filter(({ point }) => point.condition.split(' | ').length > 3)
  return (own.length > 0 ? own : known).toSorted((a, b) => sizeOf(a) - sizeOf(b))[0]!
}

/** The values that identify a run: its digest, or the count and times of the flows that ended early. */
function marksOf(point: Point, { measures, digest }: Outcome): { recorded: unknown; again: unknown } {
  if (measures['earlyFlows'] === undefined)
    return { recorded: digest, again: run(point.scenario, { check: false }).digest }
  const untilPs = point.scenario.measure.generate! / EARLY
  const stop = ['measure.warmUp=0us', 'measure.window=off', `measure.stop=${Math.ceil(untilPs / 1000) + 1}ns`]
  const result = run(parseScenario(formatScenario(point.scenario), { sets: stop }), { check: false })
  const { completionPs } = completionsOf(result)
  const endsPs = numbersOf(result.flows, 'startPs')
    .map((startPs, row) => startPs + completionPs[row]!)
    .filter((endPs) => endPs <= untilPs)
  return {
    recorded: [measures['earlyFlows'], measures['earlyEndsPs']],
    again: [endsPs.length, sum(endsPs)],
  }
}

describe.each(pages.map((page) => [page.folder, page] as const))('%s', (_, { experiment, size, outcomes }) => {
  test('a recorded run gives the same result when repeated', () => {
    const { point, outcome } = pick(experiment.plan.points(size, outcomes[0]!.seed), outcomes)
    const { recorded, again } = marksOf(point, outcome)
    expect(again, point.condition).toEqual(recorded)
  }, 600_000)
})
