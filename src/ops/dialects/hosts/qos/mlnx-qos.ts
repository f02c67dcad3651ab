/**
 * mlnx_qos -i IF: QoS of a port of an NVIDIA NIC. Older releases have no lines of buffers.
 * Source: mlnx-tools, python/mlnx_qos; the DCB netlink interface of mlx5 (Linux, en_dcbnl.c).
 */
import type { Dialect } from '../../dialect.ts'
import type { Facts, PortFacts } from '../../facts.ts'
import type { Line } from '../../text.ts'
import { positionsOf } from '../../words.ts'
import { DSCP_COUNT, eightIn, keyAndValue, optionOf, PRIORITY_COUNT, TRUSTS, wholeIn } from '../host-words.ts'

const LAST = 'eight priorities under its traffic classes'

/** Numbers of a row of the table of PFC; undefined: not eight. */
const rowOf = (text: string): number[] | undefined => eightIn(text.trim().split(/\s+/).slice(1).join(','), 7)

/** Without a map of DSCPs, trust in DSCP means that each eight have one priority (mlx5 driver). */
function defaultMap(port: PortFacts, line: Line): void {
  for (let dscp = 0; dscp < DSCP_COUNT; dscp++) port.dscp(dscp, dscp >> 3, line, 'default')
}

/** An output so far: lines further down need some of those above. */
class Reading {
  readonly priorities = new Set<number>()
  /** Line that says that DSCPs are trusted, until a map of them is seen. */
  trustLine: Line | undefined
  trafficClass: { readonly number: number; readonly schedule: string | number | undefined } | undefined
  readonly port: PortFacts
  readonly facts: Facts

  constructor(port: PortFacts, facts: Facts) {
    this.port = port
    this.facts = facts
  }

  /** Lines with a key and a value. */
  keyed(key: string, value: string, line: Line): boolean {
    const { port } = this
    if (key === 'DCBX mode') this.mode(/^(?:os|firmware)/.exec(value.toLowerCase())?.[0], line)
    else if (key === 'Priority trust state') this.trust(value.toLowerCase(), line)
    else if (key.startsWith('Receive buffer size')) {
      const sizes = eightIn(value.split(',').slice(0, PRIORITY_COUNT).join(','), Number.MAX_SAFE_INTEGER)
      if (sizes === undefined) port.nic.forget('bufferBytes')
      else port.nic.put('bufferBytes', sizes, line, 'operational')
    } else if (key === 'Cable len') {
      const metres = wholeIn(value, 1e6)
      if (metres !== undefined) port.settings.put('cableM', metres, line, 'operational')
    } else if (key === 'tc') this.startClass(value)
    else if (key === 'priority') this.priority(value, line)
    else if (key === 'prio') this.dscps(value, line)
    else if (key === 'dscp2prio mapping') this.trustLine = undefined
    else return key === 'default priority' || key === 'PFC configuration'
    return true
  }

  mode(mode: string | undefined, line: Line): void {
    if (mode === undefined) this.port.nic.forget('dcbx')
    else this.port.nic.put('dcbx', mode, line, 'operational')
  }

  trust(trust: string, line: Line): void {
    if (!TRUSTS.includes(trust)) return this.port.settings.forget('trust')
    this.port.settings.put('trust', trust, line, 'operational')
    this.trustLine = trust === 'dscp' ? line : undefined
  }

  /** "3 dscp:31,30,29,28,27,26,25,24,". */
  dscps(value: string, line: Line): void {
    const [, priority, list = ''] = /^([0-7])\s+dscp:([\d,\s]*)$/.exec(value) ?? []
    if (priority === undefined) return void this.facts.remainder.push(line)
    for (const one of list.split(',')) {
      const dscp = wholeIn(one.trim(), DSCP_COUNT - 1)
      if (dscp !== undefined) this.port.dscp(dscp, Number(priority), line, 'operational')
    }
  }

  /** "3 ratelimit: unlimited, tsa: ets, bw: 50%". */
  startClass(value: string): void {
    const weight = /bw:\s*(\d{1,3})%/.exec(value)?.[1]
    const schedule = /tsa:\s*strict/.test(value) ? 'strict' : weight === undefined ? undefined : Number(weight)
    const number = wholeIn(value.split(/\s/, 1)[0] ?? '', PRIORITY_COUNT - 1)
    this.trafficClass = number === undefined ? undefined : { number, schedule }
  }

  priority(value: string, line: Line): void {
    const priority = wholeIn(value, PRIORITY_COUNT - 1)
    if (priority === undefined || this.trafficClass === undefined) return void this.facts.remainder.push(line)
    const { number, schedule } = this.trafficClass
    this.priorities.add(priority)
    this.port.class(priority).put('queue', number, line, 'operational')
    if (schedule !== undefined) this.port.class(priority).put('schedule', schedule, line, 'operational')
  }

  /** Row of the table of PFC. */
  row(name: string, line: Line): void {
    const numbers = rowOf(line.text)
    // The table comes after the map: there is none.
    if (this.trustLine !== undefined) defaultMap(this.port, this.trustLine)
    this.trustLine = undefined
    if (name === 'buffer') {
      if (numbers === undefined) this.port.nic.forget('bufferOfClass')
      else this.port.nic.put('bufferOfClass', numbers, line, 'operational')
    } else if (name === 'enabled') {
      if (numbers === undefined) {
        this.port.settings.forget('pfcClasses')
        this.facts.truncated = { line, expected: 'PFC of eight priorities' }
      } else this.port.settings.put('pfcClasses', positionsOf(numbers.map((one) => one === 1)), line, 'operational')
    }
  }
}

export const mlnxQos: Dialect = {
  name: 'mlnx_qos',
  language: 'mlnx_qos',
  title: 'mlnx_qos -i IF',
  command: 'mlnx_qos -i IF',
  start: { line: /^DCBX mode:|^\W{0,8}WARNING: lldpad service is running/i, namesPort: false },
  leavesOut: ['rate limits', 'bandwidths beyond weights'],
  recognises: ({ text }) => /^DCBX mode:/m.test(text) && /^Priority trust state:/m.test(text),
  read({ lines, command }, facts) {
    facts.kind = 'host'
    const reading = new Reading(facts.port(optionOf(command, 'i', 'interface')), facts)
    for (const line of lines) {
      const [, row] = /^\s*(priority|enabled|buffer)\s+\d/.exec(line.text) ?? []
      const [key, value] = keyAndValue(line.text) ?? []
      if (/lldpad service is running/.test(line.text)) reading.port.nic.put('hasLldpad', true, line, 'operational')
      else if (row !== undefined) reading.row(row, line)
      else if (key === undefined || value === undefined) {
        if (line.text.trim() !== '') facts.remainder.push(line)
      } else if (!reading.keyed(key, value, line)) facts.remainder.push(line)
    }
    if (reading.priorities.size < PRIORITY_COUNT) facts.truncated ??= { line: lines.at(-1)!, expected: LAST }
  },
}
