/**
 * ethtool -a IF: pauses of the whole link (802.3x). Where they are negotiated, newer releases add the outcome, which holds.
 * Source: ethtool(8); ethtool, netlink/pause.c.
 */
import type { Dialect } from '../../dialect.ts'
import { keyAndValue } from '../host-words.ts'

const KEYS: readonly string[] = ['Autonegotiate', 'RX', 'TX']

export const ethtoolPause: Dialect = {
  name: 'ethtool-a',
  title: 'ethtool -a IF',
  command: 'ethtool -a IF',
  start: { line: /^Pause parameters for /, namesPort: true },
  leavesOut: ['numbers of pause frames'],
  recognises: ({ text }) => /^Pause parameters for /m.test(text),
  read({ lines }, facts) {
    facts.kind = 'host'
    let name: string | undefined
    let missing = 0
    for (const line of lines) {
      const [, started] = /^Pause parameters for ([^:\s]+):/.exec(line.text) ?? []
      const [key = '', value = ''] = keyAndValue(line.text) ?? []
      if (started !== undefined) {
        name = started
        missing += KEYS.length
      } else if (name !== undefined && /^(?:on|off)$/.test(value)) {
        if (KEYS.includes(key)) missing--
        const { settings } = facts.port(name)
        if (key.startsWith('RX')) settings.put('takesGlobalPause', value === 'on', line, 'operational')
        else if (key.startsWith('TX')) settings.put('sendsGlobalPause', value === 'on', line, 'operational')
      }
    }
    if (missing > 0) facts.truncated = { line: lines.at(-1)!, expected: 'Autonegotiate, RX and TX' }
  },
}
