/** GOAL in binary, written as txt2bin does, for tests. */
import { blankOperation, cpuOf, nicOf, readGoal } from '../../core/workload/graph/index.ts'

const TYPES = { send: 1, receive: 2, compute: 3, wait: 3 }

/** Bytes of a program that is right. */
export function encoded(text: string): Uint8Array {
  const table = readGoal(text.split('\n'), 'goal', [])
  const operation = blankOperation()
  const byRank = Array.from({ length: table.ranks }, (): number[] => [])
  let [cpuMost, nicMost] = [0, 0]
  for (let id = 0; id < table.size; id++) {
    table.read(id, operation)
    byRank[operation.rank]!.push(id)
    cpuMost = Math.max(cpuMost, operation.lane, cpuOf(operation.channel))
    nicMost = Math.max(nicMost, nicOf(operation.channel))
  }
  const pairs = { after: [...table.pairs('after')], with: [...table.pairs('with')] }
  const dependents = (when: 'after' | 'with', on: number): number[] =>
    pairs[when].filter((_, i) => i % 2 === 1 && pairs[when][i - 1] === on)
  const bytes: number[] = []
  const put = (value: number, length: number): void => {
    for (let i = 0, rest = value; i < length; i++, rest = Math.floor(rest / 256)) bytes.push(rest % 256)
  }
  const sections = byRank.map((ids) => {
    const counts = ids.map((id) => [...pairs.after, ...pairs.with].filter((to, i) => i % 2 === 1 && to === id).length)
    const roots = ids.flatMap((_, node) => (counts[node] === 0 ? [node] : []))
    const edges: number[] = []
    const nodes = ids.map((id, node) => {
      const lists = (['after', 'with'] as const).map((when) => {
        const list = dependents(when, id).map((to) => to - ids[0]!)
        const from = edges.length
        edges.push(...list)
        return { count: list.length, from }
      })
      return { id, count: counts[node]!, lists }
    })
    return { roots, nodes, edges, size: 8 + 4 * roots.length + 39 * nodes.length + 4 * edges.length }
  })
  put(4223, 8)
  put(table.ranks, 4)
  put(cpuMost, 1)
  put(nicMost, 1)
  let at = 6 + 16 * table.ranks
  for (const { size } of sections) {
    put(at, 8)
    put((at += size), 8)
  }
  for (const { roots, nodes, edges } of sections) {
    put(nodes.length, 4)
    put(roots.length, 4)
    for (const root of roots) put(root, 4)
    for (const { id, count, lists } of nodes) {
      table.read(id, operation)
      const { kind, peer, sizeBytes, durationPs, tag, channel, lane } = operation
      const isMessage = kind === 'send' || kind === 'receive'
      put(count, 4)
      put(TYPES[kind], 1)
      put(peer < 0 ? 2 ** 32 - 1 : peer, 4)
      put(isMessage ? sizeBytes : durationPs / 1000, 8)
      put(!isMessage ? 0 : tag < 0 ? 2 ** 32 - 1 : table.tags[tag]!, 4)
      put(isMessage ? cpuOf(channel) : lane, 1)
      put(nicOf(channel), 1)
      // Writers leave the index of none open.
      for (const { count: length, from } of lists) {
        put(length, 4)
        put(length === 0 ? 999 : from, 4)
      }
    }
    for (const edge of edges) put(edge, 4)
  }
  return Uint8Array.from(bytes)
}
