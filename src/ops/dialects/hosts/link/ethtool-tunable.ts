/**
 * ethtool --get-tunable IF pfc-prevention-tout: time after which the NIC stops its own pauses. Older releases say
 * --show-tunable. 0: it never stops them.
 * Source: ethtool(8); Linux, include/uapi/linux/ethtool.h (PFC_STORM_PREVENTION_*).
 */
import type { Dialect } from '../../dialect.ts'
import { pauseWatchdogPs } from '../host-words.ts'

const NAME = 'pfc-prevention-tout'
const VALUE = /^pfc-prevention-tout(?:[ \t]*:[ \t]*|[ \t]+)(\w+)[ \t]*$/m

export const ethtoolTunable: Dialect = {
  name: 'ethtool-tunable',
  title: `ethtool --get-tunable IF ${NAME}`,
  command: `ethtool --get-tunable IF ${NAME}`,
  start: { line: /^pfc-prevention-tout[ \t:]/, namesPort: false },
  leavesOut: ['other tunables'],
  recognises: ({ text }) => text.includes(NAME) && VALUE.test(text),
  read({ lines, command }, facts) {
    facts.kind = 'host'
    const name = /-tunable\s+(\S+)/.exec(command)?.[1] ?? ''
    for (const line of lines) {
      const [, value] = VALUE.exec(line.text) ?? []
      if (value === undefined) continue
      const time = pauseWatchdogPs(value)
      if (time === undefined) facts.port(name).nic.forget('pauseWatchdogPs')
      else facts.port(name).nic.put('pauseWatchdogPs', time, line, 'operational')
    }
  },
}
