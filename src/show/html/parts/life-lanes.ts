/**
 * Lanes of a flow's life: where it was, and in which part of its time, from one instant to the next. The way of the packet
 * that completed it is known port by port: a packet waits at a port until it leaves. Of the sender only sums are known,
 * and stand one behind the other; so do those of the network where a page has no ports of the flow.
 */
import type { LifeHop, LifePart } from '../page-data.ts'

export interface LifeSpan {
  /** Null: under way between two ports. */
  readonly part: Pick<LifePart, 'label' | 'colour'> | null
  readonly fromPs: number
  readonly toPs: number
}

export interface LifeLane {
  /** "sender", "leaf 0 port 3". */
  readonly where: string
  readonly spans: readonly LifeSpan[]
}

type OwnPart = Pick<LifePart, 'label' | 'colour' | 'column' | 'end'> & { readonly spanPs: number }

/** @param parts of one flow, in the order of its life */
export function lifeLanes(parts: readonly OwnPart[], hops: readonly LifeHop[], startPs: number): LifeLane[] {
  const request = parts.filter(({ column }) => column.startsWith('request'))
  const ack = parts.filter(({ column }) => column.startsWith('ack'))
  const own = parts.filter((part) => !request.includes(part) && !ack.includes(part))
  const sender = own.filter(({ end }) => end === 'sender')
  const journey = own.filter(({ end }) => end !== 'sender')
  const askedPs = startPs + sumOf(request)
  const leftPs = askedPs + sumOf(sender)
  const lanes = [
    { where: 'request', spans: oneByOne(request, startPs) },
    { where: 'sender', spans: oneByOne(sender, askedPs) },
    ...(hops.length > 0 ? knownLanes(journey, hops, leftPs) : summedLanes(journey, leftPs)),
    { where: 'ACK', spans: oneByOne(ack, leftPs + sumOf(journey)) },
  ]
  return lanes.filter(({ spans }) => spans.length > 0)
}

const sumOf = (parts: readonly OwnPart[]): number => parts.reduce((sum, { spanPs }) => sum + spanPs, 0)

function oneByOne(parts: readonly OwnPart[], startPs: number): LifeSpan[] {
  let toPs = startPs
  return parts.map((part) => {
    const fromPs = toPs
    toPs += part.spanPs
    return { part, fromPs, toPs }
  })
}

function summedLanes(journey: readonly OwnPart[], leftPs: number): LifeLane[] {
  const network = journey.filter(({ end }) => end === 'network')
  const receiver = journey.filter(({ end }) => end === 'receiver')
  return [
    { where: 'network', spans: oneByOne(network, leftPs) },
    { where: 'receiver', spans: oneByOne(receiver, leftPs + sumOf(network)) },
  ]
}

/** Times stay between the sender's last and the end: a copy may have left before the message was posted. */
function knownLanes(journey: readonly OwnPart[], hops: readonly LifeHop[], leftPs: number): LifeLane[] {
  const partOf = (column: string): OwnPart | undefined => journey.find((part) => part.column === column)
  const [queue, paused, receive] = ['queuePs', 'pausedPs', 'receivePs'].map(partOf)
  const endPs = leftPs + sumOf(journey)
  let fromPs = leftPs
  const lanes = hops.map(({ port, leftPs: atPs, queuePs, pausedPs }): LifeLane => {
    const nextPs = Math.min(endPs, Math.max(fromPs, atPs))
    const cameAtPs = Math.max(fromPs, nextPs - queuePs - pausedPs)
    const queuedToPs = Math.min(nextPs, cameAtPs + queuePs)
    const spans = spansOf([
      [null, fromPs, cameAtPs],
      [queue, cameAtPs, queuedToPs],
      [paused, queuedToPs, nextPs],
    ])
    fromPs = nextPs
    return { where: port, spans }
  })
  const arrivedPs = Math.max(fromPs, endPs - (receive?.spanPs ?? 0))
  const last = spansOf([
    [null, fromPs, arrivedPs],
    [receive, arrivedPs, endPs],
  ])
  return [...lanes, { where: 'receiver', spans: last }]
}

function spansOf(
  spans: readonly (readonly [part: OwnPart | null | undefined, fromPs: number, toPs: number])[],
): LifeSpan[] {
  return spans.flatMap(([part, fromPs, toPs]) => (part === undefined || toPs <= fromPs ? [] : [{ part, fromPs, toPs }]))
}
