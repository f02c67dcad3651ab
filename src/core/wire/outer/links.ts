/**
 * Link types of capture files: those that are read, with the protocol behind their header, and names of others.
 * Source: tcpdump.org/linktypes.html.
 */
import type { Damaged } from '../dissected.ts'
import { IPV4, IPV6 } from '../ethernet.ts'
import { behindEthernet, behindTags, NO_ENDS, PPP, type Reached, SHORT } from './reached.ts'

/** Each link type that is read. */
export type LinkType = 'ethernet' | 'ip' | 'cooked' | 'cooked-2' | 'loopback' | 'ppp' | 'hdlc'

export const LINK_TYPES: ReadonlyMap<number, LinkType> = new Map([
  [0, 'loopback'],
  [1, 'ethernet'],
  [9, 'ppp'],
  [12, 'ip'],
  [14, 'ip'],
  [50, 'ppp'],
  [101, 'ip'],
  [104, 'hdlc'],
  [108, 'loopback'],
  [113, 'cooked'],
  [228, 'ip'],
  [229, 'ip'],
  [276, 'cooked-2'],
])

const NAMES: Readonly<Record<number, string>> = {
  6: 'token ring',
  10: 'FDDI',
  51: 'PPPoE',
  105: '802.11',
  107: 'frame relay',
  122: 'IP over Fibre Channel',
  127: '802.11 with radiotap',
  147: 'private use 0',
  189: 'USB of Linux',
  195: '802.15.4',
  197: 'ERF',
  220: 'USB of Linux',
  224: 'Fibre Channel',
  225: 'Fibre Channel',
  239: 'NFLOG',
  240: 'netANALYZER',
  242: 'IP over InfiniBand',
  247: 'InfiniBand',
  249: 'USBPcap',
  252: 'exported PDUs of Wireshark',
  253: 'netlink',
  258: 'PKTAP',
  271: 'VSOCK',
}

/** The name of a link type that is not read; null: it has none here. */
export const linkName = (number: number): string | null => NAMES[number] ?? null

/** Where a header has the EtherType of its content, and where it ends. */
const TYPED = {
  hdlc: { typeAt: 2, bytes: 4 },
  cooked: { typeAt: 14, bytes: 16 },
  'cooked-2': { typeAt: 0, bytes: 20 },
} as const

/** Address families of systems that have this link. */
const FAMILIES_OF_IP6: readonly number[] = [10, 23, 24, 28, 30]

/** The header of the link. */
export function behindLink(view: DataView, link: LinkType): Reached | Damaged {
  switch (link) {
    case 'ethernet':
      return behindEthernet(view, 0)
    case 'ip':
      return view.byteLength === 0 ? SHORT : { ...NO_ENDS, etherType: view.getUint8(0) >> 4 === 6 ? IPV6 : IPV4, at: 0 }
    case 'ppp':
      return { ...NO_ENDS, etherType: PPP, at: 0 }
    case 'loopback': {
      if (view.byteLength < 4) return SHORT
      // In the order of the machine that captured, or in that of the network.
      const family = Math.min(view.getUint32(0), view.getUint32(0, true))
      const etherType = family === 2 ? IPV4 : FAMILIES_OF_IP6.includes(family) ? IPV6 : 0
      return { ...NO_ENDS, etherType, at: 4 }
    }
    default: {
      const { typeAt, bytes } = TYPED[link]
      if (view.byteLength < bytes) return SHORT
      const below = behindTags(view, view.getUint16(typeAt), bytes)
      return 'kind' in below ? below : { ...below, ethernet: null }
    }
  }
}
