/**
 * HOT. Memory region: a range of a device's address space with access rights and a key, in a protection domain. Without
 * bytes, rights and bounds are checked and no data moves (large simulations).
 * Addresses are numbers below 2^53. Memory is little-endian, as on most hosts; the wire is big-endian.
 * Source: IBTA 10.6. Deviates: one key serves as L_Key and R_Key.
 */
import { assert } from '../base/assert.ts'

/** Options of a new region. */
export interface MemoryRegionOptions {
  /** Number of the protection domain. */
  readonly domain: number
  readonly key: number
  readonly address: number
  readonly lengthBytes: number
  /** Bits of access.ts. */
  readonly access: number
  readonly bytes: Uint8Array | null
}

export class MemoryRegion {
  readonly domain: number
  readonly key: number
  readonly address: number
  readonly lengthBytes: number
  readonly access: number
  readonly bytes: Uint8Array | null
  /** False once it is deregistered or its key invalidated. */
  isValid = true
  private readonly view: DataView | null

  constructor(options: MemoryRegionOptions) {
    const { bytes } = options
    assert(bytes === null || bytes.length === options.lengthBytes, 'a region is as long as its bytes')
    this.domain = options.domain
    this.key = options.key
    this.address = options.address
    this.lengthBytes = options.lengthBytes
    this.access = options.access
    this.bytes = bytes
    this.view = bytes === null ? null : new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  }

  /** Whether users of this domain have these rights over the whole range. */
  allows(domain: number, access: number, address: number, lengthBytes: number): boolean {
    return (
      this.isValid &&
      this.domain === domain &&
      (this.access & access) === access &&
      address >= this.address &&
      address + lengthBytes <= this.address + this.lengthBytes
    )
  }

  /** Copies `count` bytes from the start of `source` to `address`. */
  write(address: number, source: Uint8Array, count: number): void {
    const bytes = this.bytes
    if (bytes === null) return
    const at = address - this.address
    for (let i = 0; i < count; i++) bytes[at + i] = source[i]!
  }

  /** Copies `count` bytes from `address` to the start of `target`. False: the region has no bytes. */
  read(address: number, target: Uint8Array, count: number): boolean {
    const bytes = this.bytes
    if (bytes === null) return false
    const at = address - this.address
    for (let i = 0; i < count; i++) target[i] = bytes[at + i]!
    return true
  }

  /** The low 32 bits of the 64-bit word at `address`; 0 without bytes. */
  low(address: number): number {
    return this.view === null ? 0 : this.view.getUint32(address - this.address, true)
  }

  high(address: number): number {
    return this.view === null ? 0 : this.view.getUint32(address - this.address + 4, true)
  }

  setWord(address: number, high: number, low: number): void {
    if (this.view === null) return
    this.view.setUint32(address - this.address, low, true)
    this.view.setUint32(address - this.address + 4, high, true)
  }
}
