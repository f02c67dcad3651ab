/**
 * Nodes of Chakra execution traces, of any form: an operation of a rank, and the nodes that it waits for.
 * Source: mlcommons/chakra, et_def.proto 0.0.4 and 1.0.0.
 */

/** Kinds of nodes, by the numbers of the format. */
export const [INVALID, METADATA, LOAD, STORE, COMPUTE, SEND, RECEIVE, COLLECTIVE] = [0, 1, 2, 3, 4, 5, 6, 7] as const

/** Attributes that an import looks at. Numbers may be beyond 2^53, where they are not exact. */
export const ATTRIBUTES = [
  'is_cpu_op',
  'comm_type',
  'comm_size',
  'comm_src',
  'comm_dst',
  'comm_tag',
  'num_ops',
  'tensor_size',
] as const
export type AttributeName = (typeof ATTRIBUTES)[number]

export interface TraceNode {
  id: number
  name: string
  type: number
  durationUs: number
  readonly dataDeps: number[]
  readonly controlDeps: number[]
  /** Absent attributes are not there. */
  readonly numbers: Partial<Record<AttributeName, number>>
  /** Name of the group; empty: all ranks. */
  group: string
  /** Not all dimensions of the network are involved. */
  isPartial: boolean
  /** Where it is in its file: "byte 71", "node 3". */
  readonly where: string
}

export function blankNode(where: string): TraceNode {
  return {
    id: 0,
    name: '',
    type: INVALID,
    durationUs: 0,
    dataDeps: [],
    controlDeps: [],
    numbers: {},
    group: '',
    isPartial: false,
    where,
  }
}

export function isAttribute(name: string): name is AttributeName {
  return (ATTRIBUTES as readonly string[]).includes(name)
}

/** The nodes of a rank, and what there is to say about its file. */
export interface Trace {
  readonly file: string
  readonly nodes: readonly TraceNode[]
  /** "0.0.4", "draft of October 2023", "JSON". */
  readonly dialect: string
}
