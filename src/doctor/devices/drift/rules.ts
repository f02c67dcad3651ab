/**
 * Rules of a fabric that a value breaks: by which a difference has its consequence (findings/kinds/drift.ts has the words).
 */
import type { DriftRule } from '../../../core/findings/index.ts'
import type { Plain } from '../../../core/device-model/index.ts'

type RuleOf = DriftRule | ((desired: Plain, running: Plain) => DriftRule | null)

const isLess = (a: Plain, b: Plain): boolean => typeof a === 'number' && typeof b === 'number' && a < b

const ifSmaller =
  (smaller: DriftRule, otherwise: DriftRule | null = null): RuleOf =>
  (desired, running) =>
    isLess(running, desired) ? smaller : otherwise

/** A class that had PFC has none, or another one has it. */
const ifNotAll = (rule: DriftRule, otherwise: DriftRule | null = null): RuleOf => {
  const isIn = (classes: Plain, one: number): boolean => Array.isArray(classes) && classes.includes(one)
  return (desired, running) => (Array.isArray(desired) && desired.some((one) => !isIn(running, one)) ? rule : otherwise)
}

const ifTrue =
  (rule: DriftRule): RuleOf =>
  (_, running) =>
    running === true ? rule : null
const ifFalse =
  (rule: DriftRule): RuleOf =>
  (_, running) =>
    running === false ? rule : null

/** By field. Those that are not here break no rule that is known. */
const RULES: Readonly<Record<string, RuleOf>> = {
  alpha: ifSmaller('alpha-smaller', 'alpha-larger'),
  staticBytes: ifSmaller('alpha-smaller', 'alpha-larger'),
  headroomBytes: (desired, running) =>
    running === 0 ? 'headroom-none' : isLess(desired, running) ? 'headroom-larger' : 'headroom',
  xoffBytes: ifSmaller('alpha-smaller', 'headroom'),
  xonOffsetBytes: (_, running) => (running === 0 ? 'xon-flutters' : null),
  pfcClasses: 'pfc-ends',
  pfcWritten: 'pfc-ends',
  pfcMode: (_, running) => (running === 'auto' ? 'pfc-auto' : 'pfc-ends'),
  isPfcAsymmetric: 'pfc-ends',
  takesGlobalPause: ifTrue('global-pause'),
  sendsGlobalPause: ifTrue('global-pause'),
  hasHeadroom: ifFalse('headroom-none'),
  dropsAtEgress: ifTrue('egress-drops'),
  reserveBytes: ifSmaller('alpha-smaller'),
  cableM: ifSmaller('headroom', 'headroom-larger'),
  sizeBytes: ifSmaller('alpha-smaller'),
  sharedHeadroomBytes: ifSmaller('headroom', 'headroom-larger'),
  headroomOversubscription: (desired, running) => (isLess(desired, running) ? 'headroom' : null),
  pausedQueue: 'paused-queue',
  group: 'class-map',
  queue: 'class-map',
  classifies: ifFalse('class-map'),
  isWatched: ifFalse('no-watchdog'),
  marks: (_, running) => (running === true ? 'marking' : 'no-marking'),
  kminBytes: 'marking',
  kmaxBytes: 'marking',
  pmaxRatio: 'marking',
  kminRatio: 'marking',
  kmaxRatio: 'marking',
  schedule: (_, running) => (running === 'strict' || running === 0 ? 'starving' : null),
  dscpToClass: 'class-map',
  dataClass: 'class-map',
  trust: 'trust',
  vlanMode: 'tags',
  mtuBytes: (desired, running) =>
    typeof running === 'number' && (typeof desired !== 'number' || running < desired) ? 'mtu' : null,
  classMtuBytes: ifSmaller('mtu'),
  rateBps: 'speed',
  fec: 'speed',
  autoNegotiates: 'speed',
  isUp: ifFalse('down'),
  'nic.isActive': ifFalse('down'),
  'nic.activeMtuBytes': ifSmaller('smaller-packets'),
  'nic.sysfsTclass': 'host-class',
  'nic.cmaTclass': 'host-class',
  'nic.dataDscps': 'host-class',
  'nic.npClasses': ifNotAll('no-rate-control', 'rate-control'),
  'nic.rpClasses': ifNotAll('no-rate-control', 'rate-control'),
  'nic.cnpDscp': 'cnp-class',
  'nic.cnpClass': 'cnp-class',
  'nic.hasOtherControl': 'rate-control',
  'nic.toleratesReordering': ifFalse('reordering'),
  'nic.bufferOfClass': 'receive-buffer',
  'nic.bufferBytes': 'receive-buffer',
  'nic.dcbx': (_, running) => (running === 'firmware' ? 'set-by-others' : null),
  'nic.isWilling': ifTrue('set-by-others'),
  'nic.hasLldpad': ifTrue('set-by-others'),
  'job.ncclIbTc': 'host-class',
  'job.ncclIbFifoTc': 'host-class',
  'job.ncclGinIbTc': 'host-class',
  'job.ucxIbTc': 'host-class',
  'job.nvshmemIbTc': 'host-class',
  'job.ncclIbHca': 'other-ports',
  'job.ucxNetDevices': 'other-ports',
  'job.nvshmemHcaList': 'other-ports',
  'job.fiVerbsDevice': 'other-ports',
  'job.ncclIbGidIndex': 'other-gid',
  'job.ncclIbTimeout': ifSmaller('short-retries', 'long-retries'),
  'job.ncclIbRetryCount': ifSmaller('short-retries', 'long-retries'),
  'job.ucxRcTimeout': ifSmaller('short-retries', 'long-retries'),
  'job.ucxRcRetryCount': ifSmaller('short-retries', 'long-retries'),
  'watchdog.kind': (desired, running) =>
    running === 'off' ? 'no-watchdog' : desired === 'off' ? null : 'watchdog-times',
  'watchdog.action': (_, running) => (running === 'drop' ? null : 'watchdog-action'),
  'watchdog.restorationPs': (_, running) => (running === 'never' ? 'watchdog-for-good' : 'watchdog-times'),
  'watchdog.detectionPs': 'watchdog-times',
  'watchdog.pollPs': 'watchdog-times',
  macAgeSeconds: ifSmaller('flooding'),
  arpSeconds: (desired, running) => (isLess(desired, running) ? 'flooding' : null),
  balance: (_, running) => (running === 'ecmp' ? null : 'reordering'),
  rateControl: (_, running) => (running === 'none' ? 'no-rate-control' : 'rate-control'),
  cnpClass: 'cnp-class',
  'nic.pauseWatchdogPs': (desired, running) => (running === 'off' || isLess(desired, running) ? 'nic-watchdog' : null),
  floodsLossless: ifTrue('flooding'),
}

/** Null: no rule is known. */
export function ruleOf(field: string, desired: Plain, running: Plain): DriftRule | null {
  // Pools are named by their side: "pools.ingress.sizeBytes".
  const rule = RULES[field.replace(/^pools\.\w+\./, '')]
  return typeof rule === 'function' ? rule(desired, running) : (rule ?? null)
}
