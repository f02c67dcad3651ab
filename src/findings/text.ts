/**
 * Findings in words: a sentence with its place and what to do, for a terminal, a page or a program's message.
 */
import { humanDuration } from '../base/format.ts'
import { kindOf } from './catalogue.ts'
import type { Finding, Subject } from './finding.ts'
import { capital, counted } from './words.ts'

/** Further places that are named; the others are counted. */
const PLACES_SHOWN = 4

/** "leaf 1, port to host 5, from 1.00 ms: class 3 is marked ...; set kmin below 1 MB (also at leaf 2 and 3 more)" */
export function findingText(finding: Finding): string {
  const place = placeText(finding.subject)
  const advice = adviceText(finding)
  return `${place === '' ? '' : `${place}: `}${bareText(finding)}${advice === '' ? '' : `; ${advice}`}${alsoText(finding)}`
}

/** "Class 3 is marked ...": a sentence with neither place nor remedy. */
export function findingSentence(finding: Finding): string {
  return `${capital(bareText(finding))}.`
}

function bareText({ id, subject, values }: Finding): string {
  return kindOf(id).text(values, subject)
}

/** What to do; "" if the sentence says all. */
export function adviceText({ id, subject, values }: Finding): string {
  const kind = kindOf(id)
  return kind.advice === undefined ? kind.remedy : kind.advice(values, subject)
}

function placeText({ file, line, device, port, workload, atPs }: Subject): string {
  return [
    ...(file === undefined ? [] : [line === undefined ? file : `${file}:${line}`]),
    ...(device === undefined ? [] : [device]),
    ...(port === undefined ? [] : [`port to ${port}`]),
    ...(workload === undefined ? [] : [workload]),
    ...(atPs === undefined ? [] : [`from ${humanDuration(atPs)}`]),
  ].join(', ')
}

function alsoText({ also }: Finding): string {
  if (also.length === 0) return ''
  const shown = also.slice(0, PLACES_SHOWN).map(({ subject }) => placeText(subject))
  const more = also.length - shown.length
  return ` (also ${shown.join('; ')}${more === 0 ? '' : `; and ${counted(more, 'more place')}`})`
}

/** Findings that a screen has room for. */
const LINES_MAX = 24

/** A text for each finding, the most severe first where there are more than a screen has room for. */
export function findingTexts(findings: readonly Finding[]): readonly string[] {
  return forScreen(findings, findingText)
}

/** Like findingTexts, each with its severity in front: "note: ...". */
export function findingLines(findings: readonly Finding[]): readonly string[] {
  return forScreen(findings, (finding) => `${finding.severity}: ${findingText(finding)}`)
}

function forScreen(findings: readonly Finding[], textOf: (finding: Finding) => string): readonly string[] {
  if (findings.length <= LINES_MAX) return findings.map(textOf)
  const order = ['error', 'warning', 'note']
  const sorted = findings.toSorted((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity))
  const shown = sorted.slice(0, LINES_MAX - 1).map(textOf)
  return [...shown, `${counted(findings.length - shown.length, 'more finding')}: --json has all`]
}

export interface FindingJson extends Finding {
  /** The sentence with its place, as it is printed. */
  readonly text: string
  readonly remedy: string
}

/** A finding for programs; words only for people who read it there. */
export function findingJson(finding: Finding): FindingJson {
  return { ...finding, text: findingText(finding), remedy: kindOf(finding.id).remedy }
}
