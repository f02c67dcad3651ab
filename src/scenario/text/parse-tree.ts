/**
 * From a text to the values of a param tree, or to all its mistakes with their places.
 * Knows nothing of scenarios: any tree of params and any list of rules over its values.
 */
import { InputError, type Issue } from '../../base/issue.ts'
import type { Param, ValueOf } from '../../base/params.ts'
import { applyOverrides } from './overrides.ts'
import { Locations, setName } from './locations.ts'
import { formatPath, isRecord, readParam, type Mistake, type Reader } from './read.ts'
import { describeValue } from './wording.ts'
import { readYaml, type Position } from './yaml-text.ts'
import type { TreePath } from './yaml-tree.ts'

export interface ParseOptions {
  /** The text's file, as the user named it; used in messages only. */
  readonly file?: string
  /** Overrides "path=value"; lists are indexed: "workload.0.load=0.5". */
  readonly sets?: readonly string[]
  /**
   * The text of a file named as {file: PATH} in place of a list of texts, PATH as written. One item a line, comments
   * with # and blank lines skipped. Without it such lists are mistakes. `isOfSet` says that it was named in `sets`.
   */
  readonly readFile?: (path: string, isOfSet: boolean) => string
}

/** What is wrong with values that are each well-formed. */
export interface RuleIssue {
  readonly path: TreePath
  readonly expected: string
  readonly received: string
  readonly hint: string
  /** What asks for it: its place is shown where nothing of the path is in the text. */
  readonly because?: TreePath
}

/** A condition over several values. */
export interface Rule<V> {
  /** Paths of what it looks at; it is left out while one of them has a mistake of its own. */
  readonly reads: readonly string[]
  /** Paths of lists and groups of which it looks at parts: there they are, but it asks for each part. */
  readonly partsOf?: readonly string[]
  /** `isSound` says whether a part is there and free of mistakes, in itself and in what it is part of. */
  readonly check: (values: V, isSound: (path: string) => boolean) => readonly RuleIssue[]
}

/** A text with mistakes in its tree, and what could be read of it. */
export class UnsoundTree extends InputError {
  /** Undefined in the places of what could not be read. */
  readonly values: unknown
  readonly locations: Locations
  constructor(issues: readonly Issue[], values: unknown, locations: Locations) {
    super(issues)
    this.values = values
    this.locations = locations
  }
}

/** Values, and where they came from. */
interface ReadTree<V> {
  readonly values: V
  readonly locations: Locations
}

/**
 * Reads a text into values of `param`.
 * @throws InputError with every mistake, in the order of the text.
 */
export function parseTree<P extends Param>(
  param: P,
  text: string,
  options: ParseOptions = {},
  rules: readonly Rule<ValueOf<P>>[] = [],
): ValueOf<P> {
  return readTree(param, text, options, rules).values
}

/** As parseTree; also tells where what is found wrong later stands in the text. @throws InputError, UnsoundTree. */
export function readTree<P extends Param>(
  param: P,
  text: string,
  options: ParseOptions = {},
  rules: readonly Rule<ValueOf<P>>[] = [],
): ReadTree<ValueOf<P>> {
  const yaml = readYaml(text)
  const where = options.file === undefined ? {} : { file: options.file }
  const inText = (
    path: string,
    position: Position | undefined,
    rest: Pick<Issue, 'expected' | 'received' | 'hint'>,
  ): Issue => ({
    path,
    ...where,
    ...position,
    ...rest,
  })
  const issues: Issue[] = yaml.issues.map((issue) => inText(formatPath(issue.path), issue.position, wordsOf(issue)))
  if (!yaml.readable) throw new InputError(issues)
  if (!isRecord(yaml.value)) {
    const received = yaml.value === undefined ? 'an empty text' : describeValue(yaml.value)
    throw new InputError([
      ...issues,
      inText('', { line: 1, column: 1 }, { expected: 'keys and values', received, hint: 'such as "name: first"' }),
    ])
  }

  const { value, overrides, mistakes } = applyOverrides(param, yaml.value, options.sets ?? [])
  const isOfSet = (path: TreePath): boolean =>
    overrides.some((set) => set.path.every((step, depth) => path[depth] === step))
  const { readFile } = options
  const readAt = readFile && ((name: string, path: TreePath): string => readFile(name, isOfSet(path)))
  const reader: Reader = { root: param, readFile: readAt, mistakes: [], files: [], values: {} }
  const values = readParam(reader, param, value, []) as ValueOf<P>
  const locations = new Locations(yaml, overrides, reader.files, options.file)
  const found = [...reader.mistakes, ...brokenRules(rules, values, reader.mistakes)]
  if (found.length === 0 && issues.length === 0 && mistakes.length === 0) return { values, locations }

  const inOrder = [...issues, ...locations.issuesOf(found)]
  if (issues.length > 0) inOrder.sort((a, b) => (a.line ?? Infinity) - (b.line ?? Infinity))
  const all = [...inOrder, ...mistakes.map(({ text: set, path, ...rest }) => ({ path, file: setName(set), ...rest }))]
  throw new UnsoundTree(all, values, locations)
}

function brokenRules<V>(rules: readonly Rule<V>[], values: V, mistakes: readonly Mistake[]): Mistake[] {
  // Rules ask for every item of a list, so neither question may look at every mistake.
  const wrong = new Set<string>()
  const aboveWrong = new Set<string>()
  for (const { path } of mistakes) {
    // Where the kind is wrong, nothing is there.
    const steps = path.at(-1) === 'kind' ? path.slice(0, -1) : path
    wrong.add(formatPath(steps))
    for (let depth = 1; depth < steps.length; depth++) aboveWrong.add(formatPath(steps.slice(0, depth)))
  }
  const isThere = (path: string): boolean =>
    !path.split('.').some((_, last, steps) => wrong.has(steps.slice(0, last + 1).join('.')))
  const isSound = (path: string): boolean => isThere(path) && !aboveWrong.has(path)
  const issues = rules
    .filter((rule) => rule.reads.every(isSound) && (rule.partsOf ?? []).every(isThere))
    .flatMap((rule) => rule.check(values, isSound))
  // Two schemes may want the same of the same value.
  const different = new Map(
    issues.map((issue) => [[formatPath(issue.path), issue.expected, issue.received].join('\n'), issue]),
  )
  return [...different.values()].map((issue) => ({ ...issue, on: 'value' as const }))
}

function wordsOf(issue: Pick<Issue, 'expected' | 'received' | 'hint'>): Pick<Issue, 'expected' | 'received' | 'hint'> {
  const { expected, received, hint } = issue
  return { expected, received, hint }
}
