/**
 * YAML text (and JSON, a subset of it): its values, and the position of each in the text.
 * One document of maps with text keys, lists and scalars of the YAML 1.2 core schema; tags are refused.
 * Aliases share the value they name, and may not multiply the document (no "billion laughs").
 * Positions come from the parsers, in one pass: a megabyte of text takes a tenth of a second, of dense lists a quarter.
 */
import { parseEvents, YAMLException } from 'js-yaml'
import { jsonTree } from './json-tree.ts'
import type { TreePath } from './tree-path.ts'
import { isThere, offsetOf, type OnRepeat, Unreadable } from './tree.ts'
import { buildTree } from './yaml-tree.ts'

/** 1-based. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** A mistake in the YAML itself. `path` leads to a repeated key; it is empty when the text cannot be read. */
interface TextIssue {
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
  /** False when the text cannot be read, and has no value. */
  readonly readable: boolean
  /**
   * Position of the value at `path` or of its key; if that is not in the text, of the nearest value that contains it.
   * Undefined for an empty text.
   */
  readonly locate: (path: TreePath, on: 'key' | 'value') => Position | undefined
  /** Whether the text has a value at `path`. */
  readonly has: (path: TreePath) => boolean
}

/** Nesting depth of maps and lists; scenarios need eight. */
const MAX_DEPTH = 50
/** Characters of a text; longer lists belong in files of their own. */
export const TEXT_LENGTH_MAX = 32_000_000

/** Reads a text; never throws. */
export function readYaml(source: string, lengthMax: number = TEXT_LENGTH_MAX): YamlText {
  const text = source.startsWith('\uFEFF') ? source.slice(1) : source
  const positions = positionsOf(text)
  const issues: TextIssue[] = []
  try {
    if (text.length > lengthMax) {
      throw new Unreadable(
        -1,
        `at most ${lengthMax} characters`,
        `${text.length}`,
        'put long lists in files: {file: PATH}',
      )
    }
    const onRepeat: OnRepeat = (at, path, received) => {
      const [expected, hint] = ['each key once', 'the last one would count']
      issues.push({ position: positions(at), path, expected, received, hint })
    }
    const root =
      jsonTree(text, MAX_DEPTH, onRepeat) ?? buildTree(text, parseEvents(text, { maxDepth: MAX_DEPTH }), onRepeat)
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

/** Function from offsets to positions. It builds the table of lines at the first call. */
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

/** Hints for parser errors that usually have one cause. */
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
