/**
 * Nesting: findings that follow from others. A finding of the first rule follows from one of the second at the same port, at
 * either end of its link, or at the same device.
 */
import type { Finding } from '../../findings/index.ts'
import { type Fabric, otherEnd } from '../devices/index.ts'

type Scope = 'port' | 'link' | 'device'

const FOLLOWS: readonly (readonly [rule: string, from: string, scope: Scope])[] = [
  ['pfc08', 'ref01', 'device'],
  ['pfc01', 'ref01', 'link'],
  ['pfc01', 'pfc08', 'link'],
  ['mtu01', 'ref01', 'link'],
  ['map06', 'pfc01', 'link'],
  ['map02', 'map03', 'link'],
  ['map02', 'map04', 'link'],
  ['map02', 'map06', 'link'],
  ['map02', 'ref01', 'link'],
  ['vln01', 'map03', 'link'],
  ['map04', 'ref01', 'device'],
  ['pfc02', 'pfc08', 'port'],
  ['pfc02', 'ref01', 'port'],
  ['pfc02', 'pfc01', 'port'],
  ['pfc02', 'pfc05', 'port'],
  ['ecn03', 'ref01', 'device'],
  ['buf11', 'ref01', 'device'],
  ['wd01', 'ref01', 'device'],
  ['cnp01', 'ref01', 'device'],
  ['ecn07', 'ecn03', 'port'],
  ['wd01', 'pfc08', 'port'],
  ['ctr04', 'pfc01', 'link'],
  ['ctr01', 'pfc01', 'link'],
  ['ctr01', 'buf11', 'port'],
  ['ctr01', 'buf01', 'port'],
  ['ctr01', 'ctr02', 'port'],
  ['ctr01', 'ctr05', 'port'],
  ['ctr10', 'pfc06', 'link'],
  ['cnp01', 'map04', 'port'],
  ['map01', 'map02', 'device'],
  ['map01', 'map04', 'device'],
  ['buf02', 'buf11', 'port'],
]

/** By finding, the one that it follows from. Found in one pass; nothing follows from itself. */
export function causesOf(findings: readonly Finding[], fabric: Fabric): Map<Finding, Finding> {
  const at = new Map<string, Finding[]>()
  const keyOf = (id: string, device: string, port: string): string => JSON.stringify([id, device, port])
  const add = (key: string, finding: Finding): void => {
    const known = at.get(key)
    if (known === undefined) at.set(key, [finding])
    else known.push(finding)
  }
  for (const finding of findings)
    for (const { subject } of [finding, ...finding.also]) {
      const { device = '', interface: port = '' } = subject
      add(keyOf(finding.id, device, port), finding)
      if (port !== '') add(keyOf(finding.id, device, '*'), finding)
    }
  const causes = new Map<Finding, Finding>()
  for (const finding of findings) {
    const { device = '', interface: port = '' } = finding.subject
    for (const [rule, from, scope] of FOLLOWS) {
      if (rule !== finding.id || causes.has(finding)) continue
      const keys = [keyOf(from, device, port)]
      if (scope === 'link')
        for (const link of fabric.linksOf(device)) {
          const end = link.ends.find((each) => each.device === device && each.port === port)
          if (end === undefined) continue
          const peer = otherEnd(link, end)
          keys.push(keyOf(from, peer.device, peer.port), keyOf(from, peer.device, ''))
        }
      if (scope !== 'port') keys.push(keyOf(from, device, ''))
      if (scope === 'device') keys.push(keyOf(from, device, '*'))
      const key = keys.find((one) => at.get(one)?.some((cause) => cause !== finding))
      if (key !== undefined)
        causes.set(
          finding,
          at.get(key)!.find((cause) => cause !== finding)!,
        )
    }
  }
  return causes
}
