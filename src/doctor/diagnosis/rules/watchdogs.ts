/** Rules about the times and actions of PFC watchdogs, of the switch or of each port where ports of SONiC have their own. */
import { fabricCounts, fabricPaths, fabricSwitches } from '../../../core/findings/index.ts'
import { countsOf } from '../counts/index.ts'
import { type Device, type End, type Fabric, otherEnd } from '../../devices/joins/index.ts'
import {
  knownOf,
  type PortConfig,
  type SwitchSettings,
  UNKNOWN,
  UNKNOWN_SWITCH,
  type Value,
} from '../../../core/device-model/index.ts'
import { CLASSES, countedAt, readingEvidence } from './counted.ts'
import { evidence, type KnownPort, nameOf, portsUp, switchSettingsOf, usualOf } from './look.ts'
import { defineRule } from './rule.ts'
import { deviceSpot, type Spot } from './saying.ts'

const { ctr12 } = fabricCounts
const { wd02, wd03, wd04 } = fabricSwitches
const { wd05 } = fabricPaths

type Watchdog = Pick<SwitchSettings['watchdog'], 'action' | 'detectionPs' | 'restorationPs' | 'pollPs'>

/** A watchdog of a switch, or of a port. */
interface Watching extends Watchdog {
  readonly spot: Spot
  readonly at: Device
  /** Whether a host is at the other end of the port, or the switch has hosts. */
  readonly isAtHosts: boolean
}

/** Names of settings that ports of SONiC have, before those of their fields. */
const OWN = 'PFC_WD.'
const PS_PER_MS = 1e9

/** Words and numbers are kept as they are written. */
function textOf(value: Value | undefined): string {
  const text = knownOf(value)
  return typeof text === 'string' || typeof text === 'number' ? String(text) : ''
}

/** A port's own time in milliseconds; where it has none, that of the switch. */
function timeOf(own: Value | undefined, ofSwitch: Value<number | string>): Value<number | string> {
  if (own === undefined || own.state === 'unknown') return ofSwitch
  const text = textOf(own)
  if (/^(?:never|infinite)$/.test(text)) return { ...own, value: 'never' }
  return /^\d{1,9}$/.test(text) ? { ...own, value: Number(text) * PS_PER_MS } : UNKNOWN
}

const asNumber = (value: Value<number | string>): Value<number> =>
  value.state !== 'unknown' && typeof value.value === 'number' ? { ...value, value: value.value } : UNKNOWN

/** The watchdog at a port, whose own settings come before those of its switch. */
export function watchdogAt({ at, config }: Pick<End, 'at' | 'config'>): Watchdog {
  const ofSwitch = (at === null ? null : switchSettingsOf(at))?.watchdog ?? UNKNOWN_SWITCH.watchdog
  const other = config?.settings.other ?? {}
  const action = other[`${OWN}action`]
  return {
    action:
      action === undefined || action.state === 'unknown'
        ? ofSwitch.action
        : /^(?:drop|forward|alert)$/i.test(textOf(action))
          ? { ...action, value: textOf(action).toLowerCase() }
          : UNKNOWN,
    detectionPs: asNumber(timeOf(other[`${OWN}detection_time`], ofSwitch.detectionPs)),
    restorationPs: timeOf(other[`${OWN}restoration_time`], ofSwitch.restorationPs),
    pollPs: ofSwitch.pollPs,
  }
}

const hasOwn = ({ config }: KnownPort): boolean =>
  Object.keys(config.settings.other).some((name) => name.startsWith(OWN))

function isAtHost({ link, config }: KnownPort): boolean {
  const end = link?.ends.find((each) => each.config === config)
  return end !== undefined && otherEnd(link!, end).at?.config.kind === 'host'
}

/** All rules ask for them. */
const known = new WeakMap<Fabric, readonly Watching[]>()

/** One for each switch, or for each port of it that is up where its ports have their own. */
function watchdogsOf(fabric: Fabric): readonly Watching[] {
  let all = known.get(fabric)
  if (all !== undefined) return all
  const own = new Map<Device, KnownPort[]>()
  for (const port of portsUp(fabric, 'switch')) if (hasOwn(port)) own.set(port.at, [...(own.get(port.at) ?? []), port])
  all = [...fabric.devices.values()].flatMap((at): Watching[] => {
    const ports = own.get(at)
    if (ports !== undefined)
      return ports.map((port) => ({ ...watchdogAt(port), spot: port, at, isAtHosts: isAtHost(port) }))
    const settings = switchSettingsOf(at)
    if (settings === null) return []
    return [{ ...settings.watchdog, spot: deviceSpot(at), at, isAtHosts: at.config.role === 'leaf' }]
  })
  known.set(fabric, all)
  return all
}

export const watchdogPollsInTime = defineRule(wd02, ({ fabric }, say, kind) => {
  for (const { spot, ...watchdog } of watchdogsOf(fabric)) {
    const [detectionPs, restorationPs, pollPs] = [
      knownOf(watchdog.detectionPs),
      knownOf(watchdog.restorationPs),
      knownOf(watchdog.pollPs),
    ]
    if (detectionPs === undefined || pollPs === undefined) continue
    // A device's own restoration time is no mistake of anybody.
    const isSet = watchdog.restorationPs.state !== 'default'
    const restores = typeof restorationPs === 'number' && isSet ? restorationPs : null
    say.judge(Math.min(detectionPs, restores ?? Infinity) < pollPs, kind, spot, () => ({
      values: { detectionPs, restorationPs: restores, pollPs },
      evidence: evidence(spot, watchdog.detectionPs, watchdog.pollPs),
    }))
  }
})

export const watchdogActs = defineRule(wd03, ({ fabric }, say, kind) => {
  for (const { spot, action: value, isAtHosts } of watchdogsOf(fabric)) {
    const action = knownOf(value)
    if (action === undefined) continue
    const isBad = action === 'alert' || (action === 'forward' && isAtHosts)
    say.judge(isBad, kind, spot, () => ({ values: { action }, evidence: evidence(spot, value) }))
  }
})

export const watchdogRestores = defineRule(wd04, ({ fabric }, say, kind) => {
  for (const { spot, restorationPs: value } of watchdogsOf(fabric))
    if (value.state !== 'unknown')
      say.judge(value.value === 'never', kind, spot, () => ({ values: {}, evidence: evidence(spot, value) }))
})

/** Source: [MS-Scale] 4.3: 100 ms, and 200 ms to restore. */
const DETECTION_MOST_PS = 400e9

/** The value of more than half of them; undefined: there is none. */
function mostHave(values: readonly number[]): number | undefined {
  const usual = usualOf(values)
  return 2 * values.filter((value) => value === usual).length > values.length ? usual : undefined
}

interface Time {
  readonly watching: Watching
  readonly value: Value<number>
  readonly ps: number
}

/** Times that are not those of most switches of the role, each of which counts once, with what is usual there. */
function oddTimes(times: readonly Time[]): Map<Time, number> {
  const groups = new Map<string, Time[]>()
  for (const time of times) {
    const { at, spot, isAtHosts } = time.watching
    // A switch with one time for all ports is compared with ports of both kinds.
    for (const side of spot.port === '' ? ['', true, false] : [isAtHosts]) {
      const key = JSON.stringify([at.config.role, at.config.language, side])
      groups.set(key, [...(groups.get(key) ?? []), time])
    }
  }
  const odd = new Map<Time, number>()
  for (const group of groups.values()) {
    const ofDevice = new Map<Device, number[]>()
    for (const { watching, ps } of group) ofDevice.set(watching.at, [...(ofDevice.get(watching.at) ?? []), ps])
    const usual = mostHave([...ofDevice.values()].flatMap((own) => mostHave(own) ?? []))
    if (usual !== undefined) for (const time of group) if (time.ps !== usual) odd.set(time, usual)
  }
  return odd
}

export const sameTimesInRole = defineRule(wd05, ({ fabric }, say, kind) => {
  for (const field of ['detectionPs', 'restorationPs'] as const) {
    const times = watchdogsOf(fabric).flatMap((watching): Time[] => {
      const value = asNumber(watching[field])
      return value.state === 'unknown' ? [] : [{ watching, value, ps: value.value }]
    })
    const odd = oddTimes(times)
    for (const time of times) {
      const { watching, value, ps: herePs } = time
      const usualPs = odd.get(time)
      const isLong = field === 'detectionPs' && watching.isAtHosts && herePs > DETECTION_MOST_PS
      say.judge(usualPs !== undefined || isLong, kind, watching.spot, () => ({
        values: { field, herePs, usualPs: usualPs ?? DETECTION_MOST_PS },
        evidence: evidence(watching.spot, value),
      }))
    }
  }
})

/** Classes of a port that its watchdog has cut off, at any of its readings, with the values that say so. */
function cutOff({ conflicts }: Device, { name, settings }: PortConfig): { priority: number; value: Value }[] {
  return CLASSES.flatMap((priority) => {
    const field = `classes.${priority}.isStormed`
    const states = conflicts.find((one) => one.port === name && one.field === field)?.values
    const value = (states ?? [settings.classes[priority]!.isStormed]).find((one) => knownOf(one) === true)
    return value === undefined ? [] : [{ priority, value }]
  })
}

export const nothingIsCutOff = defineRule(ctr12, ({ fabric }, say, kind) => {
  const counts = countsOf(fabric)
  for (const at of fabric.devices.values())
    for (const config of at.config.ports) {
      const spot = { device: at.config.device, port: config.name, at }
      const end = fabric.linksOf(spot.device).find(({ ends }) => ends.some((each) => each.config === config))
      const peer = end?.ends.find((each) => each.config !== config)
      const now = cutOff(at, config)
      const values = { priorities: now.map(({ priority }) => priority), storms: null }
      const named = { ...values, peer: peer === undefined ? '' : nameOf(peer) }
      if (now.length > 0) {
        say.fires(kind, spot, { values: named, evidence: evidence(spot, ...now.map(({ value }) => value)) })
        continue
      }
      if (config.settings.classes.some(({ isStormed }) => isStormed.state !== 'unknown')) say.held++
      // Storms of an interval are those of CTR02.
      const storms = CLASSES.flatMap((priority) => {
        const counted = countedAt(counts, spot, priority, 'wdStorms')
        return counted === undefined || counted.isGrowth || counted.amount === 0 ? [] : [{ priority, ...counted }]
      })
      if (storms.length === 0) continue
      say.fires(kind, spot, {
        values: {
          ...named,
          priorities: storms.map(({ priority }) => priority),
          storms: storms.reduce((sum, { amount }) => sum + amount, 0),
        },
        evidence: readingEvidence(
          spot,
          storms.flatMap(({ readings }) => readings),
        ),
        severity: 'note',
      })
    }
})
