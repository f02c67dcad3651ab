/**
 * Network notes: what follows from a network as a whole, its routes and its tables: hosts that cannot reach each other,
 * circles of buffers, PFC for a class that carries nothing, buffers that promise more than they have.
 */
import { mostOf } from '../../base/extremes.ts'
import { OPEN_SIZES } from '../../fabric/params.ts'
import { recoveryOf, selectHosts } from '../../lab/index.ts'
import { humanBytes, humanShare } from '../../report/index.ts'
import { dataClasses, type Scenario, schemeSets } from '../../scenario/index.ts'
import type { BufferCircle, Topology } from '../../topology/index.ts'
import type { Finding } from './note.ts'

/** @param own values in force at a switch or one of its ports */
export function classNotes(own: Scenario, topology: Topology): Finding[] {
  return [...unusedPfcNotes(own), ...expiryNotes(own), ...trimmingNotes(own, topology)]
}

/**
 * PFC for other classes than those of the data: nothing is paused, and data are dropped. TCP is meant to lose packets, and
 * lossless classes for which there is no data yet are no mistake beside those that have some.
 */
function unusedPfcNotes(own: Scenario): Finding[] {
  const { pfc } = own
  const sets = schemeSets(own).filter((set) => recoveryOf(set.scenario).stack === undefined)
  const ofData = [...new Set(sets.flatMap((set) => dataClasses(set.scenario)))].toSorted((a, b) => a - b)
  const all = dataClasses(own)
  const unused = pfc.classes.filter((c) => !all.includes(c))
  const unprotected = ofData.filter((c) => !pfc.classes.includes(c))
  if (unused.length === 0 || unprotected.length === 0) return []
  const [with_, without] = [unused, unprotected].map((classes) => `class ${classes.join(', ')}`)
  return [
    {
      id: 'pfc-class-without-data',
      subject: { path: 'pfc.classes' },
      values: { pfcClasses: unused, dataClasses: unprotected },
      text:
        `PFC is on for ${with_}, which has no data, and data of ${without} have no PFC: nothing pauses them, and they are dropped when ` +
        `a buffer is full; set pfc.classes to [${ofData.join(', ')}], or turn PFC off (pfc.classes=[])`,
    },
  ]
}

/** An excess below this share of the buffer is not noted. */
const BEYOND_SHARE = 0.05

/** More data classes than the buffer sets reserves aside for: a switch may store more than its size. */
export function bufferNotes(scenario: Scenario, { links, tiers }: Topology): Finding[] {
  const { buffer } = scenario.switch
  if (buffer.kind !== 'shared-buffer') return []
  const ports = new Map<number, number>()
  for (const { a, b } of links)
    for (const node of [a, b]) if (tiers[node] !== 0) ports.set(node, (ports.get(node) ?? 0) + 1)
  const most = Math.max(0, mostOf(ports.values()))
  const { length } = dataClasses(scenario)
  const beyondBytes = most * Math.max(0, length - buffer.reservedClasses) * buffer.reserve
  const share = beyondBytes / (buffer.size ?? OPEN_SIZES[buffer.kind].firstBytes)
  if (share <= BEYOND_SHARE) return []
  return [
    {
      id: 'reserves-beyond-buffer',
      subject: { path: 'switch.buffer.reservedClasses' },
      values: { dataClasses: length, reservedClasses: buffer.reservedClasses, beyondBytes },
      text:
        `data has ${length} classes and the buffer sets reserves aside for ${buffer.reservedClasses}: a switch of ${most} ports may hold ` +
        `${humanBytes(beyondBytes)} (${humanShare(share, 2)}) more than its size; set switch.buffer.reservedClasses=${length}`,
    },
  ]
}

/** Pauses that expire and are not refreshed: the sender resumes while the buffer is still full. */
function expiryNotes({ pfc }: Scenario): Finding[] {
  if (pfc.classes.length === 0 || !pfc.expiry || pfc.refresh > 0 || pfc.repeat) return []
  return [
    {
      id: 'pauses-expire',
      subject: { path: 'pfc.refresh' },
      values: {},
      text: 'pauses expire and are not refreshed: a class whose buffer stays full for longer loses packets; set pfc.refresh, or pfc.expiry=false',
    },
  ]
}

/** Trimmed headers with strict priority: those of enough senders at line rate fill the receiver's link. */
function trimmingNotes({ switch: at, frames }: Scenario, { hostPorts: hosts }: Topology): Finding[] {
  const { trimming } = at
  if (trimming.of === 'none' || !at.strictClasses.includes(trimming.class)) return []
  const wireBytes = Math.max(trimming.size, frames.minimum) + frames.gap
  const most = Math.ceil((frames.payload + frames.dataOverhead + frames.gap) / wireBytes)
  if (hosts.length <= most) return []
  return [
    {
      id: 'trimmed-headers-fill-link',
      subject: { trafficClass: trimming.class, path: 'switch.strictClasses' },
      values: { senders: most },
      text:
        `headers of trimmed packets are sent before all data (class ${trimming.class} is in switch.strictClasses): those of ${most} senders ` +
        'at line rate fill the link and no data gets through; give their class a share of the link with switch.scheduler=dwrr',
    },
  ]
}

/** A cyclic buffer dependency in a lossless class: a PFC deadlock is possible. */
export function circleNotes({ pfc }: Scenario, circle: BufferCircle | null): Finding[] {
  if (circle === null || pfc.classes.length === 0) return []
  const isFlooded = circle.steps.some((step) => step.isFlooded)
  const remedy = isFlooded ? 'flood no packets of these classes' : 'use other routes'
  const [first] = circle.steps
  return [
    {
      id: 'deadlock-possible',
      subject: { device: first!.nodeName, port: first!.peerName, path: 'pfc.classes' },
      values: { pfcClasses: pfc.classes, steps: circle.steps.length, isFlooded: isFlooded ? 'yes' : 'no' },
      text:
        `pauses of class ${pfc.classes.join(', ')} may deadlock: the routes${isFlooded ? ' and floods' : ''} have a cyclic buffer dependency, ` +
        `${circleText(circle)}, in which each port may wait for the next because of packets for the host in brackets; ` +
        `${remedy}, or turn PFC off (pfc.classes=[])`,
    },
  ]
}

/** Steps of a circle that are written out. */
const STEPS_MAX = 8

/** "switch 4 port 3 to switch 5 (host 2) > switch 5 port 3 to switch 6 (host 3) > switch 4 port 3". */
function circleText({ steps }: BufferCircle): string {
  const shown = steps.length > STEPS_MAX ? steps.slice(0, STEPS_MAX - 1) : steps
  const left = steps.length - shown.length
  const { nodeName, port } = steps[0]!
  return [
    ...shown.map(
      (step) =>
        `${step.nodeName} port ${step.port} to ${step.peerName} (${step.hostName}${step.isFlooded ? ', flooded' : ''})`,
    ),
    ...(left > 0 ? [`${left} more`] : []),
    `${nodeName} port ${port}`,
  ].join(' > ')
}

/**
 * Hosts whose MAC entry is missing and that send nothing: the remedy against floods drops all that is sent to them, though
 * they live. Nothing that reaches them makes them answer, so that the entry never comes back.
 */
export function silentNotes(scenario: Scenario, topology: Topology, receivingOnly: readonly number[]): Finding[] {
  const { layer2 } = scenario.switch
  if (layer2.kind === 'off' || (layer2.onIncomplete !== 'drop' && layer2.onIncomplete !== 'drop-lossless')) return []
  const dropped = dataClasses(scenario).filter(
    (c) => layer2.onIncomplete === 'drop' || scenario.pfc.classes.includes(c),
  )
  const word = layer2.macMissing.trim()
  if (word === 'none' || dropped.length === 0) return []
  const missing = new Set(selectHosts(word, topology, 'switch.layer2.macMissing'))
  return receivingOnly
    .filter((host) => missing.has(host))
    .map((host) => ({
      id: 'silent-host-unreachable',
      subject: { device: nameOf(host, topology), path: 'switch.layer2.onIncomplete' },
      values: { classes: dropped },
      text:
        `its MAC entry is missing and it sends nothing of its own: packets of class ${dropped.join(', ')} for it are dropped ` +
        `(onIncomplete ${layer2.onIncomplete}) and it never answers, although it lives; use onIncomplete=cpu, which asks for the address, or flood`,
    }))
}

function nameOf(host: number, { endpoints, hostPorts, names }: Topology): string {
  return names[endpoints[hostPorts[host]![0]!]!]!
}
