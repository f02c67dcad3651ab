/**
 * Receive sides of NICs: from a scenario's `nic.receive` to the receive pipelines of its hosts. A pause storm gives one to
 * a NIC that has none.
 * Units: bytes, bit/s, picoseconds.
 */
import { inputError } from '../../../core/base/issue.ts'
import { defaultsOf, NEVER_PS, type ValuesOf } from '../../../core/base/params.ts'
import type { RandomStreams } from '../../../core/base/random.ts'
import type { Nic } from '../../../core/fabric/nic/nic.ts'
import type { Network } from '../../../core/fabric/network.ts'
import { Addresses } from '../../../core/fabric/nic/receive/addresses.ts'
import { LruCache } from '../../../core/fabric/nic/receive/lru-cache.ts'
import { ReceivePipeline, type ReceiveOptions } from '../../../core/fabric/nic/receive/pipeline.ts'
import { pipelineReceive } from '../../../core/fabric/params.ts'
import type { DeviceOptions } from '../device-options.ts'
import type { DeviceValues } from '../device-values.ts'
import type { FrameLimits } from '../frames.ts'
import type { Mistakes } from '../mistakes.ts'
import { strictHeadroomOf } from '../switch-buffers.ts'

/** The parts of a network that a receive pipeline is made from. */
export interface ReceiveSite {
  readonly network: Network
  readonly values: DeviceValues
  readonly devices: DeviceOptions
  readonly frameLimits: FrameLimits
}

export type PipelineValues = ValuesOf<(typeof pipelineReceive)['params']>

/** Gives a pipeline to each NIC whose host has one. A mistake is reported for the first such NIC only. */
export function addReceives(site: ReceiveSite, random: RandomStreams, mistakes: Mistakes): void {
  let isReported = false
  for (const nic of site.network.nics) {
    const { receive } = site.values.of(nic.node).nic
    if (receive.kind !== 'pipeline' || isReported) continue
    isReported = mistakes.attempt(() => addReceive(nic, receive, site, random)) === undefined
  }
}

/** Gives a NIC the pipeline that it has by default, if it has none. @returns its pipeline */
export function receiveOf(nic: Nic, site: ReceiveSite, random: RandomStreams): ReceivePipeline {
  return site.network.receives[nic.position] ?? addReceive(nic, defaultsOf(pipelineReceive.params), site, random)
}

/** Bytes above XOFF that the link of a NIC can need, with the packet that crosses it. */
export function nicHeadroomBytes(nic: Nic, { values, frameLimits }: ReceiveSite): number {
  const { port } = nic
  const own = values.ofPort(port.node, port.index)
  const peer = values.ofPort(port.peer.node, port.peer.index)
  const toPause = { ...own, pfc: { ...own.pfc, reactionTime: peer.pfc.reactionTime } }
  return strictHeadroomOf(toPause, { rateBps: port.rateBps, delayPs: port.delayPs }, frameLimits)
}

function addReceive(nic: Nic, given: PipelineValues, site: ReceiveSite, random: RandomStreams): ReceivePipeline {
  const { network, values, devices } = site
  const own = values.of(nic.node)
  const pipeline = new ReceivePipeline(network, nic, {
    ...thresholdsOf(nic, given, site),
    ...speedsOf(given),
    classOf: devices.classes(own).classOf,
    addresses: new Addresses({
      workingSetBytes: given.workingSet,
      isPerPair: given.workingSetOf === 'pair',
      isRandom: given.access === 'random',
      key: random.stream(`receive/${nic.position}`).uint32(),
    }),
    watchdogPs: own.nic.watchdog ?? NEVER_PS,
  })
  network.receives[nic.position] = pipeline
  nic.port.addIntake(pipeline)
  return pipeline
}

/** @throws InputError for a buffer without room below XOFF */
function thresholdsOf(
  nic: Nic,
  given: PipelineValues,
  site: ReceiveSite,
): Pick<ReceiveOptions, 'isShared' | 'bufferBytes' | 'xoffBytes' | 'xonBytes'> {
  const { dataBytes } = site.frameLimits
  const headroom = nicHeadroomBytes(nic, site)
  const xoffBytes = given.xoff ?? given.buffer - headroom
  if (xoffBytes < 0)
    throw inputError(
      'nic.receive.buffer',
      `at least the headroom of its link, ${headroom} bytes`,
      `${given.buffer} bytes`,
    )
  if (xoffBytes > given.buffer)
    throw inputError('nic.receive.xoff', `at most the buffer, ${given.buffer} bytes`, `${xoffBytes} bytes`)
  const xonBytes = Math.max(0, xoffBytes - (given.xonOffset ?? dataBytes))
  return { isShared: given.sharing === 'shared', bufferBytes: given.buffer, xoffBytes, xonBytes }
}

function speedsOf(
  given: PipelineValues,
): Pick<
  ReceiveOptions,
  'packetPs' | 'bytePs' | 'translations' | 'pageBytes' | 'translationPs' | 'contexts' | 'contextPs'
> {
  return {
    packetPs: given.packetTime,
    bytePs: given.busRate === null ? 0 : 8e12 / given.busRate,
    translations: new LruCache(given.translations),
    pageBytes: given.pageSize,
    translationPs: given.missPenalty,
    contexts: given.contexts === null ? null : new LruCache(given.contexts),
    contextPs: given.contextPenalty,
  }
}

/** Whether a NIC's buffer holds all that can come after XOFF; true for a NIC whose receive side has no limit. */
export function isNicLossless(nic: Nic, site: ReceiveSite): boolean {
  const { receive } = site.values.of(nic.node).nic
  if (receive.kind !== 'pipeline' || receive.xoff === null) return true
  return receive.buffer - receive.xoff >= nicHeadroomBytes(nic, site)
}
