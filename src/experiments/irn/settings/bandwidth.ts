/**
 * IRN and RoCE over links of 10, 40 and 100 Gb/s.
 * What goes with the rate is what section 4.1 derives from it: the cap (the BDP), buffers of twice the BDP, and the
 * headroom above PFC's threshold (the BDP of one link); and with the buffers the thresholds of marking. Flows come for as long as the default case's number of them takes.
 * Source: [IRN] A.2, Table 4.
 */
import type { Arm } from '../arms.ts'
import type { PauseKb } from '../readings.ts'
import { defineIrnSettings, type Setting } from './settings.ts'

/** Of the default case, whose link has 40 Gb/s. */
const DEFAULT_GBPS = 40
const BUFFER_KB = 240
const PAUSE_KB = 220
/** Thresholds of RED, with DCQCN. */
const MARK_KB = [5, 200] as const
/** What the paper's headroom leaves out, and the earlier threshold has: packets on their way whole. */
const ROUNDING_KB = 4
const CAP_PACKETS = 110

function pauseKbAt(gbps: number): PauseKb {
  const printed = (PAUSE_KB * gbps) / DEFAULT_GBPS
  return { PFC: printed, 'PFC early': printed - ROUNDING_KB }
}

/** Links of that rate, and what goes with them. */
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
    'The default case of the IRN paper over slower and faster links. A round trip costs more packets on a faster link, and with it what ' +
    'a loss costs; what PFC costs does not grow with it.',
  defaultName: '40 Gb/s',
  settings: [10, 40, 100].map(atGbps),
  trends: [
    { id: 'irn.441.trend.bw', to: 'IRN + PFC', direction: 'rises' },
    { id: 'irn.441.trend.bw', to: 'RoCE + PFC', direction: 'rises' },
  ],
  remarks: [
    "Buffers are twice the BDP, PFC pauses a link's BDP below, and the cap is the BDP, as section 4.1 defines them: 60, 240 and 600 KB; 28, 110 and 275 packets. Appendix A.2 does not say whether they went with the rate. " +
      'The thresholds of marking go with the buffers: at 10 Gb/s, where a buffer has 60 KB, marking from 5 to 200 KB is too rare for DCQCN to do anything. ' +
      'Timeouts, and all else of TIMELY and DCQCN, are those of the default case. Flows arrive in 300, 75 and 30 ms: as many at every rate.',
  ],
})
