/**
 * Recorded runs: of every page of docs/experiments one run is made again by the program as it is, and has to come out the
 * same. Long runs are known by their beginning: by the flows that ended in the first part of the arrivals.
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

/** Pages by folder, with the size and the runs that they were made of. */
const pages = readdirSync(path.join(ROOT, FOLDER), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  // Runs of an earlier reading are those of a program that is no more; their pages say so.
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

/** The recorded run that is quickest to make again, and its point. */
function pick(points: readonly Point[], outcomes: readonly Outcome[]): { point: Point; outcome: Outcome } {
  const known = outcomes.flatMap((outcome) => {
    const point = points.find(({ condition, seed }) => condition === outcome.condition && seed === outcome.seed)
    return point === undefined ? [] : [{ point, outcome }]
  })
  const sizeOf = ({ outcome }: { outcome: Outcome }): number =>
    outcome.measures['packetHops'] ?? outcome.measures['dataPackets'] ?? 0
  // A setting of the page's own, where the page has one: the default case is on a page of its own.
  const own = known.filter(({ point }) => point.condition.split(' | ').length > 3)
  return (own.length > 0 ? own : known).toSorted((a, b) => sizeOf(a) - sizeOf(b))[0]!
}

/** The numbers by which a run is known again: its digest, or those of the flows that ended early. */
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
  test('a recorded run, made again, is the same', () => {
    const { point, outcome } = pick(experiment.plan.points(size, outcomes[0]!.seed), outcomes)
    const { recorded, again } = marksOf(point, outcome)
    expect(again, point.condition).toEqual(recorded)
  }, 600_000)
})
