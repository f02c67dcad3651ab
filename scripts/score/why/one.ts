/**
 * One: the score of one seed. The truth of an incident, which takes several runs, may come from an earlier score: it holds
 * as long as the incident has the same events.
 */
import { type Drawn, drawCounting, firstCauses, seenWith } from '../counterfactual.ts'
import { drawHealthy, drawIncident, type Incident, treeOf } from '../incident.ts'
import { Names } from '../match.ts'
import type { Form } from '../seeds.ts'
import type { Kind } from '../truth.ts'
import { p99, slowdownsOf } from '../victims.ts'
import { type Answer, answerOf, type Said } from './answer.ts'
import { isLoaded, WHY } from './generator.ts'
import { isKindRight, isRight } from './right.ts'

export interface WhyScore {
  readonly form: Form
  readonly seed: number
  readonly scheme: string
  readonly drawn: Drawn
  readonly answer: Answer
  /** Position of the first that names a first cause, from 0; -1: none does. */
  readonly rank: number
  /** That one says the kind, too. */
  readonly isKindRight: boolean
}

/** Attempts after which a seed is a mistake of the generator. */
const ATTEMPTS_MAX = 100

/** The first run of this form that is healthy by itself. */
export function drawPlain(form: Form, seed: number): { incident: Incident; drawn: Drawn } {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const incident = drawHealthy(seed, attempt, WHY, form)
    const seen = seenWith(incident, [])
    const { digest, counters } = seen.result
    if (counters.packetHops > WHY.packetHopsMax || !WHY.isHealthy(incident, seen)) continue
    const slowdown = slowdownsOf(seen.victims, seen.victims, p99).get('')!
    if (form === 'loaded' && !isLoaded(slowdown)) continue
    const drawn = { attempt, digest, p99: slowdown, healthyP99: slowdown, causes: [], refusal: null, refused: [] }
    return { incident, drawn }
  }
  throw new Error(`score: no run of seed ${seed} is ${form}`)
}

const answered = (incident: Incident): Promise<Answer> =>
  answerOf(JSON.stringify({ ...treeOf(incident, incident.injections), observe: [{ kind: 'autopsy' }] }))

export async function saidTexts(incident: Incident): Promise<string[]> {
  const { verdict, causes } = await answered(incident)
  return [verdict, ...causes.map(saidText)]
}

const saidText = ({ kind, device, peer, workload, path }: Said): string =>
  [kind, device, peer, workload, path].filter((part) => part !== undefined).join(', ')

/** @param known from an earlier score of the same generator */
export async function scoreOf(form: Form, seed: number, known?: Drawn, kinds?: readonly Kind[]): Promise<WhyScore> {
  if (known !== undefined) {
    const { attempt } = known
    const incident =
      form === 'incident' ? drawIncident(seed, attempt, kinds, WHY) : drawHealthy(seed, attempt, WHY, form)
    const answer = await answered(incident)
    if (answer.digest === known.digest) return scored(form, incident, known, answer)
  }
  const { incident, drawn } = form === 'incident' ? drawCounting(seed, kinds, WHY) : drawPlain(form, seed)
  const answer = await answered(incident)
  if (answer.digest !== drawn.digest) throw new Error(`score: the autopsy changed seed ${seed}`)
  return scored(form, incident, drawn, answer)
}

function scored(form: Form, { seed, base }: Incident, drawn: Drawn, answer: Answer): WhyScore {
  const names = new Names(base.topology)
  const right = answer.causes.map((said) => firstCauses(drawn.causes).filter((cause) => isRight(said, cause, names)))
  const rank = right.findIndex((causes) => causes.length > 0)
  return {
    form,
    seed,
    scheme: base.scheme,
    drawn,
    answer,
    rank,
    isKindRight: rank >= 0 && right[rank]!.some((cause) => isKindRight(answer.causes[rank]!, cause)),
  }
}
