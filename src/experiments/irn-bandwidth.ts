/**
 * IRN and RoCE over links of 10, 40 and 100 Gb/s.
 * What goes with the rate is what section 4.1 derives from it: the cap (the BDP), buffers of twice the BDP, and the
 * headroom above PFC's threshold (the BDP of one link); and with the buffers the thresholds of marking. Flows come for as long as the default case's number of them takes.
 * Source: S3 A.2, Table 4.
 */
import type { Size } from './experiment.ts'
import type { Arm } from './irn-arms.ts'
import { defineIrnSettings, type Setting } from './irn-settings.ts'

/** Of the default case, whose link has 40 Gb/s. */
const DEFAULT_GBPS = 40
const BUFFER_KB = 240
const PAUSE_KB = 220
/** Thresholds of RED, with DCQCN. */
const MARK_KB = [5, 200] as const
/** Beyond the paper's headroom: packets that are on their way whole, which its arithmetic leaves out. */
const ROUNDING_KB = 4
const CAP_PACKETS = 110
/** Arrivals, warm-up and window, microseconds. */
const TIMES_US: Readonly<Record<Size, readonly [number, number, number]>> = {
  small: [2000, 200, 1600],
  full: [20_000, 2000, 16_000],
}

/** Links of that rate, and what goes with them. */
export function fabricAt(gbps: number, { transport, pfc }: Pick<Arm, 'transport' | 'pfc'>): readonly string[] {
  const scale = gbps / DEFAULT_GBPS
  return [
    `topology.linkRate=${gbps}Gbps`,
    `switch.buffer.portBuffer=${BUFFER_KB * scale}KB`,
    ...MARK_KB.map((kb, i) => `switch.ecn.${i === 0 ? 'kmin' : 'kmax'}=${kb * 1000 * scale}B`),
    ...(pfc === 'no PFC' ? [] : [`switch.buffer.xoff=${PAUSE_KB * scale - ROUNDING_KB}KB`]),
    ...(transport === 'irn' ? [`recovery.cap=${Math.round(CAP_PACKETS * scale)}`] : []),
  ]
}

function atGbps(gbps: number): Setting {
  return {
    name: `${gbps} Gb/s`,
    sets(arm, size) {
      const [generate, warmUp, window] = TIMES_US[size].map((us) => (us * DEFAULT_GBPS) / gbps)
      return [
        ...fabricAt(gbps, arm),
        `measure.generate=${generate}us`,
        `measure.warmUp=${warmUp}us`,
        `measure.window=${window}us`,
      ]
    },
  }
}

export const irnBandwidth = defineIrnSettings({
  name: 'irn-bandwidth',
  title: 'links of 10, 40 and 100 Gb/s',
  source: 'S3 A.2, Table 4',
  help:
    'The default case of S3 over slower and faster links. A round trip costs more packets on a faster link, and with it what ' +
    'a loss costs; what PFC costs does not grow with it.',
  defaultName: '40 Gb/s',
  settings: [10, 40, 100].map(atGbps),
  trends: [
    { id: 'irn.441.trend.bw', to: 'IRN + PFC', way: 'rises' },
    { id: 'irn.441.trend.bw', to: 'RoCE + PFC', way: 'rises' },
  ],
  remarks: [
    "Buffers are twice the BDP, PFC pauses a link's BDP below, and the cap is the BDP, as section 4.1 defines them: 60, 240 and 600 KB; 28, 110 and 275 packets. Appendix A.2 does not say whether they went with the rate. " +
      'The thresholds of marking go with the buffers: at 10 Gb/s, where a buffer has 60 KB, marking from 5 to 200 KB is too rare for DCQCN to do anything. ' +
      'Timeouts, and all else of TIMELY and DCQCN, are those of the default case. Flows come for 80, 20 and 8 ms: as many at every rate.',
  ],
})
