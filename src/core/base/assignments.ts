/**
 * Assignments: lists of texts "NUMBER: VALUE" that give a value to a numbered object: an address to a host, a seed to a
 * switch.
 */
import { InputError, type Issue } from './issue.ts'

export interface Assignment<V> {
  /** Index in the list. */
  readonly line: number
  /** The number before the colon. */
  readonly to: number
  readonly value: V
}

interface AssignmentForm<V> {
  /** In issues: `"HOST: ADDRESS", such as "0: 10.0.0.1"`. */
  readonly form: string
  /** The noun for the number: "host". */
  readonly noun: string
  /** Parses the text after the colon; undefined: it is not valid. */
  readonly read: (text: string) => V | undefined
}

/**
 * Reads the list.
 * @param path of the list in issues
 * @throws InputError with every line that cannot be parsed or repeats the number of an earlier one
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
