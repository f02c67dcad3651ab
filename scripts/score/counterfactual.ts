/**
 * Counterfactual: what the removal of each injection would have brought, with all else the same. An injection counts if its
 * removal lowers the victims' slowdown, or that of one tag, by the share that its generator asks for, or ends a stall.
 */
import { assert } from '../../src/core/base/assert.ts'
import { InputError } from '../../src/core/base/issue.ts'
import { run } from '../../src/lab/index.ts'
import { drawIncident, type Generator, type Incident, type Seen, treeOf } from './incident.ts'
import type { Injection } from './injections.ts'
import { scenarioOfTree } from './tree.ts'
import type { Kind, Truth } from './truth.ts'
import { isSameTraffic, p99, slowdownsOf, type Victims, victimsOf } from './victims.ts'

/** Removal leaves at most this share of the unfinished flows. */
const ENDED = 0.1
/** A stall: at least this share of the victims did not finish. */
const STALLED = 0.01
/** The smaller of two causes may be first where its removal saves nearly as much. */
const NEARLY = 0.9

export interface Cause extends Truth {
  /** Share of the slowdown or of the stall that its removal saves, the largest of the groups of victims; 0 to 1. */
  readonly saved: number
  readonly counts: boolean
}

/** Why an attempt was refused: its fabric is not healthy by itself, the run has no sign of the kind, too little harm, or a run is too long. */
export type Refusal = 'fabric' | 'sign' | 'harm' | 'long'

export interface Judged {
  /** That of the run with all injections. */
  readonly digest: string
  /** 99th percentiles of the victims' slowdown with all injections, and in the healthy fabric. */
  readonly p99: number
  readonly healthyP99: number
  /** As injected. */
  readonly causes: readonly Cause[]
  /** Null: all causes count. */
  readonly refusal: Refusal | null
}

/** Truth of an incident that was drawn. */
export interface Drawn extends Judged {
  readonly attempt: number
  /** Kinds of the injections of earlier attempts. */
  readonly refused: readonly { readonly kind: Kind; readonly why: Refusal }[]
}

/** Attempts after which a seed is a mistake of the generator. */
const ATTEMPTS_MAX = 400

/** The first attempt that is not refused. */
export function drawCounting(
  seed: number,
  kinds: readonly Kind[] | undefined,
  generator: Generator,
): { incident: Incident; drawn: Drawn } {
  const refused: { kind: Kind; why: Refusal }[] = []
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const incident = drawIncident(seed, attempt, kinds, generator)
    const judged = judgedIfItRuns(incident)
    if (judged?.refusal === null) return { incident, drawn: { attempt, ...judged, refused } }
    const why = judged?.refusal ?? 'fabric'
    refused.push(...incident.injections.map(({ truth: { kind } }) => ({ kind, why })))
  }
  throw new Error(`score: no incident of seed ${seed} counts`)
}

/** Null: this fabric cannot have one of the injections, such as buffers that are too small for its reserves. */
function judgedIfItRuns(incident: Incident): Judged | null {
  try {
    return judge(incident)
  } catch (error) {
    if (error instanceof InputError) return null
    throw error
  }
}

/** The run with some of the injections, and its victims. */
export function seenWith(incident: Incident, left: readonly Injection[]): Seen {
  const { generator, base } = incident
  const result = run(scenarioOfTree({ ...treeOf(incident, left), observe: generator.observe }))
  return { result, victims: victimsOf(result, base) }
}

export function judge(incident: Incident): Judged {
  const { generator, base, injections } = incident
  const healthy = seenWith(incident, [])
  const healthyP99 = slowdownsOf(healthy.victims, healthy.victims, p99).get('')!
  const judged = (whole: Seen | null, causes: readonly Cause[], refusal: Refusal | null): Judged => ({
    digest: whole?.result.digest ?? '',
    p99: whole === null ? NaN : slowdownsOf(whole.victims, healthy.victims, p99).get('')!,
    healthyP99,
    causes,
    refusal,
  })
  const isLong = ({ result }: Seen): boolean => result.counters.packetHops > generator.packetHopsMax
  const none = ({ truth }: Injection): Cause => ({ ...truth, saved: 0, counts: false })
  if (isLong(healthy)) return judged(null, injections.map(none), 'long')
  if (!generator.isHealthy(incident, healthy)) return judged(null, injections.map(none), 'fabric')
  const whole = seenWith(incident, injections)
  if (isLong(whole)) return judged(whole, injections.map(none), 'long')
  // Where all injections together are not felt beside the healthy fabric, none is removed alone.
  const isFelt = savedOf(generator, whole.victims, healthy.victims, healthy.victims) >= generator.leastSaved
  if (!isFelt && whole.victims.unfinished === 0) return judged(whole, injections.map(none), 'harm')
  const truths = injections.map(({ truth, seen }) => (seen === undefined ? truth : seen(whole.result)))
  if (truths.includes(null)) return judged(whole, injections.map(none), 'sign')
  const causes = injections.map((injection, i): Cause => {
    const others = injections.filter((one) => one !== injection)
    const without = others.length === 0 ? healthy : seenWith(incident, others)
    assert(isSameTraffic(whole.victims, without.victims, base), 'score: an injection changed what the victims post')
    if (isLong(without)) return none(injection)
    return { ...truths[i]!, ...savingOf(generator, whole.victims, without.victims, healthy.victims) }
  })
  return judged(whole, causes, causes.every(({ counts }) => counts) ? null : 'harm')
}

/** The largest share of a measure, of all victims or of one tag, that is gone. */
function savedOf({ measures }: Generator, whole: Victims, without: Victims, healthy: Victims): number {
  const shares = measures.flatMap((measure) => {
    const after = slowdownsOf(without, healthy, measure)
    return [...slowdownsOf(whole, healthy, measure)].map(([group, before]) => 1 - after.get(group)! / before)
  })
  return Math.max(...shares)
}

function savingOf(
  generator: Generator,
  whole: Victims,
  without: Victims,
  healthy: Victims,
): Pick<Cause, 'saved' | 'counts'> {
  const saved = savedOf(generator, whole, without, healthy)
  const isStall = whole.unfinished >= STALLED * whole.byKey.size
  const ofStall = isStall ? 1 - without.unfinished / whole.unfinished : 0
  return { saved: Math.max(0, saved, ofStall), counts: saved >= generator.leastSaved || ofStall >= 1 - ENDED }
}

/** Causes of which any may be named first. */
export function firstCauses(causes: readonly Cause[]): readonly Cause[] {
  const counted = causes.filter(({ counts }) => counts)
  const most = Math.max(...counted.map(({ saved }) => saved))
  return counted.filter(({ saved }) => saved >= NEARLY * most)
}
