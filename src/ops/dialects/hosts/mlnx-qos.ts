/**
 * mlnx_qos -i IF: QoS of a port of an NVIDIA NIC. Older releases have no lines of buffers.
 * Source: mlnx-tools, python/mlnx_qos; the DCB netlink interface of mlx5 (Linux, en_dcbnl.c).
 */
import type { Dialect } from '../dialect.ts'
import type { PortFacts } from '../facts.ts'
import type { Line } from '../text.ts'
import { positionsOf } from '../words.ts'

const PRIORITIES = 8
const LAST = 'eight priorities under its traffic classes'

/** Numbers of a row of the table of PFC; undefined: not eight. */
function rowOf(text: string): number[] | undefined {
  const numbers = text.trim().split(/\s+/).slice(1).map(Number)
  return numbers.length === PRIORITIES && numbers.every((one) => Number.isInteger(one)) ? numbers : undefined
}

/** Without a map of DSCPs, trust in DSCP means that each eight have one priority (mlx5 driver). */
function defaultMap(port: PortFacts, line: Line): void {
  for (let dscp = 0; dscp < 64; dscp++) port.dscp(dscp, dscp >> 3, line, 'default')
}

export const mlnxQos: Dialect = {
  name: 'mlnx_qos',
  language: 'mlnx_qos',
  title: 'mlnx_qos -i IF',
  command: 'mlnx_qos -i IF',
  leavesOut: ['rate limits', 'bandwidths beyond weights'],
  recognises: ({ text }) => /^DCBX mode:/m.test(text) && /^Priority trust state:/m.test(text),
  read({ lines, command }, facts) {
    facts.kind = 'host'
    const port = facts.port(/-i\s+(\S+)/.exec(command)?.[1] ?? '')
    const priorities = new Set<number>()
    let trustLine: Line | undefined
    let hasMap = false
    let trafficClass: { strict: boolean; weight: number | undefined } | undefined
    for (const line of lines) {
      const text = line.text
      const [, key = '', value = ''] = /^([^:]+):\s*(.*?)\s*$/.exec(text) ?? []
      if (/lldpad service is running/.test(text)) port.nic.put('hasLldpad', true, line, 'operational')
      else if (key === 'DCBX mode') port.nic.put('dcbx', /^OS/i.test(value) ? 'os' : 'firmware', line, 'operational')
      else if (key === 'Priority trust state') {
        trustLine = line
        port.settings.put('trust', value.toLowerCase(), line, 'operational')
      } else if (/^\s+prio:\d\s+dscp:/.test(text)) {
        const [, priority, list] = /prio:(\d)\s+dscp:([\d,\s]*)/.exec(text)!
        hasMap = true
        for (const dscp of list!.split(',').filter((one) => one.trim() !== ''))
          port.dscp(Number(dscp), Number(priority), line, 'operational')
      } else if (key.startsWith('Receive buffer size')) {
        const sizes = value
          .split(',')
          .map((one) => one.trim())
          .filter((one) => /^\d+$/.test(one))
          .map(Number)
        if (sizes.length === PRIORITIES) port.nic.put('bufferBytes', sizes, line, 'operational')
      } else if (key === 'Cable len' && /^\d+$/.test(value))
        port.settings.put('cableM', Number(value), line, 'operational')
      else if (/^\s+enabled\s/.test(text)) {
        const row = rowOf(text)
        if (row === undefined) facts.truncated = { line, expected: 'PFC of eight priorities' }
        else port.settings.put('pfcClasses', positionsOf(row.map((one) => one === 1)), line, 'operational')
      } else if (/^\s+buffer\s/.test(text)) {
        const row = rowOf(text)
        if (row !== undefined) port.nic.put('bufferOfClass', row, line, 'operational')
      } else if (key === 'tc' || /^tc:\s*\d/.test(text)) {
        const weight = /bw:\s*(\d+)%/.exec(text)?.[1]
        trafficClass = { strict: /tsa:\s*strict/.test(text), weight: weight === undefined ? undefined : Number(weight) }
      } else if (/^\s+priority:\s+\d/.test(text)) {
        const priority = Number(/\d/.exec(text)![0])
        priorities.add(priority)
        if (trafficClass?.strict === true) port.class(priority).put('schedule', 'strict', line, 'operational')
        else if (trafficClass?.weight !== undefined)
          port.class(priority).put('schedule', trafficClass.weight, line, 'operational')
      } else if (!/^\s*$|^PFC configuration|^\s+priority\s+0|^dscp2prio|^default priority/.test(text))
        facts.remainder.push(line)
    }
    if (!hasMap && trustLine?.text.includes('dscp') === true) defaultMap(port, trustLine)
    if (priorities.size < PRIORITIES) facts.truncated ??= { line: lines.at(-1)!, expected: LAST }
  },
}
