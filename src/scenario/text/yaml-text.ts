/**
 * YAML text (and JSON, which is YAML): its values, and where in the text each of them stands.
 * One document of maps with text keys, lists and scalars of the YAML 1.2 core schema; tags are refused.
 * Aliases share the value they name, and may not multiply the document (no "billion laughs").
 * Positions come from the parser's own events: one pass, and a text of a megabyte takes a tenth of a second.
 */
import {
  EVENT_ID,
  getScalarValue,
  parseEvents,
  SCALAR_STYLE,
  YAMLException,
  type Event,
  type ScalarEvent,
} from 'js-yaml'

/** Where a value stands in a tree: names of keys and indexes of lists. */
export type TreePath = readonly (string | number)[]

/** 1-based. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** What is wrong with a text as YAML. `path` leads to a repeated key; it is empty when the text cannot be read. */
export interface TextIssue {
  readonly position: Position | undefined
  readonly path: TreePath
  readonly expected: string
  readonly received: string
  readonly hint: string
}

export interface YamlText {
  /** Plain objects, arrays, strings, numbers, booleans, null; undefined for a text without a document. */
  readonly value: unknown
  /** Repeated keys (the last one counts), or the one reason why the text cannot be read. */
  readonly issues: readonly TextIssue[]
  /** False when there is no value to go on with. */
  readonly readable: boolean
  /**
   * Position of the value at `path`, or of its key; of the nearest thing around it when it is not in the text.
   * Undefined for an empty text.
   */
  readonly locate: (path: TreePath, on: 'key' | 'value') => Position | undefined
  /** Whether something stands at `path` in the text. */
  readonly has: (path: TreePath) => boolean
}

/** Maps and lists inside each other; scenarios need eight. */
const MAX_DEPTH = 50
/** How many values aliases may add to those that are written. */
const MAX_ALIASED = 100_000
/** Longer lists belong in files of their own. */
const MAX_LENGTH = 32_000_000

interface Entry {
  readonly key: string
  readonly keyAt: number
  readonly node: Node
}
interface Node {
  /** Offset in the text; -1 for a value that is left empty. */
  readonly at: number
  readonly entries: Map<string, Entry> | undefined
  readonly items: Node[] | undefined
  value: unknown
  /** Values in it, itself included, aliases written out. */
  weight: number
}
/** A map or list that is still open. */
interface Frame {
  readonly node: Node
  readonly anchor: string
  key: { readonly text: string; readonly at: number } | undefined
  readonly step: string | number
}

/** A reason to give up reading. */
class Unreadable extends Error {
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

/** Reads a text; never throws. */
export function readYaml(source: string): YamlText {
  const text = source.startsWith('\uFEFF') ? source.slice(1) : source
  const positions = positionsOf(text)
  const issues: TextIssue[] = []
  try {
    if (text.length > MAX_LENGTH) {
      throw new Unreadable(
        -1,
        `at most ${MAX_LENGTH} characters`,
        `${text.length}`,
        'put long lists of text in files: {file: PATH}',
      )
    }
    const root = build(text, parseEvents(text, { maxDepth: MAX_DEPTH }), (at, path, received) => {
      issues.push({
        position: positions(at),
        path,
        expected: 'each key once',
        received,
        hint: 'the last one would count',
      })
    })
    const locate = (path: TreePath, on: 'key' | 'value'): Position | undefined =>
      root === undefined ? undefined : positions(offsetOf(root, path, on))
    const has = (path: TreePath): boolean => root !== undefined && isThere(root, path)
    return { value: root?.value, issues, readable: true, locate, has }
  } catch (error) {
    const reason = unreadable(error)
    const position = reason.at < 0 ? undefined : positions(reason.at)
    const { expected, received, hint } = reason
    return {
      value: undefined,
      issues: [{ position, path: [], expected, received, hint }],
      readable: false,
      locate: () => position,
      has: () => false,
    }
  }
}

/** The value of a short YAML text such as an override's; undefined when it cannot be read or is empty. */
export function yamlValue(text: string): unknown {
  return readYaml(text).value
}

function build(
  text: string,
  events: readonly Event[],
  onRepeat: (at: number, path: TreePath, received: string) => void,
): Node | undefined {
  const frames: Frame[] = []
  const anchors = new Map<string, Node>()
  let root: Node | undefined
  let documents = 0
  let written = 0
  let pops = 0
  /** What is before it has been read. */
  let passed = 0

  const anchorOf = (event: { anchorStart: number; anchorEnd: number }): string =>
    event.anchorStart < 0 ? '' : text.slice(event.anchorStart, event.anchorEnd)

  /** Puts a finished or just opened value where it belongs; says by which key or index. */
  const location = (node: Node): string | number => {
    const frame = frames.at(-1)
    if (frame === undefined) {
      root = node
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
      const path = [...frames.slice(1).map((open) => open.step), key.text]
      onRepeat(key.at, path, `${JSON.stringify(key.text)} again`)
    }
    entries.set(key.text, { key: key.text, keyAt: key.at, node })
    Object.defineProperty(value, key.text, { value: node.value, enumerable: true, writable: true, configurable: true })
    return key.text
  }

  const open = (event: { start: number; anchorStart: number; anchorEnd: number }, isMap: boolean): void => {
    const frame = frames.at(-1)
    if (frame?.node.entries !== undefined && frame.key === undefined) {
      throw new Unreadable(
        event.start,
        'names as keys',
        'a list or map as a key',
        'quote a text that starts with a bracket',
      )
    }
    const node: Node = isMap
      ? { at: event.start, entries: new Map(), items: undefined, value: {}, weight: 1 }
      : { at: event.start, entries: undefined, items: [], value: [], weight: 1 }
    const step = location(node)
    frames.push({ node, anchor: anchorOf(event), key: undefined, step })
  }

  const close = (): void => {
    const frame = frames.pop()
    if (frame === undefined) return
    const parent = frames.at(-1)
    if (parent !== undefined) parent.node.weight += frame.node.weight
    if (frame.anchor !== '') anchors.set(frame.anchor, frame.node)
  }

  const scalar = (event: ScalarEvent): void => {
    const frame = frames.at(-1)
    const isQuoted = event.style === SCALAR_STYLE.SINGLE_QUOTED || event.style === SCALAR_STYLE.DOUBLE_QUOTED
    const at = isQuoted ? event.valueStart - 1 : event.valueStart
    const content = getScalarValue(text, event)
    if (frame?.node.entries !== undefined && frame.key === undefined) {
      if (content === '<<' && !isQuoted) {
        const hint = 'YAML 1.2 has no merge keys; an alias stands for a whole value'
        throw new Unreadable(at, 'keys that are written out', 'the merge key <<', hint)
      }
      frame.key = { text: content, at: at < 0 ? frame.node.at : at }
      return
    }
    const value = event.style === SCALAR_STYLE.PLAIN ? plainValue(content) : content
    const isEmptyItem = at < 0 && frame?.node.items !== undefined
    if (isEmptyItem) passed = dashAfter(text, passed)
    const node: Node = { at: isEmptyItem ? passed++ : at, entries: undefined, items: undefined, value, weight: 1 }
    if (frame !== undefined) frame.node.weight++
    location(node)
    const anchor = anchorOf(event)
    if (anchor !== '') anchors.set(anchor, node)
  }

  for (const event of events) {
    if ('tagStart' in event && event.tagStart >= 0) {
      const tag = text.slice(event.tagStart, event.tagEnd)
      throw new Unreadable(
        event.tagStart,
        'values without tags',
        JSON.stringify(tag),
        'quote a text that starts with !',
      )
    }
    if (event.type === EVENT_ID.DOCUMENT) {
      documents++
      pops++
    } else if (event.type === EVENT_ID.POP) {
      if (frames.length > 0) close()
      else pops--
    } else {
      const start =
        event.type === EVENT_ID.SCALAR
          ? event.valueStart
          : event.type === EVENT_ID.ALIAS
            ? event.anchorStart
            : event.start
      if (documents > 1)
        throw new Unreadable(
          Math.max(0, start),
          'one document',
          'a second one',
          'one file is one scenario; remove the line ---',
        )
      written++
      if (start >= 0) passed = event.type === EVENT_ID.SCALAR ? event.valueEnd : start
      if (event.type === EVENT_ID.MAPPING) open(event, true)
      else if (event.type === EVENT_ID.SEQUENCE) open(event, false)
      else if (event.type === EVENT_ID.SCALAR) scalar(event)
      else alias(event)
    }
  }
  return root

  function alias(event: { anchorStart: number; anchorEnd: number }): void {
    const name = anchorOf(event)
    const at = event.anchorStart - 1
    const named = anchors.get(name)
    const parent = frames.at(-1)
    if (named === undefined) {
      throw new Unreadable(at, 'an alias of something finished above it', `*${name}`, 'quote a text that starts with *')
    }
    if (parent?.node.entries !== undefined && parent.key === undefined)
      throw new Unreadable(at, 'names as keys', `*${name}`, '')
    location(named)
    if (parent === undefined) return
    parent.node.weight += named.weight
    const total = frames.reduce((sum, frame) => sum + frame.node.weight, 0)
    if (total > written + MAX_ALIASED) {
      throw new Unreadable(at, 'a document that aliases leave at its size', 'aliases that multiply it', '')
    }
  }
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

/** Offset of the dash of an empty item, which the parser does not tell: the next one, past what ends the item before. */
function dashAfter(text: string, offset: number): number {
  const between = /(?:[\s\]}:"',]|#.*)*/y
  between.lastIndex = offset
  between.test(text)
  return text[between.lastIndex] === '-' ? between.lastIndex : offset
}

function offsetOf(root: Node, path: TreePath, on: 'key' | 'value'): number {
  let node = root
  let at = Math.max(0, root.at)
  for (const [depth, step] of path.entries()) {
    const isLast = depth === path.length - 1
    const entry = typeof step === 'string' ? node.entries?.get(step) : undefined
    const next = entry?.node ?? (typeof step === 'number' ? node.items?.[step] : undefined)
    if (next === undefined) return at
    const nextAt = next.at < 0 ? (entry?.keyAt ?? at) : next.at
    // Around a thing that is missing, the name of what it is missing from says more than its first line.
    at = isLast && on === 'value' ? nextAt : (entry?.keyAt ?? nextAt)
    node = next
  }
  return at
}

function isThere(root: Node, path: TreePath): boolean {
  let node: Node | undefined = root
  for (const step of path) node = typeof step === 'string' ? node?.entries?.get(step)?.node : node?.items?.[step]
  return node !== undefined
}

/** Gives positions of offsets; the table of lines is made when the first is asked for. */
function positionsOf(text: string): (offset: number) => Position {
  let starts: number[] | undefined
  return (offset) => {
    starts ??= lineStarts(text)
    let low = 0
    let high = starts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((starts[middle] ?? 0) <= offset) low = middle
      else high = middle - 1
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 }
  }
}

function lineStarts(text: string): number[] {
  const starts = [0]
  for (const match of text.matchAll(/\r\n?|\n/g)) starts.push(match.index + match[0].length)
  return starts
}

/** The parser's reasons that have a usual cause. */
const HINTS: readonly (readonly [RegExp, string])[] = [
  [/tab/, 'indent with spaces'],
  [/maxDepth/, 'a scenario is not that deep'],
  [
    /bad indentation|':' after/,
    'keys of one group start in one column, "key: value"; quote a text that contains ": " or starts with one of @ ` % *',
  ],
  [/end of the stream/, 'every line is "key: value" or "- item"; keys of one group start in one column'],
  [/deficient indentation|unexpected end|missed|within a/, 'a quote or bracket may be left open above'],
]

function unreadable(error: unknown): Unreadable {
  if (error instanceof Unreadable) return error
  if (error instanceof YAMLException) {
    const hint = HINTS.find(([pattern]) => pattern.test(error.reason))?.[1] ?? ''
    return new Unreadable(error.mark?.position ?? 0, 'YAML or JSON', `text that is neither: ${error.reason}`, hint)
  }
  throw error
}
