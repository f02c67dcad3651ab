/**
 * Counterfactual: what the removal of each injection would have brought, with all else the same. An injection counts if its
 * removal halves the victims' 99th percentile of slowdown, or that of one tag, or ends a stall.
 */
import { assert } from '../../src/core/base/assert.ts'
import { run } from '../../src/lab/index.ts'
import type { Result } from '../../src/core/results/index.ts'
import { CAUSES, drawIncident, type Generator, type Incident, treeOf } from './incident.ts'
import type { Injection } from './injections.ts'
import { scenarioOfTree } from './tree.ts'
import type { Kind, Truth } from './truth.ts'
import { isSameTraffic, p99Of, type Victims, victimsOf } from './victims.ts'

/** Removal leaves at most this share of the slowdown, or of the unfinished flows. */
const HALVED = 0.5
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

/** Why an attempt was refused: its fabric is not healthy by itself, the run has no sign of the kind, or too little harm. */
export type Refusal = 'fabric' | 'sign' | 'harm'

export interface Judged {
  /** That of the run with all injections. */
  readonly digest: string
  /** 99th percentiles of the victims' slowdown with all injections, and in the healthy fabric. */
  readonly p99: number
  readonly healthyP99: number
  /** As injected. */
  readonly causes: readonly Cause[]
  /** Null: some cause counts, or all of them where all have to. */
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
  kinds?: readonly Kind[],
  generator: Generator = CAUSES,
): { incident: Incident; drawn: Drawn } {
  const refused: { kind: Kind; why: Refusal }[] = []
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const incident = drawIncident(seed, attempt, kinds, generator)
    const judged = judge(incident)
    const { refusal: why } = judged
    if (why === null) return { incident, drawn: { attempt, ...judged, refused } }
    refused.push(...judged.causes.map(({ kind }) => ({ kind, why })))
  }
  throw new Error(`score: no incident of seed ${seed} counts`)
}

interface Seen {
  readonly result: Result
  readonly victims: Victims
}

/** The run with some of the injections, and its victims. */
export function seenWith(incident: Incident, left: readonly Injection[]): Seen {
  const { generator, base } = incident
  const result = run(scenarioOfTree({ ...treeOf(incident, left), observe: generator.observe }))
  return { result, victims: victimsOf(result, base.tags) }
}

export function judge(incident: Incident): Judged {
  const { generator, base, injections } = incident
  const healthy = seenWith(incident, [])
  const healthyP99 = p99Of(healthy.victims, healthy.victims)
  const judged = (digest: string, p99: number, causes: readonly Cause[], refusal: Refusal | null): Judged => ({
    digest,
    p99,
    healthyP99: healthyP99.get('')!,
    causes,
    refusal,
  })
  const none = ({ truth }: Injection): Cause => ({ ...truth, saved: 0, counts: false })
  const kinds = injections.map(({ truth }) => truth.kind)
  if (!generator.isHealthy(healthy.result, kinds)) return judged('', NaN, injections.map(none), 'fabric')
  const whole = seenWith(incident, injections)
  const { digest } = whole.result
  const before = p99Of(whole.victims, healthy.victims)
  const p99 = before.get('')!
  // Where all injections together are not felt beside the healthy fabric, none is removed alone.
  const isFelt = [...before].some(([group, part]) => healthyP99.get(group)! <= HALVED * part)
  if (!isFelt && whole.victims.unfinished === 0) return judged(digest, p99, injections.map(none), 'harm')
  const truths = injections.map(({ truth, seen }) => (seen === undefined ? truth : seen(whole.result)))
  if (truths.includes(null)) return judged(digest, p99, injections.map(none), 'sign')
  const causes = injections.map((injection, i): Cause => {
    const others = injections.filter((one) => one !== injection)
    const { victims } = others.length === 0 ? healthy : seenWith(incident, others)
    assert(isSameTraffic(whole.victims, victims, base.isClosed), 'score: an injection changed what the victims post')
    return { ...truths[i]!, ...savingOf(whole.victims, victims, healthy.victims) }
  })
  const counted = causes.filter(({ counts }) => counts).length
  const isEnough = generator.countsAll ? counted === causes.length : counted > 0
  return judged(digest, p99, causes, isEnough ? null : 'harm')
}

function savingOf(whole: Victims, without: Victims, healthy: Victims): Pick<Cause, 'saved' | 'counts'> {
  const [before, after] = [p99Of(whole, healthy), p99Of(without, healthy)]
  const shares = [...before].map(([group, p99]) => 1 - after.get(group)! / p99)
  const isStall = whole.unfinished >= STALLED * whole.byKey.size
  const ofStall = isStall ? 1 - without.unfinished / whole.unfinished : 0
  const ofP99 = Math.max(...shares)
  return { saved: Math.max(0, ofP99, ofStall), counts: ofP99 >= 1 - HALVED || ofStall >= 1 - ENDED }
}

/** Causes of which any may be named first. */
export function firstCauses(causes: readonly Cause[]): readonly Cause[] {
  const counted = causes.filter(({ counts }) => counts)
  const most = Math.max(...counted.map(({ saved }) => saved))
  return counted.filter(({ saved }) => saved >= NEARLY * most)
}
