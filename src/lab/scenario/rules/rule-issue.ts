/**
 * Results of rules: an issue at a path such as "switch.buffer.xoff", or none. Also the checks that several rules share.
 */
import { InputError } from '../../../core/base/issue.ts'
import type { RuleIssue } from '../text/parse-tree.ts'
import type { TreePath } from '../../../core/notation/index.ts'

export function issue(path: string, expected: string, received: string, hint = ''): RuleIssue {
  return { path: pathOf(path), expected, received, hint }
}

/** The steps of "workload.0.tag". */
export function pathOf(text: string): TreePath {
  return text.split('.').map((step) => (/^\d+$/.test(step) ? Number(step) : step))
}

export const SOUND: readonly RuleIssue[] = []

/** The issues that `make` throws, with paths below `path`. */
export function thrown(path: string, make: () => unknown): readonly RuleIssue[] {
  try {
    make()
    return SOUND
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    return error.issues.map((found) =>
      issue(path === '' ? found.path : `${path}.${found.path}`, found.expected, found.received, found.hint),
    )
  }
}

/** Indexes of items that repeat an earlier one. */
export function repeated(items: readonly number[]): number[] {
  return items.flatMap((item, i) => (items.indexOf(item) < i ? [i] : []))
}
