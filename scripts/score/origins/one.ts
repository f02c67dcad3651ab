/**
 * One: the score of one seed, of which the truth may come from an earlier score.
 */
import { run } from '../../../src/lab/index.ts'
import type { Result } from '../../../src/core/results/index.ts'
import { type Cause, type Drawn, drawCounting, seenWith } from '../counterfactual.ts'
import { drawHealthy, drawIncident, type Incident, treeOf } from '../incident.ts'
import { Names } from '../match.ts'
import type { Form } from '../seeds.ts'
import { scenarioOfTree } from '../tree.ts'
import type { Kind } from '../truth.ts'
import { p99 as p99Measure, slowdownsOf } from '../victims.ts'
import { type Damage, drawDamage, drawVendorDamage } from './damage.ts'
import { isHealthy } from './fabrics.ts'
import { ORIGINS } from './generator.ts'
import { type Graded, graded, isPositionRight } from './right.ts'
import { naiveOf, type Said, saidOf } from './said.ts'

export interface OriginScore {
  readonly form: Form
  readonly seed: number
  /** Tiers of switches. */
  readonly tiers: number
  readonly drawn: Drawn
  readonly damage: Damage
  /** All that is said, the surest first. */
  readonly said: readonly Graded[]
  /** The same by the neutral readings, where `said` is by the forms of vendors. */
  readonly neutral?: readonly Graded[]
  /** Whether the positions that the rules of thumb name are right. */
  readonly naive: { readonly port: boolean; readonly host: boolean }
  readonly cpuSeconds: number
}

/** Attempts after which a seed is a mistake of the generator. */
const ATTEMPTS_MAX = 100

interface Observed {
  readonly result: Result
  readonly said: Said[]
  readonly damage: Damage
}

/** The run as its collector sees it. */
export function observed(form: Form, incident: Incident, draw = drawDamage): Observed {
  const damage = draw(form, incident.seed, incident.base)
  const result = run(scenarioOfTree({ ...treeOf(incident, incident.injections), observe: [damage.observe] }))
  return { result, damage, said: saidOf(result, incident, damage) }
}

export function saidTexts(incident: Incident, draw = drawDamage): string[] {
  const { said, damage } = observed('incident', incident, draw)
  return [
    ...said.map(({ position, kind, confidence }) => `${position}, ${kind}, ${confidence}`),
    `by ${JSON.stringify({ ...damage.observe, ...damage.vendors })}`,
  ]
}

export function scoreOf(form: Form, seed: number, known?: Drawn, kinds?: readonly Kind[]): OriginScore {
  return scoreBy(drawDamage, form, seed, known, kinds)
}

/** By the readings of all counters, as they are and in the forms of vendors. */
export function vendorScoreOf(form: Form, seed: number, known?: Drawn, kinds?: readonly Kind[]): OriginScore {
  return scoreBy(drawVendorDamage, form, seed, known, kinds)
}

function scoreBy(
  draw: typeof drawDamage,
  form: Form,
  seed: number,
  known: Drawn | undefined,
  kinds: readonly Kind[] | undefined,
): OriginScore {
  const from = process.cpuUsage()
  const again = (drawn: Drawn): Incident =>
    form === 'healthy' ? drawHealthy(seed, drawn.attempt, ORIGINS) : drawIncident(seed, drawn.attempt, kinds, ORIGINS)
  if (known !== undefined) {
    const incident = again(known)
    const seen = observed(form, incident, draw)
    if (seen.result.digest === known.digest) return scored(form, incident, known, seen, from)
  }
  const { incident, drawn } = form === 'healthy' ? drawCalm(seed) : drawCounting(seed, kinds, ORIGINS)
  const seen = observed(form, incident, draw)
  if (seen.result.digest !== drawn.digest) throw new Error(`score: the collector changed seed ${seed}`)
  return scored(form, incident, drawn, seen, from)
}

/** The first fabric that is healthy by itself. */
function drawCalm(seed: number): { incident: Incident; drawn: Drawn } {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const incident = drawHealthy(seed, attempt, ORIGINS)
    const { result, victims } = seenWith(incident, [])
    if (!isHealthy(result, [])) continue
    const p99 = slowdownsOf(victims, victims, p99Measure).get('')!
    const { digest } = result
    return { incident, drawn: { attempt, digest, p99, healthyP99: p99, causes: [], refusal: null, refused: [] } }
  }
  throw new Error(`score: no fabric of seed ${seed} is healthy`)
}

function scored(
  form: Form,
  incident: Incident,
  drawn: Drawn,
  { result, said, damage }: Observed,
  from: NodeJS.CpuUsage,
): OriginScore {
  const { seed, base } = incident
  const names = new Names(base.topology)
  const { causes } = drawn
  const gradesOf = (all: readonly Said[], by: Damage): Graded[] => all.map((one) => graded(one, causes, names, by))
  const isAtOne = (position: string | null): boolean =>
    position !== null && causes.some((cause: Cause) => isPositionRight(position, cause, names))
  const naive = naiveOf(result)
  const { vendors, ...plain } = damage
  const neutral = vendors === undefined ? {} : { neutral: gradesOf(saidOf(result, incident, plain), plain) }
  const { user, system } = process.cpuUsage(from)
  return {
    form,
    seed,
    tiers: Math.max(...base.topology.tiers),
    drawn,
    damage,
    said: gradesOf(said, damage),
    ...neutral,
    naive: { port: isAtOne(naive.port), host: isAtOne(naive.host) },
    cpuSeconds: Number(((user + system) / 1e6).toFixed(2)),
  }
}
