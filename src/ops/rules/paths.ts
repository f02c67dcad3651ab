/** Rules about paths, and about devices of one role. */
import { fabricBuffers, fabricPaths } from '../../findings/index.ts'
import { type End, otherEnd } from '../devices/index.ts'
import { knownOf, type Value } from '../model/index.ts'
import { dscpsInUse, evidence, hostLinks, linksUp, nameOf, nicOf, switchSettingsOf, usualOf } from './look.ts'
import { defineRule, type RuleContext } from './rule.ts'
import { deviceSpot, type Spot } from './saying.ts'
import { losslessPorts } from './switches.ts'

const { adr01, los00, map01 } = fabricPaths
const { buf04, ecn04 } = fabricBuffers

const isLossless = ({ config }: End, c: number): boolean => knownOf(config?.settings.pfcClasses)?.includes(c) === true

export const sameMapOnPath = defineRule(map01, ({ fabric }, say, kind) => {
  const dscps = dscpsInUse(fabric)
  for (const link of linksUp(fabric)) {
    if (!link.ends.every(({ at }) => at?.config.kind === 'switch')) continue
    for (const dscp of dscps) {
      const values = link.ends.map((end) => end.config?.settings.dscpToClass[dscp])
      const [a, b] = link.ends.map((end, i) => say.known(end, 'dscpToClass', values[i]))
      if (a === undefined || b === undefined) continue
      const [first, second] = [isLossless(link.ends[0], a), isLossless(link.ends[1], b)]
      // Without PFC at an end, or in other classes of it, the difference is one of PFC.
      const isOdd = first !== second && a !== b
      const end = first ? link.ends[1] : link.ends[0]
      const peer = otherEnd(link, end)
      const [here, there] = end === link.ends[0] ? [a, b] : [b, a]
      say.judge(isOdd, kind, end, {
        values: { dscp, here, there, peer: nameOf(peer) },
        evidence: [...evidence(link.ends[0], values[0]), ...evidence(link.ends[1], values[1])],
      })
    }
  }
})

/** By flow: all packets of a flow take one path. */
const BY_FLOW = ['ecmp']

export const pathsByFlow = defineRule(adr01, ({ fabric }, say, kind) => {
  const hosts = hostLinks(fabric).map(({ host }) => host)
  const unable = hosts.filter((host) => knownOf(nicOf(host).toleratesReordering) === false)
  const unknown = hosts.filter((host) => nicOf(host).toleratesReordering.state === 'unknown')
  for (const at of fabric.devices.values()) {
    const value = switchSettingsOf(at)?.balance
    const balance = knownOf(value)
    if (balance === undefined) continue
    const isByFlow = BY_FLOW.includes(balance)
    if (!isByFlow) for (const host of unknown) say.lacks(host, 'nic.toleratesReordering')
    const [first] = unable
    say.judge(!isByFlow && unable.length + unknown.length > 0, kind, deviceSpot(at), {
      values: { balance, hosts: unable.length + unknown.length },
      evidence: [
        ...evidence(deviceSpot(at), value),
        ...(first === undefined ? [] : evidence(first, nicOf(first).toleratesReordering)),
      ],
      severity: unable.length > 0 ? 'error' : 'warning',
    })
  }
})

/** A value of a class at a port, with what has to be equal for it to be compared. */
interface Held {
  readonly spot: Spot
  readonly group: string
  readonly priority: number
  readonly value: Value<number>
  readonly platform: string
}

/** Values that are not those of most of their group. Where two are as frequent, nobody is odd. */
function odd(all: readonly Held[]): { held: Held; here: number; usual: number }[] {
  const groups = new Map<string, Held[]>()
  for (const held of all) {
    const group = groups.get(held.group)
    if (group === undefined) groups.set(held.group, [held])
    else group.push(held)
  }
  return [...groups.values()].flatMap((group) => {
    const known = group.flatMap(({ value }) => knownOf(value) ?? [])
    const usual = usualOf(known)
    if (usual === undefined || 2 * known.filter((one) => one === usual).length <= known.length) return []
    return group.flatMap((held) => {
      const here = knownOf(held.value)
      return here === undefined || here === usual ? [] : [{ held, here, usual }]
    })
  })
}

function heldOf(
  context: RuleContext,
  field: 'alpha' | 'kminBytes' | 'kmaxBytes' | 'pmaxRatio',
  bySpeed: boolean,
): Held[] {
  return losslessPorts(context).flatMap(({ port, lossless }) =>
    lossless.map((priority): Held => {
      const settings = switchSettingsOf(port.at)
      const platform = knownOf(settings?.platform) ?? ''
      const speed = bySpeed ? knownOf(port.config.settings.rateBps) : undefined
      const end = port.link?.ends.find(({ config }) => config === port.config)
      const peer = end === undefined ? undefined : otherEnd(port.link!, end).at?.config.kind
      return {
        spot: port,
        group: JSON.stringify([port.at.config.role, port.at.config.language, platform, peer, priority, speed]),
        priority,
        value: port.config.settings.classes[priority]![field],
        platform,
      }
    }),
  )
}

export const sameAlphaInRole = defineRule(buf04, (context, say, kind) => {
  const all = heldOf(context, 'alpha', false)
  const found = odd(all)
  say.held += all.length - found.length
  for (const { held, here, usual } of found)
    say.fires(kind, held.spot, {
      values: { priority: held.priority, alpha: here, usual, platform: held.platform },
      evidence: evidence(held.spot, held.value),
    })
})

export const sameMarksInRole = defineRule(ecn04, (context, say, kind) => {
  for (const field of ['kminBytes', 'kmaxBytes', 'pmaxRatio'] as const) {
    const all = heldOf(context, field, true)
    const found = odd(all)
    say.held += all.length - found.length
    for (const { held, here, usual } of found)
      say.fires(kind, held.spot, {
        values: { priority: held.priority, field, here, usual },
        evidence: evidence(held.spot, held.value),
      })
  }
})

export const losslessByDesign = defineRule(los00, ({ fabric }, say, kind) => {
  const links = linksUp(fabric)
  const all = links.flatMap(({ ends }) => ends.map(({ config }) => knownOf(config?.settings.pfcClasses)))
  const [first] = fabric.devices.values()
  if (first === undefined || links.length === 0 || all.some((classes) => classes === undefined || classes.length > 0))
    return
  say.fires(kind, { device: '', port: '', at: null }, { values: { links: links.length }, evidence: [] })
})
