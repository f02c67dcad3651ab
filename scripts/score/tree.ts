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
  /** Values of the workload with a tag in place of those that it had. */
  readonly moved?: { readonly tag: string; readonly values: Values }
}

export function edited(tree: Tree, edits: readonly Edit[]): Tree {
  const added = (list: 'workload' | 'changes' | 'faults'): Values[] => [
    ...tree[list],
    ...edits.flatMap((edit) => edit[list] ?? []),
  ]
  return {
    ...edits.reduce<Tree>((whole, { values }) => ({ ...whole, ...merged(whole, values ?? {}) }), tree),
    topology: edits.reduce<Values>((topology, edit) => withTopology(topology, edit), tree.topology),
    workload: edits.reduce<Values[]>(
      (workload, { moved }) =>
        workload.map((source) => (source.tag === moved?.tag ? { ...source, ...moved?.values } : source)),
      added('workload'),
    ),
    changes: added('changes'),
    faults: added('faults'),
  }
}

const isValues = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Values over others, group by group. */
function merged(under: Values, over: Values): Values {
  const pairs = Object.entries(over).map(([key, value]): [string, unknown] => {
    const old = under[key]
    return [key, isValues(old) && isValues(value) ? merged(old, value) : value]
  })
  return { ...under, ...Object.fromEntries(pairs) }
}

/** Lists of rates are added to. */
function withTopology(topology: Values, edit: Edit): Values {
  const rates = [topology.rates, edit.topology?.rates].flatMap((list) => (Array.isArray(list) ? list : []))
  return { ...topology, ...edit.topology, ...(rates.length > 0 && { rates }) }
}

/** Throws InputError where the tree is no scenario. */
export function scenarioOfTree(tree: Tree): Scenario {
  return parseScenario(JSON.stringify(tree))
}

export const gbps = (rateBps: number): string => `${Math.round(rateBps / 1e6)}Mbps`
export const microseconds = (timePs: number): string => `${Math.round(timePs / 1e6)}us`
export const kilobytes = (bytes: number): string => `${Math.max(1, Math.round(bytes / 1e3))}KB`
