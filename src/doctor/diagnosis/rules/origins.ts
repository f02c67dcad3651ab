/**
 * Origins as rules say them: the findings of the localiser, each once.
 * Source: docs/models/localiser.md.
 */
import { fabricCounts } from '../../../core/findings/index.ts'
import { countsOf } from '../counts/index.ts'
import type { Fabric } from '../../devices/joins/index.ts'
import type { Origin, OriginKind } from '../locate/index.ts'
import { ALL_PRIORITIES } from '../../../core/device-model/index.ts'
import { growthAt, growthOfAll, lackCounts, readingEvidence } from './counted.ts'
import { nameOf } from './look.ts'
import { defineRule } from './rule.ts'
import type { Evidence, Spot } from './saying.ts'

const { ctr02, ctr05, ctr07, ctr08, ctr09 } = fabricCounts

/** Symbol errors of this share of packets are no noise. */
const ERROR_SHARE = 1e-8

/** A port by the end of its link, or the device; where nothing is known of the device it is no more than its name. */
function spotAt(fabric: Fabric, device: string, port: string): Spot {
  return { device, port, at: fabric.devices.get(device) ?? null }
}

export function originsOf(fabric: Fabric, ...kinds: readonly OriginKind[]): Origin[] {
  return countsOf(fabric).located.origins.filter(({ kind }) => kinds.includes(kind))
}

/** "incast at leaf 0 Ethernet4" */
export const originText = ({ kind, device, port }: Origin): string =>
  `${kind}${device === '' ? '' : ` at ${device}${port === '' ? '' : ` ${port}`}`}`

/** Readings that the numbers of an origin are from, those at the place itself first. */
function evidenceOf(fabric: Fabric, { numbers, device: own }: Origin): Evidence[] {
  const counts = countsOf(fabric)
  const found = numbers.flatMap(({ device, port, priority, name }) =>
    readingEvidence(spotAt(fabric, device, port), counts.readings(device, port, priority, name)),
  )
  return found.toSorted((a, b) => Number(b.spot.device === own) - Number(a.spot.device === own))
}

/** Pauses by frames alone bound the time from above; a watchdog that acted is a sign of its own. */
const isDuration = ({ numbers }: Origin): boolean => numbers[0]?.name.startsWith('pause') ?? false
const hasActed = ({ numbers }: Origin): boolean =>
  numbers.some(({ name }) => name === 'stormCutOff' || name === 'wdStorms')

function heldValues(fabric: Fabric, origin: Origin) {
  const { intervalNs } = countsOf(fabric).located
  const { confidence, impact, priority, victims } = origin
  return {
    confidence,
    heldShare: impact,
    seconds: intervalNs / 1e9,
    isDuration: isDuration(origin),
    priority,
    victims: victims.length,
  }
}

/** Host ports that were counted with times, and are no origins. */
function heldHosts(fabric: Fabric, origins: readonly Origin[]): number {
  const hosts = [...fabric.devices].filter(
    ([name, { config }]) => config.kind === 'host' && countsOf(fabric).timing(name) === 'timed',
  )
  return hosts.filter(([name]) => !origins.some(({ device }) => device === name)).length
}

export const noStorms = defineRule(ctr02, ({ fabric }, say, kind) => {
  const origins = originsOf(fabric, 'storm')
  for (const origin of origins) {
    const isSure = isDuration(origin) || hasActed(origin) || origin.confidence !== 'low'
    say.fires(kind, spotAt(fabric, origin.device, origin.port), {
      values: { ...heldValues(fabric, origin), isEnded: hasActed(origin) },
      evidence: evidenceOf(fabric, origin),
      severity: isSure ? 'error' : 'note',
    })
  }
  say.held += heldHosts(fabric, origins)
  lackCounts(fabric, say, 'timed')
})

export const receiversKeepUp = defineRule(ctr05, ({ fabric }, say, kind) => {
  const counts = countsOf(fabric)
  const origins = originsOf(fabric, 'slow-receiver')
  for (const origin of origins) {
    const spot = spotAt(fabric, origin.device, origin.port)
    const received = growthOfAll(counts, spot, 'rxBytes')
    const isKnown = received !== undefined && received.seconds > 0
    say.fires(kind, spot, {
      values: {
        ...heldValues(fabric, origin),
        receivedBps: isKnown ? (received.amount * 8) / received.seconds : null,
      },
      evidence: evidenceOf(fabric, origin),
      severity: isDuration(origin) || origin.confidence !== 'low' ? 'warning' : 'note',
    })
  }
  say.held += heldHosts(fabric, origins)
  lackCounts(fabric, say, 'timed')
})

export const pausesBeginNowhereElse = defineRule(ctr07, ({ fabric }, say, kind) => {
  const pauses = originsOf(fabric, 'incast', 'oversubscription', 'alpha', 'noisy-host')
  // Drops without a reason in a lossless class are said where they are.
  const unknown = originsOf(fabric, 'unknown').filter(({ victims }) => victims.length > 0)
  for (const origin of [...pauses, ...unknown])
    say.fires(kind, spotAt(fabric, origin.device, origin.port), {
      values: {
        kind: origin.kind,
        confidence: origin.confidence,
        blameShare: origin.blame,
        victims: origin.victims.length,
        mayBe: origin.alternatives,
      },
      evidence: evidenceOf(fabric, origin),
    })
  lackCounts(fabric, say, 'timed')
})

export const linksAreClean = defineRule(ctr08, ({ fabric }, say, kind) => {
  const counts = countsOf(fabric)
  const origins = originsOf(fabric, 'bad-cable')
  // A bad cable has errors at both of its ends: it is one finding, at the end with more.
  const isOtherEnd = (one: Origin, other: Origin): boolean => one.device === other.peer && one.peer === other.device
  const ends = origins.filter((one, i) => !origins.slice(0, i).some((other) => isOtherEnd(one, other)))
  for (const origin of ends) {
    const { device, port, peer, confidence } = origin
    const spot = spotAt(fabric, device, port)
    say.fires(kind, spot, {
      values: {
        errors: growthAt(counts, spot, ALL_PRIORITIES, 'crcErrors')?.amount ?? 0,
        packets: growthOfAll(counts, spot, 'rxPackets')?.amount ?? null,
        peer,
        confidence,
        atBothEnds: origin.numbers.some((each) => each.device === peer && each.name === 'crcErrors'),
      },
      evidence: evidenceOf(fabric, origin),
      severity: confidence === 'low' ? 'note' : 'warning',
    })
  }
  const bad = new Set(origins.flatMap(({ device, peer }) => [`${device} ${peer}`, `${peer} ${device}`]))
  for (const { ends: both } of fabric.links)
    both.forEach((end, i) => {
      const peer = both[1 - i]!
      const errors = growthAt(counts, end, ALL_PRIORITIES, 'symbolErrors')
      if (bad.has(`${end.device} ${peer.device}`)) return
      if (errors === undefined) {
        if (growthAt(counts, end, ALL_PRIORITIES, 'crcErrors') !== undefined) say.held++
        return
      }
      const packets = growthOfAll(counts, end, 'rxPackets')?.amount ?? null
      const isBroken = errors.amount > 0 && errors.amount > ERROR_SHARE * (packets ?? 0)
      const values = { errors: errors.amount, packets, peer: nameOf(peer), confidence: 'medium', atBothEnds: false }
      say.judge(isBroken, kind, end, () => ({ values, evidence: readingEvidence(end, errors.readings) }))
    })
  lackCounts(fabric, say, 'ordered')
})

export const nobodyWaitsForItself = defineRule(ctr09, ({ fabric }, say, kind) => {
  const { intervalNs } = countsOf(fabric).located
  for (const origin of originsOf(fabric, 'deadlock')) {
    const { circle, intervals, confidence } = origin
    const [first = origin] = circle
    say.fires(kind, spotAt(fabric, first.device, first.port), {
      values: {
        circle: circle.map(({ device, port }) => `${device} ${port}`),
        intervals,
        seconds: intervalNs / 1e9,
        confidence,
      },
      evidence: evidenceOf(fabric, origin),
      severity: intervals < 2 ? 'warning' : 'error',
    })
  }
  lackCounts(fabric, say, 'timed', ({ at }) => at?.config.kind === 'switch')
})
