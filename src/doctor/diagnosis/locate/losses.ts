/**
 * Origins of losses: bit errors, drops in a lossless class, drops at egress queues, packets out of order; and storms that a
 * watchdog has ended, which show no pauses any more.
 * Sources: [MS-Scale] 4.3, 5.2; docs/models/localiser-losses.md.
 */
import { leastOf, mostOf } from '../../../core/base/extremes.ts'
import { ALL_PRIORITIES, counterNamed } from '../../../core/device-model/index.ts'
import type { Series } from '../../devices/series/index.ts'
import type { Device, Fabric, Port } from './fabric.ts'
import { DROP_SHARE, ERROR_SHARE, FORWARDED_SHARE, LOSS_LIKE_STOP, OUT_OF_SEQUENCE_SHARE } from './limits.ts'
import { confidenceOf, type Missing, nameOf, type Origin, type OriginKind } from './origin.ts'
import type { Evidence } from './states.ts'

const HOST_KINDS: ReadonlySet<OriginKind> = new Set(['storm', 'slow-receiver'])

/** Events of a counter at a place, over all intervals. */
class Events {
  readonly #series: Series

  constructor(series: Series) {
    this.#series = series
  }

  total(device: string, port: string, priorities: readonly number[], name: string): number {
    return priorities.reduce((sum, each) => sum + (this.#series.total(device, port, each, name) ?? 0), 0)
  }

  /** Intervals in which some were counted. */
  intervals(device: string, port: string, priority: number, name: string): number[] {
    const all = Array.from({ length: this.#series.count }, (_, interval) => interval)
    return all.filter((each) => (this.#series.amount(device, port, priority, name, each)?.value ?? 0) > 0)
  }

  evidence(device: string, port: string, priority: number, name: string, value: number): Evidence {
    const { fromNs, count } = this.#series
    return { device, port, priority, name, value, fromNs, toNs: this.#series.beginNs(count) }
  }
}

interface Lost {
  readonly kind: OriginKind
  readonly at: Port
  readonly priority: number
  readonly counter: string
  readonly lost: number
  /** Share of all that passed there. */
  readonly share: number
  readonly numbers: readonly Evidence[]
  readonly raise: readonly Missing[]
  readonly hasSign: boolean
  readonly doubts: number
}

/** @param pauses origins of pauses: a NIC that stands still drops what its headroom does not hold */
export function originsOfLosses(
  fabric: Fabric,
  series: Series,
  lossless: ReadonlySet<number>,
  pauses: readonly Origin[],
): Origin[] {
  const standing = new Set(pauses.flatMap(({ kind, device }) => (HOST_KINDS.has(kind) ? [device] : [])))
  const events = new Events(series)
  const families = [
    bitErrors(fabric, series, events),
    oneReason(headroomDrops(fabric, series, events, lossless).filter(({ at }) => !standing.has(at.device))),
    egressDrops(fabric, series, events, lossless),
  ]
  return families.flatMap((family) => {
    const total = family.reduce((sum, { lost }) => sum + lost, 0)
    return family.toSorted((a, b) => b.lost - a.lost).map((one) => lossOrigin(fabric, series, events, one, total))
  })
}

/** A switch that has too little headroom drops for no other reason. */
function oneReason(found: readonly Lost[]): Lost[] {
  const small = new Set(found.flatMap(({ kind, at }) => (kind === 'headroom' ? [at.device] : [])))
  return found.filter(({ kind, at }) => kind === 'headroom' || !small.has(at.device))
}

function lossOrigin(fabric: Fabric, series: Series, events: Events, one: Lost, total: number): Origin {
  const { at, priority, lost, counter } = one
  const counted = counterNamed(counter)?.scope === 'priority' ? priority : ALL_PRIORITIES
  const intervals = events.intervals(at.device, at.port, counted, counter)
  const raise: Missing[] = [...one.raise]
  if (intervals.length < 2 && !one.hasSign) raise.push({ what: 'again', device: '' })
  return {
    kind: one.kind,
    ...nameOf(at),
    peer: fabric.ports[at.peer]!.device,
    priority,
    confidence: confidenceOf(raise, one.doubts, series.has(at.device)),
    blame: lost / total,
    impact: Math.min(1, one.share / LOSS_LIKE_STOP),
    intervals: intervals.length,
    fromNs: series.beginNs(leastOf([series.count, ...intervals])),
    toNs: series.beginNs(mostOf([0, ...intervals.map((each) => each + 1)])),
    victims: [],
    path: [],
    circle: [],
    alternatives: [],
    raise,
    numbers: [events.evidence(at.device, at.port, counted, counter, lost), ...one.numbers],
  }
}

/** Links whose receiver has errors that did not come in elsewhere at the sender: cut-through switches forward them. */
function bitErrors(fabric: Fabric, series: Series, events: Events): Lost[] {
  const errorsAt = ({ device, port }: Port): number => events.total(device, port, [ALL_PRIORITIES], 'crcErrors')
  const sequenceErrors = [...fabric.devices.values()].some(
    ({ name, isHost }) => isHost && events.total(name, '', [ALL_PRIORITIES], 'seqNaks') > 0,
  )
  return fabric.ports.flatMap((at): Lost[] => {
    const lost = errorsAt(at)
    const share = lost / (lost + events.total(at.device, at.port, series.priorities, 'rxPackets'))
    if (lost === 0 || share <= ERROR_SHARE) return []
    const sender = fabric.ports[at.peer]!
    const others = fabric.devices.get(sender.device)!.ports.filter((id) => id !== sender.id)
    const came = others.reduce((sum, id) => sum + errorsAt(fabric.ports[id]!), 0)
    if (came >= FORWARDED_SHARE * lost) return []
    const back = errorsAt(sender)
    const { device, port } = sender
    const numbers = back > 0 ? [events.evidence(device, port, ALL_PRIORITIES, 'crcErrors', back)] : []
    const unheard = series.has(device) ? [] : [{ what: 'readings' as const, device }]
    const kind = 'bad-cable' as const
    const found = { kind, at, priority: ALL_PRIORITIES, counter: 'crcErrors', lost, share, numbers, raise: unheard }
    return [{ ...found, hasSign: sequenceErrors, doubts: 0 }]
  })
}

/**
 * Drops for want of buffer in a lossless class: headroom, if the port held its peer. Otherwise PFC is not in force there. What
 * a watchdog has taken out of service is dropped on purpose.
 */
function headroomDrops(fabric: Fabric, series: Series, events: Events, lossless: ReadonlySet<number>): Lost[] {
  const watched = (device: Device, priority: number): boolean =>
    device.ports.some((id) => events.total(device.name, fabric.ports[id]!.port, [priority], 'wdStorms') > 0)
  return fabric.ports.flatMap((at) =>
    [...lossless].flatMap((priority): Lost[] => {
      const { device, port } = at
      // Some switches count drops of all priorities in one.
      const byPriority = series.total(device, port, priority, 'dropIn')
      const counter = byPriority === undefined ? 'dropInPort' : 'dropIn'
      const others = events.total(device, port, [ALL_PRIORITIES], 'crcErrors')
      const lost = byPriority ?? events.total(device, port, [ALL_PRIORITIES], 'dropInPort') - others
      if (lost <= 0 || watched(fabric.devices.get(device)!, priority)) return []
      const sender = fabric.ports[at.peer]!
      const sent = events.total(device, port, [priority], 'pfcTxFrames')
      const held = events.total(device, port, [priority], 'pauseTxUs')
      const obeyed = series.total(sender.device, sender.port, priority, 'pauseRxUs')
      const isHeld = sent + held > 0
      const numbers = [
        events.evidence(device, port, priority, 'pfcTxFrames', sent),
        ...(obeyed === undefined ? [] : [events.evidence(sender.device, sender.port, priority, 'pauseRxUs', obeyed)]),
      ]
      const passed = events.total(device, port, [priority], 'rxPackets')
      // A peer that gets pauses and is never held has no PFC for the class: headroom of any size would be too small.
      const ignores = isHeld && obeyed === 0
      return [
        {
          kind: isHeld && !ignores ? 'headroom' : 'unknown',
          at,
          priority,
          counter,
          lost,
          numbers,
          share: lost / (lost + passed),
          hasSign: obeyed !== undefined && obeyed > 0,
          doubts: (isHeld ? 0 : 1) + (byPriority === undefined ? 1 : 0),
          raise: series.has(sender.device)
            ? []
            : [
                {
                  what: 'readings',
                  device: sender.device,
                },
              ],
        },
      ]
    }),
  )
}

/** Egress queues of lossy classes that drop far more than congestion control asks for. */
function egressDrops(fabric: Fabric, series: Series, events: Events, lossless: ReadonlySet<number>): Lost[] {
  return fabric.ports.flatMap((at) =>
    series.priorities
      .filter((priority) => !lossless.has(priority))
      .flatMap((priority): Lost[] => {
        const lost = events.total(at.device, at.port, [priority], 'dropOut')
        const share = lost / (lost + events.total(at.device, at.port, [priority], 'txPackets'))
        if (lost === 0 || share <= DROP_SHARE) return []
        const isToHost = fabric.devices.get(fabric.ports[at.peer]!.device)!.isHost
        const kind = isToHost ? 'incast' : 'oversubscription'
        return [
          {
            kind,
            at,
            priority,
            counter: 'dropOut',
            lost,
            share,
            numbers: [],
            raise: [],
            hasSign: false,
            doubts: 0,
          },
        ]
      }),
  )
}

/** Storms that watchdogs have ended, at hosts that are no origin of pauses. */
export function endedStorms(fabric: Fabric, series: Series, known: readonly Origin[]): Origin[] {
  const events = new Events(series)
  const lost = fabric.ports.flatMap((at): Lost[] => {
    if (!fabric.devices.get(at.device)!.isHost || known.some(({ device }) => device === at.device)) return []
    const facing = fabric.ports[at.peer]!
    const cut = events.total(at.device, at.port, [ALL_PRIORITIES], 'stormCutOff')
    const storms = events.total(facing.device, facing.port, series.priorities, 'wdStorms')
    if (cut + storms === 0) return []
    const numbers = [events.evidence(facing.device, facing.port, ALL_PRIORITIES, 'wdStorms', storms)]
    const seen = { kind: 'storm' as const, at, priority: ALL_PRIORITIES, counter: 'stormCutOff', lost: cut, share: 0 }
    return [{ ...seen, numbers, raise: [], hasSign: true, doubts: 0 }]
  })
  return lost.map((one) => ({ ...lossOrigin(fabric, series, events, one, 1), blame: 0 }))
}

/** Packets behind a gap, as a share of those that hosts received; undefined: none of them counts these. */
export function outOfSequenceShare(fabric: Fabric, series: Series, hosts: readonly Device[]): number | undefined {
  const events = new Events(series)
  const counted = hosts.filter(({ name }) => series.total(name, '', ALL_PRIORITIES, 'outOfSequence') !== undefined)
  const late = counted.reduce((sum, { name }) => sum + events.total(name, '', [ALL_PRIORITIES], 'outOfSequence'), 0)
  const received = sumOverPorts(fabric, counted, (port) =>
    events.total(port.device, port.port, series.priorities, 'rxPackets'),
  )
  return counted.length === 0 ? undefined : late / Math.max(1, received)
}

const LOSSES = ['dropIn', 'dropOut', 'crcErrors', 'dropInPort', 'linkDowns']

/** Whether packets were lost anywhere, as far as anybody counts them. */
export function hasLosses({ ports }: Fabric, series: Series): boolean {
  const priorities = [ALL_PRIORITIES, ...series.priorities]
  return ports.some(({ device, port }) =>
    priorities.some((each) => LOSSES.some((name) => (series.total(device, port, each, name) ?? 0) > 0)),
  )
}

/** Packets out of order though none was lost anywhere: paths of different lengths. Pauses delay, and change no order. */
export function reorderings(fabric: Fabric, series: Series): Origin[] {
  const events = new Events(series)
  const devices = [...fabric.devices.values()]
  const hosts = devices.filter(({ isHost }) => isHost)
  const late = hosts.map(({ name }) => events.total(name, '', [ALL_PRIORITIES], 'outOfSequence'))
  const share = outOfSequenceShare(fabric, series, hosts) ?? 0
  if (share <= OUT_OF_SEQUENCE_SHARE) return []
  if (hasLosses(fabric, series)) return []
  // A host that gets NAKs has sent packets that were overtaken. Where all such hosts are below one switch, it is that switch.
  const senders = hosts.filter(({ name }) => events.total(name, '', [ALL_PRIORITIES], 'seqNaks') > 0)
  const above = new Set(senders.flatMap(({ ports }) => ports.map((id) => fabric.ports[fabric.ports[id]!.peer]!.device)))
  const [only] = above
  const device = above.size === 1 && only !== undefined ? only : ''
  // Others do not miss the losses of a host.
  const raise = devices
    .filter(({ name, isHost }) => !isHost && !series.has(name))
    .map(({ name }): Missing => ({ what: 'readings', device: name }))
  const intervals = new Set(hosts.flatMap(({ name }) => events.intervals(name, '', ALL_PRIORITIES, 'outOfSequence')))
  return [
    {
      kind: 'reordering',
      device,
      port: '',
      peer: '',
      priority: ALL_PRIORITIES,
      confidence: confidenceOf(raise, 1, true),
      blame: 1,
      impact: Math.min(1, share / LOSS_LIKE_STOP),
      intervals: intervals.size,
      fromNs: series.beginNs(leastOf(intervals)),
      toNs: series.beginNs(mostOf(intervals) + 1),
      victims: [],
      path: [],
      circle: [],
      alternatives: [],
      numbers: hosts.flatMap(({ name }, i) =>
        late[i]! > 0 ? [events.evidence(name, '', ALL_PRIORITIES, 'outOfSequence', late[i]!)] : [],
      ),
      raise: [
        ...raise,
        {
          what: 'configuration',
          device,
        },
      ],
    },
  ]
}

function sumOverPorts(fabric: Fabric, devices: readonly Device[], valueOf: (port: Port) => number): number {
  const ids = devices.flatMap(({ ports }) => ports)
  return ids.reduce((sum, id) => sum + valueOf(fabric.ports[id]!), 0)
}
