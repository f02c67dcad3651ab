/** Encapsulations of a frame, as tunnels, mirrors, providers and interfaces make them: a table of what is put around it. */
import { writeIp } from '../../src/core/wire/ip.ts'

/** A frame of Ethernet with an IPv4 or IPv6 packet becomes bytes of a capture. */
export interface Encapsulation {
  readonly name: string
  /** Number of the link type; missing: Ethernet. */
  readonly link?: number
  readonly wrap: (frame: Uint8Array) => Uint8Array
  /** Headers that are taken off. */
  readonly outer: readonly string[]
  /** Why tshark with its own settings reads it otherwise. */
  readonly unlikeTshark?: string
}

const hex = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text.replaceAll(' ', ''), 'hex'))
const joined = (...parts: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts))
const ipOf = (frame: Uint8Array): Uint8Array => frame.subarray(14)
const IP4 = '0800'
const IP6 = '86dd'

type Wrap = Encapsulation['wrap']

/** A header of Ethernet, with whatever tags are in `type`. */
const ethernet = (type: string, content: Uint8Array): Uint8Array =>
  joined(hex(`020000000a02 020000000a01 ${type}`), content)

function network(version: 4 | 6, protocol: number, content: Uint8Array): Uint8Array {
  const fields = { dscp: 0, ecn: 0, hopLimit: 64, protocol }
  const address = (last: number): Uint8Array =>
    version === 4 ? Uint8Array.of(192, 0, 2, last) : joined(hex('20010db8'), new Uint8Array(11), Uint8Array.of(last))
  const ends = { source: address(1), destination: address(2) }
  const packet = joined(new Uint8Array(version === 4 ? 20 : 40), content)
  if (version === 4)
    writeIp(packet, { ...fields, ...ends, version, identification: 9, isUnfragmented: true }, content.length)
  else writeIp(packet, { ...fields, ...ends, version, flowLabel: 0 }, content.length)
  return packet
}

/** Content of an IP packet that is a frame of its own. */
const inIp4 = (protocol: number, content: Uint8Array): Uint8Array => ethernet(IP4, network(4, protocol, content))
const inIp6 = (protocol: number, content: Uint8Array): Uint8Array => ethernet(IP6, network(6, protocol, content))

function udp(port: number, content: Uint8Array): Uint8Array {
  const bytes = joined(hex('d000 0000 0000 0000'), content)
  const view = new DataView(bytes.buffer)
  view.setUint16(2, port)
  view.setUint16(4, bytes.length)
  return bytes
}

const udp4 = (port: number, header: string, of: (frame: Uint8Array) => Uint8Array): Wrap => {
  return (frame) => inIp4(17, udp(port, joined(hex(header), of(frame))))
}
const same = (frame: Uint8Array): Uint8Array => frame
const gre = (header: string, of: (frame: Uint8Array) => Uint8Array = same): Wrap => {
  return (frame) => inIp4(47, joined(hex(header), of(frame)))
}
const typed = (type: string, of: (frame: Uint8Array) => Uint8Array = ipOf): Wrap => {
  return (frame) => ethernet(type, of(frame))
}
const behind = (header: string, of: (frame: Uint8Array) => Uint8Array = ipOf): Wrap => {
  return (frame) => joined(hex(header), of(frame))
}

/** IPv4 with options: the lengths follow, and the ICRC stays. */
function withOptions(frame: Uint8Array, options: string): Uint8Array {
  const bytes = joined(frame.subarray(0, 34), hex(options), frame.subarray(34))
  const [view, more] = [new DataView(bytes.buffer), hex(options).length]
  bytes[14] = 0x45 + more / 4
  view.setUint16(16, view.getUint16(16) + more)
  view.setUint16(24, 0)
  let sum = 0
  for (let at = 14; at < 34 + more; at += 2) sum += view.getUint16(at)
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16)
  view.setUint16(24, ~sum & 0xffff)
  return bytes
}

/** Tags and labels on the frame itself. */
const LINKS: readonly Encapsulation[] = [
  { name: 'a tag', wrap: typed('8100 6002 0800'), outer: [] },
  { name: 'the tag of a provider', wrap: typed('88a8 2003 0800'), outer: [] },
  { name: 'two tags', wrap: typed('88a8 2003 8100 6002 0800'), outer: [] },
  { name: 'three tags', wrap: typed('8100 0001 8100 0002 8100 0003 0800'), outer: [] },
  { name: 'three tags of two types', wrap: typed('9100 0001 88a8 0002 8100 0003 0800'), outer: [] },
  { name: 'a label', wrap: typed('8847 00010140'), outer: ['MPLS'] },
  { name: 'three labels', wrap: typed('8847 00010040 00011040 00012140'), outer: ['MPLS'] },
  { name: 'a tag and a label', wrap: typed('8100 0001 8847 00010140'), outer: ['MPLS'] },
  { name: 'a pseudowire', wrap: typed('8847 00010040 00020140', same), outer: ['MPLS'] },
  {
    name: 'a pseudowire with a control word',
    wrap: typed('8847 00010040 00020140 00000007', same),
    outer: ['MPLS'],
    unlikeTshark: 'a setting has to name the label that has a control word',
  },
  {
    name: 'PPPoE',
    wrap: (frame) => {
      const length = (frame.length - 12).toString(16).padStart(4, '0')
      return ethernet('8864', joined(hex(`1100 0001 ${length} 0021`), ipOf(frame)))
    },
    outer: ['PPPoE', 'PPP'],
  },
  {
    name: '802.1ah',
    wrap: typed('88e7 00000100', same),
    outer: ['802.1ah'],
  },
  { name: 'raw IP', link: 101, wrap: ipOf, outer: [] },
  { name: 'raw IP of BSD', link: 12, wrap: ipOf, outer: [] },
  { name: 'raw IPv4', link: 228, wrap: ipOf, outer: [] },
  { name: 'loopback of little-endian BSD', link: 0, wrap: behind('02000000'), outer: [] },
  { name: 'loopback of OpenBSD', link: 108, wrap: behind('00000002'), outer: [] },
  { name: 'PPP', link: 9, wrap: behind('ff03 0021'), outer: ['PPP'] },
  { name: 'PPP without address', link: 9, wrap: behind('0021'), outer: ['PPP'] },
  { name: 'PPP like HDLC', link: 50, wrap: behind('ff03 0021'), outer: ['PPP'] },
  { name: 'HDLC of Cisco', link: 104, wrap: behind('0f00 0800'), outer: [] },
  { name: 'Linux "any"', link: 113, wrap: behind('0000 0001 0006 020000000001 0000 0800'), outer: [] },
  {
    name: 'Linux "any" with a tag',
    link: 113,
    wrap: behind('0000 0001 0006 020000000001 0000 8100 0005 0800'),
    outer: [],
  },
  {
    name: 'Linux "any", version 2',
    link: 276,
    wrap: behind('0800 0000 00000002 0001 00 06 020000000001 0000'),
    outer: [],
  },
  { name: 'options of IPv4', wrap: (frame) => withOptions(frame, '94040000'), outer: [] },
  {
    name: 'many options of IPv4',
    wrap: (frame) => withOptions(frame, `01 07 0b 04 ${'00'.repeat(8)} 01010100`),
    outer: [],
  },
]

/** Around a whole frame or its IP packet. */
const TUNNELS: readonly Encapsulation[] = [
  { name: 'VXLAN', wrap: udp4(4789, '08000000 00000700', same), outer: ['VXLAN'] },
  {
    name: 'VXLAN over IPv6',
    wrap: (frame) => inIp6(17, udp(4789, joined(hex('08000000 00000700'), frame))),
    outer: ['VXLAN'],
  },
  {
    name: 'VXLAN of older Linux',
    wrap: udp4(8472, '08000000 00000700', same),
    outer: ['VXLAN'],
    unlikeTshark: 'the port is that of OTV to it',
  },
  { name: 'VXLAN with a group', wrap: udp4(4789, '88000005 00000700', same), outer: ['VXLAN'] },
  { name: 'VXLAN-GPE with IP', wrap: udp4(4790, '0c000001 00000700', ipOf), outer: ['VXLAN-GPE'] },
  { name: 'VXLAN-GPE with Ethernet', wrap: udp4(4790, '0c000003 00000700', same), outer: ['VXLAN-GPE'] },
  { name: 'Geneve', wrap: udp4(6081, '0000 6558 00000700', same), outer: ['Geneve'] },
  {
    name: 'Geneve with options',
    wrap: udp4(6081, '0300 6558 00000700 0102 0101 00000000 00000000', same),
    outer: ['Geneve'],
  },
  { name: 'Geneve with IP', wrap: udp4(6081, '0000 0800 00000700', ipOf), outer: ['Geneve'] },
  { name: 'GRE', wrap: gre('0000 0800', ipOf), outer: ['GRE'] },
  { name: 'GRE with a key', wrap: gre('2000 0800 00000009', ipOf), outer: ['GRE'] },
  { name: 'GRE with all', wrap: gre('b000 0800 00000000 00000009 00000001', ipOf), outer: ['GRE'] },
  { name: 'GRE with Ethernet', wrap: gre('2000 6558 00000009'), outer: ['GRE'] },
  { name: 'GRE over IPv6', wrap: (frame) => inIp6(47, joined(hex('0000 0800'), ipOf(frame))), outer: ['GRE'] },
  { name: 'GRE with a label', wrap: gre('0000 8847 00010140', ipOf), outer: ['GRE', 'MPLS'] },
  { name: 'GRE in UDP', wrap: udp4(4754, '0000 0800', ipOf), outer: ['GRE'] },
  { name: 'GRE of PPP', wrap: gre('3081 880b 00400001 00000001 00000000 ff03 0021', ipOf), outer: ['GRE', 'PPP'] },
  { name: 'ERSPAN I', wrap: gre('0000 88be'), outer: ['ERSPAN I'] },
  { name: 'ERSPAN II', wrap: gre('1000 88be 00000001 10010064 00000000'), outer: ['ERSPAN II'] },
  { name: 'ERSPAN III', wrap: gre('1000 22eb 00000001 20010064 00000000 00000000'), outer: ['ERSPAN III'] },
  {
    name: 'ERSPAN III with a header of the platform',
    wrap: gre('1000 22eb 00000001 20010064 00000000 00000001 00000000 00000000'),
    outer: ['ERSPAN III'],
  },
  { name: 'IPv4 in IPv4', wrap: (frame) => inIp4(4, ipOf(frame)), outer: ['IP in IP'] },
  { name: 'IPv4 in IPv6', wrap: (frame) => inIp6(4, ipOf(frame)), outer: ['IP in IP'] },
  { name: 'EtherIP', wrap: (frame) => inIp4(97, joined(hex('3000'), frame)), outer: ['EtherIP'] },
  {
    name: 'MPLS in IP',
    wrap: (frame) => inIp4(137, joined(hex('00010140'), ipOf(frame))),
    outer: ['MPLS in IP', 'MPLS'],
  },
  { name: 'MPLS in UDP', wrap: udp4(6635, '00010140', ipOf), outer: ['MPLS in UDP', 'MPLS'] },
  { name: 'Ethernet in IPv6', wrap: (frame) => inIp6(143, frame), outer: ['Ethernet in IP'] },
  {
    name: 'SRv6 around IPv4',
    wrap: (frame) => inIp6(43, joined(hex(`04 02 04 01 00 00 0000 ${'20010db8'.padEnd(30, '0')}05`), ipOf(frame))),
    outer: ['IP in IP'],
  },
]

const named = (name: string): Encapsulation => [...LINKS, ...TUNNELS].find((one) => one.name === name)!

/** One around the other, the outermost first. */
function nested(...names: readonly string[]): Encapsulation {
  const all = names.map(named)
  const unlike = all.find(({ unlikeTshark }) => unlikeTshark !== undefined)?.unlikeTshark
  return {
    name: names.join(', in it '),
    ...(all[0]!.link === undefined ? {} : { link: all[0]!.link }),
    wrap: (frame) => all.reduceRight((inner, { wrap }) => wrap(inner), frame),
    outer: all.flatMap(({ outer }) => outer),
    ...(unlike === undefined ? {} : { unlikeTshark: unlike }),
  }
}

/** Those with a frame of IPv4 outside can be inside others. */
export const ENCAPSULATIONS: readonly Encapsulation[] = [
  ...LINKS,
  ...TUNNELS,
  nested('VXLAN', 'two tags'),
  nested('GRE', 'VXLAN'),
  nested('ERSPAN II', 'VXLAN'),
  nested('ERSPAN III', 'Geneve', 'a tag'),
  nested('two tags', 'VXLAN'),
  nested('a label', 'VXLAN', 'three tags'),
  nested('Linux "any"', 'VXLAN'),
  nested('raw IP', 'IPv4 in IPv4', 'GRE with Ethernet'),
  nested('a pseudowire with a control word', 'two tags'),
  nested('options of IPv4', 'VXLAN', 'options of IPv4'),
  nested('VXLAN', 'VXLAN', 'VXLAN', 'VXLAN', 'VXLAN', 'VXLAN', 'VXLAN', 'VXLAN'),
]

/** One header more than are taken off. */
export const TOO_DEEP: Encapsulation = nested(...Array<string>(9).fill('VXLAN'))

/** A file of pcap, a record each 10 us. */
export function pcapOf(link: number, frames: readonly Uint8Array[]): Uint8Array {
  const head = new DataView(new ArrayBuffer(24))
  head.setUint32(0, 0xa1b23c4d, true)
  head.setUint16(4, 2, true)
  head.setUint16(6, 4, true)
  head.setUint32(16, 65_535, true)
  head.setUint32(20, link, true)
  const records = frames.map((frame, n) => {
    const record = new DataView(new ArrayBuffer(16))
    record.setUint32(4, n * 10_000, true)
    record.setUint32(8, frame.length, true)
    record.setUint32(12, frame.length, true)
    return joined(new Uint8Array(record.buffer), frame)
  })
  return joined(new Uint8Array(head.buffer), ...records)
}
