/**
 * Trial: the fabric of a folder, simulated as it is and with the remedy of a finding, under the same traffic and seeds.
 */
import { asicOf } from '../../doctor/platforms/platforms.ts'
import { changeText, type Trial } from '../../doctor/answers/trial-text.ts'
import { type Issue, InputError, inputError } from '../../core/base/issue.ts'
import type { Finding } from '../../core/findings/index.ts'
import { fabricScenario, STANDARD_TRAFFIC, type Traffic, trafficText } from '../../importers/fabric/index.ts'
import {
  type Change,
  changed,
  cureOf,
  type Diagnosis,
  type Fabric,
  portKey,
  remedyFor,
  type RuleContext,
} from '../../doctor/index.ts'
import { type Summary, summarize } from '../../core/results/index.ts'
import { type Scenario, scenarioOf } from '../../lab/scenario/index.ts'
import type { Context } from '../context.ts'
import { watchRun } from '../workers/watch-run.ts'
import { type Parser, parser } from '../parsers.ts'
import { buildSimulation, simulate } from '../workers/simulate.ts'

/** A finding as --try names it. '': any. */
export interface Wanted {
  readonly id: string
  readonly device: string
  readonly port: string
}

/** "pfc01", "pfc01@gpu2", "pfc01@gpu2:eth2". */
export const readWanted: Parser<Wanted> = parser(
  'RULE, RULE@DEVICE or RULE@DEVICE:PORT, such as pfc01@gpu2:eth2',
  (text) => {
    const [, id = '', device = '', port = ''] =
      /^([A-Za-z]{1,20}\d{1,4})(?:@([^:]{1,500})(?::(.{1,500}))?)?$/.exec(text) ?? []
    return id === '' ? undefined : { id: id.toLowerCase(), device, port }
  },
)

const SEEDS = [1, 2, 3]

/** One finding for each of its places. */
function single(finding: Finding): Finding[] {
  const { also, ...rest } = finding
  return [{ ...rest, also: [] }, ...also.map((spot): Finding => ({ ...rest, ...spot, also: [] }))]
}

const spotText = ({ id, subject: { device, interface: port } }: Finding): string =>
  `${id} at ${`${device ?? ''} ${port ?? ''}`.trim()}`

/** @throws InputError where there is no such finding, and where nothing that is simulated cures it */
function wantedFindings({ findings }: Diagnosis, { id, device, port }: Wanted): Finding[] {
  const all = findings.flatMap(single)
  const found = all.filter(
    ({ id: own, subject }) =>
      own === id &&
      (device === '' || subject.device === device) &&
      (port === '' || portKey(subject.interface ?? '') === portKey(port)),
  )
  if (found.length > 0) return found
  const names = [...new Set(all.map((each) => each.id))].join(', ')
  const received = `${id}${device === '' ? '' : `@${device}`}${port === '' ? '' : `:${port}`}`
  throw inputError('--try', 'a finding of this folder', received, names === '' ? 'there is none' : `there are ${names}`)
}

/** A storm shows watchdogs; for all else a queue has to grow. */
function trafficFor(id: string, fabric: Fabric, concerned: readonly string[]): Traffic {
  if (!id.startsWith('wd')) return STANDARD_TRAFFIC
  const near = concerned.flatMap((device) =>
    fabric.linksOf(device).flatMap(({ ends }) => ends.filter(({ at }) => at?.config.kind === 'host')),
  )
  return near[0] === undefined ? STANDARD_TRAFFIC : { kind: 'storm', host: near[0].device }
}

interface Plan extends Omit<Trial, 'before' | 'after'> {
  /** As it is, and with the remedy. */
  readonly scenarios: readonly [Scenario, Scenario]
}

/** @throws InputError with all that keeps it from being tried */
export function planTrial(context: RuleContext, diagnosis: Diagnosis, wanted: Wanted, traffic?: Traffic): Plan {
  const { fabric } = context
  const findings = wantedFindings(diagnosis, wanted)
  const issues: Issue[] = []
  const changes = findings.flatMap((finding): readonly Change[] => {
    const cure = cureOf(context, finding)
    const own = cure !== null && 'changes' in cure ? cure.changes : remedyFor(context, finding)
    if (own !== null) return own
    issues.push({ path: '--try', expected: 'a finding that a setting cures', received: spotText(finding), hint: '' })
    return []
  })
  if (issues.length > 0) throw new InputError(issues)
  const concerned = [...new Set(findings.flatMap(({ subject: { device } }) => device ?? []))]
  const chosen = traffic ?? trafficFor(wanted.id, fabric, concerned)
  const options = { name: wanted.id, traffic: chosen, concerned, asicOf }
  const [before, after] = [fabric, changed(fabric, changes)].map((each) => fabricScenario(each, options).scenario)
  if (JSON.stringify(before) === JSON.stringify(after))
    throw inputError(
      '--try',
      'a remedy of which the simulator has the settings',
      changes.map(changeText).join(', ') || spotText(findings[0]!),
      'rocelab scenario --from FOLDER says what is left out',
    )
  return {
    findings: findings.map(spotText),
    changes,
    traffic: trafficText(chosen),
    seeds: SEEDS,
    scenarios: [scenarioOf(before), scenarioOf(after)],
  }
}

/** Null: it was interrupted, and the exit code is set. */
export async function runTrial(context: Context, { scenarios, ...plan }: Plan): Promise<Trial | null> {
  const watch = watchRun(context)
  const { interruption } = watch
  const sides: Summary[][] = []
  try {
    for (const [i, scenario] of scenarios.entries()) {
      const runs: Summary[] = []
      for (const seed of plan.seeds) {
        const own = { ...scenario, seed }
        const { result } = await simulate(
          own,
          buildSimulation(own),
          watch.slices(() => `run ${i * plan.seeds.length + runs.length + 1} of ${2 * plan.seeds.length}  `),
        )
        if (interruption.signal !== undefined) {
          context.process.exitCode = interruption.exitCode
          return null
        }
        runs.push(summarize(result))
      }
      sides.push(runs)
    }
  } finally {
    watch.end()
  }
  const [before, after] = sides
  return { ...plan, before: before!, after: after! }
}
