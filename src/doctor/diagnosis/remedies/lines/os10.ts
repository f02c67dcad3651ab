/**
 * OS10: trust maps, network-qos policies and WRED profiles.
 * Source: Dell SmartFabric OS10 User Guide, "Quality of service", "Priority flow control".
 */
import type { Change } from '../change.ts'
import { valueAt } from '../spot.ts'
import { applied, CLASSIFIED, common, MARKING_FIELDS, marksHere, marksOf, OWN, paths, USUAL_PERCENT } from './cli.ts'
import { blocks, DSCP_FIELDS, type Path, PFC_FIELDS, safe, type Said, type Speech, type Target } from './target.ts'

function os10Pfc(target: Target): Said | null {
  const wanted = target.list('pfcClasses')
  const port = `interface ${target.name}`
  const mode: Path = [port, `priority-flow-control mode ${wanted.length > 0 ? 'on' : 'off'}`]
  const written = (target.now('pfcWritten') ?? []) as readonly number[]
  if (wanted.length === 0 || wanted.join() === written.join()) return paths(mode)
  const donor = target.device.config.ports.find(
    (other) =>
      other.names?.['network policy'] !== undefined &&
      (valueAt(other, 'pfcWritten') as number[] | undefined)?.join() === wanted.join(),
  )
  if (donor === undefined) return null
  return paths([port, `service-policy input type network-qos ${safe(donor.names!['network policy']!)}`], mode)
}

function os10Marks(target: Target, slot: number): Said | null {
  const own = target.named(`wred ${slot}`)
  const [policy, name] = [target.named('queuing policy'), target.named(`queue class ${slot}`)]
  const donor = own === '' ? target.donor(`wred ${slot}`) : undefined
  const bind = (profile: string): Path => [
    `policy-map type queuing ${policy}`,
    `class ${name}`,
    `random-detect ${profile}`,
  ]
  const sharing = target.sharing('queuing policy')
  const { device } = target.device.config
  if (own === '' && (policy === '' || name === '')) return null
  if (donor !== undefined)
    return {
      ...paths(bind(safe(donor.names![`wred ${slot}`]!))),
      also: sharing.flatMap(({ name: port }) =>
        marksHere(slot).flatMap((field): Change[] => {
          const value = valueAt(donor, field)
          return value === undefined ? [] : [{ device, port, field, value }]
        }),
      ),
    }
  const marks = marksOf(target, slot)
  if (marks === undefined) return null
  const { kmin, kmax, percent = USUAL_PERCENT } = marks
  const profile = own || `${OWN}-ecn`
  const line = `random-detect color green minimum-threshold ${Math.round(kmin / 1000)} maximum-threshold ${Math.round(kmax / 1000)} drop-probability ${percent}`
  return {
    ...paths(
      [`wred ${profile}`, line],
      [`wred ${profile}`, 'random-detect ecn'],
      ...(own === '' ? [bind(profile)] : []),
    ),
    also: target.alike(own === '' ? sharing : target.sharing(`wred ${slot}`), marksHere(slot)),
  }
}

export const OS10: Speech = {
  print: blocks,
  rows: [
    {
      fields: CLASSIFIED,
      say: (target) => applied(target, 'dscp map', DSCP_FIELDS, (name) => `trust-map dscp ${name}`),
    },
    {
      fields: ['dscpToClass.*'],
      say: (target, d) => {
        const map = target.named('dscp map') || (target.donor('dscp map')?.names?.['dscp map'] ?? '')
        const group = target.named(`group ${target.text(`dscpToClass.${d}`)}`)
        if (map === '' || group === '') return null
        const holders = target.device.config.ports.filter(({ names }) => names?.['dscp map'] === map)
        return {
          ...paths([`trust dscp-map ${safe(map)}`, `qos-group ${group} dscp ${d}`]),
          also: target.alike(holders, [`dscpToClass.${d}`]),
        }
      },
    },
    { fields: PFC_FIELDS, say: os10Pfc },
    {
      fields: ['classes.*.queue', 'classes.*.pausedQueue'],
      say: (target, c) => {
        const [map, group] = [target.named('queue map'), target.named(`group ${c}`)]
        if (map === '' || group === '') return null
        return {
          ...paths([`qos-map traffic-class ${map}`, `queue ${target.text(`classes.${c}.queue`)} qos-group ${group}`]),
          also: target.alike(target.sharing('queue map'), [`classes.${c}.queue`, `classes.${c}.pausedQueue`]),
        }
      },
    },
    { fields: MARKING_FIELDS, say: os10Marks },
    ...common('transmit'),
  ],
}
