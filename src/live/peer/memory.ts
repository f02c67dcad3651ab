/**
 * Device of a live endpoint: as that of the simulator, but with keys that nobody can guess from others, since they are all
 * that protects memory from an end that is connected; and it forgets what is no more, as its connections come and go.
 */
import type { OrderSource } from '../../core/transport/timers.ts'
import { type AsyncEventKind, Device, MemoryRegion, type MemoryRegionOptions } from '../../core/verbs/index.ts'

/** A number from 0 to `below` - 1, from a source of randomness. */
export type Draw = (below: number) => number

/** Events that wait to be polled; the oldest leave. */
const EVENTS_MAX = 1024

export class LiveDevice extends Device {
  readonly #draw: Draw
  readonly #regions = new Map<number, MemoryRegion>()
  #events = 0

  constructor(order: OrderSource, draw: Draw) {
    super(order)
    this.#draw = draw
  }

  /** Regions that have not been invalidated. */
  get regionCount(): number {
    return this.#regions.size
  }

  override regionOf(key: number): MemoryRegion | null {
    return this.#regions.get(key) ?? null
  }

  /** Its memory is forgotten: nothing can make a key valid again. */
  override invalidate(key: number): void {
    super.invalidate(key)
    this.#regions.delete(key)
  }

  override report(kind: AsyncEventKind, qp: number): void {
    if (this.#events === EVENTS_MAX) this.pollEvent()
    this.#events++
    super.report(kind, qp)
  }

  override pollEvent(): ReturnType<Device['pollEvent']> {
    const event = super.pollEvent()
    if (event !== null) this.#events--
    return event
  }

  protected override add(options: Omit<MemoryRegionOptions, 'key'>): MemoryRegion {
    let key = 0
    while (key === 0 || this.#regions.has(key)) key = this.#draw(2 ** 32)
    const region = new MemoryRegion({ ...options, key })
    this.#regions.set(key, region)
    return region
  }
}
