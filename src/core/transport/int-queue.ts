/** HOT. FIFO queue of 32-bit integers in a ring that doubles when it is full. */
export class IntQueue {
  length = 0
  private head = 0
  private items = new Int32Array(16)

  /** The next to leave; undefined content if the queue is empty. */
  get first(): number {
    return this.items[this.head]!
  }

  /** The third to leave, likewise. */
  get third(): number {
    return this.items[(this.head + 2) & (this.items.length - 1)]!
  }

  push(item: number): void {
    if (this.length === this.items.length) this.grow()
    this.items[(this.head + this.length) & (this.items.length - 1)] = item
    this.length++
  }

  shift(): number {
    const item = this.items[this.head]!
    this.head = (this.head + 1) & (this.items.length - 1)
    this.length--
    return item
  }

  clear(): void {
    this.length = 0
  }

  private grow(): void {
    const { items, head } = this
    this.items = new Int32Array(items.length * 2)
    this.items.set(items.subarray(head))
    this.items.set(items.subarray(0, head), items.length - head)
    this.head = 0
  }
}
