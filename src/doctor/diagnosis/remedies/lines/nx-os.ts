/**
 * NX-OS: policies of type qos, network-qos and queuing.
 * Source: Cisco Nexus 9000 NX-OS Quality of Service Configuration Guide.
 */
import { knownOf } from '../../../../core/device-model/index.ts'
import { bytesText } from '../../../devices/writers/cli/config-lines.ts'
import type { Change } from '../change.ts'
import { valueAt } from '../spot.ts'
import {
  applied,
  byPolicy,
  CLASSIFIED,
  common,
  MARKING_FIELDS,
  marksHere,
  marksOf,
  paths,
  USUAL_PERCENT,
  type InputWords,
} from './cli.ts'
import { blocks, DSCP_FIELDS, NOTHING, type Path, PFC_FIELDS, type Said, type Speech, type Target } from './target.ts'

const NXOS_INPUT: InputWords = {
  classMap: 'class-map type qos match-any',
  policyMap: 'policy-map type qos',
  class: 'class type qos',
  set: 'set qos-group',
  match: 'match dscp',
  groupOf: (target, slot) => target.named(`group ${slot}`),
}

/** Classes of the device's own are named by the number of their group; others are known where a policy has them. */
function nxosClass(target: Target, kind: 'network' | 'queue', slot: number): string {
  const own = target.named(`${kind} class ${slot}`)
  const group = target.named(`group ${slot}`)
  if (own !== '' || group === '') return own
  const other =
    Object.entries(target.port?.names ?? {}).find(([purpose]) => purpose.startsWith(`${kind} class `))?.[1] ?? ''
  const [, stem = ''] = /^(c-(?:out-)?8q-n?q)(?:\d|-default)$/.exec(other) ?? []
  return stem === '' ? '' : `${stem}${group === '0' ? '-default' : group}`
}

/** The policy of the system says which classes are lossless, a mode of the port whether it has them. */
function nxosPfc(target: Target): Said | null {
  const wanted = target.list('pfcClasses')
  const mode: Path = [`interface ${target.name}`, `priority-flow-control mode ${wanted.length > 0 ? 'on' : 'off'}`]
  const written = (target.now('pfcWritten') ?? []) as readonly number[]
  if (wanted.length === 0 || wanted.join() === written.join()) return paths(mode)
  const policy = target.named('network policy')
  const odd = [...wanted, ...written].filter((c) => wanted.includes(c) !== written.includes(c))
  const classes = odd.map((c) => nxosClass(target, 'network', c))
  if (policy === '' || policy.startsWith('default-') || classes.includes('')) return null
  const { device } = target.device.config
  return {
    ...paths(
      ...odd.map((c, i): Path => [
        `policy-map type network-qos ${policy}`,
        `class type network-qos ${classes[i]!}`,
        wanted.includes(c) ? `pause pfc-cos ${c}` : 'no pause',
      ]),
      mode,
    ),
    also: target
      .sharing('network policy')
      .flatMap(({ name: port, settings }): Change[] => [
        { device, port, field: 'pfcWritten', value: wanted },
        ...(knownOf(settings.pfcMode) === 'on' ? [{ device, port, field: 'pfcClasses', value: wanted }] : []),
      ]),
  }
}

function nxosMarks(target: Target, slot: number): Said | null {
  const [policy, name] = [target.named('queuing policy'), nxosClass(target, 'queue', slot)]
  const marks = marksOf(target, slot)
  if (policy === '' || policy.startsWith('default-') || name === '' || marks === undefined) return null
  const { kmin, kmax, percent = USUAL_PERCENT } = marks
  const line =
    `random-detect minimum-threshold ${bytesText(kmin)} maximum-threshold ${bytesText(kmax)} ` +
    `drop-probability ${percent} weight 0 ecn`
  return {
    ...paths([`policy-map type queuing ${policy}`, `class type queuing ${name}`, line]),
    also: target.alike(target.sharing('queuing policy'), marksHere(slot)),
  }
}

const NXOS_WATCH = 'priority-flow-control watch-dog-interval on'

const nxosInput = (target: Target): Said | null =>
  applied(target, 'input policy', DSCP_FIELDS, (name) => `service-policy type qos input ${name}`)

export const NXOS: Speech = {
  print: blocks,
  rows: [
    { fields: CLASSIFIED, say: nxosInput },
    // A class that matches DSCPs is one that trusts them.
    {
      fields: CLASSIFIED,
      say: (target) => (target.named('input policy') === '' || !target.mapsDscps ? null : NOTHING),
    },
    {
      fields: ['dscpToClass.*'],
      say: (target, d) => {
        const field = `dscpToClass.${d}`
        const donor = target.named('input policy') === '' ? target.donor('input policy') : undefined
        if (donor === undefined) return byPolicy(target, d, NXOS_INPUT)
        return valueAt(donor, field) === target.at(field) ? nxosInput(target) : null
      },
    },
    { fields: PFC_FIELDS, say: nxosPfc },
    { fields: MARKING_FIELDS, say: nxosMarks },
    {
      fields: ['classes.*.classMtuBytes'],
      say: (target, c) => {
        const [policy, name] = [target.named('network policy'), nxosClass(target, 'network', c)]
        if (policy === '' || name === '') return null
        const field = `classes.${c}.classMtuBytes`
        return {
          ...paths([
            `policy-map type network-qos ${policy}`,
            `class type network-qos ${name}`,
            `mtu ${target.text(field)}`,
          ]),
          also: target.alike(target.sharing('network policy'), [field]),
        }
      },
    },
    { fields: ['device.watchdog.kind'], say: () => paths([NXOS_WATCH]) },
    {
      fields: ['classes.*.isWatched'],
      say: (target) => paths([NXOS_WATCH], [`interface ${target.name}`, NXOS_WATCH]),
    },
    ...common('send'),
  ],
}
