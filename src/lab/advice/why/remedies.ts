/**
 * Remedies beside the removal of a cause: settings that spare the affected messages. They are tried before they are offered.
 */
import { type Result, textsOf } from '../../../core/results/index.ts'
import { dataClasses, type Scenario } from '../../scenario/index.ts'
import { GOES_BACK, type Suspect } from './suspect.ts'

/** A pipeline that stands still for so long while it pauses is in a storm. */
const WATCHDOG = '100us'
const CLASSES = 8

/**
 * Overrides "path=value" to try, the likeliest first.
 * @param suspect null: the load
 */
export function remediesFor(suspect: Suspect | null, scenario: Scenario, result: Result): string[][] {
  const { nic, recovery, congestion, balance } = scenario
  const slowed = congestion.kind === 'none' ? [['congestion=dcqcn']] : []
  const spread = balance.kind === 'ecmp' ? [['balance=adaptive']] : []
  switch (suspect?.kind) {
    case undefined:
      return [...spread, ...slowed]
    case 'pause-storm':
      return nic.watchdog === null ? [[`nic.watchdog=${WATCHDOG}`]] : []
    case 'lossy-link':
      return GOES_BACK.has(recovery.kind) ? [['recovery=irn']] : []
    case 'failed-uplink':
    case 'slow-link':
    case 'polarised-hash':
      return spread
    case 'incast':
    case 'noisy-neighbour':
    case 'other-tenant': {
      const tag = suspect.subject.workload ?? ''
      // Who sends to the same host alone waits for its link: a class or a rate spares nobody.
      const isAlone = textsOf(result.flows, 'tag').every((one) => one === tag)
      if (isAlone) return []
      return [apart(tag, scenario), paced(tag, scenario), ...slowed].filter((sets) => sets.length > 0)
    }
    default:
      return []
  }
}

/** Messages of a workload without a congestion control under that of the others. */
function paced(tag: string, { workload, congestion }: Scenario): string[] {
  const row = workload.findIndex((one) => one.tag === tag)
  const own = workload[row]?.congestion
  return own?.kind === 'none' && congestion.kind !== 'none' ? [`workload.${row}.congestion=${congestion.kind}`] : []
}

/** Messages of a workload in a class of their own, with the signals that their class has. */
function apart(tag: string, scenario: Scenario): string[] {
  const { workload, pfc, classes, switch: device } = scenario
  const row = workload.findIndex((one) => one.tag === tag)
  const one = workload[row]
  if (one === undefined || !('trafficClass' in one)) return []
  const { data, ackAtHost, ackAtSwitch, cnpAtHost, cnpAtSwitch } = classes
  const used = new Set([...dataClasses(scenario), ackAtHost, ackAtSwitch, cnpAtHost, cnpAtSwitch])
  const free = Array.from({ length: CLASSES }, (_, i) => i).find((each) => each > data && !used.has(each))
  if (free === undefined) return []
  const present = one.trafficClass ?? data
  const alike = (path: string, list: readonly number[]): string[] =>
    list.includes(present) && !list.includes(free) ? [`${path}=[${[...list, free].join(',')}]`] : []
  return [
    ...alike('pfc.classes', pfc.classes),
    ...alike('switch.ecn.classes', device.ecn.classes),
    ...alike('switch.wred.classes', device.wred.classes),
    `workload.${row}.trafficClass=${free}`,
  ]
}
