/**
 * Transport services: which opcodes each has, which headers follow the BTH, and whether there may be a payload.
 * Reliable and unreliable connections share codes and headers; reliable datagrams and XRC put a header of their own in front.
 * Source: IBTA 9.2.1 table 38, annex A14 (XRC), annex A17.9.3 (CNP).
 */
import { CNP_OPCODE } from './bth.ts'
import type { Service } from './dissected.ts'
import * as opcodes from './opcodes.ts'
import { HEADER_SIZES } from './rc-headers.ts'

/** Headers beside those of opcodes.ts; all three stand before them. */
export const HAS_RDETH = 2048
export const HAS_DETH = 4096
export const HAS_XRCETH = 8192

/** Sizes of headers in the order in which they follow each other. */
const SIZES: readonly (readonly [number, number])[] = [[HAS_RDETH, 4], [HAS_DETH, 8], [HAS_XRCETH, 4], ...HEADER_SIZES]
/** Reserved bytes of a CNP. */
const CNP_BYTES = 16
/** Only reliable datagrams have it. */
const RESYNC = 21

/** Headers and payload after the BTH of a packet. */
export interface Layout {
  readonly service: Service
  /** Bits and sizes of the headers, in order; null: the opcode is not defined. */
  readonly headers: readonly (readonly [number, number])[] | null
  /** Length of the headers. */
  readonly headerBytes: number
  readonly mayHavePayload: boolean
}

const isResponse = (code: number): boolean => opcodes.isReadResponse(code) || code === 17 || code === 18

/** HAS_ bits of the lower five bits of an opcode, by service; null: not defined. */
const HEADERS: Readonly<Record<Exclude<Service, 'cnp' | 'unknown'>, (code: number, format: number) => number | null>> =
  {
    rc: (code, format) => (opcodes.isDefined(code, format) ? opcodes.headersOf(code, format) : null),
    uc: (code) => (code <= opcodes.WRITE_ONLY_IMMEDIATE ? opcodes.headersOf(code, opcodes.FORMAT_ROCE) : null),
    rd: (code) =>
      code <= RESYNC
        ? HAS_RDETH | (isResponse(code) ? 0 : HAS_DETH) | opcodes.headersOf(code, opcodes.FORMAT_ROCE)
        : null,
    ud: (code) =>
      code === opcodes.SEND_ONLY || code === opcodes.SEND_ONLY_IMMEDIATE
        ? HAS_DETH | opcodes.headersOf(code, opcodes.FORMAT_ROCE)
        : null,
    xrc: (code) =>
      opcodes.isDefined(code, opcodes.FORMAT_ROCE)
        ? (isResponse(code) ? 0 : HAS_XRCETH) | opcodes.headersOf(code, opcodes.FORMAT_ROCE)
        : null,
  }
/** By the upper three bits of the opcode. */
const SERVICES = ['rc', 'uc', 'rd', 'ud', undefined, 'xrc'] as const

function newLayout(opcode: number, format: number): Layout {
  if (opcode === CNP_OPCODE)
    return { service: 'cnp', headers: [[0, CNP_BYTES]], headerBytes: CNP_BYTES, mayHavePayload: false }
  const service = SERVICES[opcode >> 5]
  const code = opcode & 31
  const bits = service === undefined ? null : HEADERS[service](code, format)
  if (bits === null) return { service: service ?? 'unknown', headers: null, headerBytes: 0, mayHavePayload: true }
  const headers = SIZES.filter(([bit]) => (bits & bit) !== 0)
  return {
    service: service!,
    headers,
    headerBytes: headers.reduce((sum, [, bytes]) => sum + bytes, 0),
    mayHavePayload: opcodes.mayHavePayload(code),
  }
}

/** Indexed [format * 256 + opcode]. */
const LAYOUTS: readonly Layout[] = Array.from({ length: 4 * 256 }, (_, at) => newLayout(at & 0xff, at >> 8))

/** @param format FORMAT_ bits of opcodes.ts; they count for reliable connections alone */
export function layoutOf(opcode: number, format: number): Layout {
  return LAYOUTS[(format << 8) | opcode]!
}
