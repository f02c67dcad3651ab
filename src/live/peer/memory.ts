/**
 * Device of a live endpoint: as that of the simulator, but with keys that nobody can guess from others, since they are all
 * that protects memory from an end that is connected.
 */
import type { OrderSource } from '../../transport/timers.ts'
import { Device, MemoryRegion } from '../../verbs/index.ts'

/** A number from 0 to `below` - 1, from a source of randomness. */
export type Draw = (below: number) => number

export class LiveDevice extends Device {
  readonly #draw: Draw
  readonly #regions = new Map<number, MemoryRegion>()

  constructor(order: OrderSource, draw: Draw) {
    super(order)
    this.#draw = draw
  }

  override register(domain: number, access: number, bytes: Uint8Array | null, lengthBytes?: number): MemoryRegion {
    const { address, lengthBytes: length } = super.register(domain, access, bytes, lengthBytes)
    let key = 0
    while (key === 0 || this.#regions.has(key)) key = this.#draw(2 ** 32)
    const region = new MemoryRegion({ domain, access, bytes, lengthBytes: length, key, address })
    this.#regions.set(key, region)
    return region
  }

  override regionOf(key: number): MemoryRegion | null {
    return this.#regions.get(key) ?? null
  }
}
