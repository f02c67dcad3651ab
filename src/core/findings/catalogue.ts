/**
 * Catalogue: all kinds of findings, in the order in which they are shown. A kind is one definition in a family and one name
 * in its list here.
 */
import type { FindingKind } from './finding.ts'
import * as buffers from './kinds/buffers.ts'
import { CAPTURE } from './kinds/captures/index.ts'
import * as causes from './kinds/causes.ts'
import * as drift from './kinds/drift.ts'
import * as fabricBuffers from './kinds/fabric/buffers.ts'
import * as fabricCounts from './kinds/fabric/counts.ts'
import * as fabricFiles from './kinds/fabric/files.ts'
import * as fabricHosts from './kinds/fabric/hosts.ts'
import * as fabricLinks from './kinds/fabric/links.ts'
import * as fabricPaths from './kinds/fabric/paths.ts'
import * as fabricSwitches from './kinds/fabric/switches.ts'
import * as imports from './kinds/imports.ts'
import * as jobs from './kinds/jobs.ts'
import * as links from './kinds/links.ts'
import * as origins from './kinds/origins.ts'
import * as probes from './kinds/probes.ts'
import * as proofs from './kinds/proofs.ts'
import * as runs from './kinds/runs.ts'
import * as schemes from './kinds/schemes.ts'
import * as suppressions from './kinds/suppressions.ts'

/** Kinds found in scenarios. */
const SCENARIO: readonly FindingKind[] = [
  links.hostsUnreachable,
  buffers.pfcClassWithoutData,
  links.watchdogDiffersInRole,
  links.pfcDiffersInRole,
  links.headroomDiffersInRole,
  schemes.lossWithoutTimeout,
  buffers.headroomBelowNeed,
  buffers.headroomBelowFamily,
  buffers.headroomOfFamilyUnknown,
  buffers.oneHeadroomForAllLinks,
  buffers.reservesBeyondBuffer,
  buffers.bufferSizeAssumed,
  buffers.pausesExpire,
  buffers.watchdogWithoutPfc,
  buffers.watchdogTimeUnusual,
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
  jobs.operationsUnstarted,
  runs.deadlock,
  runs.losslessDropped,
  runs.packetsDropped,
  runs.watchdogFired,
  runs.sendersTimedOut,
  runs.portsPaused,
  ...proofs.PROVED.values(),
  proofs.load,
  proofs.unknown,
  proofs.calm,
  causes.storm,
  causes.slowReceiver,
  causes.linkDown,
  causes.lossyLink,
  causes.incast,
  causes.oversubscribed,
  causes.busyPort,
  jobs.slowLink,
  jobs.straggler,
  jobs.stepHeld,
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

/** Shown by rocelab doctor, in the order of its rules (src/doctor/diagnosis/rules/index.ts). */
const FABRIC: readonly FindingKind[] = [
  fabricFiles.trn01,
  fabricFiles.src01,
  fabricFiles.lld01,
  fabricFiles.lnk01,
  fabricHosts.map03,
  fabricHosts.map06,
  fabricHosts.hst05,
  fabricHosts.pfc06,
  fabricHosts.hst03,
  fabricHosts.hst02,
  fabricHosts.hst08,
  fabricHosts.hst09,
  fabricHosts.hst11,
  fabricHosts.hst10,
  fabricHosts.ecn06,
  fabricHosts.cnp02,
  fabricHosts.wd06,
  fabricLinks.pfc01,
  fabricLinks.pfc08,
  fabricLinks.pfc07,
  fabricLinks.map02,
  fabricLinks.vln01,
  fabricLinks.vln02,
  fabricLinks.mtu01,
  fabricLinks.mtu02,
  fabricLinks.mtu03,
  fabricLinks.buf03,
  fabricLinks.spd01,
  fabricSwitches.ref01,
  fabricSwitches.pfc02,
  fabricSwitches.pfc03,
  fabricSwitches.pfc04,
  fabricSwitches.pfc05,
  fabricSwitches.map04,
  fabricSwitches.map05,
  fabricBuffers.buf01,
  fabricBuffers.buf11,
  fabricBuffers.buf02,
  fabricBuffers.buf05,
  fabricBuffers.buf06,
  fabricBuffers.buf07,
  fabricBuffers.buf08,
  fabricBuffers.buf10,
  fabricBuffers.buf12,
  fabricBuffers.ecn01,
  fabricBuffers.ecn02,
  fabricBuffers.ecn03,
  fabricSwitches.cnp01,
  fabricSwitches.wd01,
  fabricSwitches.wd02,
  fabricSwitches.wd03,
  fabricSwitches.wd04,
  fabricSwitches.fld01,
  fabricSwitches.fld03,
  fabricSwitches.sch01,
  fabricBuffers.ecn07,
  fabricPaths.map01,
  fabricPaths.adr01,
  fabricBuffers.buf04,
  fabricBuffers.ecn04,
  fabricPaths.wd05,
  fabricPaths.los00,
  fabricCounts.ctr01,
  fabricCounts.ctr02,
  fabricCounts.ctr03,
  fabricCounts.ctr04,
  fabricCounts.ctr05,
  fabricCounts.ctr06,
  fabricCounts.ctr07,
  fabricCounts.ctr08,
  fabricCounts.ctr09,
  fabricCounts.ctr10,
  fabricCounts.ctr11,
  fabricCounts.ctr12,
]

/** Shown by rocelab drift. */
const DRIFT: readonly FindingKind[] = [drift.deviceOnOneSide, drift.configDrift, drift.roleDrift, drift.roleSplit]

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
  imports.importGraph,
  imports.importWordsLeft,
  imports.importUnsized,
  imports.importDependencies,
  imports.importTuned,
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
  ...FABRIC,
  ...DRIFT,
  ...IMPORT,
  ...CAPTURE,
  suppressions.suppressionUnused,
  suppressions.suppressionExpired,
]
/** The kinds of scenarios, for their tests. */
export const SCENARIO_FINDINGS: readonly FindingKind[] = SCENARIO

/** The rules of fabrics, in files of devices and in scenarios. */
export const FABRIC_FINDINGS: readonly FindingKind[] = FABRIC
