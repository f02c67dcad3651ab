/**
 * Exams: what can be scored, each with incidents of its own.
 */
import type { Drawn } from './counterfactual.ts'
import { CAUSES, type Generator } from './incident.ts'
import { foundTexts, scoreOf, type Score } from './one.ts'
import { ORIGINS } from './origins/generator.ts'
import { drawVendorDamage } from './origins/damage.ts'
import { saidTexts, scoreOf as originScoreOf, type OriginScore, vendorScoreOf } from './origins/one.ts'
import { originsJson, originsText } from './origins/table.ts'
import { vendorsText } from './origins/vendor-table.ts'
import { type Form, ORIGINS_SCORED, SCORED, type SeedRange } from './seeds.ts'
import { showText } from './show.ts'
import { scoreText } from './table.ts'
import type { Kind } from './truth.ts'

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
  readonly scoreOf: (form: Form, seed: number, known?: Drawn, kinds?: readonly Kind[]) => S
  text(scores: readonly S[]): string
  json(scores: readonly S[]): unknown
  readonly show: (seed: number, known: Drawn | undefined, kinds: readonly Kind[] | undefined) => string
}

const causes: Exam<Score> = {
  generator: CAUSES,
  scored: SCORED,
  scoreOf,
  text: scoreText,
  json: (scores) => scores,
  show: (seed, known, kinds) => showText(CAUSES, seed, known, kinds, foundTexts),
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

export const EXAM_NAMES = ['causes', 'origins', 'vendors'] as const
export type ExamName = (typeof EXAM_NAMES)[number]

/** Each is given the scores that it has made. */
export const EXAMS: Readonly<Record<ExamName, Exam>> = { causes, origins, vendors }
