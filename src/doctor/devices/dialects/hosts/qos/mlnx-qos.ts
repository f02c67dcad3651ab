/**
 * mlnx_qos -i IF: QoS of a port of an NVIDIA NIC. Older releases have no lines of buffers.
 * Source: mlnx-tools, python/mlnx_qos; the DCB netlink interface of mlx5 (Linux, en_dcbnl.c).
 */
import { CLASS_COUNT, DSCP_COUNT, DSCPS } from '../../../../../core/device-model/index.ts'
import { hostOutput } from '../../output.ts'
import type { Line } from '../../text.ts'
import { positionsOf } from '../../words.ts'
import { eightIn, optionOf, TRUSTS, wholeIn } from '../host-words.ts'

/** "0 1 0 0 0 0 0 0" of the table of PFC; undefined: not eight numbers of priorities or buffers. */
const rowIn = (text: string): number[] | undefined => eightIn(text.trim().split(/\s+/).join(','), 7)

export const mlnxQos = hostOutput({
  name: 'mlnx_qos',
  language: 'mlnx_qos',
  title: 'mlnx_qos -i IF',
  command: 'mlnx_qos -i IF',
  start: { line: /^DCBX mode:|^\W{0,8}WARNING: lldpad service is running/i, namesPort: false },
  leavesOut: ['rate limits', 'bandwidths beyond weights'],
  recognises: ({ text }) => /^DCBX mode:/m.test(text) && /^Priority trust state:/m.test(text),
  leavesNone: true,
  rows(at) {
    at.begin(optionOf(at.part.command, 'i', 'interface'))
    const { port } = at
    const priorities = new Set<number>()
    let trafficClass: { readonly number: number; readonly schedule: string | number | undefined } | undefined
    /** Line that says that DSCPs are trusted, until a map of them is seen. */
    let trustLine: Line | undefined
    /** The table of PFC comes after the map: without one, each eight DSCPs have one priority (mlx5 driver). */
    const endMap = (): void => {
      if (trustLine !== undefined) for (const dscp of DSCPS) port.dscp(dscp, dscp >> 3, trustLine, 'default')
      trustLine = undefined
    }
    at.end = () => {
      if (priorities.size < CLASS_COUNT) at.cut('eight priorities under its traffic classes')
    }
    at.on(/lldpad service is running/, () => at.put('nic.hasLldpad', true))
    at.on(/^\s*priority\s+\d/, endMap)
    at.on(/^\s*buffer\s+(\d.*)$/, (row) => {
      endMap()
      at.put('nic.bufferOfClass', rowIn(row))
    })
    at.on(/^\s*enabled\s+(\d.*)$/, (row) => {
      endMap()
      const flags = rowIn(row)
      at.put('pfcClasses', flags && positionsOf(flags.map((one) => one === 1)))
      if (flags === undefined) at.facts.truncated = { line: at.line, expected: 'PFC of eight priorities' }
    })
    at.on(/^\s*DCBX mode\s*:\s*(.*)$/, { 'nic.dcbx': (text) => /^(?:os|firmware)/.exec(text.toLowerCase())?.[0] })
    at.on(/^\s*Priority trust state\s*:\s*(.*)$/, (text) => {
      const trust = TRUSTS.find((one) => one === text.toLowerCase())
      at.put('trust', trust)
      if (trust !== undefined) trustLine = trust === 'dscp' ? at.line : undefined
    })
    at.on(/^\s*Receive buffer size[^:]*:\s*(.*)$/, {
      'nic.bufferBytes': (text) => eightIn(text.split(',').slice(0, CLASS_COUNT).join(','), Number.MAX_SAFE_INTEGER),
    })
    at.on(/^\s*Cable len\s*:\s*(.*)$/, (text) => {
      const metres = wholeIn(text, 1e6)
      if (metres !== undefined) at.put('cableM', metres)
    })
    // "tc: 3 ratelimit: unlimited, tsa: ets, bw: 50%".
    at.on(/^\s*tc\s*:\s*(\S*)(.*)$/, (text, rest) => {
      const [, weight] = /bw:\s*(\d{1,3})%/.exec(rest) ?? []
      const schedule = /tsa:\s*strict/.test(rest) ? 'strict' : weight === undefined ? undefined : Number(weight)
      const number = wholeIn(text, CLASS_COUNT - 1)
      trafficClass = number === undefined ? undefined : { number, schedule }
    })
    at.on(/^\s*priority\s*:\s*(.*)$/, (text) => {
      const priority = wholeIn(text, CLASS_COUNT - 1)
      if (priority === undefined || trafficClass === undefined) return at.leave()
      const { number, schedule } = trafficClass
      priorities.add(priority)
      port.class(priority).put('queue', number, at.line, 'operational')
      if (schedule !== undefined) port.class(priority).put('schedule', schedule, at.line, 'operational')
    })
    // "prio:3 dscp:31,30,29,28,27,26,25,24,".
    at.on(/^\s*prio\s*:\s*([0-7])\s+dscp:([\d,\s]*)$/, (priority, list) => {
      for (const one of list.split(',')) {
        const dscp = wholeIn(one.trim(), DSCP_COUNT - 1)
        if (dscp !== undefined) port.dscp(dscp, Number(priority), at.line, 'operational')
      }
    })
    at.on(/^\s*dscp2prio mapping\s*:/, () => (trustLine = undefined))
    at.on(/^\s*(?:default priority|PFC configuration)\s*:/)
  },
})
