/**
 * Flags that several commands share. A command may give its own help text.
 */
import { anyText, fileText, SEED_MAX, wholeNumber } from './parsers.ts'
import { SEVERITIES } from '../findings/index.ts'
import { proposeSetting } from './proposals.ts'

export const seedFlag = {
  kind: 'parsed',
  parse: wholeNumber(0, SEED_MAX),
  optional: true,
  placeholder: 'N',
  brief: "Seed, instead of the scenario's",
} as const

export function setFlag(brief: string) {
  return {
    kind: 'parsed',
    parse: anyText,
    proposeCompletions: proposeSetting,
    optional: true,
    variadic: true,
    placeholder: 'PATH=VALUE',
    brief,
  } as const
}

/** @param from first seed, as the help names it. */
export function seedsFlag(from: string) {
  return {
    kind: 'parsed',
    parse: anyText,
    default: '1',
    placeholder: 'N',
    brief: `Number of seeds, starting at ${from}, or a list (1,2,7) or range (3..6)`,
  } as const
}

export const jobsFlag = {
  kind: 'parsed',
  parse: wholeNumber(1, 1024),
  optional: true,
  placeholder: 'N',
  brief: 'Threads [default = number of processors]',
} as const

/** @param byDefault folder that is written if the flag is not given. */
export function outFlag(byDefault: string) {
  return {
    kind: 'parsed',
    parse: fileText,
    optional: true,
    placeholder: 'DIR',
    brief: `Folder to write [default = ${byDefault}]`,
  } as const
}

/** A flag without a value. */
export function givenFlag(brief: string) {
  return { kind: 'boolean', optional: true, withNegated: false, brief } as const
}

/** The least severity of a finding that makes the exit code 3. */
export const failOnFlag = {
  kind: 'enum',
  values: SEVERITIES,
  optional: true,
  brief: 'Exit with 3 if there is a finding of this severity or a worse one',
} as const
