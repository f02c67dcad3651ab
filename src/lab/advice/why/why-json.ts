/**
 * The answer as data that can be printed and kept.
 */
import type { AffectedJson, SuspectJson, TriedJson, WhyJson } from '../../../core/results/index.ts'
import type { Answer, Tried } from './inquiry.ts'
import { standingOf } from './judging.ts'
import type { Numbers } from './sample.ts'
import type { Suspect } from './suspect.ts'

/** Facts of the run that is explained. */
export type Explained = Pick<WhyJson, 'name' | 'seed' | 'digest' | 'busyPort' | 'drops' | 'budgetHops'>

export function whyJson(answer: Answer, of: Explained): WhyJson {
  const { verdict, causes, cleared, untried, remedies, all, clean, runs, packetHops } = answer
  return {
    schemaVersion: 1,
    name: of.name,
    seed: of.seed,
    digest: of.digest,
    verdict,
    causes: causes.map((tried) => triedJson(tried, 'cause')),
    cleared: cleared.map((tried) => triedJson(tried, standingOf(tried.gain, tried.suspects))),
    untried: untried.map(suspectJson),
    busyPort: of.busyPort,
    remedies: remedies.map(({ cause, sets, digest, before, after, othersBefore, othersAfter }) => ({
      cause,
      sets,
      digest,
      before: affectedJson(before),
      after: affectedJson(after),
      othersBefore: affectedJson(othersBefore),
      othersAfter: affectedJson(othersAfter),
    })),
    all: affectedJson(all),
    clean: clean === null ? null : affectedJson(clean),
    drops: of.drops,
    runs,
    packetHops,
    budgetHops: of.budgetHops,
  }
}

export function suspectJson({ kind, stage, subject, others, sides, now, usual }: Suspect): SuspectJson {
  const { device = null, port = null, workload = null, path = null } = subject
  return { kind, stage, device, port, workload, path, others, sides: [...sides], now, usual }
}

function triedJson(
  { suspects, beyond, sets, gain, digest, of, before, after, step }: Tried,
  standing: TriedJson['standing'],
): TriedJson {
  const { by, tag, share, faster, slower, deviations } = gain
  return {
    suspects: suspects.map(suspectJson),
    beyond: beyond.map(suspectJson),
    standing,
    sets,
    by,
    tag,
    share: numberOrNull(share),
    faster,
    slower,
    deviations,
    digest,
    of,
    before: affectedJson(before),
    after: affectedJson(after),
    step:
      step === null
        ? null
        : { tag: step.tag, beforePs: numberOrNull(step.beforePs), afterPs: numberOrNull(step.afterPs) },
  }
}

function affectedJson(numbers: Numbers): AffectedJson {
  const { flows, unfinished, meanSlowdown, p50Slowdown, tailSlowdown, slowestSlowdown, p50Ps, tailPs, goodputBps } =
    numbers
  return {
    flows,
    unfinished,
    meanSlowdown: numberOrNull(meanSlowdown),
    p50Slowdown: numberOrNull(p50Slowdown),
    tailSlowdown: numberOrNull(tailSlowdown),
    slowestSlowdown: numberOrNull(slowestSlowdown),
    p50Ps: numberOrNull(p50Ps),
    tailPs: numberOrNull(tailPs),
    goodputBps: numberOrNull(goodputBps),
  }
}

function numberOrNull(value: number): number | null {
  return Number.isFinite(value) ? value : null
}
