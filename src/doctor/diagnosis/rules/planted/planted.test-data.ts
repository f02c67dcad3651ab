/** Diagnoses of fabrics that are texts, and edits of them. */
import { type DeviceFile, type Fabric, fabricOf } from '../../../devices/joins/index.ts'
import { type Diagnosis, diagnose } from '../../doctor.ts'
import type { Finding } from '../../../../core/findings/index.ts'
import type { Edge } from '../../../../core/device-model/index.ts'
import type { Files } from './clean.test-data.ts'
import { readEdges } from '../../../devices/tables/index.ts'
import { causesOf } from '../nesting.ts'
import type { HeadroomNeed, HeadroomPort } from '../rule.ts'

/** As much for a cable as the profiles of the clean fabrics are for. */
export const headroomNeed = ({ platform, cableM }: HeadroomPort): HeadroomNeed => ({
  leastBytes: 100_000 + 2_000 * cableM,
  mostBytes: 400_000,
  basis: 'test',
  isSure: platform !== '',
})

/** @param timesNs when files were collected */
export function fabricFrom(
  files: Files,
  timesNs: Readonly<Record<string, number>> = {},
  edges: readonly Edge[] = edgesIn(files),
): Fabric {
  const devices = new Map<string, DeviceFile[]>()
  for (const [file, text] of Object.entries(files)) {
    const [device = '', name] = file.split('/')
    if (name === undefined) continue
    devices.set(device, [...(devices.get(device) ?? []), { file, text, command: '', timeNs: timesNs[file] ?? NaN }])
  }
  return fabricOf(devices, edges)
}

export function edgesIn({ 'edges.csv': text }: Files): Edge[] {
  return text === undefined ? [] : readEdges('edges.csv', text)
}

export interface Diagnosed extends Diagnosis {
  readonly fabric: Fabric
  readonly causes: ReadonlyMap<Finding, Finding>
}

export const diagnosisOf = (files: Files, timesNs: Readonly<Record<string, number>> = {}): Diagnosed =>
  diagnosisOfFabric(fabricFrom(files, timesNs))

export function diagnosisOfFabric(fabric: Fabric): Diagnosed {
  const diagnosis = diagnose({ fabric, headroomNeed })
  return { ...diagnosis, fabric, causes: causesOf(diagnosis.findings, fabric) }
}

/** "error pfc01 leaf1 Ethernet0": one for each spot, sorted. */
export function spotsOf(findings: readonly Finding[], isKept: (finding: Finding) => boolean = () => true): string[] {
  return findings
    .filter(isKept)
    .flatMap((finding) =>
      [finding, ...finding.also].map(({ subject: { device = '', interface: port = '' } }) =>
        `${finding.severity} ${finding.id} ${device} ${port}`.trim(),
      ),
    )
    .sort()
}

/**
 * A text of a file and what stands in its spot, wherever it stands; a new file has no text before, and one that is taken
 * away has neither.
 */
export type Edit = readonly [file: string, from: string, to: string]

export function edited(files: Files, edits: readonly Edit[]): Files {
  const texts: Record<string, string> = { ...files }
  for (const [file, from, to] of edits) {
    const text = texts[file]
    if (from === '' && to === '') delete texts[file]
    else if (from === '') texts[file] = to
    else if (text !== undefined && text.includes(from)) texts[file] = text.replaceAll(from, to)
    else throw new Error(`${file} has no ${JSON.stringify(from)}`)
  }
  return texts
}

/** A mistake that somebody makes in a clean fabric. */
export interface Planted {
  readonly rule: string
  readonly files: Files
  readonly edits: readonly Edit[]
  /** All that the rule says: "error leaf1 Ethernet0". */
  readonly at: readonly string[]
  /** A fact beside the mistake for which the rule says nothing. */
  readonly silent: readonly Edit[]
  /** Rule that it follows from here. */
  readonly under?: string
}
