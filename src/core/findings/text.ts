/**
 * Findings in words: a sentence with its place and what to do, for a terminal, a page or a program's message.
 */
import { escapeControls } from '../base/control-characters.ts'
import { humanDuration } from '../base/format.ts'
import { shellWord } from './shell.ts'
import { type Finding, SEVERITIES, type Severity, type Subject } from './finding.ts'
import { capital, counted } from './words.ts'

/** Further places that are named; the others are counted. */
const SPOTS_SHOWN = 4

/** "leaf 1, port to host 5, from 1.00 ms: class 3 is marked ...; set kmin below 1 MB (also at leaf 2 and 3 more)" */
export function findingText(finding: Finding): string {
  const location = locationText(finding.subject)
  const advice = adviceText(finding)
  return `${location === '' ? '' : `${location}: `}${bareText(finding)}${advice === '' ? '' : `; ${advice}`}${alsoText(finding)}`
}

/** "Class 3 is marked ...": a sentence with neither place nor remedy. */
export function findingSentence(finding: Finding): string {
  return `${capital(bareText(finding))}.`
}

function bareText({ kind, subject, values }: Finding): string {
  return escapeControls(kind.text(values, subject))
}

/** The remedy; "" if the sentence says all. */
export function adviceText({ kind, subject, values, follows }: Finding): string {
  if (follows !== undefined) return `it follows from ${follows.toUpperCase()}`
  return kind.advice === undefined ? kind.remedy : kind.advice(values, subject)
}

function locationText({ file, line, device, port, interface: own, workload, queuePair, atPs, frame }: Subject): string {
  return [
    ...(file === undefined ? [] : [line === undefined ? file : `${file}:${line}`]),
    ...(device === undefined ? [] : [own === undefined ? device : `${device} ${own}`]),
    ...(port === undefined ? [] : [`port to ${port}`]),
    ...(workload === undefined ? [] : [workload]),
    ...(frame === undefined || queuePair === undefined ? [] : [`QP ${queuePair}`]),
    ...(frame === undefined ? [] : [`frame ${frame}`]),
    ...(atPs === undefined ? [] : [`from ${humanDuration(atPs)}`]),
  ].join(', ')
}

function alsoText({ also }: Finding): string {
  if (also.length === 0) return ''
  const shown = also.slice(0, SPOTS_SHOWN).map(({ subject }) => locationText(subject))
  const more = also.length - shown.length
  return ` (also ${shown.join('; ')}${more === 0 ? '' : `; and ${counted(more, 'more place')}`})`
}

/** Findings that a screen has room for. */
const LINES_MAX = 24

export interface FindingLine {
  readonly severity: Severity
  readonly text: string
}

/** A line for each finding; where there are more than a screen has room for, the most severe of them, and how many are left. */
export function findingLines(findings: readonly Finding[]): readonly FindingLine[] {
  // Names of devices come from files and networks.
  const lineOf = (finding: Finding): FindingLine => ({
    severity: finding.severity,
    text: escapeControls(findingText(finding)),
  })
  if (findings.length <= LINES_MAX) return findings.map(lineOf)
  const sorted = findings.toSorted((a, b) => SEVERITIES.indexOf(b.severity) - SEVERITIES.indexOf(a.severity))
  const shown = sorted.slice(0, LINES_MAX - 1)
  const more = counted(findings.length - shown.length, 'more finding')
  return [...shown.map(lineOf), { severity: 'note', text: `${more}: --json has all` }]
}

/** A finding for programs. */
export interface FindingJson extends Omit<Finding, 'kind'> {
  /** The sentence with its place, as it is printed: for people, and not to be taken apart. */
  readonly text: string
  readonly remedy: string
}

export function findingJson(finding: Finding): FindingJson {
  const { kind, ...data } = finding
  return { ...data, text: findingText(finding), remedy: kind.remedy }
}

/** The command line that runs a scenario with overrides. @param file with the scenario */
export function runCommand(file: string, sets: readonly string[]): string {
  return ['rocelab run', shellWord(file), '--autopsy', ...sets.map((one) => `--set ${shellWord(one)}`)].join(' ')
}
