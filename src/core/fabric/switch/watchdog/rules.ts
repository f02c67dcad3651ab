/**
 * Detection rules of PFC watchdogs in the field, as SONiC's detection plugins have them, and that of [MS-Scale] 4.3.
 * A new one is an entry of the list; parameter, checks, schema and `rocelab list` follow.
 */
import { MS } from '../../../base/params.ts'
import { defineRule, watchdogFields } from './rule.ts'

const generic = defineRule({
  name: 'generic',
  help: 'packets wait, none is sent and PFC frames arrive; or none waits, none is sent and the class is paused for more than 80 % of the poll',
  source: 'sonic-swss pfc_detect: virtual switch, Barefoot, Nephos, Clounix, Marvell Prestera',
  holds: (r) => r.txPackets === 0 && (r.occupancyBytes > 0 ? r.pfcRxPackets > 0 : r.pausedPs > 0.8 * r.intervalPs),
})

const teralynx = defineRule({
  name: 'teralynx',
  help: 'PFC frames arrive and the class is paused for more than 80 % of the poll; if packets wait, none is sent',
  source: 'sonic-swss pfc_detect: Marvell Teralynx',
  holds: (r) => r.pfcRxPackets > 0 && r.pausedPs > 0.8 * r.intervalPs && (r.occupancyBytes === 0 || r.txPackets === 0),
})

const broadcom = defineRule({
  name: 'broadcom',
  help: 'PFC frames arrive, the pause never ends, and the queue is paused at this poll and the one before',
  source: 'sonic-swss pfc_detect: Broadcom',
  holds: (r) => r.pfcRxPackets > 0 && r.on2off === 0 && r.isPaused && r.wasPaused,
})

const nvidia = defineRule({
  name: 'nvidia',
  help: 'packets wait, none is sent, and the class is paused for more than 99 % of the poll',
  source: 'sonic-swss pfc_detect: NVIDIA; 99 % since sonic-swss 3036',
  holds: (r) => r.occupancyBytes > 0 && r.txPackets === 0 && r.pausedPs > 0.99 * r.intervalPs,
})

const cisco = defineRule({
  name: 'cisco',
  help: 'the queue is paused at the poll; its storm is over when it no longer is',
  source: 'sonic-swss pfc_detect: Cisco 8000, whose chip does the rest',
  lacks: ['forward'],
  holds: (r) => r.isPaused,
  isQuiet: (r) => !r.isPauseReceived,
})

const paper = defineRule({
  name: 'paper',
  help: 'packets wait and none is sent, pauses arrive and the class stays paused: all lossless classes of the port go out of service',
  source: '[MS-Scale] 4.3',
  scope: 'port',
  // The paper has 200 ms until lossless mode is on again, and 100 ms for the NIC's watchdog; the poll is ours.
  params: watchdogFields({
    detection: 100 * MS,
    restoration: 200 * MS,
    poll: 10 * MS,
    source: '[MS-Scale] 4.3: restoration 200 ms; detection as its NIC watchdog, 100 ms; poll ours',
  }),
  holds: (r) =>
    r.occupancyBytes > 0 && r.txPackets === 0 && r.pfcRxPackets > 0 && r.on2off === 0 && r.isPaused && r.wasPaused,
})

export const watchdogRules = [generic, broadcom, nvidia, teralynx, cisco, paper] as const
