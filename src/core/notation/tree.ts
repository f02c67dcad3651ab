/**
 * The tree of a text: values with their offsets in it, built from the outside in as a parser meets them.
 * Units: offsets are UTF-16 code units from the start of the text.
 */
import type { TreePath } from './tree-path.ts'

interface Entry {
  readonly key: string
  readonly keyAt: number
  readonly node: Node
}

export interface Node {
  /** Offset in the text; -1 for an empty value. */
  readonly at: number
  readonly entries: Map<string, Entry> | undefined
  readonly items: Node[] | undefined
  readonly value: unknown
  /** Number of values in it, itself included, with aliases expanded. */
  weight: number
}

/** A map or list that is still open. */
interface Frame {
  readonly node: Node
  /** Key that has been read and whose value has not. */
  key: { readonly text: string; readonly at: number } | undefined
  /** Key or index of the node in its parent. */
  readonly step: string | number
}

/** Is called for each repeated key; the last one counts. */
export type OnRepeat = (at: number, path: TreePath, received: string) => void

/** The reason why a text cannot be read. */
export class Unreadable extends Error {
  readonly at: number
  readonly expected: string
  readonly received: string
  readonly hint: string
  constructor(at: number, expected: string, received: string, hint: string) {
    super(received)
    this.at = at
    this.expected = expected
    this.received = received
    this.hint = hint
  }
}

export class GrowingTree {
  root: Node | undefined
  readonly #onRepeat: OnRepeat
  /** Open maps and lists, outermost first. */
  readonly #frames: Frame[] = []

  constructor(onRepeat: OnRepeat) {
    this.#onRepeat = onRepeat
  }

  /** Number of open maps and lists. */
  get depth(): number {
    return this.#frames.length
  }

  /** Innermost open map or list. */
  get innermost(): Node | undefined {
    return this.#frames.at(-1)?.node
  }

  /** Whether the innermost open node is a map that waits for its next key. */
  get expectsKey(): boolean {
    const frame = this.#frames.at(-1)
    return frame?.node.entries !== undefined && frame.key === undefined
  }

  /** Number of values in the nodes that are open, with aliases expanded. */
  openWeight(): number {
    return this.#frames.reduce((sum, frame) => sum + frame.node.weight, 0)
  }

  openMap(at: number): void {
    this.#open({ at, entries: new Map(), items: undefined, value: {}, weight: 1 })
  }

  openList(at: number): void {
    this.#open({ at, entries: undefined, items: [], value: [], weight: 1 })
  }

  /** Closes the innermost open map or list, and returns it. */
  close(): Node | undefined {
    const frame = this.#frames.pop()
    const parent = this.#frames.at(-1)
    if (frame !== undefined && parent !== undefined) parent.node.weight += frame.node.weight
    return frame?.node
  }

  key(text: string, at: number): void {
    const frame = this.#frames.at(-1)
    if (frame !== undefined) frame.key = { text, at }
  }

  scalar(value: unknown, at: number): Node {
    const node: Node = { at, entries: undefined, items: undefined, value, weight: 1 }
    this.add(node)
    return node
  }

  /** Adds a finished value to the innermost open map or list. */
  add(node: Node): void {
    const parent = this.#frames.at(-1)
    if (parent !== undefined) parent.node.weight += node.weight
    this.#attach(node)
  }

  #open(node: Node): void {
    const step = this.#attach(node)
    this.#frames.push({ node, key: undefined, step })
  }

  /** Returns the node's key or index in its parent. */
  #attach(node: Node): string | number {
    const frame = this.#frames.at(-1)
    if (frame === undefined) {
      this.root = node
      return ''
    }
    const { entries, items, value } = frame.node
    if (items !== undefined) {
      ;(value as unknown[]).push(node.value)
      return items.push(node) - 1
    }
    const key = frame.key
    frame.key = undefined
    if (key === undefined || entries === undefined) {
      throw new Unreadable(node.at, 'names as keys', 'a list or map as a key', '')
    }
    if (entries.has(key.text)) {
      const path = [...this.#frames.slice(1).map((open) => open.step), key.text]
      this.#onRepeat(key.at, path, `${JSON.stringify(key.text)} again`)
    }
    entries.set(key.text, { key: key.text, keyAt: key.at, node })
    setField(value as Record<string, unknown>, key.text, node.value)
    return key.text
  }
}

/** By assignment, which is fast, but for the key that would change the map's prototype. */
function setField(map: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') map[key] = value
  else Object.defineProperty(map, key, { value, enumerable: true, writable: true, configurable: true })
}

/** Offset of the value at `path` or of its key; where it is not in the text, of the nearest node around it. */
export function offsetOf(root: Node, path: TreePath, on: 'key' | 'value'): number {
  let node = root
  let at = Math.max(0, root.at)
  for (const [depth, step] of path.entries()) {
    const isLast = depth === path.length - 1
    const entry = typeof step === 'string' ? node.entries?.get(step) : undefined
    const next = entry?.node ?? (typeof step === 'number' ? node.items?.[step] : undefined)
    if (next === undefined) return at
    const nextAt = next.at < 0 ? (entry?.keyAt ?? at) : next.at
    // A missing value is shown at the key of the map that lacks it, which says more than that map's first line.
    at = isLast && on === 'value' ? nextAt : (entry?.keyAt ?? nextAt)
    node = next
  }
  return at
}

/** Whether the text has a value at `path`. */
export function isThere(root: Node, path: TreePath): boolean {
  let node: Node | undefined = root
  for (const step of path) node = typeof step === 'string' ? node?.entries?.get(step)?.node : node?.items?.[step]
  return node !== undefined
}
