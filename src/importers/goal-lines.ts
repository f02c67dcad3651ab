/**
 * Programs that importers write: lines of GOAL with groups and collectives, for workloads of kind graph.
 * Labels come from names of other tools, so that critical paths show them: "l12_mlp_layer_fwd_allreduce".
 */
import type { Issue } from '../core/base/issue.ts'
import type { Subject } from '../core/findings/index.ts'
import type { CollectiveName } from '../core/workload/collective-names.ts'
import { readGoal } from '../core/workload/graph/index.ts'
import { graphReport } from './graph-report.ts'
import type { ImportLog } from './text-input.ts'

/** Longest name inside a label. */
const NAME_LENGTH_MAX = 40

/** A collective of a group, and how it is done; absent: the default of the kind. */
export interface CollectiveCall {
  readonly operation: CollectiveName
  /** The whole buffer. */
  readonly sizeBytes: number
  readonly algorithm?: string
  readonly channels?: number
  readonly slices?: number
}

/** Ranks in the order of their positions, each once. */
export interface RankGroup {
  readonly name: string
  readonly ranks: readonly number[]
}

/** Collects the lines. Ranks come one after another; groups before the first, or as they are used. */
export class GoalLines {
  readonly #ranks: number
  readonly #groups = new Map<string, string>()
  readonly #lines: string[] = []
  #rank = -1

  constructor(ranks: number) {
    this.#ranks = ranks
  }

  beginRank(): void {
    this.#rank++
    this.#lines.push(`rank ${this.#rank} {`)
  }

  endRank(): void {
    this.#lines.push('}')
  }

  /** @param lane of which the rank does one at a time */
  compute(label: string, durationNs: number, lane = 0): void {
    this.#add(label, `calc ${durationNs}${lane === 0 ? '' : ` cpu ${lane}`}`)
  }

  send(label: string, sizeBytes: number, to: number, tag: number): void {
    this.#add(label, `send ${sizeBytes}b to ${to}${tagged(tag)}`)
  }

  receive(label: string, sizeBytes: number, from: number, tag: number): void {
    this.#add(label, `recv ${sizeBytes}b from ${from}${tagged(tag)}`)
  }

  collective(label: string, group: RankGroup, call: CollectiveCall): void {
    const { operation, sizeBytes, ...how } = call
    if (!this.#groups.has(group.name)) this.#groups.set(group.name, group.ranks.join(' '))
    // Their order is fixed.
    const words = (['algorithm', 'channels', 'slices'] as const).map((word) => {
      const value = how[word]
      return value === undefined ? '' : ` ${word} ${value}`
    })
    this.#add(label, `${operation} ${sizeBytes}b group ${group.name}${words.join('')}`)
  }

  /** An operation of the rank waits for another above it. */
  requires(label: string, other: string): void {
    this.#lines.push(`${label} requires ${other}`)
  }

  /** The whole program. */
  lines(): readonly string[] {
    const groups = [...this.#groups].map(([name, ranks]) => `group ${name} ${ranks}`)
    return [`num_ranks ${this.#ranks}`, ...groups, ...this.#lines]
  }

  /** Notes what the program holds, as kind graph reads it. @param dropped dependencies that were left out */
  report(log: ImportLog, dropped: number, subject: Subject = {}): void {
    const issues: Issue[] = []
    const table = readGoal(this.lines(), 'goal', issues)
    for (const { path, expected, received } of issues) log.issue(undefined, path, expected, received)
    log.stopIfAny()
    log.note(graphReport(table, dropped, subject))
  }

  #add(label: string, text: string): void {
    this.#lines.push(`${label}: ${text}`)
  }
}

/** A name of another tool as a part of a label: letters, digits and underscores. */
export function labelPart(name: string): string {
  return name
    .replaceAll(/[^A-Za-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .slice(0, NAME_LENGTH_MAX)
}

function tagged(tag: number): string {
  return tag === 0 ? '' : ` tag ${tag}`
}
