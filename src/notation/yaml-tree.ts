/**
 * The tree of a YAML document: values with their offsets in the text, built from the parser's events.
 * One document of maps with text keys, lists and scalars of the YAML 1.2 core schema; tags are refused.
 * Aliases share the value they name, and may not multiply the document (no "billion laughs").
 * Units: offsets are UTF-16 code units from the start of the text.
 */
import {
  EVENT_ID,
  getScalarValue,
  SCALAR_STYLE,
  type AliasEvent,
  type Event,
  type MappingEvent,
  type ScalarEvent,
  type SequenceEvent,
} from 'js-yaml'
import type { TreePath } from './tree-path.ts'

/** Limit on the number of values that aliases may add to the written ones. */
const MAX_ALIASED = 100_000

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
  readonly anchor: string
  /** Key that has been read and whose value has not. */
  key: { readonly text: string; readonly at: number } | undefined
  /** Key or index of the node in its parent. */
  readonly step: string | number
}

type OnRepeat = (at: number, path: TreePath, received: string) => void

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

/**
 * Builds the tree; undefined for a text without a document.
 * @param onRepeat is called for each repeated key; the last one counts.
 * @throws Unreadable
 */
export function buildTree(text: string, events: readonly Event[], onRepeat: OnRepeat): Node | undefined {
  const builder = new TreeBuilder(text, onRepeat)
  for (const event of events) builder.add(event)
  return builder.root
}

class TreeBuilder {
  root: Node | undefined
  readonly #text: string
  readonly #onRepeat: OnRepeat
  /** Open maps and lists, outermost first. */
  readonly #frames: Frame[] = []
  readonly #anchors = new Map<string, Node>()
  #documentCount = 0
  /** Number of values that are written in the text, aliases counted as one. */
  #writtenCount = 0
  /** Offset up to which the text has been read. */
  #readTo = 0

  constructor(text: string, onRepeat: OnRepeat) {
    this.#text = text
    this.#onRepeat = onRepeat
  }

  add(event: Event): void {
    this.#refuseTag(event)
    if (event.type === EVENT_ID.DOCUMENT) this.#documentCount++
    else if (event.type === EVENT_ID.POP) this.#close()
    else this.#addValue(event)
  }

  #refuseTag(event: Event): void {
    if (!('tagStart' in event) || event.tagStart < 0) return
    const tag = this.#text.slice(event.tagStart, event.tagEnd)
    throw new Unreadable(event.tagStart, 'values without tags', JSON.stringify(tag), 'quote a text that starts with !')
  }

  #addValue(event: MappingEvent | SequenceEvent | ScalarEvent | AliasEvent): void {
    const start = startOf(event)
    if (this.#documentCount > 1) {
      const hint = 'one file is one scenario; remove the line ---'
      throw new Unreadable(Math.max(0, start), 'one document', 'a second one', hint)
    }
    this.#writtenCount++
    if (start >= 0) this.#readTo = event.type === EVENT_ID.SCALAR ? event.valueEnd : start
    if (event.type === EVENT_ID.MAPPING) this.#open(event, true)
    else if (event.type === EVENT_ID.SEQUENCE) this.#open(event, false)
    else if (event.type === EVENT_ID.SCALAR) this.#addScalar(event)
    else this.#addAlias(event)
  }

  #open(event: MappingEvent | SequenceEvent, isMap: boolean): void {
    if (this.#expectsKey()) {
      const hint = 'quote a text that starts with a bracket'
      throw new Unreadable(event.start, 'names as keys', 'a list or map as a key', hint)
    }
    const node: Node = isMap
      ? { at: event.start, entries: new Map(), items: undefined, value: {}, weight: 1 }
      : { at: event.start, entries: undefined, items: [], value: [], weight: 1 }
    const step = this.#attach(node)
    this.#frames.push({ node, anchor: this.#anchorOf(event), key: undefined, step })
  }

  #close(): void {
    const frame = this.#frames.pop()
    if (frame === undefined) return
    const parent = this.#frames.at(-1)
    if (parent !== undefined) parent.node.weight += frame.node.weight
    if (frame.anchor !== '') this.#anchors.set(frame.anchor, frame.node)
  }

  #addScalar(event: ScalarEvent): void {
    const frame = this.#frames.at(-1)
    const isQuoted = event.style === SCALAR_STYLE.SINGLE_QUOTED || event.style === SCALAR_STYLE.DOUBLE_QUOTED
    const at = isQuoted ? event.valueStart - 1 : event.valueStart
    const content = getScalarValue(this.#text, event)
    if (frame !== undefined && this.#expectsKey()) {
      if (content === '<<' && !isQuoted) {
        const hint = 'YAML 1.2 has no merge keys; an alias stands for a whole value'
        throw new Unreadable(at, 'keys that are written out', 'the merge key <<', hint)
      }
      frame.key = { text: content, at: at < 0 ? frame.node.at : at }
      return
    }
    const value = event.style === SCALAR_STYLE.PLAIN ? plainValue(content) : content
    const isEmptyItem = at < 0 && frame?.node.items !== undefined
    if (isEmptyItem) this.#readTo = dashAfter(this.#text, this.#readTo)
    const nodeAt = isEmptyItem ? this.#readTo++ : at
    const node: Node = { at: nodeAt, entries: undefined, items: undefined, value, weight: 1 }
    if (frame !== undefined) frame.node.weight++
    this.#attach(node)
    const anchor = this.#anchorOf(event)
    if (anchor !== '') this.#anchors.set(anchor, node)
  }

  #addAlias(event: AliasEvent): void {
    const name = this.#anchorOf(event)
    const at = event.anchorStart - 1
    const named = this.#anchors.get(name)
    if (named === undefined) {
      const hint = 'quote a text that starts with *'
      throw new Unreadable(at, 'an alias of a complete value above it', `*${name}`, hint)
    }
    if (this.#expectsKey()) throw new Unreadable(at, 'names as keys', `*${name}`, '')
    this.#attach(named)
    const parent = this.#frames.at(-1)
    if (parent === undefined) return
    parent.node.weight += named.weight
    const total = this.#frames.reduce((sum, frame) => sum + frame.node.weight, 0)
    if (total > this.#writtenCount + MAX_ALIASED) {
      throw new Unreadable(
        at,
        `aliases that add at most ${MAX_ALIASED} values`,
        'aliases that multiply the document',
        '',
      )
    }
  }

  /** Adds a finished or just opened value to the innermost open map or list. Returns its key or index there. */
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
    // Not by assignment: a key may be called __proto__.
    Object.defineProperty(value, key.text, { value: node.value, enumerable: true, writable: true, configurable: true })
    return key.text
  }

  /** Whether the innermost open node is a map that waits for its next key. */
  #expectsKey(): boolean {
    const frame = this.#frames.at(-1)
    return frame?.node.entries !== undefined && frame.key === undefined
  }

  #anchorOf(event: { readonly anchorStart: number; readonly anchorEnd: number }): string {
    return event.anchorStart < 0 ? '' : this.#text.slice(event.anchorStart, event.anchorEnd)
  }
}

function startOf(event: MappingEvent | SequenceEvent | ScalarEvent | AliasEvent): number {
  if (event.type === EVENT_ID.SCALAR) return event.valueStart
  return event.type === EVENT_ID.ALIAS ? event.anchorStart : event.start
}

const FLOAT = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/

/** The YAML 1.2 core schema. */
function plainValue(content: string): unknown {
  if (content === '' || /^(?:~|null|Null|NULL)$/.test(content)) return null
  if (/^(?:true|True|TRUE)$/.test(content)) return true
  if (/^(?:false|False|FALSE)$/.test(content)) return false
  if (FLOAT.test(content)) return Number(content)
  if (/^0x[\da-fA-F]+$/.test(content) || /^0o[0-7]+$/.test(content)) return Number(content)
  if (/^[-+]?\.(?:inf|Inf|INF)$/.test(content)) return content.startsWith('-') ? -Infinity : Infinity
  if (/^\.(?:nan|NaN|NAN)$/.test(content)) return NaN
  return content
}

/** Offset of the dash of an empty item, which the parser does not report: the next dash after the previous item's end. */
function dashAfter(text: string, offset: number): number {
  const between = /(?:[\s\]}:"',]|#.*)*/y
  between.lastIndex = offset
  between.test(text)
  return text[between.lastIndex] === '-' ? between.lastIndex : offset
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
