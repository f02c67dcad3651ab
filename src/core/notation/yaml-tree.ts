/**
 * The tree of a YAML document, built from the parser's events.
 * One document of maps with text keys, lists and scalars of the YAML 1.2 core schema; tags are refused.
 * Aliases share the value they name, and may not multiply the document (no "billion laughs").
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
import { GrowingTree, type Node, type OnRepeat, Unreadable } from './tree.ts'

/** Limit on the number of values that aliases may add to the written ones. */
const MAX_ALIASED = 100_000

/**
 * Builds the tree; undefined for a text without a document.
 * @throws Unreadable
 */
export function buildTree(text: string, events: readonly Event[], onRepeat: OnRepeat): Node | undefined {
  const builder = new YamlBuilder(text, onRepeat)
  for (const event of events) builder.add(event)
  return builder.tree.root
}

class YamlBuilder {
  readonly tree: GrowingTree
  readonly #text: string
  /** Anchors of the open maps and lists, outermost first; '' where there is none. */
  readonly #openAnchors: string[] = []
  readonly #anchors = new Map<string, Node>()
  #documentCount = 0
  /** Number of values that are written in the text, aliases counted as one. */
  #writtenCount = 0
  /** Offset up to which the text has been read. */
  #readTo = 0

  constructor(text: string, onRepeat: OnRepeat) {
    this.#text = text
    this.tree = new GrowingTree(onRepeat)
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
    if (event.type === EVENT_ID.SCALAR) this.#addScalar(event)
    else if (event.type === EVENT_ID.ALIAS) this.#addAlias(event)
    else this.#open(event)
  }

  #open(event: MappingEvent | SequenceEvent): void {
    if (this.tree.expectsKey) {
      const hint = 'quote a text that starts with a bracket'
      throw new Unreadable(event.start, 'names as keys', 'a list or map as a key', hint)
    }
    if (event.type === EVENT_ID.MAPPING) this.tree.openMap(event.start)
    else this.tree.openList(event.start)
    this.#openAnchors.push(this.#anchorOf(event))
  }

  /** The end of a document closes nothing. */
  #close(): void {
    const node = this.tree.close()
    const anchor = this.#openAnchors.pop()
    if (node !== undefined && anchor) this.#anchors.set(anchor, node)
  }

  #addScalar(event: ScalarEvent): void {
    const { innermost } = this.tree
    const isQuoted = event.style === SCALAR_STYLE.SINGLE_QUOTED || event.style === SCALAR_STYLE.DOUBLE_QUOTED
    const at = isQuoted ? event.valueStart - 1 : event.valueStart
    const content = getScalarValue(this.#text, event)
    if (innermost !== undefined && this.tree.expectsKey) {
      if (content === '<<' && !isQuoted) {
        const hint = 'YAML 1.2 has no merge keys; an alias stands for a whole value'
        throw new Unreadable(at, 'keys that are written out', 'the merge key <<', hint)
      }
      this.tree.key(content, at < 0 ? innermost.at : at)
      return
    }
    const value = event.style === SCALAR_STYLE.PLAIN ? plainValue(content) : content
    const isEmptyItem = at < 0 && innermost?.items !== undefined
    if (isEmptyItem) this.#readTo = dashAfter(this.#text, this.#readTo)
    const node = this.tree.scalar(value, isEmptyItem ? this.#readTo++ : at)
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
    if (this.tree.expectsKey) throw new Unreadable(at, 'names as keys', `*${name}`, '')
    this.tree.add(named)
    if (this.tree.openWeight() > this.#writtenCount + MAX_ALIASED) {
      const expected = `aliases that add at most ${MAX_ALIASED} values`
      throw new Unreadable(at, expected, 'aliases that multiply the document', '')
    }
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
