/**
 * Catalogue: all kinds of findings, in the order in which they are shown. A kind is one definition in a family and one name
 * in its list here.
 */
import type { FindingKind } from './finding.ts'
import * as buffers from './kinds/buffers.ts'
import * as causes from './kinds/causes.ts'
import * as drift from './kinds/drift.ts'
import * as imports from './kinds/imports.ts'
import * as links from './kinds/links.ts'
import * as origins from './kinds/origins.ts'
import * as probes from './kinds/probes.ts'
import * as runs from './kinds/runs.ts'
import * as schemes from './kinds/schemes.ts'
import * as suppressions from './kinds/suppressions.ts'

/** Kinds found in scenarios. */
const SCENARIO: readonly FindingKind[] = [
  links.hostsUnreachable,
  buffers.pfcClassWithoutData,
  links.pfcAtOneEnd,
  links.headroomForOtherLength,
  links.mtuBelowFrames,
  links.vlanTagNotTaken,
  links.nicTrustsMissingTag,
  links.classMapDiffers,
  links.alphaDiffersInRole,
  links.markingDiffersInRole,
  links.watchdogMissing,
  links.watchdogDiffersInRole,
  links.pfcDiffersInRole,
  links.headroomDiffersInRole,
  schemes.lossWithoutTimeout,
  buffers.headroomBelowNeed,
  buffers.headroomBelowFamily,
  buffers.headroomOfFamilyUnknown,
  buffers.marksAfterPauses,
  buffers.xonAboveXoff,
  buffers.losslessWithoutSignal,
  buffers.oneHeadroomForAllLinks,
  buffers.reservesBeyondBuffer,
  buffers.bufferSizeAssumed,
  buffers.pausesExpire,
  buffers.watchdogWithoutPfc,
  buffers.watchdogTimeUnusual,
  buffers.watchdogWithoutRestoration,
  buffers.watchdogOnlyAlerts,
  buffers.trimmedHeadersFillLink,
  schemes.trimmingIgnored,
  buffers.silentHostUnreachable,
  buffers.deadlockPossible,
  schemes.targetBelowIdleRtt,
  schemes.reorderingTakenForLoss,
  schemes.timeoutBelowRtt,
  schemes.delayedAckBeyondTimeout,
  schemes.startWindowBeyondReceiveWindow,
  schemes.classWithoutSignal,
  schemes.notificationsInLosslessClass,
]

/** Kinds found in runs. */
const RUN: readonly FindingKind[] = [
  runs.runPartial,
  runs.runStalled,
  runs.flowsUnfinished,
  runs.flowsUnacknowledged,
  runs.flowsWithoutIdeal,
  runs.messagesNeverPosted,
  runs.deadlock,
  runs.losslessDropped,
  runs.packetsDropped,
  runs.watchdogFired,
  runs.sendersTimedOut,
  runs.portsPaused,
  causes.storm,
  causes.slowReceiver,
  causes.linkDown,
  causes.lossyLink,
  causes.incast,
  causes.wrongMarks,
  causes.smallThresholds,
  causes.oversubscribed,
  causes.busyPort,
  runs.hostPaused,
  runs.linkLostPackets,
  runs.portsBusy,
  runs.slowestFlow,
  runs.idealWrong,
  runs.completionParts,
]

/** Found in counters, by rocelab locate. */
const ORIGIN: readonly FindingKind[] = [
  origins.deadlock,
  origins.storm,
  origins.slowReceiver,
  origins.incast,
  origins.oversubscription,
  origins.alpha,
  origins.noisyHost,
  origins.headroom,
  origins.bitErrors,
  origins.reordering,
  origins.unknown,
]

/** Shown by rocelab pingmesh, the state first. */
const PROBES: readonly FindingKind[] = [
  probes.deadlock,
  probes.storm,
  probes.deadServer,
  probes.congested,
  probes.undecided,
  probes.rdmaFails,
  probes.proberExcluded,
  probes.tor,
  probes.uplinks,
  probes.host,
  probes.path,
  probes.tier,
  probes.bursts,
  probes.loss,
  probes.tooFew,
  probes.withoutBaseline,
]

/** Shown by rocelab drift. */
const DRIFT: readonly FindingKind[] = [drift.deviceOnOneSide, drift.configDrift, drift.roleDrift]

/** Shown by rocelab import. */
const IMPORT: readonly FindingKind[] = [
  imports.importRead,
  imports.importFileChosen,
  imports.importKeyUnknown,
  imports.importKeyRepeated,
  imports.importNotCarriedOver,
  imports.importFlowsLate,
  imports.importReplaced,
  imports.importDiffers,
  imports.importAdapted,
  imports.importAssumed,
  imports.importDefaults,
  imports.importWithoutEffect,
  imports.importTextIgnored,
  imports.importRowLeftOut,
  imports.importMeanFlowSize,
  imports.importHostsIdle,
  imports.importUnchecked,
]

export const FINDING_KINDS: readonly FindingKind[] = [
  ...SCENARIO,
  ...RUN,
  ...ORIGIN,
  ...PROBES,
  ...DRIFT,
  ...IMPORT,
  suppressions.suppressionUnused,
  suppressions.suppressionExpired,
]
/** The kinds of scenarios, for their tests. */
export const SCENARIO_FINDINGS: readonly FindingKind[] = SCENARIO
