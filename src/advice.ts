/** Advice on scenarios and results: outline, notes, cost of a run, unfinished flows; the catalogue and the scheme matrix; tables of a sweep. */
export { catalog, type Entry, type Kind } from './catalog.ts'
export { type LinkStage, type Outline, outlineOf, type TierNodes } from './lab/advice/outline.ts'
export { reportedRun } from './lab/advice/reported-run.ts'
export { type Cost, costOf, costText, excessText } from './lab/advice/run-cost.ts'
export { findingIds, findingKinds, type NetworkFacts, scenarioFindings } from './lab/advice/notes/notes.ts'
export { matrixText, type MatrixCell, schemeMatrix } from './lab/advice/scheme-matrix.ts'
export { schemeSurveyText, type SurveyedScheme, surveyText } from './papers/survey/survey-text.ts'
export { hostNamesOf } from './lab/advice/host-names.ts'
export { unfinishedText } from './lab/advice/unfinished-text.ts'
export { type FinishedPoint, findPoints, type LoggedPoints } from './lab/advice/sweep/finished-points.ts'
export {
  advanceWithin,
  isBeyond,
  joinedLimit,
  limitText,
  parsePointLimit,
  type PointLimit,
} from './lab/advice/sweep/point-limit.ts'
export type { Axis, Plan, Point } from './lab/advice/sweep/points.ts'
export { type Baseline, baselineOf, type SweepRow, sweepRows, sweepTable } from './lab/advice/sweep/sweep-table.ts'
export { parseColumns, sweepText } from './lab/advice/sweep/sweep-text.ts'
export { BUDGET, type Ran, type RunAll, why, whyBetween } from './lab/advice/why/index.ts'
