/**
 * Network notes: what follows from a network as a whole, its routes and its tables: hosts that cannot reach each other,
 * circles of buffers, PFC for a class that carries nothing, buffers that promise more than they have.
 */
import { mostOf } from '../../../core/base/extremes.ts'
import { OPEN_SIZES } from '../../../core/fabric/params.ts'
import { grownBuffer, recoveryOf, selectHosts } from '../../index.ts'
import { dataClasses, type Scenario, schemeSets } from '../../scenario/index.ts'
import type { BufferCircle, Topology } from '../../../core/topology/index.ts'
import { bufferFindings, fabricBuffers, type Finding, foundAt } from '../../../core/findings/index.ts'

/** @param own values in force at a switch or one of its ports */
export function classNotes(own: Scenario, topology: Topology): Finding[] {
  return [...unusedPfcNotes(own), ...expiryNotes(own), ...profileNotes(own), ...trimmingNotes(own, topology)]
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
  const values = { pfcClasses: unused, dataClasses: unprotected, wantedClasses: ofData }
  return [foundAt(bufferFindings.pfcClassWithoutData, { path: 'pfc.classes' }, values)]
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
  const values = {
    dataClasses: length,
    reservedClasses: buffer.reservedClasses,
    ports: most,
    beyondBytes,
    beyondShare: share,
  }
  return [foundAt(bufferFindings.reservesBeyondBuffer, { path: 'switch.buffer.reservedClasses' }, values)]
}

/** A buffer whose size was chosen because the usual one is too small for its reserves and headroom. */
export function grownNotes(scenario: Scenario, topology: Topology): Finding[] {
  const grown = grownBuffer(scenario, topology)
  if (grown === null) return []
  const { node, sizeBytes, setAsideBytes } = grown
  const subject = { device: node, path: 'switch.buffer.size' }
  return [foundAt(bufferFindings.bufferSizeAssumed, subject, { sizeBytes, setAsideBytes })]
}

/** Pauses that expire and are not refreshed: the sender resumes while the buffer is still full. */
function expiryNotes({ pfc }: Scenario): Finding[] {
  if (pfc.classes.length === 0 || !pfc.expiry || pfc.refresh > 0 || pfc.repeat) return []
  return [foundAt(bufferFindings.pausesExpire, { path: 'pfc.refresh' }, {})]
}

/** Profiles of a memory manager whose pauses end no lower than they begin, by the rule that judges whole ports. */
function profileNotes({ pfc, switch: { buffer } }: Scenario): Finding[] {
  const [priority] = pfc.classes
  if (buffer.kind !== 'memory-manager' || priority === undefined) return []
  return buffer.profiles.flatMap((row, i) => {
    const limit = row.staticTh ?? (row.dynamicTh === null && row.alpha === null ? buffer.staticTh : null)
    const [xonBytes, reserve] = [row.xon ?? buffer.xon, row.reserve ?? buffer.reserve]
    if (limit === null || xonBytes < reserve + limit) return []
    const values = { priority, xonBytes, xoffBytes: reserve + limit, dialect: '', cited: [] }
    return [foundAt(fabricBuffers.buf08, { path: `switch.buffer.profiles.${i}.xon` }, values)]
  })
}

/** Trimmed headers with strict priority: those of enough senders at line rate fill the receiver's link. */
function trimmingNotes({ switch: at, frames }: Scenario, { hostPorts: hosts }: Topology): Finding[] {
  const { trimming } = at
  if (trimming.of === 'none' || !at.strictClasses.includes(trimming.class)) return []
  const wireBytes = Math.max(trimming.size, frames.minimum) + frames.gap
  const most = Math.ceil((frames.payload + frames.dataOverhead + frames.gap) / wireBytes)
  if (hosts.length <= most) return []
  const subject = { trafficClass: trimming.class, path: 'switch.strictClasses' }
  return [foundAt(bufferFindings.trimmedHeadersFillLink, subject, { senders: most })]
}

/** A cyclic buffer dependency in a lossless class: a PFC deadlock is possible. */
export function circleNotes({ pfc }: Scenario, circle: BufferCircle | null): Finding[] {
  if (circle === null || pfc.classes.length === 0) return []
  const steps = circle.steps.map(({ nodeName, port, peerName, hostName, isFlooded }) => ({
    node: nodeName,
    port,
    peer: peerName,
    host: hostName,
    isFlooded,
  }))
  const subject = { device: steps[0]!.node, port: steps[0]!.peer, path: 'pfc.classes' }
  return [foundAt(bufferFindings.deadlockPossible, subject, { pfcClasses: pfc.classes, steps })]
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
    .map((host) =>
      foundAt(
        bufferFindings.silentHostUnreachable,
        { device: nameOf(host, topology), path: 'switch.layer2.onIncomplete' },
        { classes: dropped, onIncomplete: layer2.onIncomplete },
      ),
    )
}

function nameOf(host: number, { endpoints, hostPorts, names }: Topology): string {
  return names[endpoints[hostPorts[host]![0]!]!]!
}
