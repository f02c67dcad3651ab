/**
 * What rules say: an issue at a path such as "switch.buffer.xoff", or that all is sound.
 */
import type { RuleIssue } from './parse-tree.ts'
import type { TreePath } from './yaml-text.ts'

export function issue(path: string, expected: string, received: string, hint = ''): RuleIssue {
  const steps: TreePath = path.split('.').map((step) => (/^\d+$/.test(step) ? Number(step) : step))
  return { path: steps, expected, received, hint }
}

export const SOUND: readonly RuleIssue[] = []
