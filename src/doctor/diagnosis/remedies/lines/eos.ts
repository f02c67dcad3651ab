/**
 * EOS: PFC and queues at the port, maps of the switch.
 * Source: Arista EOS User Manual, "Quality of Service", "DCBX and Flow Control".
 */
import { knownOf, type PortConfig } from '../../../../core/device-model/index.ts'
import { bytesText } from '../../../devices/writers/cli/config-lines.ts'
import { atPort, byPolicy, CLASSIFIED, common, MARKING_FIELDS, marksOf, paths, type InputWords } from './cli.ts'
import { blocks, NOTHING, type Path, PFC_FIELDS, type Said, type Speech, type Target } from './target.ts'

const PS_PER_SECOND = 1e12

const EOS_INPUT: InputWords = {
  classMap: 'class-map type qos match-any',
  policyMap: 'policy-map type quality-of-service',
  class: 'class',
  set: 'set traffic-class',
  match: 'match ip dscp',
  groupOf: (_, slot) => String(slot),
}

function eosMarks(target: Target, slot: number): Said | null {
  const marks = marksOf(target, slot)
  if (marks === undefined) return null
  const { kmin, kmax, percent } = marks
  const probability = percent === undefined ? '' : ` max-mark-probability ${percent}`
  const line = `random-detect ecn minimum-threshold ${bytesText(kmin)} maximum-threshold ${bytesText(kmax)}${probability} weight 0`
  return paths([`interface ${target.name}`, eosQueue(target, slot), line])
}

const eosQueue = (target: Target, slot: number): string => `uc-tx-queue ${target.text(`classes.${slot}.queue`) || slot}`

export const EOS: Speech = {
  print: blocks,
  rows: [
    { fields: CLASSIFIED, say: atPort(() => 'qos trust dscp') },
    {
      fields: ['dscpToClass.*'],
      say: (target, d) => {
        if (target.named('input policy') !== '') return byPolicy(target, d, EOS_INPUT)
        const follows = ({ names, settings }: PortConfig): boolean =>
          names?.['input policy'] === undefined && knownOf(settings.trust) === 'dscp'
        return {
          ...paths([`qos map dscp ${d} to traffic-class ${target.text(`dscpToClass.${d}`)}`]),
          also: target.alike(target.device.config.ports.filter(follows), [`dscpToClass.${d}`]),
        }
      },
    },
    {
      fields: PFC_FIELDS,
      say: (target) => {
        const port = `interface ${target.name}`
        const wanted = target.list('pfcClasses')
        const written = (target.now('pfcWritten') ?? []) as readonly number[]
        return {
          ...paths(
            [port, wanted.length > 0 ? 'priority-flow-control on' : 'no priority-flow-control'],
            ...wanted.map((c): Path => [port, `priority-flow-control priority ${c} no-drop`]),
            ...written
              .filter((c) => !wanted.includes(c))
              .map((c): Path => [port, `priority-flow-control priority ${c} drop`]),
          ),
          unsaid: target.unwatched([target.port!], wanted),
        }
      },
    },
    {
      fields: ['classes.*.queue', 'classes.*.pausedQueue'],
      say: (target, c) => ({
        ...paths([`qos map traffic-class ${c} to tx-queue ${target.text(`classes.${c}.queue`)}`]),
        also: target.alike(target.device.config.ports, [`classes.${c}.queue`, `classes.${c}.pausedQueue`]),
      }),
    },
    { fields: MARKING_FIELDS, say: eosMarks },
    // The watchdog watches queues with guaranteed bandwidth alone.
    {
      fields: ['classes.*.isWatched'],
      say: (target, c) => {
        const port = `interface ${target.name}`
        return paths(
          [port, 'priority-flow-control pause watchdog'],
          [port, eosQueue(target, c), 'bandwidth guaranteed percent 10'],
        )
      },
    },
    { fields: ['device.watchdog.kind'], say: () => NOTHING },
    {
      fields: ['device.watchdog.pollPs'],
      say: (target) => {
        const seconds = (target.wants('watchdog.pollPs') as number) / PS_PER_SECOND
        return paths([`priority-flow-control pause watchdog default polling-interval ${seconds.toFixed(3)}`])
      },
    },
    ...common('send'),
  ],
}
