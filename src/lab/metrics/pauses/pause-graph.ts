/**
 * Pause graph of an instant: who keeps whom from sending, and why. A pause is a port and class that may not send; it waits
 * for other pauses when the device that asked for it holds packets that came by that link in queues which are paused
 * themselves. Its roots, circles and victims are read from it (pause-tree.ts, pause-circles.ts).
 * Only pauses in force are in it: pause frames on the wire are not. A class keeps its number from switch to switch.
 * Source: the wait-for graph of Dally and Seitz 1987; pauses that spread hop by hop: [MS-Scale 4.2, 4.3].
 */
import type { Network } from '../../../core/fabric/network.ts'
import type { Port } from '../../../core/fabric/link/port.ts'
import type { Switch } from '../../../core/fabric/switch/switch.ts'
import { CLASSES } from './classes.ts'

/** A pause that another one waits for. */
export interface Wait {
  /** Index of the pause. */
  readonly pause: number
  /** Frame bytes that have to leave by it first. */
  readonly bytes: number
}

export interface Pause {
  /** The port that may not send; its peer's device asked for it. */
  readonly port: Port
  readonly trafficClass: number
  readonly sincePs: number
  /** Pauses of the device that asked for it, most bytes first, then by index. None: that device is a root. */
  readonly waitsFor: readonly Wait[]
  /** Frame bytes from this port in queues of that device that may send. */
  readonly drainingBytes: number
}

export interface PauseGraph {
  readonly timePs: number
  /** By port number, then class. */
  readonly pauses: readonly Pause[]
}

/** The pauses in force now. Walks the queues of the devices that ask for pauses; changes nothing. */
export function pauseGraphOf(network: Network): PauseGraph {
  const timePs = network.fabric.queue.nowPs
  const held: Pick<Pause, 'port' | 'trafficClass' | 'sincePs'>[] = []
  const indexOf = new Map<number, number>()
  for (const port of network.ports) {
    for (let mask = port.pausedMask; mask !== 0; mask &= mask - 1) {
      const trafficClass = 31 - Math.clz32(mask & -mask)
      indexOf.set(port.id * CLASSES + trafficClass, held.length)
      held.push({ port, trafficClass, sincePs: port.pausedSincePs(trafficClass) })
    }
  }
  const queues = new Map<number, readonly QueuedBytes[]>()
  const pauses = held.map((pause): Pause => {
    const { peer } = pause.port
    const at = network.switches[peer.node] ?? null
    const waitsFor: Wait[] = []
    let drainingBytes = 0
    if (at !== null) {
      const key = at.node * CLASSES + pause.trafficClass
      const known = queues.get(key) ?? queuedAt(at, pause.trafficClass)
      queues.set(key, known)
      for (const { port, byInput } of known) {
        const bytes = byInput.get(peer.index) ?? 0
        if (bytes === 0) continue
        const index = indexOf.get(port.id * CLASSES + pause.trafficClass)
        if (index === undefined) drainingBytes += bytes
        else waitsFor.push({ pause: index, bytes })
      }
    }
    waitsFor.sort((a, b) => b.bytes - a.bytes || a.pause - b.pause)
    return { ...pause, waitsFor, drainingBytes }
  })
  return { timePs, pauses }
}

interface QueuedBytes {
  readonly port: Port
  /** Frame bytes by the input port of the switch. */
  readonly byInput: ReadonlyMap<number, number>
}

/** Queues of a switch that hold packets of a class. */
function queuedAt(at: Switch, trafficClass: number): QueuedBytes[] {
  const found: QueuedBytes[] = []
  for (const port of at.ports) {
    if (port === undefined || port.queue.bytesOf(trafficClass) === 0) continue
    const byInput = new Map<number, number>()
    port.queue.visit(trafficClass, (input, sizeBytes) => byInput.set(input, (byInput.get(input) ?? 0) + sizeBytes))
    found.push({ port, byInput })
  }
  return found
}

/** Pauses that wait for one of these, directly or by way of others, themselves included; ascending. */
export function heldUpBy(graph: PauseGraph, causes: readonly number[]): number[] {
  const waiting = new Map<number, number[]>()
  graph.pauses.forEach(({ waitsFor }, index) => {
    for (const { pause } of waitsFor) {
      const known = waiting.get(pause)
      if (known === undefined) waiting.set(pause, [index])
      else known.push(index)
    }
  })
  const reached = new Set(causes)
  for (const pause of reached) for (const next of waiting.get(pause) ?? []) reached.add(next)
  return [...reached].sort((a, b) => a - b)
}

/** Hosts with a port among these pauses, ascending. */
export function hostsAmong(network: Network, graph: PauseGraph, pauses: readonly number[]): number[] {
  const hosts = new Set<number>()
  for (const index of pauses) {
    const { nic } = graph.pauses[index]!.port
    if (nic !== null) hosts.add(network.hostOf[nic.position]!)
  }
  return [...hosts].sort((a, b) => a - b)
}
