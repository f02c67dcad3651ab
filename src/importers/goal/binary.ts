/**
 * GOAL in binary, as txt2bin of LogGOPSim writes it and ATLAHS reads it: little endian, packed.
 *    0  u64 magic, u32 ranks, u8 largest cpu, u8 largest nic
 *   14  for each rank u64 start, u64 end, counted from byte 8
 *       for each rank u32 nodes, u32 roots, roots, nodes of 39 bytes, edges
 * A node has its count of dependencies, type, peer, size or time, tag, cpu and nic, and how many wait for its end and for its
 * begin, with the index of the first of either among the edges. Edges are numbers of nodes, and point forward.
 * Source: Parser.hpp of LogGOPSim; ATLAHS.
 */
import { ANY, channelOf, OperationTable } from '../../core/workload/graph/index.ts'
import type { ImportLog } from '../text-input.ts'

export const GOAL_MAGIC = 4223
/** LogGOPSim leaves it in files that it has used up. */
const USED_UP_MAGIC = 2342
const BASE = 8
const HEADER_BYTES = 14
const NODE_BYTES = 39
const RANKS_MAX = 2 ** 20
const ANY_U32 = 2 ** 32 - 1
const BROKEN_WRITER = 'the writer in HTSIM of spcl (6efc0ca) leaves such files: use the text, or another txt2bin'

const [SEND, RECEIVE, CALC] = [1, 2, 3]
const KINDS = { [SEND]: 'send', [RECEIVE]: 'receive', [CALC]: 'compute' } as const

/** Whether bytes are no text, but a program in binary, or were one. */
export function isGoalBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, 64).includes(0)
}

/** Reads a program. Adds issues and returns undefined if it is not whole. @param file for messages */
export function readGoalBinary(file: string, bytes: Uint8Array, log: ImportLog): OperationTable | undefined {
  return new BinaryReader(file, bytes, log).read()
}

class BinaryReader {
  readonly #file: string
  readonly #view: DataView
  readonly #log: ImportLog
  /** The largest that were read. */
  readonly #mostCpu = { cpu: 0, nic: 0 }

  constructor(file: string, bytes: Uint8Array, log: ImportLog) {
    this.#file = file
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#log = log
  }

  read(): OperationTable | undefined {
    const { byteLength } = this.#view
    const magic = byteLength < BASE ? -1 : this.#u64(0)
    if (magic === USED_UP_MAGIC)
      return this.#wrong(
        0,
        `${GOAL_MAGIC}`,
        `${magic}`,
        'LogGOPSim --save-mem has used this file up: make it again from the text',
      )
    if (magic !== GOAL_MAGIC) return this.#wrong(0, `${GOAL_MAGIC}, with which GOAL in binary begins`, `${magic}`)
    if (byteLength < HEADER_BYTES) return this.#wrong(byteLength, `${HEADER_BYTES} bytes or more`, 'the end')
    const ranks = this.#u32(BASE)
    const first = HEADER_BYTES + 16 * ranks
    if (ranks === 0 || ranks > RANKS_MAX)
      return this.#wrong(BASE, `1 to ${RANKS_MAX} ranks`, `${ranks}`, ranks === 0 ? BROKEN_WRITER : '')
    if (first > byteLength) return this.#wrong(HEADER_BYTES, `starts and ends of ${ranks} ranks`, `${byteLength} bytes`)
    const table = new OperationTable(ranks)
    let start = first
    for (let rank = 0; rank < ranks; rank++) {
      const at = HEADER_BYTES + 16 * rank
      const [from, to] = [this.#u64(at) + BASE, this.#u64(at + 8) + BASE]
      if (from !== start)
        return this.#wrong(at, `${start - BASE}, where the last one ends`, `${from - BASE}`, BROKEN_WRITER)
      if (to < from + 8 || to > byteLength)
        return this.#wrong(at + 8, `${from} to ${byteLength - BASE}`, `${to - BASE}`, BROKEN_WRITER)
      if (!this.#readRank(table, from, to)) return undefined
      table.endRank()
      start = to
    }
    if (start !== byteLength) return this.#wrong(start, 'the end of the file', `${byteLength - start} bytes more`)
    const [cpu, nic] = [this.#view.getUint8(12), this.#view.getUint8(13)]
    const { cpu: mostCpu, nic: mostNic } = this.#mostCpu
    if (mostCpu > cpu) return this.#wrong(12, `${mostCpu}, the largest cpu`, `${cpu}`)
    if (mostNic > nic) return this.#wrong(13, `${mostNic}, the largest nic`, `${nic}`)
    return table
  }

  /** Bytes `from` to `to` are those of the rank. */
  #readRank(table: OperationTable, from: number, to: number): boolean {
    const [nodes, roots] = [this.#u32(from), this.#u32(from + 4)]
    const nodesAt = from + 8 + 4 * roots
    const edgesAt = nodesAt + NODE_BYTES * nodes
    const edges = (to - edgesAt) / 4
    if (edges < 0 || !Number.isInteger(edges))
      return this.#no(
        from,
        'nodes, roots and edges that fill the bytes of the rank',
        `${nodes} and ${roots} of ${to - from} bytes`,
      )
    const first = table.size
    const waits = new Uint32Array(nodes)
    let used = 0
    for (let node = 0; node < nodes; node++) {
      const at = nodesAt + NODE_BYTES * node
      if (!this.#readNode(table, at)) return false
      for (const [offset, when] of [
        [23, 'after'],
        [31, 'with'],
      ] as const) {
        const [count, index] = [this.#u32(at + offset), this.#u32(at + offset + 4)]
        used += count
        // Writers leave the index of none open.
        if (count > 0 && (index + count > edges || used > edges))
          return this.#no(at + offset, `at most ${edges} edges`, `${count} from ${index} on`, BROKEN_WRITER)
        for (let i = 0; i < count; i++) {
          const edge = edgesAt + 4 * (index + i)
          const waiter = this.#u32(edge)
          if (waiter <= node || waiter >= nodes)
            return this.#no(
              edge,
              `an edge of node ${node} forward, to ${nodes - 1} at most`,
              `${waiter}`,
              BROKEN_WRITER,
            )
          waits[waiter]!++
          table.depend(first + waiter, first + node, when)
        }
      }
    }
    if (used !== edges) return this.#no(edgesAt, `${used} edges, as the nodes have`, `${edges}`, BROKEN_WRITER)
    return this.#checkCounts(waits, { roots, rootsAt: from + 8, nodesAt })
  }

  #readNode(table: OperationTable, at: number): boolean {
    const type = this.#view.getUint8(at + 4)
    if (type !== SEND && type !== RECEIVE && type !== CALC)
      return this.#no(at + 4, 'type 1 (send), 2 (recv) or 3 (calc)', `${type}`, BROKEN_WRITER)
    const [peer, amount, tag] = [this.#u32(at + 5), this.#u64(at + 9), this.#u32(at + 17)]
    const [cpu, nic] = [this.#view.getUint8(at + 21), this.#view.getUint8(at + 22)]
    const isCalc = type === CALC
    const isAnyPeer = type === RECEIVE && peer === ANY_U32
    if (!isCalc && !isAnyPeer && peer >= table.ranks)
      return this.#no(at + 5, `a rank 0 to ${table.ranks - 1}`, `${peer}`)
    const most = isCalc ? Math.floor(Number.MAX_SAFE_INTEGER / 1000) : Number.MAX_SAFE_INTEGER
    if (amount > most) return this.#no(at + 9, `at most ${most}`, `${amount}`)
    this.#mostCpu.cpu = Math.max(this.#mostCpu.cpu, cpu)
    if (!isCalc) this.#mostCpu.nic = Math.max(this.#mostCpu.nic, nic)
    table.add({
      kind: KINDS[type]!,
      peer: isCalc ? 0 : isAnyPeer ? ANY : peer,
      sizeBytes: isCalc ? 0 : amount,
      durationPs: isCalc ? amount * 1000 : 0,
      tag: type === RECEIVE && tag === ANY_U32 ? ANY : isCalc ? 0 : tag,
      channel: isCalc ? 0 : channelOf(nic, cpu),
      lane: isCalc ? cpu : 0,
    })
    return true
  }

  /** Nodes count what they wait for, and the roots are those that wait for nothing. */
  #checkCounts(
    waits: Uint32Array,
    { roots, rootsAt, nodesAt }: Record<'roots' | 'rootsAt' | 'nodesAt', number>,
  ): boolean {
    let free = 0
    for (const [node, count] of waits.entries()) {
      const at = nodesAt + NODE_BYTES * node
      if (this.#u32(at) !== count)
        return this.#no(at, `${count} dependencies, as the edges have`, `${this.#u32(at)}`, BROKEN_WRITER)
      if (count === 0) free++
    }
    if (free !== roots) return this.#no(rootsAt - 4, `${free} roots, the nodes that wait for nothing`, `${roots}`)
    const seen = new Set<number>()
    for (let i = 0; i < roots; i++) {
      const root = this.#u32(rootsAt + 4 * i)
      if (seen.has(root) || waits[root] !== 0)
        return this.#no(rootsAt + 4 * i, 'a node that waits for nothing, once', `${root}`)
      seen.add(root)
    }
    return true
  }

  #u32(at: number): number {
    return this.#view.getUint32(at, true)
  }

  /** Numbers from 2^53 on are no longer exact, and larger than any that are allowed. */
  #u64(at: number): number {
    return this.#u32(at) + this.#u32(at + 4) * 2 ** 32
  }

  #no(at: number, expected: string, received: string, hint = ''): false {
    this.#wrong(at, expected, received, hint)
    return false
  }

  #wrong(at: number, expected: string, received: string, hint = ''): undefined {
    this.#log.issue(undefined, `${this.#file} byte ${at}`, expected, received, hint)
    return undefined
  }
}
