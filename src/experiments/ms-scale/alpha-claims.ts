/**
 * Claims on the alpha incident. The size of answers is open in the paper: every claim is the bracket of all sizes.
 * Source: [MS-Scale] section 6.2; tolerances from claims.json.
 */
import { humanShare } from '../../report/index.ts'
import { interval95 } from '../../results/index.ts'
import { conditionOf, correctedOf, latencyKey, NEW, OLD, SHAPES, SLOW_US, UNDER_NEW } from './alpha-runs.ts'
import { ABOVE_ZERO, BELOW_ONE, bracketClaim, type Claim, exactClaim, type Reading } from '../core/findings.ts'
import { ratiosOf, valuesOf } from '../core/old/over-seeds.ts'
import type { Measures, Outcome, Size } from '../core/old/plan.ts'

/** The most that one congested port may hold at 1/16 over that at 1/64: the ratio of claims.json. */
const PORT_RATIO = 65 / 17
/** More than these were asked. */
const ASKED = 1000

export function alphaClaims(outcomes: readonly Outcome[], size: Size): Claim[] {
  return [...pauseClaims(outcomes, size), ...spreadClaims(outcomes, size), ...fixClaims(outcomes, size)]
}

/** A reading of each size of answers, from one value per seed. */
function readingsOf(size: Size, valuesFor: (answer: string) => readonly number[]): Reading[] {
  return SHAPES[size].answers.map((answer) => {
    const values = valuesFor(answer)
    return { name: `answers of ${answer}`, measured: interval95(values), values }
  })
}

/** One condition less another, seed by seed. */
function differencesOf(outcomes: readonly Outcome[], of: string, less: string, key: string): number[] {
  const others = valuesOf(outcomes, less, (m) => m[key]!)
  return valuesOf(outcomes, of, (m) => m[key]!).map((value, i) => value - others[i]!)
}

/** Frames of the two ToRs; a run without any counts as one with one frame, so that there is a ratio. */
const framesOf = (m: Measures): number => Math.max(1, m['torFrames']!)

function pauseClaims(outcomes: readonly Outcome[], size: Size): Claim[] {
  const { fanIn } = SHAPES[size]
  const lessWithNew = (key: string) =>
    ({
      paper: 'fewer',
      readings: readingsOf(size, (answer) =>
        differencesOf(outcomes, conditionOf(NEW, answer), conditionOf(OLD, answer), key),
      ),
      paperValues: [],
      band: ABOVE_ZERO,
      tolerance: 'sign of the difference',
    }) as const
  return [
    bracketClaim({
      id: 'rce.alpha.large-fewer-pauses [frames]',
      statement: `A larger alpha has fewer pause frames: with ${NEW} less with ${OLD}`,
      ...lessWithNew('torFrames'),
      unit: ' frames',
    }),
    bracketClaim({
      id: 'rce.alpha.large-fewer-pauses [time held back]',
      statement: `With a larger alpha leaves are held back for less time: with ${NEW} less with ${OLD}`,
      ...lessWithNew('tier 2 ms'),
      unit: ' ms',
      why: 'Summed over all leaves. Where a query is far larger than the buffer, pauses are fewer and longer.',
    }),
    bracketClaim({
      id: 'rce.alpha.16-vs-64',
      statement: `An alpha of ${NEW} triggers pauses much more easily than one of ${OLD}: ratio of the frames`,
      paper: 'much more easily',
      readings: readingsOf(size, (answer) =>
        ratiosOf(outcomes, { of: conditionOf(NEW, answer), to: conditionOf(OLD, answer) }, framesOf),
      ),
      paperValues: [PORT_RATIO],
      band: { low: PORT_RATIO / 3, high: 3 * PORT_RATIO },
      unit: ' x',
      tolerance: 'within a factor of 3 of 65/17, what one congested port may hold at 1/16 over 1/64',
      why: `A run without pause frames counts as one with one. Where a query fits at ${OLD} and not at ${NEW} the ratio has no bound, and where it fits at neither it is near one.`,
    }),
    exactClaim({
      id: 'rce.alpha.chatty',
      statement: 'Chatty servers query more than 1000 servers at once, and the responses make an incast',
      paper: 'more than 1000 servers',
      measured: `${fanIn} servers asked at once`,
      holds: fanIn > ASKED,
      reason: 'A setting of these runs; the small size has fewer servers.',
    }),
  ]
}

function spreadClaims(outcomes: readonly Outcome[], size: Size): Claim[] {
  const { tors } = SHAPES[size]
  const hosts = 2 * tors * 24
  const jump = (scope: 'near' | 'far', name: string, why: string): Claim =>
    bracketClaim({
      id: `rce.alpha.latency-jump [${name}]`,
      statement: `Pauses from two ToRs raise the latency of others, ${name}: ${NEW} over ${OLD}`,
      paper: 'latency increased dramatically',
      readings: readingsOf(size, (answer) =>
        ratiosOf(
          outcomes,
          { of: conditionOf(NEW, answer), to: conditionOf(OLD, answer) },
          (m) => m[latencyKey(scope, 0.99)]!,
        ),
      ),
      paperValues: [],
      band: { low: 2, high: Infinity },
      unit: ' x',
      tolerance: 'the 99th percentile of bystanders at least doubles',
      why,
    })
  const origins = SHAPES[size].answers.map((answer) => {
    return { answer, shares: valuesOf(outcomes, conditionOf(NEW, answer), (m) => m['rootShare']!) }
  })
  return [
    jump('near', 'under the two ToRs', 'These wait behind the answers in the leaves.'),
    jump('far', 'elsewhere', 'These only wait once leaves and spines are full, which small queries do not cause.'),
    exactClaim({
      id: 'rce.alpha.two-tors-thousands [origin]',
      statement: 'Two ToRs were the origin of the pause frames',
      paper: 'two ToRs',
      measured: origins.map(({ answer, shares }) => `${answer}: ${humanShare(Math.min(...shares))}`).join(', '),
      holds: origins.every(({ shares }) => shares.every((share) => share > 0.5)),
      reason:
        'Share of the two ToRs in all pauses whose sender is not paused itself, least of all seeds, by the size of answers: above half in every seed.',
    }),
    bracketClaim({
      id: 'rce.alpha.two-tors-thousands [servers affected]',
      statement: `They affected thousands of servers: servers affected with ${NEW} less those with ${OLD}`,
      paper: 'thousands',
      readings: readingsOf(size, (answer) =>
        differencesOf(outcomes, conditionOf(NEW, answer), conditionOf(OLD, answer), 'slowServers'),
      ),
      paperValues: [],
      band: { low: UNDER_NEW, high: Infinity, isOpen: true },
      tolerance: `more than the ${UNDER_NEW} under the two ToRs`,
      unit: ' servers',
      why: `Servers with a probe that took more than ${SLOW_US} us, where 5 are usual. The network has ${hosts} servers, so that thousands cannot be counted.`,
    }),
  ]
}

/** The cure, judged in the second half of the runs against the same time with both alphas. */
function fixClaims(outcomes: readonly Outcome[], size: Size): Claim[] {
  const kinds = [
    { name: 'pause frames', key: 'framesAfter' },
    { name: '99th percentile', key: 'nearAfterP99Us' },
  ]
  return kinds.flatMap(({ name, key }) => {
    const added = (answer: string): number[] =>
      differencesOf(outcomes, conditionOf(NEW, answer), conditionOf(OLD, answer), key)
    const hasIncident = (answer: string): boolean => added(answer).every((value) => value > 0)
    const ratios = (answer: string, to: string): number[] =>
      ratiosOf(outcomes, { of: correctedOf(answer), to }, (m) => Math.max(1, m[key]!))
    const removed = (answer: string): number[] => {
      const all = added(answer)
      const gone = differencesOf(outcomes, conditionOf(NEW, answer), correctedOf(answer), key)
      return gone.map((value, i) => (100 * value) / all[i]!)
    }
    const without = SHAPES[size].answers.filter((answer) => !hasIncident(answer))
    const why = without.length === 0 ? '' : `With answers of ${without.join(', ')} ${NEW} adds nothing in some seed.`
    return [
      bracketClaim({
        id: `rce.alpha.fix [${name}, over ${NEW}]`,
        statement: `Setting alpha back to ${OLD} removes the problem: ${name} after it, over those with ${NEW}`,
        paper: 'removed',
        readings: readingsOf(size, (answer) => ratios(answer, conditionOf(NEW, answer))),
        paperValues: [],
        band: BELOW_ONE,
        tolerance: 'sign of the difference',
        unit: ' x',
        why,
      }),
      bracketClaim({
        id: `rce.alpha.fix [${name}, part that is gone]`,
        statement: `Setting alpha back to ${OLD} removes the problem: part that is gone of what ${NEW} adds to ${OLD}`,
        paper: 'removed',
        readings: readingsOf(size, removed).filter((_, i) => hasIncident(SHAPES[size].answers[i]!)),
        paperValues: [],
        band: { low: 50, high: Infinity, isOpen: true },
        tolerance: `nearer to the state with ${OLD} from the start than to that with ${NEW}`,
        unit: ' %',
        why,
      }),
    ]
  })
}
