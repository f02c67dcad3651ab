/**
 * Port lists: lists of port numbers, each stored once: an open-addressed table of list ids by a hash of the ports.
 */

export interface PortColumns {
  /** Per list id: where its ports start in `ports`. */
  readonly listStart: Int32Array
  readonly listLength: Int32Array
  /** Local port numbers, from 1. */
  readonly ports: Int32Array
}

export class PortLists {
  #ports = new Int32Array(1024)
  /** Where each list starts; the entry past the last is where the list in the making starts. */
  #start = new Int32Array(256)
  #count = 0
  #end = 0
  #hash = 0
  #table = new Int32Array(512).fill(-1)
  #hashes = new Int32Array(256)

  begin(): void {
    this.#end = this.#start[this.#count]!
    this.#hash = 0x811c9dc5
  }

  add(port: number): void {
    if (this.#end === this.#ports.length) this.#ports = grown(this.#ports)
    this.#ports[this.#end++] = port
    this.#hash = Math.imul(this.#hash ^ port, 0x01000193)
  }

  /** Id of the list just made: an old one when the same list was there. */
  end(): number {
    const hash = this.#hash ^ (this.#hash >>> 15)
    const mask = this.#table.length - 1
    let slot = hash & mask
    for (let id = this.#table[slot]!; id !== -1; id = this.#table[slot]!) {
      if (this.#hashes[id] === hash && this.#isSame(id)) return id
      slot = (slot + 1) & mask
    }
    const id = this.#count++
    this.#table[slot] = id
    if (this.#count + 1 >= this.#start.length) {
      this.#start = grown(this.#start)
      this.#hashes = grown(this.#hashes)
    }
    this.#hashes[id] = hash
    this.#start[id + 1] = this.#end
    if (2 * this.#count > this.#table.length) this.#rehash()
    return id
  }

  /** Id of the list of one port. */
  single(port: number): number {
    this.begin()
    this.add(port)
    return this.end()
  }

  columns(): PortColumns {
    const listStart = this.#start.slice(0, this.#count)
    const listLength = listStart.map((start, id) => this.#start[id + 1]! - start)
    return { listStart, listLength, ports: this.#ports.slice(0, this.#start[this.#count]) }
  }

  #isSame(id: number): boolean {
    const start = this.#start[id]!
    const fresh = this.#start[this.#count]!
    const length = this.#end - fresh
    if (this.#start[id + 1]! - start !== length) return false
    for (let i = 0; i < length; i++) if (this.#ports[start + i] !== this.#ports[fresh + i]) return false
    return true
  }

  #rehash(): void {
    const table = new Int32Array(2 * this.#table.length).fill(-1)
    const mask = table.length - 1
    for (let id = 0; id < this.#count; id++) {
      let slot = this.#hashes[id]! & mask
      while (table[slot] !== -1) slot = (slot + 1) & mask
      table[slot] = id
    }
    this.#table = table
  }
}

function grown(column: Int32Array): Int32Array<ArrayBuffer> {
  const wider = new Int32Array(2 * column.length)
  wider.set(column)
  return wider
}
