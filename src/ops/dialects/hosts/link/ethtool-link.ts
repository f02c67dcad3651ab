/**
 * ethtool IF, and ethtool --show-fec IF: speed, negotiation, state and FEC of a link.
 * Source: ethtool(8), netlink/settings.c, netlink/fec.c.
 */
import type { Dialect } from '../../dialect.ts'
import { fecIn } from '../../words.ts'
import { keyAndValue } from '../host-words.ts'

export const ethtoolLink: Dialect = {
  name: 'ethtool',
  title: 'ethtool IF, ethtool --show-fec IF',
  command: 'ethtool IF; ethtool --show-fec IF',
  start: { line: /^Settings for \S+:\s*$/, namesPort: true },
  leavesOut: ['advertised modes', 'configured FEC'],
  recognises: ({ text }) => /^(?:Settings|FEC parameters) for \S+:\s*$/m.test(text),
  read({ lines }, facts) {
    facts.kind = 'host'
    let name: string | undefined
    let isWhole = true
    for (const line of lines) {
      const [, form, started] = /^(Settings|FEC parameters) for ([^:\s]+):/.exec(line.text) ?? []
      if (started !== undefined) {
        name = started
        isWhole = false
      }
      const [key, value = ''] = keyAndValue(line.text) ?? []
      if (name === undefined || key === undefined || form !== undefined) continue
      const { settings } = facts.port(name)
      const mbps = key === 'Speed' ? /^(\d{1,7})Mb\/s$/.exec(value)?.[1] : undefined
      if (mbps !== undefined) settings.put('rateBps', Number(mbps) * 1e6, line, 'operational')
      else if (key === 'Auto-negotiation') settings.put('autoNegotiates', value === 'on', line, 'operational')
      else if (key === 'Link detected') settings.put('isUp', value === 'yes', line, 'operational')
      else if (key === 'Active FEC encoding' && !/\s/.test(value))
        settings.put('fec', fecIn(value), line, 'operational')
      if (/^(?:Link detected|Active FEC encodings?)$/.test(key)) isWhole = true
    }
    if (!isWhole) facts.truncated = { line: lines.at(-1)!, expected: 'Link detected, or the active FEC' }
  },
}
