/**
 * A captured frame in its parts, as far as the capture has its bytes: RoCEv2 of every transport service, and other protocols on
 * such links. Nothing is judged here but what the bytes themselves contradict.
 */
import type { BthBits, BthFields } from './bth.ts'
import type { EthernetHeader, VlanTag } from './ethernet.ts'
import type { IpHeader } from './ip.ts'
import type { MacControl } from './mac-control.ts'

/** Transport services by the upper three bits of the opcode (IBTA 9.2.1), and packets of all of them. */
export type Service = 'rc' | 'uc' | 'rd' | 'ud' | 'xrc' | 'cnp' | 'unknown'

/** RETH: memory that a WRITE or READ is for. */
export interface Reth {
  readonly address: bigint
  readonly key: number
  readonly lengthBytes: number
}

export interface AtomicEth {
  readonly address: bigint
  readonly key: number
  /** To swap in, or to add. */
  readonly operand: bigint
  readonly compare: bigint
}

export interface Aeth {
  /** 7 bits. */
  readonly syndrome: number
  readonly msn: number
  /** The highest bit; missing: 0. */
  readonly reserved?: number
}

/** DETH of unreliable datagrams. */
export interface Deth {
  readonly queueKey: number
  readonly sourceQp: number
  /** Byte between the two; missing: 0. */
  readonly reserved?: number
}

/** Headers after the BTH, those that the opcode has. */
export interface ExtendedHeaders {
  readonly deth?: Deth
  readonly reth?: Reth
  readonly atomic?: AtomicEth
  readonly aeth?: Aeth
  /** Value before an atomic. */
  readonly original?: bigint
  readonly immediate?: number
  readonly invalidateKey?: number
  /** Number in an XRCETH; its upper 8 bits are reserved. */
  readonly sharedReceiveQueue?: number
  /** IRN ([IRN] 5.3.2); only where the caller says that the connection speaks it. */
  readonly sackPsn?: number
}

/** The two layers below RoCEv2. */
export interface Addressed {
  /** With the tag of 802.1Q, of several the innermost; null: there is no Ethernet header around the IP packet. */
  readonly ethernet: EthernetHeader | null
  /** Tag of 802.1ad, or the outermost of several; null: there is none. */
  readonly serviceTag: VlanTag | null
  /** Headers of tunnels and mirrors that were around them, the outermost first: "VXLAN". */
  readonly outer: readonly string[]
  /** Its addresses, as the payload, are memory of the frame that was taken apart. */
  readonly ip: IpHeader
}

export interface DissectedRoce extends Addressed {
  readonly kind: 'roce'
  readonly sourcePort: number
  /** The UDP checksum is not 0. */
  readonly hasChecksum: boolean
  readonly service: Service
  readonly bth: BthFields & BthBits
  readonly headers: ExtendedHeaders
  /** Bytes of the payload that are in the capture. */
  readonly payload: Uint8Array
  /** Length of the payload on the wire, without padding. */
  readonly payloadBytes: number
  /** From the BTH to the last pad byte, as far as it is in the capture. */
  readonly packet: Uint8Array
  readonly icrc: 'right' | 'wrong' | 'cut'
  /** IPv4 and a wrong ICRC: the identification with which it is right (identificationFor); null: there is none. */
  readonly solvedIdentification: number | null
  /**
   * Contradictions within the packet: an opcode that is not defined, a length that its headers or padding do not allow.
   * The headers are empty then, and all that follows the BTH counts as payload.
   */
  readonly flaw: 'opcode' | 'length' | null
}

export type Dissected =
  | DissectedRoce
  | { readonly kind: 'mac-control'; readonly control: MacControl }
  /** TCP, for exchanges out of band: ports, sequence number, payload. */
  | (Addressed & {
      readonly kind: 'tcp'
      readonly sourcePort: number
      readonly destinationPort: number
      readonly sequence: number
      readonly payload: Uint8Array
    })
  /** RoCE version 1, Ethertype 8915: it is counted. */
  | { readonly kind: 'roce-1' }
  | { readonly kind: 'arp' }
  /** Another protocol over IP; the port is that of UDP, null with others. */
  | (Addressed & { readonly kind: 'ip'; readonly destinationPort: number | null })
  | Damaged
  | Unread
  | { readonly kind: 'other'; readonly etherType: number }

/** Fragments of IP, or more extension headers than are read; lengths that contradict each other; too few bytes; a wrong version. */
export interface Damaged {
  readonly kind: 'damaged'
  readonly reason: 'options' | 'fragment' | 'length' | 'short' | 'version'
}

/** A header that is known and not read past, by its name. */
export interface Unread {
  readonly kind: 'unread'
  readonly what: string
}
