/**
 * Places: where mistakes stand. In the text; in a file that a list of texts is taken from; or in an override.
 * Shape: issues in the order of the text, those of a file at the place of its list, those of overrides at the end.
 */
import type { Issue } from '../../base/issue.ts'
import type { Override } from './overrides.ts'
import { formatPath, type Mistake, type TextFile } from './read.ts'
import type { Position, YamlText } from './yaml-text.ts'
import type { TreePath } from './yaml-tree.ts'

/** Issues beyond this number are only counted. */
export const ISSUES_MAX = 100

/** An issue before it has a place: paths in the terms of the values. */
type Unplaced = Pick<Issue, 'path' | 'expected' | 'received' | 'hint'>

export class Locations {
  readonly #yaml: YamlText
  readonly #overrides: readonly Override[]
  readonly #files: readonly TextFile[]
  readonly #file: string | undefined

  /** @param file of the text, as the user named it. */
  constructor(yaml: YamlText, overrides: readonly Override[], files: readonly TextFile[], file: string | undefined) {
    this.#yaml = yaml
    this.#overrides = overrides
    this.#files = files
    this.#file = file
  }

  /** Mistakes as issues with their places, in order. */
  issuesOf(mistakes: readonly Mistake[]): Issue[] {
    const located = mistakes.slice(0, ISSUES_MAX).map((mistake) => this.#locate(mistake))
    located.sort((a, b) => a.at.line - b.at.line || a.at.column - b.at.column || a.row - b.row)
    const left = mistakes.length - ISSUES_MAX
    return [...located.map(({ issue }) => issue), ...(left > 0 ? [this.#more(left)] : [])]
  }

  /** What was found wrong with the values after they were read, such as by building what they describe. */
  located(issues: readonly Unplaced[]): Issue[] {
    return this.issuesOf(
      issues.map(({ path, expected, received, hint }) => ({
        path: stepsOf(path),
        on: 'value',
        expected,
        received,
        hint,
      })),
    )
  }

  #locate(mistake: Mistake): { readonly issue: Issue; readonly at: Position; readonly row: number } {
    const { expected, received, hint } = mistake
    const path = formatPath(mistake.path)
    const origin = this.#origin(mistake)
    const words = { expected, received, hint }
    const override = this.#overrides.findLast((set) => isBelow(origin, set.path)) ?? this.#makerOf(origin)
    const at = override === undefined ? this.#yaml.locate(origin, mistake.on) : undefined
    const list = this.#files.find((file) => isBelow(mistake.path, file.path))
    const row = Number(mistake.path[list?.path.length ?? 0])
    const inList = list?.positions[row]
    const order = at ?? { line: Infinity, column: 0 }
    if (list !== undefined && inList !== undefined) {
      // One that an override names was looked for where the user stands, and is shown as the user has it.
      const file = override === undefined ? this.#beside(list.name) : list.name
      return { issue: { path, file, ...inList, ...words }, at: order, row }
    }
    const issue =
      override === undefined
        ? { path, ...this.#where(), ...at, ...words }
        : { path, file: setName(override.text), ...words }
    return { issue, at: order, row: 0 }
  }

  /** The override that made what a missing value is missing from: a new item of a list, or another kind. */
  #makerOf(path: TreePath): Override | undefined {
    if (this.#yaml.has(path)) return undefined
    const inText = path.findIndex((_, depth) => !this.#yaml.has(path.slice(0, depth + 1)))
    const kind = [...path.slice(0, -1), 'kind']
    return this.#overrides.findLast(
      (set) => isBelow(set.path, path.slice(0, inText + 1)) || (isBelow(set.path, kind) && isBelow(kind, set.path)),
    )
  }

  /** The path whose place is shown: that of what asks, where nothing of the mistake's own is in the text. */
  #origin({ path, because }: Mistake): TreePath {
    if (because === undefined || this.#yaml.has(path.slice(0, 1))) return path
    return this.#overrides.some((set) => isBelow(path, set.path)) ? path : because
  }

  #more(count: number): Issue {
    const hint = `the first ${ISSUES_MAX} are shown`
    return { path: '', ...this.#where(), expected: 'no further mistakes', received: `${count} more`, hint }
  }

  #where(): { file?: string } {
    return this.#file === undefined ? {} : { file: this.#file }
  }

  /** A file named in the text stands beside the text's own. */
  #beside(name: string): string {
    if (/^(?:[\\/]|[A-Za-z]:)/.test(name)) return name
    return `${/^.*[\\/]/.exec(this.#file ?? '')?.[0] ?? ''}${name}`
  }
}

/** Steps of a path such as "workload.0.flows.3". */
export function stepsOf(path: string): TreePath {
  return path === '' ? [] : path.split('.').map((step) => (/^\d+$/.test(step) ? Number(step) : step))
}

/** How messages name an override. */
export function setName(text: string): string {
  return `--set ${text.length <= 60 ? text : `${text.slice(0, 57)}...`}`
}

function isBelow(path: TreePath, above: TreePath): boolean {
  return above.every((step, depth) => path[depth] === step)
}
