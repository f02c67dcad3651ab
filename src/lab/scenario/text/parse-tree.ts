/**
 * Parses a text into the values of a param tree, or reports all its mistakes with their locations.
 * Independent of scenarios: it takes any tree of params and any list of rules over its values.
 */
import { InputError, type Issue } from '../../../core/base/issue.ts'
import type { Param, ValueOf } from '../../../core/base/params.ts'
import { applyOverrides } from './overrides.ts'
import { Locations, setName } from './locations.ts'
import { formatPath, isRecord, readParam, type Mistake, type Reader } from './read.ts'
import { describeValue } from './wording.ts'
import { type Position, readYaml, type TreePath } from '../../../core/notation/index.ts'

export interface ParseOptions {
  /** Name of the text's file as the user gave it; used in messages only. */
  readonly file?: string
  /** Overrides "path=value"; list items by index: "workload.0.load=0.5". */
  readonly sets?: readonly string[]
  /** The text was printed by this program: it may be of any length. */
  readonly isOwn?: boolean
  /** Changes the tree before it is read. */
  readonly prepare?: (tree: unknown) => unknown
  /**
   * Reads the file named by {file: PATH} in place of a list, PATH as written: one item per line, blank lines
   * and comments with # skipped. Without this function such lists are mistakes. `isOfSet`: the file is named in `sets`.
   */
  readonly readFile?: (path: string, isOfSet: boolean) => string
}

/** A mistake in the combination of values that are each well-formed. */
export interface RuleIssue {
  readonly path: TreePath
  readonly expected: string
  readonly received: string
  readonly hint: string
  /** Path of the value that imposes the rule; its location is shown if the text has nothing at `path`. */
  readonly because?: TreePath
}

/** A condition over several values. */
export interface Rule<V> {
  /** Paths of the values it needs; the rule is skipped if one of them has a mistake. */
  readonly reads: readonly string[]
  /** Paths of lists and groups whose parts it uses: these exist, but `check` has to ask whether each part is sound. */
  readonly partsOf?: readonly string[]
  /** `isSound` returns whether a part exists and neither it nor anything that contains it has a mistake. */
  readonly check: (values: V, isSound: (path: string) => boolean) => readonly RuleIssue[]
}

/** A text with mistakes in its tree, and the values that could be read. */
export class UnsoundTree extends InputError {
  /** Undefined where a value could not be read. */
  readonly values: unknown
  readonly locations: Locations
  constructor(issues: readonly Issue[], values: unknown, locations: Locations) {
    super(issues)
    this.values = values
    this.locations = locations
  }
}

/** Values, and their locations. */
interface ReadTree<V> {
  readonly values: V
  readonly locations: Locations
  /** As the text and its overrides give it. */
  readonly tree: unknown
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

/** As parseTree; also returns the locations, for mistakes that are found later. @throws InputError, UnsoundTree. */
export function readTree<P extends Param>(
  param: P,
  text: string,
  options: ParseOptions = {},
  rules: readonly Rule<ValueOf<P>>[] = [],
): ReadTree<ValueOf<P>> {
  const yaml = readYaml(text, options.isOwn === true ? Infinity : undefined)
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
  const values = readParam(reader, param, options.prepare?.(value) ?? value, []) as ValueOf<P>
  const locations = new Locations(yaml, overrides, reader.files, options.file)
  const found = [...reader.mistakes, ...brokenRules(rules, values, reader.mistakes)]
  if (found.length === 0 && issues.length === 0 && mistakes.length === 0) return { values, locations, tree: value }

  const inOrder = [...issues, ...locations.issuesOf(found)]
  if (issues.length > 0) inOrder.sort((a, b) => (a.line ?? Infinity) - (b.line ?? Infinity))
  const all = [...inOrder, ...mistakes.map(({ text: set, path, ...rest }) => ({ path, file: setName(set), ...rest }))]
  throw new UnsoundTree(all, values, locations)
}

/** The values of a tree of plain values, as a text would give it. @throws InputError with every mistake, by its path. */
export function valuesOf<P extends Param>(
  param: P,
  tree: unknown,
  rules: readonly Rule<ValueOf<P>>[] = [],
): ValueOf<P> {
  const reader: Reader = { root: param, readFile: undefined, mistakes: [], files: [], values: {} }
  const values = readParam(reader, param, tree, []) as ValueOf<P>
  const found = [...reader.mistakes, ...brokenRules(rules, values, reader.mistakes)]
  if (found.length === 0) return values
  throw new InputError(
    found.map(({ path, expected, received, hint }) => ({ path: formatPath(path), expected, received, hint })),
  )
}

function brokenRules<V>(rules: readonly Rule<V>[], values: V, mistakes: readonly Mistake[]): Mistake[] {
  // Rules check every item of a list, so neither function below may scan all mistakes.
  const wrong = new Set<string>()
  const aboveWrong = new Set<string>()
  for (const { path } of mistakes) {
    // If the kind is wrong, the whole group is.
    const steps = path.at(-1) === 'kind' ? path.slice(0, -1) : path
    wrong.add(formatPath(steps))
    for (let depth = 1; depth < steps.length; depth++) aboveWrong.add(formatPath(steps.slice(0, depth)))
  }
  const exists = (path: string): boolean =>
    !path.split('.').some((_, last, steps) => wrong.has(steps.slice(0, last + 1).join('.')))
  const isSound = (path: string): boolean => exists(path) && !aboveWrong.has(path)
  const issues = rules
    .filter((rule) => rule.reads.every(isSound) && (rule.partsOf ?? []).every(exists))
    .flatMap((rule) => rule.check(values, isSound))
  // Two schemes may require the same of one value.
  const different = new Map(
    issues.map((issue) => [[formatPath(issue.path), issue.expected, issue.received].join('\n'), issue]),
  )
  return [...different.values()].map((issue) => ({ ...issue, on: 'value' as const }))
}

function wordsOf(issue: Pick<Issue, 'expected' | 'received' | 'hint'>): Pick<Issue, 'expected' | 'received' | 'hint'> {
  const { expected, received, hint } = issue
  return { expected, received, hint }
}
