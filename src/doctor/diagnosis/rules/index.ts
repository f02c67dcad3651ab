/** Rules, in the order of work: files, hosts, links, switches, paths, devices of a role, counters. */
import * as buffers from './buffers.ts'
import * as counts from './counts.ts'
import * as drops from './drops.ts'
import * as files from './files.ts'
import * as hosts from './hosts.ts'
import * as jobs from './jobs.ts'
import * as links from './links.ts'
import * as origins from './origins.ts'
import * as paths from './paths.ts'
import type { Rule } from './rule.ts'
import * as switches from './switches.ts'
import * as watchdogs from './watchdogs.ts'

export type { HeadroomNeed, HeadroomPort, Rule, RuleContext } from './rule.ts'

export const RULES: readonly Rule[] = [
  files.wholeFiles,
  files.filesAgree,
  files.neighboursAgree,
  files.listedPortsAreThere,
  hosts.nicTrustsDscp,
  hosts.roceIsLossless,
  hosts.oneTrafficClass,
  hosts.noGlobalPause,
  hosts.nobodyElseSets,
  hosts.receiveBuffers,
  jobs.gidIsRouted,
  jobs.hcaIsThere,
  jobs.railsAreAlike,
  jobs.retriesOutliveStorms,
  hosts.marksHaveEffect,
  hosts.sameCnps,
  hosts.nicWatchdog,
  links.pfcAtBothEnds,
  links.pfcInForce,
  links.pfcInBothDirections,
  links.sameClassAtBothEnds,
  links.tagsWhereTheyCount,
  links.framesAreTaken,
  links.mtuForPackets,
  links.sameActiveMtu,
  links.classMtuForPackets,
  links.lengthAsSet,
  links.sameSpeed,
  switches.namesAreDefined,
  switches.headroomWherePfcIs,
  switches.pausesStopTheirQueue,
  switches.fewLosslessClasses,
  switches.losslessIsApart,
  switches.somethingClassifies,
  switches.onlyRoceIsLossless,
  buffers.headroomSuffices,
  buffers.headroomIsThere,
  buffers.headroomIsForThisLink,
  buffers.alphaIsNotSmall,
  buffers.sharedHeadroomSuffices,
  buffers.egressKeepsAll,
  buffers.resumesLater,
  buffers.reserveHoldsHeadroom,
  buffers.lengthIsGiven,
  buffers.marksBeforePauses,
  buffers.marksAllBeforePauses,
  buffers.losslessIsMarked,
  switches.cnpsDoNotWait,
  switches.losslessIsWatched,
  watchdogs.watchdogPollsInTime,
  watchdogs.watchdogActs,
  watchdogs.watchdogRestores,
  switches.nothingIsFlooded,
  switches.macOutlivesArp,
  switches.losslessHasShare,
  buffers.markedAtEveryHop,
  paths.sameMapOnPath,
  paths.pathsByFlow,
  paths.sameAlphaInRole,
  paths.sameMarksInRole,
  watchdogs.sameTimesInRole,
  paths.losslessByDesign,
  drops.losslessLosesNothing,
  origins.noStorms,
  counts.portsAreFree,
  counts.pausesAreUnderstood,
  origins.receiversKeepUp,
  counts.hostsLoseNothing,
  origins.pausesBeginNowhereElse,
  origins.linksAreClean,
  origins.nobodyWaitsForItself,
  counts.linksAreNotThrottled,
  drops.portsHaveRoom,
  watchdogs.nothingIsCutOff,
]
