/**
 * Nesting: findings that follow from others. A finding of the first rule follows from one of the second at the same port, at
 * either end of its link, or at the same device.
 */
import type { Finding } from '../../../core/findings/index.ts'
import { type Fabric, otherEnd } from '../../devices/joins/index.ts'

type Scope = 'port' | 'link' | 'device'

/** Kinds of names of REF01 from which a finding may follow, whatever a language calls them. */
const OF_PFC = /congestion-notification|network-qos|qos profile|qos pfc|forwarding-class|^groups$/i
const OF_MAPS =
  /dscp|dot1p|classif|type qos|trust|mapping|class-map|^policy-map$|qos profile|forwarding-class|^groups$/i
const OF_GROUPS = /^BUFFER_|TC_TO_PRIORITY_GROUP|congestion-notification|network-qos|forwarding-class|^groups$/
const OF_QUEUES = /wred|drop-profile|queu|schedul|congestion-control|qos profile|^policy-map$|^groups$/i

const FOLLOWS: readonly (readonly [rule: string, from: string, scope: Scope, names?: RegExp])[] = [
  ['lld01', 'lnk01', 'link'],
  ['pfc08', 'ref01', 'device', OF_PFC],
  ['pfc01', 'ref01', 'link', OF_PFC],
  ['pfc01', 'pfc08', 'link'],
  ['mtu01', 'ref01', 'link', /^PORT$|^groups$/],
  ['mtu03', 'ref01', 'device', OF_PFC],
  ['map06', 'pfc01', 'link'],
  ['map02', 'map03', 'link'],
  ['map02', 'map04', 'link'],
  ['map02', 'map06', 'link'],
  ['map02', 'ref01', 'link', OF_MAPS],
  ['vln01', 'map03', 'link'],
  ['map04', 'ref01', 'device', OF_MAPS],
  ['pfc02', 'pfc08', 'port'],
  ['pfc02', 'ref01', 'port', OF_GROUPS],
  ['pfc02', 'pfc01', 'port'],
  ['pfc02', 'pfc05', 'port'],
  ['ecn03', 'ref01', 'device', OF_QUEUES],
  ['buf11', 'ref01', 'device', OF_GROUPS],
  ['wd01', 'ref01', 'device', OF_PFC],
  ['cnp01', 'ref01', 'device', OF_MAPS],
  ['cnp01', 'ref01', 'device', OF_QUEUES],
  ['ecn07', 'ecn03', 'port'],
  ['wd01', 'pfc08', 'port'],
  ['ctr04', 'pfc01', 'link'],
  ['ctr01', 'pfc01', 'link'],
  ['ctr01', 'buf11', 'port'],
  ['ctr01', 'buf01', 'port'],
  ['ctr01', 'ctr02', 'port'],
  ['ctr01', 'ctr05', 'port'],
  ['ctr10', 'pfc06', 'link'],
  ['ctr11', 'map03', 'link'],
  ['ctr11', 'pfc01', 'link'],
  ['ctr11', 'ctr12', 'port'],
  ['cnp01', 'map04', 'port'],
  ['map01', 'map02', 'device'],
  ['map01', 'map04', 'device'],
  ['buf02', 'buf11', 'port'],
]

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

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
    for (const [rule, from, scope, names] of FOLLOWS) {
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
      const isCause = (one: Finding): boolean =>
        one !== finding && (names === undefined || names.test(textOf(one.values['what'])))
      const cause = keys.map((key) => at.get(key)?.find(isCause)).find((one) => one !== undefined)
      if (cause !== undefined) causes.set(finding, cause)
    }
  }
  return causes
}
