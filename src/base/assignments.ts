/**
 * Assignments: lists of texts "NUMBER: VALUE" that give a value to what goes by a number: an address to a host, a seed
 * to a switch.
 */
import { InputError, type Issue } from './issue.ts'

export interface Assignment<V> {
  /** Where it stands in the list, from 0. */
  readonly line: number
  /** The number before the colon. */
  readonly to: number
  readonly value: V
}

interface AssignmentForm<V> {
  /** In issues: `"HOST: ADDRESS", such as "0: 10.0.0.1"`. */
  readonly form: string
  /** What has the number: "host". */
  readonly noun: string
  /** The value of the text behind the colon; undefined: it is none. */
  readonly read: (text: string) => V | undefined
}

/**
 * Reads the list.
 * @param path of the list in issues
 * @throws InputError with every line that cannot be read or says again what one before it says.
 */
export function readAssignments<V>(
  lines: readonly string[],
  path: string,
  { form, noun, read }: AssignmentForm<V>,
): Assignment<V>[] {
  const issues: Issue[] = []
  const known = new Set<number>()
  const assignments = lines.flatMap((text, line): Assignment<V>[] => {
    const parts = /^\s*(\d{1,9})\s*:\s*(\S+)\s*$/.exec(text)
    const value = parts === null ? undefined : read(parts[2]!)
    if (parts === null || value === undefined) {
      issues.push({ path: `${path}.${line}`, expected: form, received: JSON.stringify(text.slice(0, 60)), hint: '' })
      return []
    }
    const to = Number(parts[1])
    if (known.has(to)) {
      issues.push({ path: `${path}.${line}`, expected: `each ${noun} once`, received: `${noun} ${to} again`, hint: '' })
    }
    known.add(to)
    return [{ line, to, value }]
  })
  if (issues.length > 0) throw new InputError(issues)
  return assignments
}
