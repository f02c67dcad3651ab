/**
 * Lossless: whether a scenario's fabric provably drops nothing of its lossless classes, so that a drop is a bug.
 */
import { pauseDurationPs, refreshIntervalPs } from '../../core/fabric/link/pfc.ts'
import type { Port } from '../../core/fabric/link/port.ts'
import { usesVlans } from '../scenario/class-map.ts'
import { schemeSets } from '../scenario/mix.ts'
import type { Scenario } from '../scenario/scenario.ts'
import { isNeeded } from '../network/definitions.ts'
import { classBits, pfcRules } from '../network/device-options.ts'
import { isNicLossless } from '../network/nics/nic-receive.ts'
import { headroomOf, strictHeadroomOf } from '../network/switch-buffers.ts'
import type { BuiltNetwork } from '../network/network-builder.ts'

/**
 * Whether the headroom covers everything that can arrive after XOFF on every link, so that no lossless packet may be
 * dropped. With changes of PFC or of buffers during the run it may not: what is in flight then was sent by other rules.
 */
export function isProvablyLossless(scenario: Scenario, built: BuiltNetwork): boolean {
  const { pfc, faults, changes } = scenario
  // A watchdog that takes a class out of service ends pauses that others rely on.
  if (scenario.switch.watchdog.kind !== 'off' || changes.some(({ path }) => path.startsWith('switch.watchdog')))
    return false
  if (classBits(pfc.classes) === 0 || faults.length > 0) return false
  if (changes.some(({ at, path }) => at > 0 && /^(?:pfc|switch\.buffer)\b/.test(path))) return false
  if (movesClasses(scenario)) return false
  // CNMs are made inside a switch: no pause holds them back, and no headroom is kept for them.
  if (isNeeded(scenario, 'qcn') && pfc.classes.includes(scenario.classes.cnpAtSwitch)) return false
  if (!built.network.nics.every((nic) => isNicLossless(nic, built))) return false
  return built.network.ports.every((port) => isPortLossless(port, built))
}

/** A device that has packets in another class than the one before it pauses classes that they do not wait in there. */
function movesClasses(scenario: Scenario): boolean {
  const { layer2 } = scenario.switch
  if (scenario.changes.some(({ path }) => path.startsWith('classes.'))) return true
  if (layer2.kind !== 'off' && layer2.floodClass !== null) return true
  // Untagged and routed frames have no priority of their own.
  return usesVlans(scenario) && scenario.classes.classify === 'pcp'
}

/** A port by the values in force there; its peer has to obey its pauses, after the peer's reaction time. */
function isPortLossless(port: Port, { values, frameLimits: limits }: BuiltNetwork): boolean {
  const own = values.ofPort(port.node, port.index)
  const peer = values.ofPort(port.peer.node, port.peer.index)
  if ((port.lossless & ~port.peer.lossless) !== 0 || port.peer.isOneClass) return false
  // As many pauses as packets may wait in front of the first pause of another class.
  if (own.pfc.repeat) return false
  if (own.pfc.expiry && !isRefreshedInTime(own, port, limits.anyBytes)) return false
  const b = own.switch.buffer
  const plan = { rateBps: port.rateBps, delayPs: port.delayPs }
  const toPause = { ...own, pfc: { ...own.pfc, reactionTime: peer.pfc.reactionTime } }
  const strict = strictHeadroomOf(toPause, plan, limits)
  // A pause may end while headroom is in use, if the limit has grown: the rest need not be enough for the next one.
  if (b.kind === 'memory-manager') return false
  if (b.kind === 'shared-buffer') {
    const whole = b.pool === 'after-reserves' && (b.headroomPer === 'class' || own.pfc.classes.length === 1)
    return whole && b.egressLimit === 'lossy' && headroomOf(own, plan, limits) >= strict
  }
  // Its switches send every PFC frame: those of a class that flutters around XOFF would delay its last pause.
  const isSteady = b.xonOffset >= limits.anyBytes + own.frames.pfc + 2 * limits.gapBytes
  return isSteady && own.pfc.classes.length === 1 && b.xoff + strict <= b.portBuffer && isOneClass(own)
}

/** A pause is refreshed before it expires, even where a frame and PFC frames of other classes are sent first. */
function isRefreshedInTime(scenario: Scenario, port: Port, frameBytes: number): boolean {
  const { quanta, refreshShare } = pfcRules(scenario)
  if (refreshShare === 0) return false
  const pfcPs = port.transmitPs[scenario.frames.pfc]!
  return scenario.pfc.classes.every((c) => {
    const intervalPs = refreshIntervalPs(quanta[c]!, refreshShare, port.rateBps, pfcPs)
    const sparePs = pauseDurationPs(quanta[c]!, port.rateBps) - intervalPs
    return sparePs > port.transmitPs[frameBytes]! + 8 * pfcPs
  })
}

/** All traffic is of the one lossless class, so nothing else fills the input buffers. */
function isOneClass(scenario: Scenario): boolean {
  const { pfc, classes, workload } = scenario
  const [only] = pfc.classes
  const isOnly = [
    classes.data,
    classes.ackAtSwitch ?? classes.data,
    ...(schemeSets(scenario).every((set) => set.scenario.congestion.kind === 'none') ? [] : [classes.cnpAtSwitch]),
  ]
  return (
    isOnly.every((c) => c === only) &&
    workload.every((w) =>
      w.kind === 'trace' ? !w.flows.some((line) => line.includes('class=')) : (w.trafficClass ?? only) === only,
    )
  )
}
