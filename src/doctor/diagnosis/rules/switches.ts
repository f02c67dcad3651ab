/** Rules about PFC and maps of switches. */
import { fabricSwitches } from '../../../core/findings/index.ts'
import { type Fabric, otherEnd } from '../../devices/joins/index.ts'
import { knownOf, CLASS_COUNT, type PortSettings } from '../../../core/device-model/index.ts'
import { evidence, hostLinks, type KnownPort, nicOf, portsUp, switchSettingsOf, usualOf } from './look.ts'
import { defineRule, type RuleContext } from './rule.ts'
import { deviceSpot } from './saying.ts'

const { cnp01, fld01, fld03, map04, map05, pfc02, pfc03, pfc04, pfc05, ref01, sch01, wd01 } = fabricSwitches

interface LosslessPort {
  readonly port: KnownPort
  readonly lossless: readonly number[]
}

/** Most rules ask for them. */
const known = new WeakMap<Fabric, readonly LosslessPort[]>()

/** Ports of switches with PFC, and their lossless classes. */
export function losslessPorts({ fabric }: RuleContext): readonly LosslessPort[] {
  let ports = known.get(fabric)
  if (ports === undefined) {
    ports = portsUp(fabric, 'switch').flatMap((port) => {
      const lossless = knownOf(port.config.settings.pfcClasses)
      return lossless === undefined || lossless.length === 0 ? [] : [{ port, lossless }]
    })
    known.set(fabric, ports)
  }
  return ports
}

export const namesAreDefined = defineRule(ref01, ({ fabric }, say, kind) => {
  for (const at of fabric.devices.values())
    for (const { problem, what, name, port, isForPfc, line, file } of at.references) {
      if (problem === 'unapplied' && !isForPfc) continue
      const spot = { device: at.config.device, port, at }
      say.fires(kind, spot, {
        values: { problem, what, name },
        evidence: evidence(spot, { state: 'set', value: name, origin: { file, line: line.number } }),
        severity: at.isComplete ? 'error' : 'warning',
      })
    }
})

/** Classes with headroom; undefined: of some class nothing is known. */
function withHeadroom({ classes }: PortSettings): number[] | undefined {
  const all = classes.map(({ hasHeadroom }) => knownOf(hasHeadroom))
  return all.includes(undefined) ? undefined : all.flatMap((has, c) => (has === true ? [c] : []))
}

export const headroomWherePfcIs = defineRule(pfc02, (context, say, kind) => {
  for (const { port, lossless } of losslessPorts(context)) {
    const settings = port.config.settings
    const has = withHeadroom(settings)
    // None at all is another rule's.
    if (has === undefined || has.length === 0) continue
    const odd = lossless.find((c) => !has.includes(c)) ?? has.find((c) => !lossless.includes(c))
    say.judge(odd !== undefined, kind, port, () => ({
      values: { lossless, withHeadroom: has },
      evidence: evidence(port, settings.pfcClasses, ...(odd === undefined ? [] : [settings.classes[odd]!.hasHeadroom])),
    }))
  }
})

export const pausesStopTheirQueue = defineRule(pfc03, (context, say, kind) => {
  for (const { port, lossless } of losslessPorts(context))
    for (const priority of lossless) {
      const own = port.config.settings.classes[priority]!
      const [queue, pausedQueue] = [knownOf(own.queue), knownOf(own.pausedQueue)]
      if (queue === undefined || pausedQueue === undefined) continue
      say.judge(queue !== pausedQueue, kind, port, () => ({
        values: { priority, queue, pausedQueue },
        evidence: evidence(port, own.pausedQueue, own.queue),
      }))
    }
})

const LOSSLESS_MOST = 2

export const fewLosslessClasses = defineRule(pfc04, (context, say, kind) => {
  for (const { port, lossless } of losslessPorts(context))
    say.judge(lossless.length > LOSSLESS_MOST, kind, port, () => ({
      values: { lossless },
      evidence: evidence(port, port.config.settings.pfcClasses),
    }))
})

/** Classes into which some DSCP leads. */
function classesInUse({ dscpToClass }: PortSettings): Set<number> {
  return new Set(dscpToClass.flatMap((value) => knownOf(value) ?? []))
}

export const losslessIsApart = defineRule(pfc05, (context, say, kind) => {
  for (const { port, lossless } of losslessPorts(context)) {
    const { classes, ...settings } = port.config.settings
    const used = classesInUse({ classes, ...settings })
    for (const what of ['group', 'queue'] as const)
      for (const own of lossless) {
        const index = knownOf(classes[own]![what])
        if (index === undefined) continue
        const lossy = Array.from({ length: CLASS_COUNT }, (_, c) => c).find(
          (c) => used.has(c) && !lossless.includes(c) && knownOf(classes[c]![what]) === index,
        )
        say.judge(lossy !== undefined, kind, port, () => ({
          values: { what, index, lossless: own, lossy: lossy ?? -1 },
          evidence: evidence(port, classes[own]![what], ...(lossy === undefined ? [] : [classes[lossy]![what]])),
        }))
      }
  }
})

export const somethingClassifies = defineRule(map04, (context, say, kind) => {
  for (const { port, lossless } of losslessPorts(context)) {
    const { classifies, dscpToClass, pfcClasses, trust } = port.config.settings
    const isKnown = dscpToClass.every(({ state }) => state !== 'unknown')
    const leads = dscpToClass.some((value) => lossless.includes(knownOf(value) ?? -1))
    const isNone = knownOf(classifies) === false || (isKnown && !leads && knownOf(trust) !== 'pcp')
    if (!isNone && !leads && knownOf(classifies) === undefined) continue
    say.judge(isNone, kind, port, () => ({
      values: { lossless },
      evidence: evidence(port, pfcClasses, classifies),
      severity: port.at.isComplete ? 'error' : 'warning',
    }))
  }
})

/** Unmarked, voice and control. Source: RFC 4594. */
const FOREIGN_DSCPS = [0, 46, 48, 56]

export const onlyRoceIsLossless = defineRule(map05, (context, say, kind) => {
  for (const { port, lossless } of losslessPorts(context)) {
    const { dscpToClass } = port.config.settings
    for (const own of lossless) {
      const dscps = FOREIGN_DSCPS.filter((dscp) => knownOf(dscpToClass[dscp]) === own)
      say.judge(dscps.length > 0, kind, port, () => ({
        values: { dscps, lossless: own },
        evidence: evidence(port, ...dscps.map((dscp) => dscpToClass[dscp])),
      }))
    }
  }
})

export const losslessIsWatched = defineRule(wd01, (context, say, kind) => {
  const isWatched = (port: KnownPort, c: number): boolean | undefined =>
    knownOf(port.config.settings.classes[c]!.isWatched)
  const ports = losslessPorts(context)
  const watching = new Set(
    ports.filter(({ port, lossless }) => lossless.some((c) => isWatched(port, c))).map(({ port }) => port.device),
  )
  for (const { port, lossless } of ports) {
    const isOff = knownOf(switchSettingsOf(port.at)?.watchdog.kind) === 'off'
    const unwatched = lossless.filter((c) => isOff || isWatched(port, c) === false)
    if (!isOff && lossless.every((c) => isWatched(port, c) === undefined)) {
      say.lacks(port, 'classes.isWatched')
      continue
    }
    const end = port.link?.ends.find(({ config }) => config === port.config)
    const isToSwitch = end !== undefined && otherEnd(port.link!, end).at?.config.kind === 'switch'
    say.judge(unwatched.length > 0, kind, port, () => ({
      values: { unwatched },
      evidence: evidence(
        port,
        port.config.settings.pfcClasses,
        ...unwatched.map((c) => port.config.settings.classes[c]!.isWatched),
      ),
      // Between switches it is a choice, unless the switch watches its other ports.
      severity: isToSwitch && !watching.has(port.device) ? 'warning' : 'error',
    }))
  }
})

export const nothingIsFlooded = defineRule(fld01, ({ fabric }, say, kind) => {
  for (const at of fabric.devices.values()) {
    const value = switchSettingsOf(at)?.floodsLossless
    const floods = knownOf(value)
    if (floods !== undefined)
      say.judge(floods, kind, deviceSpot(at), () => ({ values: {}, evidence: evidence(deviceSpot(at), value) }))
  }
})

export const macOutlivesArp = defineRule(fld03, ({ fabric }, say, kind) => {
  for (const at of fabric.devices.values()) {
    const settings = switchSettingsOf(at)
    const [arpSeconds, macAgeSeconds] = [knownOf(settings?.arpSeconds), knownOf(settings?.macAgeSeconds)]
    if (arpSeconds === undefined || macAgeSeconds === undefined) continue
    say.judge(macAgeSeconds < arpSeconds, kind, deviceSpot(at), () => ({
      values: { arpSeconds, macAgeSeconds },
      evidence: evidence(deviceSpot(at), settings!.arpSeconds, settings!.macAgeSeconds),
    }))
  }
})

export const losslessHasShare = defineRule(sch01, (context, say, kind) => {
  for (const { port, lossless } of losslessPorts(context))
    for (const own of lossless) {
      const value = port.config.settings.classes[own]!.schedule
      const schedule = knownOf(value)
      if (schedule === undefined) continue
      say.judge(schedule === 'strict' || schedule === 0, kind, port, () => ({
        values: { lossless: own, schedule },
        evidence: evidence(port, value),
      }))
    }
})

export const cnpsDoNotWait = defineRule(cnp01, (context, say, kind) => {
  const hosts = hostLinks(context.fabric).map(({ host }) => host)
  const dscp = usualOf(hosts.flatMap((host) => knownOf(nicOf(host).cnpDscp) ?? []))
  for (const { port, lossless } of losslessPorts(context)) {
    if (dscp === undefined) {
      for (const host of hosts) say.lacks(host, 'nic.cnpDscp')
      return
    }
    const { classes, dscpToClass } = port.config.settings
    const trafficClass = knownOf(dscpToClass[dscp])
    if (trafficClass === undefined) continue
    const schedule = knownOf(classes[trafficClass]!.schedule)
    const isLossless = lossless.includes(trafficClass)
    if (schedule === undefined && !isLossless) continue
    say.judge(isLossless || schedule !== 'strict', kind, port, () => ({
      values: { dscp, trafficClass, isLossless, schedule: schedule ?? '' },
      evidence: evidence(port, dscpToClass[dscp], classes[trafficClass]!.schedule),
    }))
  }
})
