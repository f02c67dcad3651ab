/** Rules about the two ends of a link. */
import { fabricLinks } from '../../../core/findings/index.ts'
import { type End, type Fabric, type Link, otherEnd } from '../../devices/joins/index.ts'
import { knownOf, type Plain, type PortSettings, type Value } from '../../../core/device-model/index.ts'
import {
  dscpsInUse,
  dscpsOf,
  evidence,
  hostLinks,
  isLossless,
  type KnownPort,
  linksUp,
  nameOf,
  nicOf,
  peerOf,
  portsUp,
  usualOf,
} from './look.ts'
import { defineRule } from './rule.ts'
import type { Saying } from './saying.ts'
import { losslessPorts } from './switches.ts'

const { buf03, map02, mtu01, mtu02, mtu03, pfc01, pfc07, pfc08, spd01, vln01, vln02 } = fabricLinks

/**
 * Whether RoCE uses a priority at either end of a link, by the DSCPs of all hosts: a frame of PFC names one of 802.1Q's
 * priorities, and says nothing of the others (802.1Q 36.1), so that one that no packet has may differ.
 */
function useOf(
  { dscps, isWhole }: { readonly dscps: readonly number[]; readonly isWhole: boolean },
  ends: readonly End[],
  priorities: readonly number[],
): 'used' | 'unused' | 'unknown' {
  const classes = ends.flatMap(({ config }) =>
    dscps.map((dscp) =>
      knownOf(config?.settings.trust) === 'dscp' ? knownOf(config!.settings.dscpToClass[dscp]) : undefined,
    ),
  )
  if (classes.some((one) => one !== undefined && priorities.includes(one))) return 'used'
  return isWhole && !classes.includes(undefined) ? 'unused' : 'unknown'
}

const SEVERITY_OF_USE = { used: 'error', unknown: 'warning', unused: 'note' } as const

export const pfcAtBothEnds = defineRule(pfc01, ({ fabric }, say, kind) => {
  const [dscps, hosts] = [dscpsInUse(fabric), hostLinks(fabric)]
  const isWhole =
    hosts.length > 0 &&
    hosts.every(({ host }) => dscpsOf(host).length > 0) &&
    linksUp(fabric).every(({ ends }) => ends.every(({ at }) => at !== null))
  for (const link of linksUp(fabric)) {
    const [a, b] = link.ends.map((end) => say.known(end, 'pfcClasses', end.config?.settings.pfcClasses))
    if (a === undefined || b === undefined) continue
    // It is said at the end that has fewer, or else at the first.
    const [end, here, there] = b.length < a.length ? [link.ends[1], b, a] : [link.ends[0], a, b]
    const peer = otherEnd(link, end)
    const odd = [...a, ...b].filter((one) => a.includes(one) !== b.includes(one))
    // Without a common priority RoCE has none that is lossless at both ends, whatever it uses.
    const use =
      odd.length === 0 || !a.some((one) => b.includes(one)) ? 'used' : useOf({ dscps, isWhole }, link.ends, odd)
    say.judge(odd.length > 0, kind, end, () => ({
      values: { here, there, peer: nameOf(peer), odd, use },
      evidence: [end, peer].flatMap((each) => evidence(each, each.config!.settings.pfcClasses)),
      severity: SEVERITY_OF_USE[use],
    }))
  }
})

const pfcAtPeer = (port: KnownPort): readonly number[] | undefined => knownOf(peerOf(port)?.config?.settings.pfcClasses)

function lackPeer(port: KnownPort, say: Saying): void {
  const peer = peerOf(port)
  if (peer === undefined) say.lacks(port, 'link')
  else say.lacks(peer, 'pfcClasses')
}

/** Mode auto alone says nothing; where the device tells that PFC is off, it is. */
export const pfcInForce = defineRule(pfc08, ({ fabric }, say, kind) => {
  for (const port of portsUp(fabric, 'switch')) {
    const { pfcClasses, pfcMode, pfcWritten } = port.config.settings
    const [mode, written, inForce] = [knownOf(pfcMode), knownOf(pfcWritten), knownOf(pfcClasses)]
    const isMeant = mode === 'on' || mode === 'auto' || (written?.length ?? 0) > 0
    // Off where the peer has no PFC is meant, too: classes of NX-OS are written for all ports.
    const peer = pfcAtPeer(port)
    const isLeftOut = pfcMode.state === 'set' && mode === 'off' && (peer?.length ?? 0) === 0
    if (isMeant && isLeftOut && peer === undefined) lackPeer(port, say)
    if (!isMeant || isLeftOut) continue
    const wanted = written ?? []
    const isKnown = inForce !== undefined
    if (!isKnown && wanted.length === 0) continue
    const isBroken = isKnown
      ? (mode === 'on' && inForce.length === 0) || wanted.some((c) => !inForce.includes(c))
      : true
    say.judge(isBroken, kind, port, () => ({
      values: { written: wanted, inForce: inForce ?? null, mode: mode ?? '' },
      evidence: evidence(port, pfcClasses, pfcMode),
      severity: isKnown ? 'error' : 'warning',
    }))
  }
})

export const pfcInBothDirections = defineRule(pfc07, ({ fabric }, say, kind) => {
  for (const link of linksUp(fabric)) {
    const [a, b] = link.ends.map((end) => knownOf(end.config?.settings.isPfcAsymmetric))
    if (a === undefined || b === undefined) continue
    const end = link.ends[a ? 0 : 1]
    say.judge(a !== b, kind, end, () => ({
      values: { peer: nameOf(otherEnd(link, end)) },
      evidence: evidence(end, end.config!.settings.isPfcAsymmetric),
    }))
  }
})

export const sameClassAtBothEnds = defineRule(map02, ({ fabric }, say, kind) => {
  for (const { host, peer } of hostLinks(fabric)) {
    const [own, far] = [host.config?.settings, peer.config?.settings]
    if (say.known(host, 'trust', own?.trust) !== 'dscp' || own === undefined) continue
    const dscps = dscpsOf(host)
    if (dscps.length === 0) say.lacks(host, 'nic.sysfsTclass')
    for (const dscp of dscps) {
      const here = say.known(host, 'dscpToClass', own.dscpToClass[dscp])
      const there = say.known(peer, 'dscpToClass', far?.dscpToClass[dscp])
      if (here === undefined || there === undefined) continue
      const isUsed = [here, there].some((c) => isLossless(host, c) || isLossless(peer, c))
      say.judge(here !== there && isUsed, kind, host, () => ({
        values: { dscp, here, there, peer: nameOf(peer) },
        evidence: [...evidence(host, own.dscpToClass[dscp]), ...evidence(peer, far!.dscpToClass[dscp])],
      }))
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
    say.judge(mode === 'untagged', kind, port, () => ({ values: {}, evidence: evidence(port, trust, vlanMode) }))
  }
})

export const framesAreTaken = defineRule(vln02, ({ fabric }, say, kind) => {
  // A default may be overruled by what the form does not read, such as interfaces below the port.
  const modeOf = ({ config }: End): string => {
    const mode = config?.settings.vlanMode
    return mode === undefined || mode.state === 'default' ? 'both' : (knownOf(mode) ?? 'both')
  }
  for (const link of linksUp(fabric))
    for (const end of link.ends) {
      const peer = otherEnd(link, end)
      const [taken, sent] = [modeOf(end), modeOf(peer)]
      if (taken === 'both' || sent === 'both') continue
      say.judge(taken !== sent, kind, end, () => ({
        values: { taken, sent, peer: nameOf(peer) },
        evidence: [end, peer].flatMap((each) => evidence(each, each.config!.settings.vlanMode)),
      }))
    }
})

/** Headers behind the IP packet's start, IPv4: IP 20, UDP 8, BTH 12, RETH 16, ICRC 4. Source: IBTA, annex A17. */
const HEADER_BYTES = 60
const PAYLOADS_BYTES = [4096, 2048, 1024, 512, 256]
const PAYLOAD_MOST_BYTES = 4096
/** Room that the RDMA core leaves for headers of any transport. Source: Linux, iboe_get_mtu. */
const CORE_HEADER_BYTES = 96

/** Infinity: without a limit. */
function mtuOf({ config }: End): number | undefined {
  const mtu = knownOf(config?.settings.mtuBytes)
  return mtu === 'any' ? Infinity : typeof mtu === 'number' ? mtu : undefined
}

/** Payload of the packets of a host: that of its RDMA device, or that which the MTU gives; undefined: neither is known. */
function payloadOf(host: End): number | undefined {
  const mtu = mtuOf(host)
  const ofMtu = mtu === undefined ? undefined : PAYLOADS_BYTES.find((payload) => payload + CORE_HEADER_BYTES <= mtu)
  return knownOf(nicOf(host).activeMtuBytes) ?? ofMtu
}

interface Packet {
  readonly bytes: number
  /** Payloads that nobody knows are taken for the largest. */
  readonly isAssumed: boolean
}

/** The largest packets on links: both ends of a connection take the payload of the smaller one. */
class Packets {
  /** Payloads of hosts, the largest first, which of several are those that nobody knows. */
  readonly #payloads: readonly (number | undefined)[]

  constructor(fabric: Fabric) {
    const size = (payload: number | undefined): number => payload ?? PAYLOAD_MOST_BYTES + 1
    this.#payloads = hostLinks(fabric)
      .map(({ host }) => payloadOf(host))
      .toSorted((a, b) => size(b) - size(a))
  }

  on({ ends }: Link): Packet {
    const host = ends.find(({ at }) => at?.config.kind === 'host')
    const [first, second = first] = this.#payloads
    if (host === undefined) return packetOf(second)
    const own = payloadOf(host)
    const other = own === first ? second : first
    return own === undefined ? packetOf(undefined) : packetOf(Math.min(own, other ?? PAYLOAD_MOST_BYTES))
  }
}

const packetOf = (payload: number | undefined): Packet => ({
  bytes: (payload ?? PAYLOAD_MOST_BYTES) + HEADER_BYTES,
  isAssumed: payload === undefined,
})

export const mtuForPackets = defineRule(mtu01, ({ fabric }, say, kind) => {
  const packets = new Packets(fabric)
  for (const link of linksUp(fabric)) {
    const [a, b] = link.ends.map((end) => {
      if (mtuOf(end) === undefined) say.lacks(end, 'mtuBytes')
      return mtuOf(end)
    })
    const end = (a ?? Infinity) <= (b ?? Infinity) ? link.ends[0] : link.ends[1]
    const peer = otherEnd(link, end)
    const [here, there] = [mtuOf(end), mtuOf(peer)]
    if (here === undefined) continue
    const { bytes: needBytes, isAssumed } = packets.on(link)
    const fired = {
      values: { hereBytes: here, thereBytes: there ?? here, needBytes, isAssumed, peer: nameOf(peer) },
      evidence: [end, peer].flatMap((each) => evidence(each, each.config?.settings.mtuBytes)),
    }
    // A host with a smaller MTU than its switch sends nothing that is too large, and takes all that it is sent.
    const isUsual = end.at?.config.kind === 'host' && peer.at?.config.kind === 'switch'
    if (here < needBytes) say.fires(kind, end, { ...fired, severity: isAssumed ? 'warning' : 'error' })
    else if (there !== undefined && there !== Infinity && there !== here && !isUsual)
      say.fires(kind, end, { ...fired, severity: 'note' })
    else say.holds(end)
  }
})

export const classMtuForPackets = defineRule(mtu03, (context, say, kind) => {
  const packets = new Packets(context.fabric)
  for (const { port, lossless } of losslessPorts(context))
    for (const priority of lossless) {
      const { mtuBytes, classes } = port.config.settings
      const value = classes[priority]!.classMtuBytes
      const classBytes = knownOf(value)
      if (classBytes === undefined) continue
      const { bytes: needBytes, isAssumed } = port.link === null ? packetOf(undefined) : packets.on(port.link)
      const portBytes = knownOf(mtuBytes)
      say.judge(classBytes < needBytes, kind, port, () => ({
        values: {
          priority,
          classBytes,
          portBytes: typeof portBytes === 'number' ? portBytes : null,
          needBytes,
          isAssumed,
        },
        evidence: evidence(port, value, mtuBytes),
      }))
    }
})

export const sameActiveMtu = defineRule(mtu02, ({ fabric }, say, kind) => {
  // Nobody knows whether a port without any sign of RDMA carries RoCE.
  const isRdma = ({ config }: End): boolean =>
    nicOf({ config }).rdmaDevice.state !== 'unknown' || (knownOf(config?.settings.pfcClasses)?.length ?? 0) > 0
  const hosts = hostLinks(fabric).map(({ host }) => {
    const active = knownOf(nicOf(host).activeMtuBytes)
    return { host, active: active ?? (isRdma(host) ? payloadOf(host) : undefined) }
  })
  const usual = usualOf(hosts.flatMap(({ active }) => active ?? []))
  for (const { host, active } of hosts) {
    if (active === undefined) say.lacks(host, 'nic.activeMtuBytes')
    if (active === undefined || usual === undefined) continue
    const mtu = knownOf(host.config!.settings.mtuBytes)
    const isLow = active === 1024 && typeof mtu === 'number' && mtu >= PAYLOAD_MOST_BYTES + CORE_HEADER_BYTES
    const { activeMtuBytes } = nicOf(host)
    say.judge(active < usual || isLow, kind, host, () => ({
      values: { activeBytes: active, usualBytes: isLow ? PAYLOAD_MOST_BYTES : usual },
      evidence: evidence(host, activeMtuBytes.state === 'unknown' ? host.config!.settings.mtuBytes : activeMtuBytes),
    }))
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
      if (setM === undefined || cableM === 0) return
      if (cableM === undefined) return say.lacks(end, 'linkLength')
      const isShort = setM < cableM * (1 - LENGTH_SLACK)
      const isLong = setM > cableM * (1 + LENGTH_SLACK)
      // A NIC begins with 7 m, and takes nothing from anybody with too many.
      if (isLong && (Number.isNaN(link.cableM) || end.at?.config.kind === 'host')) return
      const fired = { values: { setM, cableM }, evidence: evidence(end, lengths[i]) }
      if (isShort) say.fires(kind, end, fired)
      else if (isLong) say.fires(kind, end, { ...fired, severity: 'note' })
      else say.holds(end)
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
      say.judge(a !== b, kind, end, () => ({
        values: { field, here: text(a), there: text(b), peer: nameOf(peer) },
        evidence: [...evidence(end, of(end)), ...evidence(peer, of(peer))],
      }))
    }
})
