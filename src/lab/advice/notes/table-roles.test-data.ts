/** Rows of the table of notes on devices beside those of their role. */
import {
  ALIKE,
  AT,
  atDevice,
  change,
  changing,
  LEAF,
  NO_PORT,
  PLAIN,
  type Row,
  SWITCHES,
  WATCHDOG,
} from './table-cells.test-data.ts'

/** Class 4 besides, at hosts and at the ports of their leaf. */
const bothEnds = (hosts: string, ports: string, at = ''): string =>
  changing(
    change('pfc.classes', '[3, 4]', `nodes: "${hosts}"${at}`),
    change('pfc.classes', '[3, 4]', `nodes: ${LEAF}, ports: ${ports}${at}`),
  )

export const ROLE_ROWS: readonly Row[] = [
  {
    id: 'buf04',
    base: ALIKE,
    ...atDevice('switch.buffer.alpha', '1/64'),
    device: {
      sets: [changing(change('switch.buffer.alpha', '1/64', `nodes: ${LEAF}`))],
      device: LEAF,
      values: { alpha: 1 / 64, usual: 1 / 16 },
    },
    workload: SWITCHES,
    imported: PLAIN,
  },
  {
    id: 'ecn04',
    base: ALIKE,
    ...atDevice('switch.ecn.kmin', '1KB'),
    workload: SWITCHES,
    imported: PLAIN,
  },
  {
    id: 'wd01',
    base: ALIKE,
    ...atDevice('switch.watchdog', '"off"', [WATCHDOG]),
    port: NO_PORT,
    workload: SWITCHES,
    imported: PLAIN,
  },
  {
    id: 'watchdog-differs-in-role',
    base: ALIKE,
    ...atDevice('switch.watchdog.action', 'forward', [WATCHDOG]),
    port: NO_PORT,
    workload: SWITCHES,
    imported: PLAIN,
  },
  {
    id: 'wd05',
    base: ALIKE,
    ...atDevice('switch.watchdog.detectionTime', '400ms', [WATCHDOG]),
    port: NO_PORT,
    workload: SWITCHES,
    imported: PLAIN,
  },
  {
    id: 'pfc-differs-in-role',
    base: ALIKE,
    device: { sets: [bothEnds('host 2, host 3', 'hosts')], device: 'host 2', values: { found: { classes: '3, 4' } } },
    port: { sets: [bothEnds('host 2', 'host 2')], device: 'host 2' },
    later: { sets: [bothEnds('host 2, host 3', 'hosts', ', at: 1ms')], device: 'host 2', atPs: AT },
    workload: SWITCHES,
    imported: PLAIN,
  },
  {
    id: 'headroom-differs-in-role',
    base: ALIKE,
    ...atDevice('switch.buffer.headroom', '60KB'),
    workload: SWITCHES,
    imported: PLAIN,
  },
]
