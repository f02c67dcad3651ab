/**
 * Experiments on the papers' claims. Each is a file that defines it and a line in `experiments`.
 */
import { alpha } from './ms-scale/alpha.ts'
import { closEcmp } from './ms-scale/clos-ecmp.ts'
import { configDrift } from './ms-scale/config-drift.ts'
import { pingmesh } from './ms-scale/pingmesh.ts'
import { deadlock } from './ms-scale/deadlock.ts'
import type { Experiment } from './core/experiment.ts'
import { irn } from './irn/irn.ts'
import { irnBackOff } from './irn/back-off.ts'
import { irnCross } from './irn/incast/cross.ts'
import { irnIncast, irnIncastVariants } from './irn/incast/incast.ts'
import { irnIwarp } from './irn/iwarp.ts'
import { irnSettings } from './irn/settings/list.ts'
import { ldcp } from './ldcp/ldcp.ts'
import { latency } from './ms-scale/latency/latency.ts'
import { livelock } from './ms-scale/livelock.ts'
import { lossless } from './ms-scale/lossless/lossless.ts'
import { lossyGbn } from './igbn/lossy-gbn.ts'
import { paths } from './paths/paths.ts'
import { pauseStorm } from './ms-scale/storm/pause-storm.ts'
import { pfcRoce } from './irn/pfc-roce.ts'
import { rollout } from './ms-scale/rollout.ts'
import { slowReceiver } from './ms-scale/slow-receiver.ts'
import { ccl } from './ai/ccl/ccl.ts'
import { stepTime } from './ai/step-time.ts'
import { surveyExamples } from './survey/survey-examples.ts'
import { twoTier } from './ms-scale/two-tier.ts'

/** Every experiment that `reproduce` knows, in the order of its list. */
export const experiments: readonly Experiment[] = [
  pfcRoce,
  livelock,
  deadlock,
  closEcmp,
  twoTier,
  latency,
  pauseStorm,
  slowReceiver,
  rollout,
  alpha,
  configDrift,
  pingmesh,
  lossless,
  irn,
  irnIwarp,
  ...irnSettings,
  irnBackOff,
  irnIncast,
  irnIncastVariants,
  irnCross,
  lossyGbn,
  ldcp,
  surveyExamples,
  paths,
  stepTime,
  ccl,
]

export { docsOf } from './core/pages/reproduction.ts'
export { readEarlierRuns } from './core/earlier-runs.ts'
export { defineExperiment, type Experiment, type ExperimentContext } from './core/experiment.ts'
export type { Measures, Outcome, Plan, Point, Size } from './core/plan.ts'
export type { ExperimentReport } from './core/pages/report.ts'
export { readReport, reportedName } from './core/pages/stored-report.ts'
export { siteOf } from './core/pages/site.ts'
export type { Claim, Findings, FindingsFigure, FindingsTable, Verdict } from './core/findings.ts'
