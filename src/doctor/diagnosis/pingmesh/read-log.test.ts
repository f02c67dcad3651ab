/** Logs of files: names of columns, units, statuses, and each mistake by its line. */
import { describe, expect, test } from 'vitest'
import { InputError } from '../../../core/base/issue.ts'
import { readCsv } from '../../../core/results/index.ts'
import { byName, readProbeLog, type ProbeLog } from './index.ts'

const HEAD = 'time_ns,source,destination,scope,source_port,rtt_ns,status\n'
const read = (text: string): ProbeLog => {
  const head = text.slice(0, text.indexOf('\n')).split(',')
  return readProbeLog(readCsv('log', text, { types: Object.fromEntries(head.map((name) => [name, 'text'])) }))
}
const issuesOf = (text: string): string[] => {
  try {
    read(text)
  } catch (error) {
    if (error instanceof InputError) return error.issues.map(({ line, path }) => `${line ?? ''} ${path}`.trim())
    throw error
  }
  return []
}

describe('names', () => {
  test.each([
    ['time_ns,source,destination,scope,source_port,rtt_ns,status,age_ns', '5000,a,b,tor,50000,9000,ok,'],
    ['timePs,sourceName,destinationName,scope,sourcePort,rttPs,status,agePs', '5000000,a,b,tor,50000,9000000,ok,'],
    ['time_us,src,dst,scope,sport,rtt_us,status,note', '5,a,b,tor,50000,9,IBV_WC_SUCCESS,x'],
  ])('%s', (head, row) => {
    expect(read(`${head}\n${row}\n`).probes).toEqual([
      {
        timeNs: 5000,
        source: 'a',
        destination: 'b',
        scope: 'tor',
        sourcePort: 50_000,
        rttNs: 9000,
        outcome: 'ok',
        ageNs: NaN,
      },
    ])
  })

  test('instants, and no source port', () => {
    const log = read(
      'time,src,dst,scope,dscp,rtt_ns,status\n2026-11-20T10:00:01Z,a,b,dc,26,9217,OK\n2024-02-29 00:00:00.5Z,a,b,tor,26,4100,OK\n',
    )
    expect(log.probes.map(({ timeNs, sourcePort }) => [timeNs, sourcePort])).toEqual([
      [Date.UTC(2024, 1, 29, 0, 0, 0, 500) * 1e6, -1],
      [Date.UTC(2026, 10, 20, 10, 0, 1) * 1e6, -1],
    ])
    expect(log.scopes).toEqual(['tor', 'dc'])
  })

  test.each([
    ['retry-exceeded', 'retry-exceeded'],
    ['RETRY_EXC_ERR', 'retry-exceeded'],
    ['IBV_WC_RETRY_EXC_ERR', 'retry-exceeded'],
    ['12', 'retry-exceeded'],
    ['RNR_RETRY_EXC_ERR', 'rnr-exceeded'],
    ['WR_FLUSH_ERR', 'flushed'],
    ['REM_ACCESS_ERR', 'error'],
    ['LOC_PROT_ERR', 'error'],
    ['connect-failed', 'unreachable'],
    ['unfinished', 'unfinished'],
  ])('status %s', (status, outcome) => {
    expect(read(`${HEAD}1,a,b,tor,1,,${status}\n`).probes[0]!.outcome).toBe(outcome)
  })

  test('hosts in natural order', () => {
    expect(['host 10', 'host 2', 'host 2b', 'a'].sort(byName)).toEqual(['a', 'host 2', 'host 2b', 'host 10'])
  })
})

describe('mistakes', () => {
  test('each by its line and column', () => {
    const rows = [
      '1,a,b,tor,1,10,ok',
      'x,a,b,tor,1,10,ok',
      '3,,b,tor,1,10,ok',
      '4,a,b,tor,70000,10,ok',
      '5,a,b,tor,1,,ok',
      '6,a,b,tor,1,-4,ok',
      '7,a,b,tor,1,10,fine',
      '8,a,b,tor,1,constructor,constructor',
    ]
    expect(issuesOf(`${HEAD}${rows.join('\n')}\n`)).toEqual([
      '3 time_ns',
      '4 source',
      '5 source_port',
      '6 rtt_ns',
      '7 rtt_ns',
      '8 status',
      '9 status',
    ])
  })

  test('columns that are missing, and a log of two classes', () => {
    expect(issuesOf('time_ns,source\n1,a\n')).toHaveLength(4)
    expect(issuesOf('time_ns,src,dst,scope,rtt_ns,status,dscp\n1,a,b,tor,5,ok,26\n2,a,b,tor,5,ok,0\n')).toHaveLength(1)
  })

  test('no probe, an instant that there is not', () => {
    expect(issuesOf(HEAD)).toHaveLength(1)
    expect(issuesOf('time,src,dst,scope,rtt_ns,status\n2026-13-20T10:00:00Z,a,b,tor,5,ok\n')).toEqual(['2 time'])
  })

  test('of thousands the first are listed and the others counted', () => {
    const issues = issuesOf(`${HEAD}${'x,a,b,tor,1,10,ok\n'.repeat(3000)}`)
    expect(issues.length).toBeLessThanOrEqual(52)
    expect(issues[49]).toBe('51 time_ns')
  })
})
