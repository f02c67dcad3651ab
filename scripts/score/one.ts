/**
 * One: the score of one seed. The truth of an incident, which takes several runs, may come from an earlier score: it holds
 * as long as the incident has the same events.
 */
import { reportedRun } from '../../src/advice.ts'
import { run } from '../../src/lab/index.ts'
import type { Result } from '../../src/core/results/index.ts'
import { type Drawn, drawCounting, firstCauses } from './counterfactual.ts'
import { type Found, foundIn, waitingOf } from './found.ts'
import { drawHealthy, drawIncident, type Incident, treeOf } from './incident.ts'
import { Names } from './match.ts'
import type { Form } from './seeds.ts'
import { scenarioOfTree } from './tree.ts'
import type { Kind } from './truth.ts'
import { p99Of, victimsOf } from './victims.ts'

export interface Score {
  readonly form: Form
  readonly seed: number
  readonly scheme: string
  readonly drawn: Drawn
  /** The first few that were named. */
  readonly found: readonly Found[]
  /** Position of the first that names a first cause, from 0; -1: none does. */
  readonly rank: number
  /** That one says the kind, too. */
  readonly isKindRight: boolean
  readonly waitingPs: number
  readonly withoutOriginPs: number
  readonly cpuSeconds: number
}

const FOUND_KEPT = 8
/** The run with what explanations need. */
export function observed(incident: Incident): {
  readonly result: Result
  readonly found: Found[]
  scenarioText: string
} {
  const tree = { ...treeOf(incident, incident.injections), observe: [{ kind: 'autopsy' }] }
  const result = run(scenarioOfTree(tree))
  const scenarioText = JSON.stringify(result.scenario)
  const stored = { result, scenarioText, scenarioList: () => undefined }
  return { result, found: foundIn(reportedRun(stored, { label: result.name, folder: '' })), scenarioText }
}

export function foundTexts(incident: Incident): string[] {
  return observed(incident).found.map(
    ({ device, peer, kind }) => `${device}${peer === undefined ? '' : ` and ${peer}`}${kind ? `, ${kind}` : ''}`,
  )
}

/** @param known from an earlier score of the same generator */
export function scoreOf(form: Form, seed: number, known?: Drawn, kinds?: readonly Kind[]): Score {
  const from = process.cpuUsage()
  if (form === 'healthy') {
    const incident = drawHealthy(seed)
    const seen = observed(incident)
    const victims = victimsOf(seen.result, incident.base.tags)
    const p99 = p99Of(victims, victims).get('')!
    const { digest } = seen.result
    return scored(
      form,
      incident,
      { attempt: 0, digest, p99, healthyP99: p99, causes: [], refusal: null, refused: [] },
      seen,
      from,
    )
  }
  if (known !== undefined) {
    const incident = drawIncident(seed, known.attempt, kinds)
    const seen = observed(incident)
    if (seen.result.digest === known.digest) return scored(form, incident, known, seen, from)
  }
  const { incident, drawn } = drawCounting(seed, kinds)
  const seen = observed(incident)
  if (seen.result.digest !== drawn.digest) throw new Error(`score: the autopsy changed seed ${seed}`)
  return scored(form, incident, drawn, seen, from)
}

function scored(
  form: Form,
  { seed, base }: Incident,
  drawn: Drawn,
  { result, found }: { readonly result: Result; readonly found: readonly Found[] },
  from: NodeJS.CpuUsage,
): Score {
  const first = firstCauses(drawn.causes)
  const { user, system } = process.cpuUsage(from)
  const names = new Names(base.topology)
  const rank = names.rankOf(found, first)
  return {
    form,
    seed,
    scheme: base.scheme,
    drawn,
    found: found.slice(0, FOUND_KEPT),
    rank,
    isKindRight:
      rank >= 0 && first.some((cause) => names.fits(found[rank]!, cause) && cause.kind === found[rank]!.kind),
    ...waitingOf(result),
    cpuSeconds: Number(((user + system) / 1e6).toFixed(2)),
  }
}
