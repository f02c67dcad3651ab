/**
 * ethtool -a IF: pauses of the whole link (802.3x). Some releases add what was negotiated.
 * Source: ethtool(8).
 */
import type { Dialect } from '../dialect.ts'

export const ethtoolPause: Dialect = {
  name: 'ethtool-a',
  language: null,
  title: 'ethtool -a IF',
  command: 'ethtool -a IF',
  leavesOut: ['negotiated values'],
  recognises: ({ text }) => /^Pause parameters for /m.test(text),
  read({ lines }, facts) {
    facts.kind = 'host'
    let name = ''
    let rows = 0
    for (const line of lines) {
      const [, interfaceName] = /^Pause parameters for ([^:\s]+):/.exec(line.text) ?? []
      const [, key, value] = /^(Autonegotiate|RX|TX):\s*(on|off)\s*$/.exec(line.text) ?? []
      if (interfaceName !== undefined) name = interfaceName
      else if (key !== undefined) {
        const isOn = value === 'on'
        const { settings } = facts.port(name)
        if (key === 'RX') settings.put('takesGlobalPause', isOn, line, 'operational')
        else if (key === 'TX') settings.put('sendsGlobalPause', isOn, line, 'operational')
        rows++
      } else if (!/^\s*$|negotiated/.test(line.text)) facts.remainder.push(line)
    }
    if (rows < 3) facts.truncated = { line: lines.at(-1)!, expected: 'Autonegotiate, RX and TX' }
  },
}
