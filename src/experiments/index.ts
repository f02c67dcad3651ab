/**
 * Experiments: claims of the papers that can be run. One file and one line each.
 */
import { closEcmp } from './clos-ecmp.ts'
import type { Experiment } from './experiment.ts'
import { irn } from './irn.ts'
import { irnBackOff } from './irn-back-off.ts'
import { irnBandwidth } from './irn-bandwidth.ts'
import { irnBuffers } from './irn-buffers.ts'
import { irnCross } from './irn-cross.ts'
import { irnIncast } from './irn-incast.ts'
import { irnIncastVariants } from './irn-incast-variants.ts'
import { irnIwarp } from './irn-iwarp.ts'
import { irnLoads } from './irn-loads.ts'
import { irnParameters } from './irn-parameters.ts'
import { irnScale } from './irn-scale.ts'
import { irnWorkload } from './irn-workload.ts'
import { ldcp } from './ldcp.ts'
import { livelock } from './livelock.ts'
import { lossyGbn } from './lossy-gbn.ts'
import { paths } from './paths.ts'
import { pfcRoce } from './pfc-roce.ts'
import { surveyExamples } from './survey-examples.ts'
import { twoTier } from './two-tier.ts'

/** Every experiment that `reproduce` knows, the main one first. */
export const experiments: readonly Experiment[] = [
  pfcRoce,
  livelock,
  closEcmp,
  twoTier,
  irn,
  irnIwarp,
  irnLoads,
  irnBandwidth,
  irnScale,
  irnWorkload,
  irnBuffers,
  irnParameters,
  irnBackOff,
  irnIncast,
  irnIncastVariants,
  irnCross,
  lossyGbn,
  ldcp,
  surveyExamples,
  paths,
]

export { readEarlierRuns } from './earlier-runs.ts'
export {
  defineExperiment,
  type Experiment,
  type ExperimentContext,
  type ExperimentReport,
  type Measures,
  type Outcome,
  type Plan,
  type Point,
  type Size,
} from './experiment.ts'
export type { Claim, Findings, FindingsFigure, FindingsTable, Verdict } from './findings.ts'
