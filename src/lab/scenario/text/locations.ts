/**
 * Locations of mistakes: in the text, in a file that a list of texts is read from, or in an override.
 * Order: issues follow the text; those of a file come at the position of its list, those of overrides last.
 */
import type { Issue } from '../../../core/base/issue.ts'
import type { Override } from './overrides.ts'
import { formatPath, type Mistake, type TextFile } from './read.ts'
import type { Position, TreePath, YamlText } from '../../../core/notation/index.ts'

/** Issues beyond this number are only counted. */
export const ISSUES_MAX = 100

/** An issue that has no location yet; its path is in terms of the values. */
type Unlocated = Pick<Issue, 'path' | 'expected' | 'received' | 'hint'>

export class Locations {
  readonly #yaml: YamlText
  readonly #overrides: readonly Override[]
  readonly #files: readonly TextFile[]
  readonly #file: string | undefined

  /** @param file name of the text's file, as the user gave it */
  constructor(yaml: YamlText, overrides: readonly Override[], files: readonly TextFile[], file: string | undefined) {
    this.#yaml = yaml
    this.#overrides = overrides
    this.#files = files
    this.#file = file
  }

  /** Mistakes as issues with locations, in order. */
  issuesOf(mistakes: readonly Mistake[]): Issue[] {
    const located = mistakes.slice(0, ISSUES_MAX).map((mistake) => this.#locate(mistake))
    located.sort((a, b) => a.at.line - b.at.line || a.at.column - b.at.column || a.row - b.row)
    const left = mistakes.length - ISSUES_MAX
    return [...located.map(({ issue }) => issue), ...(left > 0 ? [this.#more(left)] : [])]
  }

  /** Locates issues that were found after reading, such as while building the network. */
  located(issues: readonly Unlocated[]): Issue[] {
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
    const override = this.#overrides.findLast((set) => isBelow(origin, set.path)) ?? this.#overrideAbove(origin)
    const at = override === undefined ? this.#yaml.locate(origin, mistake.on) : undefined
    const list = this.#files.find((file) => isBelow(mistake.path, file.path))
    const row = Number(mistake.path[list?.path.length ?? 0])
    const inList = list?.positions[row]
    const order = at ?? { line: Infinity, column: 0 }
    if (list !== undefined && inList !== undefined) {
      // A file named in an override is relative to the working directory, and is shown as the user wrote it.
      const file = override === undefined ? this.#beside(list.name) : list.name
      return { issue: { path, file, ...inList, ...words }, at: order, row }
    }
    const issue =
      override === undefined
        ? { path, ...this.#where(), ...at, ...words }
        : { path, file: setName(override.text), ...words }
    return { issue, at: order, row: 0 }
  }

  /** The override that introduced the container of a missing value: a new list item, or another kind. */
  #overrideAbove(path: TreePath): Override | undefined {
    if (this.#yaml.has(path)) return undefined
    const inText = path.findIndex((_, depth) => !this.#yaml.has(path.slice(0, depth + 1)))
    const kind = [...path.slice(0, -1), 'kind']
    return this.#overrides.findLast(
      (set) => isBelow(set.path, path.slice(0, inText + 1)) || (isBelow(set.path, kind) && isBelow(kind, set.path)),
    )
  }

  /** The path whose location is shown: that of the value that imposes the rule if the text has nothing at the mistake's own. */
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

  /** A file named in the text is relative to the folder of the text's file. */
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
