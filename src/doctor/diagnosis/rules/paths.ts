/** Rules about paths, and about devices of one role. */
import { fabricBuffers, fabricPaths } from '../../../core/findings/index.ts'
import { type Link, otherEnd } from '../../devices/joins/index.ts'
import { knownOf, type Value } from '../../../core/device-model/index.ts'
import {
  knownLinksUp,
  dscpsInUse,
  evidence,
  hostLinks,
  isLossless,
  linksUp,
  nameOf,
  nicOf,
  switchSettingsOf,
  usualOf,
} from './look.ts'
import { defineRule, type RuleContext } from './rule.ts'
import { deviceSpot, type Saying, type Spot } from './saying.ts'
import { losslessPorts } from './switches.ts'

const { adr01, los00, map01 } = fabricPaths
const { buf04, ecn04 } = fabricBuffers

export const sameMapOnPath = defineRule(map01, ({ fabric }, say, kind) => {
  const dscps = dscpsInUse(fabric)
  for (const link of linksUp(fabric)) {
    if (!link.ends.every(({ at, beyond }) => beyond !== undefined || at?.config.kind === 'switch')) continue
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
      say.judge(isOdd, kind, end, () => ({
        values: { dscp, here, there, peer: nameOf(peer) },
        evidence: [...evidence(link.ends[0], values[0]), ...evidence(link.ends[1], values[1])],
      }))
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
    say.judge(!isByFlow && unable.length + unknown.length > 0, kind, deviceSpot(at), () => ({
      values: { balance, hosts: unable.length + unknown.length },
      evidence: [
        ...evidence(deviceSpot(at), value),
        ...(first === undefined ? [] : evidence(first, nicOf(first).toleratesReordering)),
      ],
      severity: unable.length > 0 ? 'error' : 'warning',
    }))
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

/** Values that are not those of most of their group. Of two devices that differ nobody knows which is meant. */
function odd(all: readonly Held[]): { held: Held; here: number; usual: number; isOfMost: boolean }[] {
  const groups = new Map<string, Held[]>()
  for (const held of all) {
    const group = groups.get(held.group)
    if (group === undefined) groups.set(held.group, [held])
    else group.push(held)
  }
  return [...groups.values()].flatMap((group) => {
    const known = group.flatMap(({ value }) => knownOf(value) ?? [])
    const most = usualOf(known)
    if (most === undefined) return []
    const isOfMost = 2 * known.filter((one) => one === most).length > known.length
    const usual = isOfMost ? most : ofFirstOfTwo(group)
    if (usual === undefined) return []
    return group.flatMap((held) => {
      const here = knownOf(held.value)
      return here === undefined || here === usual ? [] : [{ held, here, usual, isOfMost }]
    })
  })
}

/** Where two devices have one value each that of the first by name; undefined: it is not so. */
function ofFirstOfTwo(group: readonly Held[]): number | undefined {
  const values = new Map<string, Set<number>>()
  for (const { spot, value } of group) {
    const own = knownOf(value)
    if (own !== undefined) values.set(spot.device, (values.get(spot.device) ?? new Set()).add(own))
  }
  if (values.size !== 2 || [...values.values()].some(({ size }) => size > 1)) return undefined
  const [first] = [...values.keys()].toSorted()
  return [...values.get(first!)!][0]
}

/** Odd ones; all others that have a value hold. */
function judged(all: readonly Held[], say: Saying): ReturnType<typeof odd> {
  const found = odd(all)
  const isOdd = new Set(found.map(({ held }) => held))
  for (const held of all) if (held.value.state !== 'unknown' && !isOdd.has(held)) say.holds(held.spot)
  return found
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
  for (const { held, here, usual, isOfMost } of judged(all, say))
    say.fires(kind, held.spot, {
      values: { priority: held.priority, alpha: here, usual, platform: held.platform },
      evidence: evidence(held.spot, held.value),
      ...(isOfMost ? {} : { severity: 'note' }),
    })
})

export const sameMarksInRole = defineRule(ecn04, (context, say, kind) => {
  for (const field of ['kminBytes', 'kmaxBytes', 'pmaxRatio'] as const) {
    const all = heldOf(context, field, true)
    for (const { held, here, usual, isOfMost } of judged(all, say))
      say.fires(kind, held.spot, {
        values: { priority: held.priority, field, here, usual },
        evidence: evidence(held.spot, held.value),
        ...(isOfMost ? {} : { severity: 'note' }),
      })
  }
})

export const losslessByDesign = defineRule(los00, ({ fabric }, say, kind) => {
  const links = knownLinksUp(fabric)
  // One end without PFC is enough: the other one then has nobody to pause, nor to be paused by.
  const isLossy = ({ ends }: Link): boolean => {
    const known = ends.flatMap(({ config }) => knownOf(config?.settings.pfcClasses)?.length ?? [])
    return known.length > 0 && known.every((count) => count === 0)
  }
  if (links.length === 0 || !links.every(isLossy)) return
  say.fires(kind, { device: '', port: '', at: null }, { values: { links: links.length }, evidence: [] })
})
