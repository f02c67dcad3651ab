/**
 * HOT. Index heap: the entries of a list by time, the earliest first, and the position of each, so that any can be moved or
 * taken out. A heap of four branches is half as deep as one of two.
 * Units: picoseconds. Shapes: by position in the heap; `positions` by index in the list, -1: not in the heap.
 */
export class IndexHeap {
  private readonly positions: Int32Array
  private readonly keys: Float64Array
  private readonly items: Int32Array
  private size = 0

  /** @param room number of indexes. */
  constructor(room: number) {
    this.positions = new Int32Array(room).fill(-1)
    this.keys = new Float64Array(room)
    this.items = new Int32Array(room)
  }

  /** Earliest time; Infinity: it is empty. */
  get earliestPs(): number {
    return this.size > 0 ? this.keys[0]! : Infinity
  }

  /** Takes the earliest entry out and returns its index; there is one. */
  take(): number {
    const index = this.items[0]!
    this.remove(index)
    return index
  }

  /** Enters an entry, or moves it to another time. */
  set(index: number, timePs: number): void {
    const position = this.positions[index]!
    if (position < 0) this.rise(this.size++, index, timePs)
    else this.move(position, index, timePs)
  }

  /** Takes an entry out, if it is in. */
  remove(index: number): void {
    const position = this.positions[index]!
    if (position < 0) return
    this.positions[index] = -1
    const last = --this.size
    if (position < last) this.move(position, this.items[last]!, this.keys[last]!)
  }

  private move(position: number, index: number, timePs: number): void {
    if (position > 0 && timePs < this.keys[(position - 1) >> 2]!) this.rise(position, index, timePs)
    else this.sink(position, index, timePs)
  }

  private rise(from: number, index: number, timePs: number): void {
    const { keys, items } = this
    let position = from
    while (position > 0) {
      const parent = (position - 1) >> 2
      const parentPs = keys[parent]!
      if (parentPs <= timePs) break
      this.put(position, items[parent]!, parentPs)
      position = parent
    }
    this.put(position, index, timePs)
  }

  private sink(from: number, index: number, timePs: number): void {
    const { keys, items, size } = this
    let position = from
    for (;;) {
      let child = 4 * position + 1
      if (child >= size) break
      const end = child + 4 < size ? child + 4 : size
      for (let other = child + 1; other < end; other++) if (keys[other]! < keys[child]!) child = other
      const childPs = keys[child]!
      if (timePs <= childPs) break
      this.put(position, items[child]!, childPs)
      position = child
    }
    this.put(position, index, timePs)
  }

  private put(position: number, index: number, timePs: number): void {
    this.keys[position] = timePs
    this.items[position] = index
    this.positions[index] = position
  }
}
