/**
 * Chakra execution traces as JSON: {"workload_graph": [{"Id", "Name", "NodeType", "ctrlDeps", "data_deps", "runtime", ...}]}.
 * Attributes are members of a node, by their names.
 * Source: mlcommons/chakra, tests/data; the JSON reader of its feeder.
 */
import { quote } from '../importer.ts'
import type { ImportLog } from '../text-input.ts'
import { ATTRIBUTES, blankNode, type Trace, type TraceNode } from './node.ts'

export const JSON_DIALECT = 'JSON'

type Members = Readonly<Record<string, unknown>>

/** Reads a file; null after an issue. */
export function readJsonTrace(file: string, text: string, log: ImportLog): Trace | null {
  const content = readJson(file, text, log)
  if (content === undefined) return null
  const graph = isMembers(content) ? own(content, 'workload_graph') : undefined
  if (!Array.isArray(graph)) {
    if (isPyTorch(content))
      log.issue(
        undefined,
        file,
        'a trace of Chakra',
        'an execution trace of PyTorch',
        'chakra_converter makes one of it',
      )
    else log.issue(undefined, file, 'a list "workload_graph"', kindOf(graph))
    return null
  }
  const nodes = graph.map((each: unknown, index) => readNode(file, each, index, log))
  return { file, nodes: nodes.filter((node) => node !== null), dialect: JSON_DIALECT }
}

/** An execution trace as PyTorch writes it, which Chakra's converter reads: {"schema": "1.0.2-chakra.0.0.4", "nodes": [...]}. */
export function isPyTorch(content: unknown): boolean {
  return isMembers(content) && typeof own(content, 'schema') === 'string' && Array.isArray(own(content, 'nodes'))
}

/** undefined after an issue. */
export function readJson(file: string, text: string, log: ImportLog): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    // The message of the engine has the position.
    log.issue(undefined, file, 'JSON', error instanceof Error ? quote(error.message) : 'another text')
    return undefined
  }
}

export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function readNode(file: string, members: unknown, index: number, log: ImportLog): TraceNode | null {
  const where = `workload_graph.${index}`
  if (!isMembers(members)) {
    log.issue(undefined, `${file}, ${where}`, 'a node', kindOf(members))
    return null
  }
  const node = blankNode(where)
  let isSound = true
  const wrong = (name: string, expected: string, value: unknown): void => {
    log.issue(undefined, `${file}, ${where}.${name}`, expected, kindOf(value))
    isSound = false
  }
  const number = (name: string): number | undefined => {
    const value = own(members, name)
    if (value === undefined || value === null) return undefined
    if (typeof value === 'boolean') return value ? 1 : 0
    if (typeof value === 'number') return value
    wrong(name, 'a number', value)
    return undefined
  }
  const ids = (name: string, to: number[]): void => {
    const value = own(members, name) ?? []
    if (!Array.isArray(value)) return wrong(name, 'a list of ids', value)
    for (const id of value as readonly unknown[]) {
      if (typeof id === 'number') to.push(id)
      else return wrong(name, 'a list of ids', id)
    }
  }
  node.id = number('Id') ?? 0
  node.type = number('NodeType') ?? 0
  node.durationUs = number('runtime') ?? 0
  ids('ctrlDeps', node.controlDeps)
  ids('data_deps', node.dataDeps)
  for (const name of ATTRIBUTES) {
    const value = number(name)
    if (value !== undefined) node.numbers[name] = value
  }
  node.name = textOf(own(members, 'Name'))
  node.group = textOf(own(members, 'pg_name'))
  const dimensions = own(members, 'involved_dim')
  node.isPartial = Array.isArray(dimensions) && dimensions.some((each) => each === false || each === 0)
  return isSound ? node : null
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? `${value}` : ''
}

function own(members: Members, name: string): unknown {
  return Object.hasOwn(members, name) ? members[name] : undefined
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'none'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'an object' : quote(`${value as string | number | boolean}`)
}
