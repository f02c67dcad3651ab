/**
 * Counterfactual: what the removal of each injection would have brought, with all else the same. An injection counts if its
 * removal halves the victims' 99th percentile of slowdown, or that of one tag, or ends a stall.
 */
import { assert } from '../../src/base/assert.ts'
import { run } from '../../src/lab/index.ts'
import { drawIncident, type Incident, treeOf } from './incident.ts'
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

export interface Judged {
  /** That of the run with all injections. */
  readonly digest: string
  /** 99th percentiles of the victims' slowdown with all injections, and in the healthy fabric. */
  readonly p99: number
  readonly healthyP99: number
  /** As injected. */
  readonly causes: readonly Cause[]
}

/** Truth of an incident that was drawn. */
export interface Drawn extends Judged {
  readonly attempt: number
  /** Kinds of the injections that did not count in earlier attempts. */
  readonly refused: readonly Kind[]
}

/** Attempts after which a seed is a mistake of the generator. */
const ATTEMPTS_MAX = 400

/** The first attempt in which an injection counts. */
export function drawCounting(seed: number, kinds?: readonly Kind[]): { incident: Incident; drawn: Drawn } {
  const refused: Kind[] = []
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const incident = drawIncident(seed, attempt, kinds)
    const judged = judge(incident)
    if (judged.causes.some(({ counts }) => counts)) return { incident, drawn: { attempt, ...judged, refused } }
    refused.push(...judged.causes.map(({ kind }) => kind))
  }
  throw new Error(`score: no incident of seed ${seed} counts`)
}

export function judge(incident: Incident): Judged {
  const { base, injections } = incident
  const victims = (left: readonly Injection[]): { readonly digest: string; readonly victims: Victims } => {
    const result = run(scenarioOfTree(treeOf(incident, left)))
    return { digest: result.digest, victims: victimsOf(result, base.tags) }
  }
  const whole = victims(injections)
  const healthy = victims([]).victims
  const before = p99Of(whole.victims, healthy)
  const healthyP99 = p99Of(healthy, healthy)
  // Where all injections together are not felt beside the healthy fabric, none is removed alone.
  const isFelt = [...before].some(([group, p99]) => healthyP99.get(group)! <= HALVED * p99)
  const causes = injections.map((injection): Cause => {
    if (!isFelt && whole.victims.unfinished === 0) return { ...injection.truth, saved: 0, counts: false }
    const without = injections.length === 1 ? healthy : victims(injections.filter((one) => one !== injection)).victims
    assert(isSameTraffic(whole.victims, without, base.isClosed), 'score: an injection changed what the victims post')
    return { ...injection.truth, ...savingOf(whole.victims, without, healthy) }
  })
  return { digest: whole.digest, p99: before.get('')!, healthyP99: healthyP99.get('')!, causes }
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
