/**
 * EOS show qos interfaces IF ecn: thresholds of marking that the hardware has. The port is in its title, or only in the command.
 * Source: Arista EOS User Manual, "Quality of Service".
 */
import { CLASS_COUNT } from '../../../../core/device-model/index.ts'
import { isPort, longName } from '../cli/interfaces.ts'
import { bytesOf } from '../cli/queues.ts'
import { rowsOf } from '../cli/rows.ts'
import type { Dialect } from '../dialect.ts'
import { ETHERNET } from './running-config.ts'

export const eosEcn: Dialect = {
  name: 'eos-ecn',
  language: 'eos',
  title: 'EOS show qos interfaces IF ecn',
  command: 'show qos interfaces IF ecn',
  leavesOut: [
    'probability of marks',
    'thresholds in segments and milliseconds',
    'queues that are not in the class of their number',
  ],
  recognises: ({ text }) => /^[ \t]*Tx-Queue[ \t]+Threshold[ \t]+ECN Min\b/m.test(text),
  read(part, facts) {
    facts.kind = 'switch'
    const [, typed = ''] = /\binterfaces? +(\S+(?: +\d\S*)?) +ecn\b/i.exec(part.command) ?? []
    let port = longName(typed.replaceAll(/ +/g, ' '), ETHERNET)
    for (const { line, words } of rowsOf(part, facts)) {
      const [queue = '', unit = '', minimum = '', maximum = ''] = words
      const title = longName(queue.replace(/:$/, ''), ETHERNET)
      if (isPort(title, ETHERNET)) port = title
      if (!/^[0-7]$/.test(queue) || Number(queue) >= CLASS_COUNT || !/^[a-z]+$/.test(unit)) continue
      const [kmin, kmax] = [minimum, maximum].map((number) =>
        /^\d+$/.test(number) ? bytesOf(number, unit) : undefined,
      )
      const into = facts.port(isPort(port, ETHERNET) ? port : '').class(Number(queue))
      if (!/^\d+$/.test(minimum)) continue
      into.put('marks', true, line, 'operational')
      if (kmin !== undefined) into.put('kminBytes', kmin, line, 'operational')
      if (kmax !== undefined) into.put('kmaxBytes', kmax, line, 'operational')
    }
  },
}
