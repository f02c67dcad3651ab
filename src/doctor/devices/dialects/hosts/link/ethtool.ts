/**
 * ethtool IF, and ethtool --show-fec IF: speed, negotiation, state and FEC of a link. ethtool -a IF: pauses of the whole link
 * (802.3x); where they are negotiated, newer releases add the outcome, which holds. ethtool --get-tunable IF
 * pfc-prevention-tout (older releases: --show-tunable): time after which the NIC stops its own pauses. 0: it never does.
 * Source: ethtool(8), netlink/settings.c, netlink/fec.c, netlink/pause.c; Linux, include/uapi/linux/ethtool.h
 * (PFC_STORM_PREVENTION_*).
 */
import { hostOutput, is, megabits } from '../../output.ts'
import { fecIn } from '../../words.ts'
import { pauseWatchdogPs } from '../host-words.ts'

export const ethtoolLink = hostOutput({
  name: 'ethtool',
  title: 'ethtool IF, ethtool --show-fec IF',
  command: 'ethtool IF; ethtool --show-fec IF',
  start: { line: /^Settings for \S+:\s*$/, namesPort: true },
  leavesOut: ['advertised modes', 'configured FEC'],
  recognises: ({ text }) => /^(?:Settings|FEC parameters) for \S+:\s*$/m.test(text),
  last: [/^\s*(?:Link detected|Active FEC encodings?)\s*:/, 'Link detected, or the active FEC'],
  rows(at) {
    at.head(/^(?:Settings|FEC parameters) for ([^:\s]+):/, (name) => at.begin(name, 1))
    at.on(/^\s*Speed\s*:\s*(\d{1,7})Mb\/s$/, { rateBps: megabits })
    at.on(/^\s*Auto-negotiation\s*:\s*(.*)$/, { autoNegotiates: is('on') })
    at.on(/^\s*Link detected\s*:\s*(.*)$/, { isUp: is('yes') })
    at.on(/^\s*Active FEC encoding\s*:\s*(\S*)$/, { fec: fecIn })
    at.on(/:/)
  },
})

export const ethtoolPause = hostOutput({
  name: 'ethtool-a',
  title: 'ethtool -a IF',
  command: 'ethtool -a IF',
  start: { line: /^Pause parameters for /, namesPort: true },
  leavesOut: ['numbers of pause frames'],
  recognises: ({ text }) => /^Pause parameters for /m.test(text),
  last: [/^\s*(?:Autonegotiate|RX|TX)\s*:\s*(?:on|off)$/, 'Autonegotiate, RX and TX'],
  rows(at) {
    at.head(/^Pause parameters for ([^:\s]+):/, (name) => at.begin(name, at.missing + 3))
    at.on(/^\s*RX[^:]*:\s*(on|off)$/, { takesGlobalPause: is('on') })
    at.on(/^\s*TX[^:]*:\s*(on|off)$/, { sendsGlobalPause: is('on') })
    at.on(/^[^:]*:\s*(?:on|off)$/)
  },
})

const TUNABLE = 'pfc-prevention-tout'

export const ethtoolTunable = hostOutput({
  name: 'ethtool-tunable',
  title: `ethtool --get-tunable IF ${TUNABLE}`,
  command: `ethtool --get-tunable IF ${TUNABLE}`,
  start: { line: /^pfc-prevention-tout[ \t:]/, namesPort: false },
  leavesOut: ['other tunables'],
  recognises: ({ text }) => /^pfc-prevention-tout(?:[ \t]*:[ \t]*|[ \t]+)\w+[ \t]*$/m.test(text),
  rows(at) {
    at.begin(/-tunable\s+(\S+)/.exec(at.part.command)?.[1] ?? '')
    at.on(/^pfc-prevention-tout(?:[ \t]*:[ \t]*|[ \t]+)(\w+)$/, { 'nic.pauseWatchdogPs': pauseWatchdogPs })
  },
})
