/**
 * IRN and RoCE over links of 10, 40 and 100 Gb/s.
 * Scaled with the rate are the values that section 4.1 derives from it: the cap (the BDP), buffers of twice the BDP, and
 * the headroom above PFC's threshold (the BDP of one link). The marking thresholds scale with the buffers. The number of
 * flows is that of the default case.
 * Source: [IRN] A.2, Table 4.
 */
import type { Arm } from '../arms.ts'
import type { PauseKb } from '../readings.ts'
import { defineIrnSettings, type Setting } from './settings.ts'

/** Values of the default case. */
const DEFAULT_GBPS = 40
const BUFFER_KB = 240
const PAUSE_KB = 220
/** Thresholds of RED with DCQCN. */
const MARK_KB = [5, 200] as const
/** Additional headroom of the early threshold: frames that have begun transmission, which the paper leaves out. */
const ROUNDING_KB = 4
const CAP_PACKETS = 110

function pauseKbAt(gbps: number): PauseKb {
  const printed = (PAUSE_KB * gbps) / DEFAULT_GBPS
  return { PFC: printed, 'PFC early': printed - ROUNDING_KB }
}

/** Changes to a scenario for links of a rate. */
export function fabricAt(gbps: number, { transport, pfc }: Pick<Arm, 'transport' | 'pfc'>): readonly string[] {
  const scale = gbps / DEFAULT_GBPS
  return [
    `topology.linkRate=${gbps}Gbps`,
    `switch.buffer.portBuffer=${BUFFER_KB * scale}KB`,
    ...MARK_KB.map((kb, i) => `switch.ecn.${i === 0 ? 'kmin' : 'kmax'}=${kb * 1000 * scale}B`),
    ...(pfc === 'no PFC' ? [] : [`switch.buffer.xoff=${pauseKbAt(gbps)[pfc]}KB`]),
    ...(transport === 'irn' ? [`recovery.cap=${Math.round(CAP_PACKETS * scale)}`] : []),
  ]
}

function atGbps(gbps: number): Setting {
  return {
    name: `${gbps} Gb/s`,
    pauseKb: pauseKbAt(gbps),
    sets: (arm, arrivalsMs) => [
      ...fabricAt(gbps, arm),
      `measure.generate=${(arrivalsMs * 1000 * DEFAULT_GBPS) / gbps}us`,
    ],
  }
}

export const irnBandwidth = defineIrnSettings({
  name: 'irn-bandwidth',
  title: 'links of 10, 40 and 100 Gb/s',
  source: '[IRN] A.2, Table 4',
  help:
    'The default case of the IRN paper over slower and faster links. On a faster link a round trip is worth more packets, and so is a loss; ' +
    'the cost of PFC does not grow.',
  defaultName: '40 Gb/s',
  settings: [10, 40, 100].map(atGbps),
  trends: [
    { id: 'irn.441.trend.bw', to: 'IRN + PFC', direction: 'rises' },
    { id: 'irn.441.trend.bw', to: 'RoCE + PFC', direction: 'rises' },
  ],
  remarks: [
    "Buffers are twice the BDP, PFC pauses a link's BDP below that, and the cap is the BDP, as section 4.1 defines them: 60, 240 and 600 KB; 28, 110 and 275 packets. Appendix A.2 does not say whether they scale with the rate. " +
      'The marking thresholds scale with the buffers: at 10 Gb/s with buffers of 60 KB, marking from 5 to 200 KB would be too rare for DCQCN to react. ' +
      'Timeouts and all other parameters of TIMELY and DCQCN are those of the default case. Flows arrive in 300, 75 and 30 ms: the same number at every rate.',
  ],
})
