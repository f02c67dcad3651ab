/**
 * Headers of tunnels and mirrors that stand before the packet of interest: each table has, by the number with which the
 * header before it names it, what takes it off. None is judged beyond what is needed to find its content.
 * Sources: RFC 7348 (VXLAN), draft-ietf-nvo3-vxlan-gpe, RFC 8926 (Geneve), RFC 2784, 2890, 2637, 8086 (GRE, also of PPP and in
 * UDP), draft-foschiano-erspan, RFC 3032, 4385, 4448, 7510 (MPLS, pseudowires, in UDP), RFC 1661, 2516 (PPP, PPPoE),
 * RFC 2003, 4213, 2473 (IP in IP), RFC 3378 (EtherIP), RFC 8986 (Ethernet in SRv6), 802.1ah.
 */
import { IPV4, IPV6 } from '../ethernet.ts'
import { readIp } from '../ip.ts'
import { MPLS, PPP, SHORT, type Step, TAGS, type Taken, TRANSPARENT_ETHERNET } from './reached.ts'

/** Takes the header off that begins at a byte. */
type Taker = (view: DataView, at: number) => Taken

const ARP = 0x0806
const ROCE_1 = 0x8915
const LABELS_MAX = 16

/** A header of fixed length and content. */
const fixed =
  (name: string, bytes: number, etherType: number): Taker =>
  (_view, at) => ({ name, etherType, at: at + bytes })

/** A header that is there whole. */
const whole =
  (bytes: number, take: Taker): Taker =>
  (view, at) =>
    view.byteLength < at + bytes ? SHORT : take(view, at)

/** The I bit says that it has a number. */
const vxlan = whole(8, (view, at) =>
  (view.getUint8(at) & 8) === 0 ? null : { name: 'VXLAN', etherType: TRANSPARENT_ETHERNET, at: at + 8 },
)

/** By the next protocol, where the P bit is set. */
const GPE: Readonly<Record<number, number>> = { 1: IPV4, 2: IPV6, 3: TRANSPARENT_ETHERNET, 5: MPLS }
const vxlanGpe = whole(8, (view, at) => {
  const hasProtocol = (view.getUint8(at) & 4) !== 0
  const etherType = hasProtocol ? GPE[view.getUint8(at + 3)] : TRANSPARENT_ETHERNET
  return etherType === undefined ? null : { name: 'VXLAN-GPE', etherType, at: at + 8 }
})

const geneve = whole(8, (view, at) => {
  const first = view.getUint8(at)
  if (first >> 6 !== 0) return null
  return { name: 'Geneve', etherType: view.getUint16(at + 2), at: at + 8 + 4 * (first & 0x3f) }
})

const ERSPAN_2 = 0x88be
const ERSPAN_3 = 0x22eb

/** Without checksum, key and numbers 4 bytes. */
const gre = whole(4, (view, at) => {
  const [flags, etherType] = [view.getUint16(at), view.getUint16(at + 2)]
  const has = (bit: number): boolean => (flags & bit) !== 0
  // Version 1 is that of PPP: the key is its length and call, and the acknowledgement has a bit of its own.
  const isPpp = (flags & 7) === 1 && etherType === PPP
  if ((flags & 7) !== 0 && !isPpp) return null
  // A list of routes, which nobody sends.
  if (has(0x4000)) return { kind: 'unread', what: 'GRE with routes' }
  const optional = [has(0x8000), has(0x2000), has(0x1000), isPpp && has(0x0080)]
  const end = at + 4 + 4 * optional.filter((isThere) => isThere).length
  // Type I of ERSPAN has neither a number nor a header of its own.
  if (etherType === ERSPAN_2 && !has(0x1000)) return { name: 'ERSPAN I', etherType: TRANSPARENT_ETHERNET, at: end }
  if (etherType === ERSPAN_2) return { name: 'ERSPAN II', etherType: TRANSPARENT_ETHERNET, at: end + 8 }
  return etherType === ERSPAN_3 ? erspan3(view, end) : { name: 'GRE', etherType, at: end }
})

/** Its last word says what kind of frame follows, and whether there is a header of the platform. */
const erspan3 = whole(12, (view, at) => {
  const word = view.getUint16(at + 10)
  const isIp = ((word >> 10) & 31) === 2
  const end = at + 12 + 8 * (word & 1)
  if (view.byteLength <= end) return SHORT
  const etherType = isIp ? ipTypeAt(view, end) : TRANSPARENT_ETHERNET
  return { name: 'ERSPAN III', etherType, at: end }
})

const ipTypeAt = (view: DataView, at: number): number => (view.getUint8(at) >> 4 === 6 ? IPV6 : IPV4)

const mpls: Taker = (view, start) => {
  let at = start
  for (let labels = 0; labels < LABELS_MAX; labels++) {
    if (view.byteLength <= at + 4) return SHORT
    const isLast = (view.getUint8(at + 2) & 1) !== 0
    at += 4
    if (isLast) return behindLabels(view, at)
  }
  return { kind: 'unread', what: `MPLS with more than ${LABELS_MAX} labels` }
}

/** Labels do not name their content: it is the one whose header is right. */
function behindLabels(view: DataView, at: number): Step {
  const nibble = view.getUint8(at) >> 4
  const bytes = new Uint8Array(view.buffer, view.byteOffset + at, view.byteLength - at)
  const ip4: Step = { name: 'MPLS', etherType: IPV4, at }
  const ethernet: Step = { name: 'MPLS', etherType: TRANSPARENT_ETHERNET, at }
  const behindControlWord: Step = { ...ethernet, at: at + 4 }
  if (nibble === 4 && readIp(bytes, true, true)?.isSumRight === true) return ip4
  if (isEthernet(view, at)) return ethernet
  if (nibble === 0) return behindControlWord
  if (nibble === 6) return { ...ip4, etherType: IPV6 }
  return nibble === 4 ? ip4 : ethernet
}

/** Whether bytes look like a frame with something that is known in it. */
function isEthernet(view: DataView, at: number): boolean {
  if (view.byteLength < at + 15) return false
  const etherType = view.getUint16(at + 12)
  const version = view.getUint8(at + 14) >> 4
  if (etherType === IPV4 || etherType === IPV6) return version === (etherType === IPV4 ? 4 : 6)
  return TAGS.includes(etherType) || etherType === ARP || etherType === ROCE_1 || etherType === MPLS
}

/** Protocols of PPP. */
const PPP_CONTENTS: Readonly<Record<number, number>> = { 0x21: IPV4, 0x57: IPV6, 0x281: MPLS, 0x283: MPLS }

const ppp = whole(2, (view, start) => {
  // Address and control, and the first byte of a protocol below 256, may be left out.
  const at = view.getUint16(start) === 0xff03 ? start + 2 : start
  if (view.byteLength < at + 2) return SHORT
  const isShort = (view.getUint8(at) & 1) !== 0
  const protocol = isShort ? view.getUint8(at) : view.getUint16(at)
  const etherType = PPP_CONTENTS[protocol]
  if (etherType === undefined) return { kind: 'unread', what: `PPP protocol ${protocol.toString(16).padStart(4, '0')}` }
  return { name: 'PPP', etherType, at: at + (isShort ? 1 : 2) }
})

/** By EtherType. */
export const IN_ETHERNET: ReadonlyMap<number, Taker> = new Map([
  [MPLS, mpls],
  [0x8848, mpls],
  [PPP, ppp],
  [0x8864, fixed('PPPoE', 6, PPP)],
  [0x88e7, fixed('802.1ah', 4, TRANSPARENT_ETHERNET)],
])

/** By protocol of IP. */
export const IN_IP: ReadonlyMap<number, Taker> = new Map([
  [4, fixed('IP in IP', 0, IPV4)],
  [41, fixed('IP in IP', 0, IPV6)],
  [47, gre],
  [97, fixed('EtherIP', 2, TRANSPARENT_ETHERNET)],
  [137, fixed('MPLS in IP', 0, MPLS)],
  [143, fixed('Ethernet in IP', 0, TRANSPARENT_ETHERNET)],
])

/** By destination port of UDP; 8472 is VXLAN's in older Linux. */
export const IN_UDP: ReadonlyMap<number, Taker> = new Map([
  [4754, gre],
  [4789, vxlan],
  [4790, vxlanGpe],
  [6081, geneve],
  [6635, fixed('MPLS in UDP', 0, MPLS)],
  [8472, vxlan],
])
