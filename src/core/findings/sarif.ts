/**
 * Findings as SARIF, which code hosts, editors and CI systems show.
 * Source: OASIS, Static Analysis Results Interchange Format 2.1.0.
 */
import { VERSION } from '../base/version.ts'
import type { Finding, Subject } from './finding.ts'
import type { Suppressed } from './suppressions.ts'
import { findingText } from './text.ts'

/** Rules that could not be asked, and a sentence that says so. */
export interface Unjudged {
  readonly rules: readonly string[]
  readonly text: string
  /** Why that is accepted; absent: it is not. */
  readonly reason?: string
}

/**
 * @param file that was looked at, for findings without a file of their own  @param unjudged notifications of the run: a result
 * is about a place, and an absent one would be taken for an all-clear
 */
export function sarifLog(
  findings: readonly Finding[],
  suppressed: readonly Suppressed[],
  file: string,
  unjudged: readonly Unjudged[] = [],
): object {
  const kinds = [...new Set([...findings, ...suppressed.map(({ finding }) => finding)].map(({ kind }) => kind))]
  const resultOf = (finding: Finding) => ({
    ruleId: finding.id,
    ruleIndex: kinds.indexOf(finding.kind),
    level: finding.severity,
    message: { text: findingText(withoutFile(finding)) },
    locations: [finding, ...finding.also].map(({ subject }) => locationOf(subject, file)),
    properties: { subject: finding.subject, values: finding.values, evidence: finding.evidence, also: finding.also },
  })
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'rocelab',
            version: VERSION,
            rules: kinds.map(({ id, formerIds, severity, meaning, remedy, formula, source }) => ({
              id,
              ...(formerIds === undefined ? {} : { deprecatedIds: formerIds }),
              shortDescription: { text: meaning },
              help: { text: [remedy, ...(formula === undefined ? [] : [formula]), source].filter(Boolean).join('\n') },
              defaultConfiguration: { level: severity },
            })),
          },
        },
        ...(unjudged.length === 0 ? {} : { invocations: [invocationOf(unjudged)] }),
        results: [
          ...findings.map(resultOf),
          ...suppressed.map(({ finding, reason }) => ({
            ...resultOf(finding),
            suppressions: [{ kind: 'external', justification: reason }],
          })),
        ],
      },
    ],
  }
}

/** Section 3.20.21 of the standard: conditions that the tool met in its work. */
function invocationOf(unjudged: readonly Unjudged[]): object {
  return {
    executionSuccessful: true,
    toolExecutionNotifications: unjudged.map(({ rules, text, reason }) => ({
      level: reason === undefined ? 'warning' : 'note',
      descriptor: { id: 'not-judged' },
      message: { text },
      properties: { rules, reason },
    })),
  }
}

/** The place in a file is a location of its own. */
function withoutFile(finding: Finding): Finding {
  const { file: _file, line: _line, ...subject } = finding.subject
  return { ...finding, subject }
}

function locationOf(subject: Subject, file: string): object {
  const { device, port, interface: own, trafficClass, workload, path } = subject
  const names = [
    ...(device === undefined ? [] : [device]),
    ...(own === undefined ? [] : [own]),
    ...(port === undefined ? [] : [`port to ${port}`]),
    ...(trafficClass === undefined ? [] : [`class ${trafficClass}`]),
    ...(workload === undefined ? [] : [`workload ${workload}`]),
    ...(path === undefined ? [] : [path]),
  ]
  return {
    physicalLocation: {
      artifactLocation: { uri: encodeURI(subject.file ?? file) },
      ...(subject.line === undefined ? {} : { region: { startLine: subject.line } }),
    },
    ...(names.length === 0 ? {} : { logicalLocations: [{ fullyQualifiedName: names.join('/') }] }),
  }
}
