/**
 * Exams: what can be scored, each with incidents of its own.
 */
import type { Drawn } from './counterfactual.ts'
import type { Generator } from './incident.ts'
import { ORIGINS } from './origins/generator.ts'
import { drawVendorDamage } from './origins/damage.ts'
import { saidTexts, scoreOf as originScoreOf, type OriginScore, vendorScoreOf } from './origins/one.ts'
import { originsJson, originsText } from './origins/table.ts'
import { vendorsText } from './origins/vendor-table.ts'
import { type Form, ORIGINS_SCORED, type SeedRange, WHY_SCORED } from './seeds.ts'
import { showText } from './show.ts'
import type { Kind } from './truth.ts'
import { WHY } from './why/generator.ts'
import { saidTexts as whyTexts, scoreOf as whyScoreOf, type WhyScore } from './why/one.ts'
import { whyText } from './why/table.ts'

/** A score of any exam. */
export interface Scored {
  readonly form: Form
  readonly seed: number
  readonly drawn: Drawn
}

export interface Exam<S extends Scored = Scored> {
  readonly generator: Generator
  /** Seeds that are reserved for scoring. */
  readonly scored: Readonly<Record<Form, SeedRange>>
  /** @param known truth from an earlier score of the same generator */
  readonly scoreOf: (form: Form, seed: number, known?: Drawn, kinds?: readonly Kind[]) => S | Promise<S>
  text(scores: readonly S[]): string
  json(scores: readonly S[]): unknown
  readonly show: (seed: number, known: Drawn | undefined, kinds: readonly Kind[] | undefined) => Promise<string>
}

const why: Exam<WhyScore> = {
  generator: WHY,
  scored: WHY_SCORED,
  scoreOf: whyScoreOf,
  text: whyText,
  json: (scores) => scores,
  show: (seed, known, kinds) => showText(WHY, seed, known, kinds, whyTexts),
}

const origins: Exam<OriginScore> = {
  generator: ORIGINS,
  scored: ORIGINS_SCORED,
  scoreOf: originScoreOf,
  text: originsText,
  json: originsJson,
  show: (seed, known, kinds) => showText(ORIGINS, seed, known, kinds, saidTexts),
}

/** Origins by readings in the forms of vendors, beside the neutral ones. */
const vendors: Exam<OriginScore> = {
  ...origins,
  scoreOf: vendorScoreOf,
  text: vendorsText,
  show: (seed, known, kinds) =>
    showText(ORIGINS, seed, known, kinds, (incident) => saidTexts(incident, drawVendorDamage)),
}

export const EXAM_NAMES = ['why', 'origins', 'vendors'] as const
export type ExamName = (typeof EXAM_NAMES)[number]

/** Each is given the scores that it has made. */
export const EXAMS: Readonly<Record<ExamName, Exam>> = { why, origins, vendors }
