/**
 * Rules of a fabric that a value breaks: by which a difference has its consequence (findings/kinds/drift.ts has the words).
 */
import type { DriftRule } from '../../findings/index.ts'
import type { Plain } from '../model/index.ts'

type RuleOf = DriftRule | ((desired: Plain, running: Plain) => DriftRule | null)

const isLess = (a: Plain, b: Plain): boolean => typeof a === 'number' && typeof b === 'number' && a < b

const ifSmaller =
  (smaller: DriftRule, otherwise: DriftRule | null = null): RuleOf =>
  (desired, running) =>
    isLess(running, desired) ? smaller : otherwise

/** By field. Those that are not here break no rule that is known. */
const RULES: Readonly<Record<string, RuleOf>> = {
  alpha: ifSmaller('alpha-smaller', 'alpha-larger'),
  staticBytes: ifSmaller('alpha-smaller', 'alpha-larger'),
  headroomBytes: (desired, running) =>
    running === 0 ? 'headroom-none' : isLess(desired, running) ? 'headroom-larger' : 'headroom',
  believedDelayPs: ifSmaller('headroom', 'headroom-larger'),
  xoffBytes: ifSmaller('alpha-smaller', 'headroom'),
  xonOffsetBytes: (_, running) => (running === 0 ? 'xon-flutters' : null),
  pfcClasses: 'pfc-ends',
  marks: (_, running) => (running === true ? 'marking' : 'no-marking'),
  kminBytes: 'marking',
  kmaxBytes: 'marking',
  pmaxRatio: 'marking',
  schedule: (_, running) => (running === 'strict' || running === 0 ? 'starving' : null),
  dscpToClass: 'class-map',
  dataClass: 'class-map',
  trust: 'trust',
  vlanMode: 'tags',
  mtuBytes: (desired, running) =>
    typeof running === 'number' && (typeof desired !== 'number' || running < desired) ? 'mtu' : null,
  rateBps: 'speed',
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
  pauseWatchdogPs: (desired, running) => (running === 'off' || isLess(desired, running) ? 'nic-watchdog' : null),
}

/** Null: no rule is known. */
export function ruleOf(field: string, desired: Plain, running: Plain): DriftRule | null {
  const rule = RULES[field]
  return typeof rule === 'function' ? rule(desired, running) : (rule ?? null)
}
