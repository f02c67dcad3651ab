/** Rules about the two ends of a link. */
import { fabricLinks } from '../../findings/index.ts'
import { type End, type Fabric, type Link, otherEnd } from '../devices/index.ts'
import { knownOf, type Plain, type PortSettings, type Value } from '../model/index.ts'
import { dscpsOf, evidence, hostLinks, type KnownPort, linksUp, nameOf, nicOf, portsUp, usualOf } from './look.ts'
import { defineRule } from './rule.ts'

const { buf03, map02, mtu01, mtu02, pfc01, pfc07, pfc08, spd01, vln01 } = fabricLinks

const isSame = (a: readonly number[], b: readonly number[]): boolean => a.join() === b.join()

export const pfcAtBothEnds = defineRule(pfc01, ({ fabric }, say, kind) => {
  for (const link of linksUp(fabric)) {
    const [a, b] = link.ends.map((end) => say.known(end, 'pfcClasses', end.config?.settings.pfcClasses))
    if (a === undefined || b === undefined) continue
    // It is said at the end that has fewer, or else at the first.
    const [end, here, there] = b.length < a.length ? [link.ends[1], b, a] : [link.ends[0], a, b]
    const peer = otherEnd(link, end)
    say.judge(!isSame(a, b), kind, end, {
      values: { here, there, peer: nameOf(peer) },
      evidence: [end, peer].flatMap((each) => evidence(each, each.config!.settings.pfcClasses)),
    })
  }
})

function hasPfcAtPeer({ link, config }: KnownPort): boolean {
  const peer = link?.ends.find((end) => end.config !== config)
  return (knownOf(peer?.config?.settings.pfcClasses)?.length ?? 0) > 0
}

/** Mode auto alone says nothing; where the device tells that PFC is off, it is. */
export const pfcInForce = defineRule(pfc08, ({ fabric }, say, kind) => {
  for (const port of portsUp(fabric, 'switch')) {
    const { pfcClasses, pfcMode, pfcWritten } = port.config.settings
    const [mode, written, inForce] = [knownOf(pfcMode), knownOf(pfcWritten), knownOf(pfcClasses)]
    const isMeant = mode === 'on' || mode === 'auto' || (written?.length ?? 0) > 0
    // Off where the peer has no PFC is meant, too: classes of NX-OS are written for all ports.
    const isLeftOut = pfcMode.state === 'set' && mode === 'off' && !hasPfcAtPeer(port)
    if (!isMeant || isLeftOut) continue
    const wanted = written ?? []
    const isKnown = inForce !== undefined
    if (!isKnown && wanted.length === 0) continue
    const isBroken = isKnown
      ? (mode === 'on' && inForce.length === 0) || wanted.some((c) => !inForce.includes(c))
      : true
    say.judge(isBroken, kind, port, {
      values: { written: wanted, inForce: inForce ?? null, mode: mode ?? '' },
      evidence: evidence(port, pfcClasses, pfcMode),
      severity: isKnown ? 'error' : 'warning',
    })
  }
})

export const pfcInBothDirections = defineRule(pfc07, ({ fabric }, say, kind) => {
  for (const link of linksUp(fabric)) {
    const [a, b] = link.ends.map((end) => knownOf(end.config?.settings.isPfcAsymmetric))
    if (a === undefined || b === undefined) continue
    const end = link.ends[a ? 0 : 1]
    say.judge(a !== b, kind, end, {
      values: { peer: nameOf(otherEnd(link, end)) },
      evidence: evidence(end, end.config!.settings.isPfcAsymmetric),
    })
  }
})

export const sameClassAtBothEnds = defineRule(map02, ({ fabric }, say, kind) => {
  for (const { host, peer } of hostLinks(fabric)) {
    const [own, far] = [host.config?.settings, peer.config?.settings]
    if (knownOf(own?.trust) !== 'dscp' || own === undefined) continue
    for (const dscp of dscpsOf(host)) {
      const here = say.known(host, 'dscpToClass', own.dscpToClass[dscp])
      const there = say.known(peer, 'dscpToClass', far?.dscpToClass[dscp])
      if (here === undefined || there === undefined) continue
      const isLossless = (c: number): boolean =>
        [own, far!].some(({ pfcClasses }) => knownOf(pfcClasses)?.includes(c) === true)
      say.judge(here !== there && (isLossless(here) || isLossless(there)), kind, host, {
        values: { dscp, here, there, peer: nameOf(peer) },
        evidence: [...evidence(host, own.dscpToClass[dscp]), ...evidence(peer, far!.dscpToClass[dscp])],
      })
    }
  }
})

export const tagsWhereTheyCount = defineRule(vln01, ({ fabric }, say, kind) => {
  for (const port of portsUp(fabric, 'switch')) {
    const { trust, vlanMode, pfcClasses, pfcWritten } = port.config.settings
    if ([pfcClasses, pfcWritten].every((value) => (knownOf(value)?.length ?? 0) === 0)) continue
    if (knownOf(trust) !== 'pcp') continue
    const mode = say.known(port, 'vlanMode', vlanMode)
    if (mode === undefined) continue
    say.judge(mode === 'untagged', kind, port, { values: {}, evidence: evidence(port, trust, vlanMode) })
  }
})

/** Headers behind the IP packet's start, IPv4: IP 20, UDP 8, BTH 12, RETH 16, ICRC 4. Source: IBTA, annex A17. */
const HEADER_BYTES = 60
const PAYLOAD_MOST_BYTES = 4096

/** That of all hosts, as any may send to any. */
function largestPacketBytes(fabric: Fabric): number {
  const active = hostLinks(fabric).flatMap(({ host }) => knownOf(nicOf(host).activeMtuBytes) ?? [])
  const most = active.reduce((one, other) => Math.max(one, other), 0)
  return HEADER_BYTES + (most === 0 ? PAYLOAD_MOST_BYTES : most)
}

export const mtuForPackets = defineRule(mtu01, ({ fabric }, say, kind) => {
  const needBytes = largestPacketBytes(fabric)
  const mtuOf = (end: End): number | undefined => {
    const mtu = knownOf(end.config?.settings.mtuBytes)
    return mtu === 'any' ? Infinity : typeof mtu === 'number' ? mtu : undefined
  }
  for (const link of linksUp(fabric)) {
    const [a, b] = link.ends.map((end) => {
      if (end.config !== null && mtuOf(end) === undefined) say.lacks(end, 'mtuBytes')
      return mtuOf(end)
    })
    const end = (a ?? Infinity) <= (b ?? Infinity) ? link.ends[0] : link.ends[1]
    const peer = otherEnd(link, end)
    const [here, there] = [mtuOf(end), mtuOf(peer)]
    if (here === undefined) continue
    const isTooSmall = here < needBytes
    const fired = {
      values: { hereBytes: here, thereBytes: there ?? here, needBytes, peer: nameOf(peer) },
      evidence: [end, peer].flatMap((each) => evidence(each, each.config?.settings.mtuBytes)),
    }
    if (isTooSmall) say.fires(kind, end, fired)
    else if (there !== undefined && there !== here) say.fires(kind, end, { ...fired, severity: 'note' })
    else say.held++
  }
})

export const sameActiveMtu = defineRule(mtu02, ({ fabric }, say, kind) => {
  const hosts = hostLinks(fabric).map(({ host }) => ({ host, active: knownOf(nicOf(host).activeMtuBytes) }))
  const usual = usualOf(hosts.flatMap(({ active }) => active ?? []))
  for (const { host, active } of hosts) {
    if (active === undefined || usual === undefined) continue
    const mtu = knownOf(host.config!.settings.mtuBytes)
    const isLow = active === 1024 && typeof mtu === 'number' && mtu >= 4200
    say.judge(active < usual || isLow, kind, host, {
      values: { activeBytes: active, usualBytes: isLow ? PAYLOAD_MOST_BYTES : usual },
      evidence: evidence(host, nicOf(host).activeMtuBytes),
    })
  }
})

/** Share by which a length may be too short, or too long. */
const LENGTH_SLACK = 0.2

export const lengthAsSet = defineRule(buf03, ({ fabric }, say, kind) => {
  for (const link of linksUp(fabric)) {
    const lengths = link.ends.map(({ config }) => config?.settings.cableM)
    const written = lengths.map((value) => (value?.state === 'default' ? undefined : knownOf(value)))
    link.ends.forEach((end, i) => {
      const setM = written[i]
      // The list of links knows; without it the longer of both ends counts.
      const cableM = Number.isNaN(link.cableM) ? written[1 - i] : link.cableM
      if (setM === undefined || cableM === undefined || cableM === 0) return
      const isShort = setM < cableM * (1 - LENGTH_SLACK)
      const isLong = setM > cableM * (1 + LENGTH_SLACK)
      if (isLong && Number.isNaN(link.cableM)) return
      const fired = { values: { setM, cableM }, evidence: evidence(end, lengths[i]) }
      if (isShort) say.fires(kind, end, fired)
      else if (isLong) say.fires(kind, end, { ...fired, severity: 'note' })
      else say.held++
    })
  }
})

const SPEED_FIELDS = ['rateBps', 'fec', 'autoNegotiates'] as const

/** Whether a device says that the link is up, at the speed of both ends: then they have agreed, whatever is written. */
function isRunning({ ends }: Link): boolean {
  const [a, b] = ends.map(({ config }) => knownOf(config?.settings.rateBps))
  const isUp = ({ config }: End): boolean => config?.settings.isUp.state === 'operational' && config.settings.isUp.value
  return ends.some(isUp) && a !== undefined && a === b
}

export const sameSpeed = defineRule(spd01, ({ fabric }, say, kind) => {
  for (const link of linksUp(fabric))
    for (const field of isRunning(link) ? [] : SPEED_FIELDS) {
      const of = (end: End): Value | undefined => (end.config?.settings as PortSettings | undefined)?.[field]
      const [a, b] = link.ends.map((end) => knownOf<Plain>(of(end)))
      // A negotiated value is nobody's setting.
      if (a === undefined || b === undefined || a === 'auto' || b === 'auto') continue
      const [end, peer] = link.ends
      const text = (value: Plain): string | number =>
        typeof value === 'boolean' ? (value ? 'on' : 'off') : (value as string | number)
      say.judge(a !== b, kind, end, {
        values: { field, here: text(a), there: text(b), peer: nameOf(peer) },
        evidence: [...evidence(end, of(end)), ...evidence(peer, of(peer))],
      })
    }
})
