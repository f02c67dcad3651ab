/**
 * Options of commands as rows, and those that several commands share.
 */
import { SEVERITIES } from '../core/findings/index.ts'
import { readTraffic } from '../importers/fabric/index.ts'
import { anyText, fileText, type Parser, SEED_MAX, wholeNumber } from './parsers.ts'
import { proposeSetting } from './proposals.ts'

/** An option that may be given once. */
export function valueFlag<T>(placeholder: string, parse: Parser<T>, brief: string) {
  return { kind: 'parsed', parse, optional: true, placeholder, brief } as const
}

/** An option that may be repeated. */
export function repeatedFlag<T>(placeholder: string, parse: Parser<T>, brief: string) {
  return { kind: 'parsed', parse, optional: true, variadic: true, placeholder, brief } as const
}

/** An option that has to be given. */
export function requiredFlag<T>(placeholder: string, parse: Parser<T>, brief: string) {
  return { kind: 'parsed', parse, placeholder, brief } as const
}

/** An option that has the value of a text if it is not given. */
export function defaultFlag<T>(placeholder: string, parse: Parser<T>, defaultText: string, brief: string) {
  return { kind: 'parsed', parse, default: defaultText, placeholder, brief } as const
}

/** The name of a file or folder. */
export function fileFlag(placeholder: string, brief: string) {
  return valueFlag(placeholder, fileText, brief)
}

/** One of some words. */
export function choiceFlag<const V extends string>(values: readonly V[], brief: string) {
  return { kind: 'enum', values, optional: true, brief } as const
}

/** Any of some words; may be repeated. */
export function choicesFlag<const V extends string>(values: readonly V[], brief: string) {
  return { ...choiceFlag(values, brief), variadic: true } as const
}

/** One of some words, and which it is if none is given. */
export function defaultChoiceFlag<const V extends string>(values: readonly V[], byDefault: V, brief: string) {
  return { kind: 'enum', values, default: byDefault, brief } as const
}

/** A flag without a value. */
export function givenFlag(brief: string) {
  return { kind: 'boolean', optional: true, withNegated: false, brief } as const
}

export const seedFlag = valueFlag('N', wholeNumber(0, SEED_MAX), "Seed, instead of the scenario's")
export const jobsFlag = valueFlag('N', wholeNumber(1, 1024), 'Threads [default = number of processors]')
export const suppressFlag = fileFlag('FILE', 'Leave out the findings that a file lists, each with a reason')
export const sarifFlag = givenFlag('Print the findings as SARIF')
/** The least severity of a finding that makes the exit code 3. */
export const failOnFlag = choiceFlag(SEVERITIES, 'Exit with 3 if there is a finding of this severity or a worse one')

export function setFlag(brief: string) {
  return { ...repeatedFlag('PATH=VALUE', anyText, brief), proposeCompletions: proposeSetting } as const
}

/** @param from first seed, as the help names it. */
export function seedsFlag(from: string) {
  const brief = `Number of seeds, starting at ${from}, or a list (1,2,7) or range (3..6)`
  return defaultFlag('N', anyText, '1', brief)
}

/** @param byDefault folder that is written if the flag is not given. */
export function outFlag(byDefault: string) {
  return fileFlag('DIR', `Folder to write [default = ${byDefault}]`)
}

/** Traffic of a fabric, which no file has. */
export function trafficFlag(brief: string) {
  return valueFlag('TRAFFIC', readTraffic, brief)
}
