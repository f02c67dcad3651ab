/**
 * Victims: the flows of the healthy traffic in a run, each with what it took beyond its ideal time in the healthy fabric.
 * A flow that did not finish counts with the time up to the end of the run.
 */
import { completionsOf, numbersOf, quantile, type Result, textsOf } from '../../src/core/results/index.ts'
import type { Base } from './base.ts'

export interface Victims {
  /** By message: its tag and hosts, and the number of the message among these. */
  readonly byKey: ReadonlyMap<string, Victim>
  /** Messages that the traffic should have posted and did not, or that did not finish. */
  readonly unfinished: number
}

interface Victim {
  readonly tag: string
  readonly sizeBytes: number
  readonly startPs: number
  readonly spanPs: number
  readonly idealPs: number
}

/**
 * @param tags of the healthy traffic
 * @param movable that of a job whose messages are known by their number alone
 */
export function victimsOf(result: Result, { tags, movable }: Pick<Base, 'tags' | 'movable'>): Victims {
  const { flows, simulatedPs, unposted } = result
  const [source, destination] = [numbersOf(flows, 'source'), numbersOf(flows, 'destination')]
  const [sizeBytes, startPs] = [numbersOf(flows, 'sizeBytes'), numbersOf(flows, 'startPs')]
  const tag = textsOf(flows, 'tag')
  const { completionPs, idealPs } = completionsOf(result, 'receiver')
  const counts = new Map<string, number>()
  const byKey = new Map<string, Victim>()
  let unfinished = Object.values(unposted).reduce((sum, count) => sum + count, 0)
  for (let row = 0; row < flows.rowCount; row++) {
    if (!tags.includes(tag[row]!)) continue
    const between = tag[row] === movable ? movable : `${tag[row]!} ${source[row]!} ${destination[row]!}`
    const count = counts.get(between) ?? 0
    counts.set(between, count + 1)
    const isFinished = !Number.isNaN(completionPs[row]!)
    if (!isFinished) unfinished++
    byKey.set(`${between} ${count}`, {
      tag: tag[row]!,
      sizeBytes: sizeBytes[row]!,
      startPs: startPs[row]!,
      spanPs: isFinished ? completionPs[row]! : simulatedPs - startPs[row]!,
      idealPs: idealPs[row]!,
    })
  }
  return { byKey, unfinished }
}

/** Whether both runs posted the same messages; of a closed loop those that both posted. */
export function isSameTraffic(a: Victims, b: Victims, { isClosed, movable }: Base): boolean {
  if (!isClosed && movable === undefined && a.byKey.size !== b.byKey.size) return false
  return [...a.byKey].every(([key, { tag, sizeBytes, startPs }]) => {
    const other = b.byKey.get(key)
    const waits = isClosed || tag === movable
    if (other === undefined) return waits
    return other.sizeBytes === sizeBytes && (waits || other.startPs === startPs)
  })
}

/** A measure of slowdowns, which are spans over ideal times. */
export type Measure = (slowdowns: readonly number[]) => number
export const p99: Measure = (slowdowns) => quantile(slowdowns, 0.99)
export const mean: Measure = (slowdowns) => slowdowns.reduce((sum, each) => sum + each, 0) / slowdowns.length

/**
 * A measure of all flows under "", and of each tag where there are several.
 * @param healthy has the ideal times: in a fabric with slower links they would be longer
 */
export function slowdownsOf(victims: Victims, healthy: Victims, measure: Measure): Map<string, number> {
  const all = [...victims.byKey].map(([key, { tag, spanPs, idealPs }]) => ({
    tag,
    slowdown: spanPs / (healthy.byKey.get(key)?.idealPs ?? idealPs),
  }))
  const tags = [...new Set(all.map(({ tag }) => tag))]
  const groups = tags.length > 1 ? ['', ...tags] : ['']
  return new Map(
    groups.map((group) => [
      group,
      measure(all.filter(({ tag }) => group === '' || tag === group).map(({ slowdown }) => slowdown)),
    ]),
  )
}
