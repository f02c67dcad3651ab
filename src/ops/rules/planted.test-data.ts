/** Diagnoses of fabrics that are texts, and edits of them. */
import { type Device, type DeviceFile, type Fabric, fabricOf } from '../devices/index.ts'
import { type Diagnosis, diagnose } from '../doctor.ts'
import type { Finding } from '../../findings/index.ts'
import type { Files } from './clean.test-data.ts'
import { causesOf } from './nesting.ts'
import type { HeadroomNeed, HeadroomPort } from './rule.ts'

/** As much for a cable as the profiles of the clean fabrics are for. */
const headroomNeed = ({ platform, cableM }: HeadroomPort): HeadroomNeed => ({
  leastBytes: 100_000 + 2_000 * cableM,
  mostBytes: 400_000,
  basis: 'test',
  isSure: platform !== '',
})

export function fabricFrom({ edges, texts }: Files): Fabric {
  const devices = new Map<string, DeviceFile[]>()
  for (const [file, text] of Object.entries(texts)) {
    const device = file.slice(0, file.indexOf('/'))
    devices.set(device, [...(devices.get(device) ?? []), { file, text, command: '', timeNs: NaN }])
  }
  return fabricOf(devices, edges)
}

export const devicesOf = (fabric: Fabric): Device[] => [...fabric.devices.values()]

export interface Told extends Diagnosis {
  readonly fabric: Fabric
  readonly causes: ReadonlyMap<Finding, Finding>
}

export function diagnosisOf(files: Files): Told {
  const fabric = fabricFrom(files)
  const diagnosis = diagnose({ fabric, headroomNeed })
  return { ...diagnosis, fabric, causes: causesOf(diagnosis.findings, fabric) }
}

/** "error pfc01 leaf1 Ethernet0": one for each place, sorted. */
export function placesOf(findings: readonly Finding[], isKept: (finding: Finding) => boolean = () => true): string[] {
  return findings
    .filter(isKept)
    .flatMap((finding) =>
      [finding, ...finding.also].map(({ subject: { device = '', interface: port = '' } }) =>
        `${finding.severity} ${finding.id} ${device} ${port}`.trim(),
      ),
    )
    .sort()
}
