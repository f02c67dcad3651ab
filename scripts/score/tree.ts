/**
 * Scenarios as trees of values, and edits that add something to them. An edit is data: the scenario without it is the
 * same tree with the other edits.
 */
import { parseScenario, type Scenario } from '../../src/lab/scenario/index.ts'

export type Values = Readonly<Record<string, unknown>>

/** A scenario as its author writes it. */
export interface Tree extends Values {
  readonly topology: Values
  readonly workload: readonly Values[]
  readonly changes: readonly Values[]
  readonly faults: readonly Values[]
  readonly observe: readonly Values[]
}

/** The additions of an injection. */
export interface Edit {
  /** Values of the topology in place of those that it had. */
  readonly topology?: Values
  /** Values of the scenario in place of those that it had. */
  readonly values?: Values
  readonly workload?: readonly Values[]
  readonly changes?: readonly Values[]
  readonly faults?: readonly Values[]
}

export function edited(tree: Tree, edits: readonly Edit[]): Tree {
  const added = (list: 'workload' | 'changes' | 'faults'): Values[] => [
    ...tree[list],
    ...edits.flatMap((edit) => edit[list] ?? []),
  ]
  return {
    ...edits.reduce<Tree>((whole, { values }) => ({ ...whole, ...values }), tree),
    topology: edits.reduce<Values>((topology, edit) => ({ ...topology, ...edit.topology }), tree.topology),
    workload: added('workload'),
    changes: added('changes'),
    faults: added('faults'),
  }
}

/** Throws InputError where the tree is no scenario. */
export function scenarioOfTree(tree: Tree): Scenario {
  return parseScenario(JSON.stringify(tree))
}

export const gbps = (rateBps: number): string => `${Math.round(rateBps / 1e6)}Mbps`
export const microseconds = (timePs: number): string => `${Math.round(timePs / 1e6)}us`
export const kilobytes = (bytes: number): string => `${Math.max(1, Math.round(bytes / 1e3))}KB`
