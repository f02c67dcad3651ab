/**
 * Lossless: whether a scenario's fabric provably drops nothing of its lossless classes, so that a drop is a bug.
 */
import { pauseDurationPs, refreshIntervalPs } from '../../fabric/link/pfc.ts'
import type { Port } from '../../fabric/link/port.ts'
import { schemeSets } from '../../scenario/mix.ts'
import type { Scenario } from '../../scenario/scenario.ts'
import { isNeeded } from '../build/definitions.ts'
import { classBits, headroomOf, pfcRules, strictHeadroomOf } from '../build/device-options.ts'
import type { BuiltNetwork } from '../build/network-builder.ts'

/** Whether the headroom covers everything that can arrive after XOFF on every link, so that no lossless packet may be dropped. */
export function isProvablyLossless(scenario: Scenario, built: BuiltNetwork): boolean {
  const { pfc, faults } = scenario
  if (classBits(pfc.classes) === 0 || faults.length > 0) return false
  // CNMs are made inside a switch: no pause holds them back, and no headroom is kept for them.
  if (isNeeded(scenario, 'qcn') && pfc.classes.includes(scenario.classes.cnpAtSwitch)) return false
  const b = scenario.switch.buffer
  const limits = built.frameLimits
  return built.network.ports.every((port) => {
    if (pfc.expiry && !isRefreshedInTime(scenario, port, limits.anyBytes)) return false
    const plan = { rateBps: port.rateBps, delayPs: port.delayPs }
    const strict = strictHeadroomOf(scenario, plan, limits) + limits.dataBytes
    if (b.kind === 'shared-buffer') {
      const whole = b.pool === 'after-reserves' && (b.headroomPer === 'class' || pfc.classes.length === 1)
      return whole && b.egressLimit === 'lossy' && headroomOf(scenario, plan, limits) >= strict
    }
    return pfc.classes.length === 1 && b.xoff + strict <= b.portBuffer && isOneClass(scenario)
  })
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
