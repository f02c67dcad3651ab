/** Rules about buffers and marking of switches. */
import { fabricBuffers } from '../../../core/findings/index.ts'
import type { Device } from '../../devices/joins/index.ts'
import { knownOf, type ClassConfig, type PoolConfig, type Value } from '../../../core/device-model/index.ts'
import { evidence, hostLinks, type KnownPort, mayUseMarks, nicOf, switchSettingsOf } from './look.ts'
import { defineRule, type RuleContext } from './rule.ts'
import { deviceSpot } from './saying.ts'
import { losslessPorts } from './switches.ts'

const { buf01, buf02, buf05, buf06, buf07, buf08, buf10, buf11, buf12, ecn01, ecn02, ecn03, ecn07 } = fabricBuffers

const classOf = ({ config }: KnownPort, c: number): ClassConfig => config.settings.classes[c]!

/** Headroom may be less by this share: tables are rounded. */
const HEADROOM_SLACK = 0.05

const hasSharedHeadroom = (at: Device): boolean =>
  switchSettingsOf(at)?.pools.some(({ sharedHeadroomBytes }) => (knownOf(sharedHeadroomBytes) ?? 0) > 0) === true

const MTU_MOST_BYTES = 9216
/** JSON has no infinity. */
const MOST_SHOWN = Number.MAX_SAFE_INTEGER

export const headroomSuffices = defineRule(buf01, (context, say, kind) => {
  for (const { port, lossless } of losslessPorts(context)) {
    const { rateBps, cableM, mtuBytes } = port.config.settings
    const listedM = port.link?.cableM ?? NaN
    for (const priority of lossless) {
      const { headroomBytes } = classOf(port, priority)
      const own = knownOf(headroomBytes)
      if (typeof own !== 'number' || own === 0) continue
      const rate = say.known(port, 'rateBps', rateBps)
      const lengthM = Number.isNaN(listedM) ? say.known(port, 'cableM', cableM) : listedM
      if (rate === undefined || lengthM === undefined) continue
      const mtu = knownOf(mtuBytes)
      const platform = knownOf(switchSettingsOf(port.at)?.platform) ?? ''
      const need = context.headroomNeed({
        platform,
        rateBps: rate,
        cableM: lengthM,
        mtuBytes: typeof mtu === 'number' ? mtu : MTU_MOST_BYTES,
        hasSharedHeadroom: hasSharedHeadroom(port.at),
      })
      const { leastBytes, mostBytes, basis, isSure } = need
      const isSmall = own < leastBytes * (1 - HEADROOM_SLACK)
      say.judge(isSmall || own > 2 * mostBytes, kind, port, () => ({
        values: {
          priority,
          headroomBytes: own,
          leastBytes,
          mostBytes: Math.min(mostBytes, MOST_SHOWN),
          cableM: lengthM,
          basis,
        },
        evidence: evidence(port, headroomBytes, rateBps, cableM),
        severity: isSmall && isSure ? 'error' : 'warning',
      }))
    }
  }
})

/** Speed in Mb/s and length in a name of SONiC's buffer manager: "pg_lossless_100000_40m_profile". */
const PROFILE = /^pg_lossless_(\d+)_(\d+)m_/

export const headroomIsForThisLink = defineRule(buf02, (context, say, kind) => {
  for (const { port, lossless } of losslessPorts(context)) {
    const { rateBps, cableM } = port.config.settings
    const settings = switchSettingsOf(port.at)
    const [rate, length, table] = [knownOf(rateBps), knownOf(cableM), knownOf(settings?.headroomTable)]
    if (rate === undefined || length === undefined || knownOf(settings?.isHeadroomDynamic) === true) continue
    for (const priority of lossless) {
      const { profileName } = classOf(port, priority)
      const profile = knownOf(profileName) ?? ''
      const [, speed, meters] = PROFILE.exec(profile) ?? []
      const isOther = speed !== undefined && (Number(speed) * 1e6 !== rate || Number(meters) !== length)
      const isListed = table === undefined || table.some((row) => row.rateBps === rate && row.cableM === length)
      if (speed === undefined && table === undefined) {
        if (port.at.config.language === 'sonic') say.lacks(port, 'headroomTable')
        continue
      }
      say.judge(isOther || !isListed, kind, port, () => ({
        values: { profile, rateBps: rate, cableM: length, isInTable: isListed },
        evidence: evidence(port, profileName, cableM),
      }))
    }
  }
})

/** Source: [MS-Scale] 6.2: 1/64 where 1/16 was meant. */
const ALPHA_LEAST = 1 / 16

export const alphaIsNotSmall = defineRule(buf05, (context, say, kind) => {
  for (const { port, lossless } of losslessPorts(context))
    for (const priority of lossless) {
      const value = classOf(port, priority).alpha
      const alpha = knownOf(value)
      if (alpha === undefined) continue
      say.judge(alpha < ALPHA_LEAST, kind, port, () => ({
        values: { priority, alpha },
        evidence: evidence(port, value),
      }))
    }
})

const ingressPools = (pools: readonly PoolConfig[]): PoolConfig[] =>
  pools.filter(({ side }) => knownOf(side) !== 'egress')

/** Half of a buffer is as much as the other half. */
const OWN_MOST_OF_POOL = 1

/** Undefined: one of them is unknown. */
function sumOf(values: readonly Value<number>[]): number | undefined {
  const all = values.map((value) => knownOf(value))
  return all.includes(undefined) ? undefined : all.reduce<number>((sum, value) => sum + (value ?? 0), 0)
}

export const sharedHeadroomSuffices = defineRule(buf06, (context, say, kind) => {
  const promised = new Map<Device, number>()
  for (const { port, lossless } of losslessPorts(context)) {
    const own = lossless.map((c) => knownOf(classOf(port, c).headroomBytes))
    const sum = own.reduce<number>((all, bytes) => all + (typeof bytes === 'number' ? bytes : 0), 0)
    promised.set(port.at, (promised.get(port.at) ?? 0) + sum)
  }
  for (const [at, promisedBytes] of promised) {
    const settings = switchSettingsOf(at)
    if (settings === null || promisedBytes === 0) continue
    const [shared, sizes] = [
      settings.pools.map(({ sharedHeadroomBytes }) => sharedHeadroomBytes),
      ingressPools(settings.pools).map(({ sizeBytes }) => sizeBytes),
    ]
    const sharedBytes = sumOf(shared)
    const ratio = knownOf(settings.headroomOversubscription)
    const isShared = hasSharedHeadroom(at)
    // Headroom of its own is no part of a pool, so that both together are the buffer.
    const bytes = isShared ? sharedBytes : sumOf(sizes)
    const most = isShared ? ratio : OWN_MOST_OF_POOL
    if (bytes === undefined || most === undefined || most === 0 || bytes === 0) continue
    say.judge(promisedBytes > most * bytes, kind, deviceSpot(at), () => ({
      values: { promisedBytes, bytes, ratio: isShared ? most : null },
      evidence: evidence(deviceSpot(at), ...(isShared ? shared : sizes)),
    }))
  }
})

export const egressKeepsAll = defineRule(buf07, (context, say, kind) => {
  for (const { port, lossless } of losslessPorts(context))
    for (const priority of lossless) {
      const value = classOf(port, priority).dropsAtEgress
      const drops = knownOf(value)
      if (drops !== undefined)
        say.judge(drops, kind, port, () => ({ values: { priority }, evidence: evidence(port, value) }))
    }
})

export const resumesLater = defineRule(buf08, (context, say, kind) => {
  for (const { port, lossless } of losslessPorts(context))
    for (const priority of lossless) {
      const { xoffBytes, xonBytes, xonOffsetBytes } = classOf(port, priority)
      const xoff = knownOf(xoffBytes) ?? xoffBytesOf(port, priority)
      const [xon, offset] = [knownOf(xonBytes), knownOf(xonOffsetBytes)]
      const isSame = xon === 0 && offset === 0
      // Where XOFF is a fill, the offset below it alone may tell when the pause ends.
      const resumes = xon ?? (xoff === undefined || offset === undefined ? undefined : xoff - offset)
      if (resumes === undefined || (offset === undefined && xoff === undefined)) continue
      const isAbove = xoff !== undefined && resumes >= xoff
      say.judge(isSame || isAbove, kind, port, () => ({
        values: {
          priority,
          ...(isAbove ? { xonBytes: resumes, xoffBytes: xoff } : { xonBytes: null, xoffBytes: null }),
        },
        evidence: evidence(port, xonBytes, xonOffsetBytes, ...(isAbove ? [xoffBytes] : [])),
      }))
    }
})

/** Families of NVIDIA, by the names of their hardware in SONiC. */
const NVIDIA = /mellanox|nvidia|msn\d|sn\d{4}/i

export const reserveHoldsHeadroom = defineRule(buf10, (context, say, kind) => {
  for (const { port, lossless } of losslessPorts(context)) {
    const settings = switchSettingsOf(port.at)
    if (settings === null || !NVIDIA.test(knownOf(settings.platform) ?? '')) continue
    // With shared headroom the reserve is xon alone.
    if (hasSharedHeadroom(port.at)) continue
    for (const priority of lossless) {
      const { reserveBytes, xonBytes, xonOffsetBytes, headroomBytes } = classOf(port, priority)
      const [reserve, xon, xoff] = [knownOf(reserveBytes), knownOf(xonBytes), knownOf(headroomBytes)]
      if (reserve === undefined || xon === undefined || typeof xoff !== 'number') continue
      if ((knownOf(xonOffsetBytes) ?? 0) > 0) continue
      say.judge(reserve < (xon + xoff) * (1 - HEADROOM_SLACK), kind, port, () => ({
        values: { priority, reserveBytes: reserve, needBytes: xon + xoff },
        evidence: evidence(port, reserveBytes, xonBytes, headroomBytes),
      }))
    }
  }
})

export const headroomIsThere = defineRule(buf11, (context, say, kind) => {
  for (const { port, lossless } of losslessPorts(context)) {
    const { classes, pfcClasses } = port.config.settings
    const has = lossless.map((c) => knownOf(classes[c]!.hasHeadroom))
    if (has.includes(undefined)) {
      if (has.every((one) => one === undefined)) say.lacks(port, 'classes.hasHeadroom')
      continue
    }
    // With headroom in another group it is a matter of the wrong group.
    const isElsewhere = classes.some(({ hasHeadroom }) => knownOf(hasHeadroom) === true)
    say.judge(!has.includes(true) && !isElsewhere, kind, port, () => ({
      values: { lossless },
      evidence: evidence(port, pfcClasses, ...lossless.map((c) => classes[c]!.hasHeadroom)),
    }))
  }
})

export const lengthIsGiven = defineRule(buf12, (context, say, kind) => {
  for (const { port } of losslessPorts(context)) {
    const { cableM } = port.config.settings
    if (cableM.state !== 'default') continue
    const listedM = port.link?.cableM ?? NaN
    say.judge(Number.isNaN(listedM) || listedM > cableM.value, kind, port, () => ({
      values: { defaultM: cableM.value, cableM: Number.isNaN(listedM) ? null : listedM },
      evidence: evidence(port, cableM),
    }))
  }
})

/** Ports with PFC where somebody may slow down at marks. */
const markingPorts = (context: RuleContext): ReturnType<typeof losslessPorts> =>
  mayUseMarks(context.fabric) ? losslessPorts(context) : []

/**
 * Fill at which each of several groups is paused that are full together; undefined: unknown.
 * Source: sonic-mgmt, qos_sai_base; Choudhury and Hahne 1998: alpha B / (1 + n alpha).
 */
function xoffBytesOf(port: KnownPort, c: number, groups = 1): number | undefined {
  const { alpha, reserveBytes, staticBytes } = classOf(port, c)
  const settings = switchSettingsOf(port.at)
  if (settings === null) return undefined
  const fixed = knownOf(staticBytes)
  if (fixed !== undefined) return (knownOf(reserveBytes) ?? 0) + fixed
  const sizes = ingressPools(settings.pools).flatMap(({ sizeBytes }) => knownOf(sizeBytes) ?? [])
  const share = knownOf(alpha)
  // Where there are several the pool of the class is not known here.
  if (share === undefined || sizes.length !== 1) return undefined
  return (knownOf(reserveBytes) ?? 0) + (sizes[0]! * share) / (1 + groups * share)
}

export const marksBeforePauses = defineRule(ecn01, (context, say, kind) => {
  const ports = markingPorts(context)
  const ofDevice = new Map<string, number>()
  for (const { port } of ports) ofDevice.set(port.device, (ofDevice.get(port.device) ?? 0) + 1)
  for (const { port, lossless } of ports)
    for (const priority of lossless) {
      const { kminBytes, alpha } = classOf(port, priority)
      const [kmin, xoffBytes] = [knownOf(kminBytes), xoffBytesOf(port, priority)]
      if (kmin === undefined || xoffBytes === undefined) continue
      // All other ports of the switch may feed the queue.
      const others = Math.max(1, ofDevice.get(port.device)! - 1)
      const togetherBytes = others * xoffBytesOf(port, priority, others)!
      say.judge(kmin >= xoffBytes, kind, port, () => ({
        values: { priority, kminBytes: kmin, xoffBytes, togetherBytes: kmin >= togetherBytes ? togetherBytes : null },
        evidence: evidence(port, kminBytes, alpha),
      }))
    }
})

export const marksAllBeforePauses = defineRule(ecn02, (context, say, kind) => {
  for (const { port, lossless } of markingPorts(context))
    for (const priority of lossless) {
      const { kminBytes, kmaxBytes, alpha } = classOf(port, priority)
      const [kmin, kmax, xoffBytes] = [knownOf(kminBytes), knownOf(kmaxBytes), xoffBytesOf(port, priority)]
      // Where marking begins too late its end is no news.
      if (kmax === undefined || xoffBytes === undefined || (kmin ?? 0) >= xoffBytes) continue
      say.judge(kmax >= xoffBytes, kind, port, () => ({
        values: { priority, kmaxBytes: kmax, xoffBytes },
        evidence: evidence(port, kmaxBytes, alpha),
      }))
    }
})

export const losslessIsMarked = defineRule(ecn03, (context, say, kind) => {
  const hasOther = hostLinks(context.fabric).some(({ host }) => knownOf(nicOf(host).hasOtherControl) === true)
  for (const { port, lossless } of markingPorts(context))
    for (const priority of lossless) {
      const marks = say.known(port, 'classes.marks', classOf(port, priority).marks)
      if (marks === undefined) continue
      say.judge(!marks, kind, port, () => ({
        values: { priority },
        evidence: evidence(port, classOf(port, priority).marks),
        severity: hasOther ? 'warning' : 'error',
      }))
    }
})

export const markedAtEveryHop = defineRule(ecn07, (context, say, kind) => {
  const ports = markingPorts(context)
  for (const priority of new Set(ports.flatMap(({ lossless }) => lossless))) {
    const own = ports.filter(({ lossless }) => lossless.includes(priority))
    const marking = own.filter(({ port }) => knownOf(classOf(port, priority).marks) === true).length
    if (marking === 0) continue
    for (const { port } of own) {
      const { marks } = classOf(port, priority)
      if (marks.state === 'unknown') continue
      say.judge(!marks.value, kind, port, () => ({ values: { priority, marking }, evidence: evidence(port, marks) }))
    }
  }
})
