/**
 * Suppressions file: a list of findings that a user knows and accepts, in YAML or JSON.
 */
import { findingIds } from '../../advice.ts'
import { InputError, type Issue } from '../../core/base/issue.ts'
import { readSuppressions, type Suppression } from '../../core/findings/index.ts'
import { readYaml } from '../../core/notation/index.ts'
import { readText } from '../files/input-file.ts'

/** @throws InputError with every mistake and its line */
export function readSuppressionsFile(directory: string, file: string): readonly Suppression[] {
  const yaml = readYaml(readText(directory, file, 'a list of suppressions'))
  const ofText = yaml.issues.map(({ position, path, expected, received, hint }): Issue => ({
    path: path.join('.'),
    file,
    ...position,
    expected,
    received,
    hint,
  }))
  if (ofText.length > 0) throw new InputError(ofText)
  const { list, issues } = readSuppressions(yaml.value, findingIds())
  if (issues.length === 0) return list
  throw new InputError(
    issues.map((issue) => {
      const steps =
        issue.path === '' ? [] : issue.path.split('.').map((step, depth) => (depth === 0 ? Number(step) : step))
      return { ...issue, file, ...yaml.locate(steps, 'value') }
    }),
  )
}
