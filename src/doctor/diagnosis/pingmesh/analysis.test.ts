/** Analysis of logs in which the test knows what is wrong. */
import { describe, expect, test } from 'vitest'
import { analyse, baselineOf, type Analysis } from './index.ts'
import { type At, type Fate, meshLog, name, rackOf, ROUNDS } from './mesh.test-data.ts'

const healthy = meshLog()
const baseline = baselineOf(healthy)
const seen = (fateOf: (at: At) => Fate): Analysis => analyse(meshLog(fateOf), baseline)
const idsOf = ({ findings }: Analysis): string[] => [...new Set(findings.map(({ id }) => id))]
const sitesOf = ({ findings }: Analysis): [string, string | undefined][] =>
  findings
    .filter(({ id }) => ['probes-host', 'probes-tor', 'probes-uplinks', 'probes-path'].includes(id))
    .map(({ id, subject }) => [id, subject.device])
const isLate = ({ round }: At): boolean => round >= 100
/** Every second probe, without a rule that the peers' turns share. */
const isHalf = ({ from, to, round }: At): boolean => ((((round * 31 + from * 17 + to * 7) * 40_503) >> 9) & 1) === 1
const SLOW: Fate = { rttNs: 400_000 }
const LOST: Fate = { outcome: 'retry-exceeded' }

describe('a healthy log', () => {
  test('works at all scopes, and nothing is found', () => {
    const { scopes, state, findings } = analyse(healthy, baseline)
    expect(scopes.map(({ scope, works }) => [scope, works])).toEqual([
      ['tor', 'works'],
      ['podset', 'works'],
      ['fabric', 'works'],
    ])
    expect([state.state, findings]).toEqual(['healthy', []])
  })

  test('is its own baseline', () => {
    expect(analyse(healthy).state.state).toBe('healthy')
    const { p50Ns, p99Ns } = baseline.get('tor')!
    expect(p50Ns / 8000).toBeCloseTo(1.2, 1)
    expect(p99Ns / 8000).toBeCloseTo(1.4, 1)
  })

  test('with few probes nothing is certain, even without a failure', () => {
    const few = { ...healthy, probes: healthy.probes.slice(0, 300) }
    const analysis = analyse(few, baseline)
    expect(analysis.scopes.map(({ works }) => works)).toEqual(['cannot-tell', 'cannot-tell', 'cannot-tell'])
    expect(idsOf(analysis)).toEqual(['probes-too-few'])
  })

  test('flushed probes and errors of the prober do not count', () => {
    const { scopes, state } = seen(({ round }) => (round % 4 === 0 ? { outcome: 'flushed' } : {}))
    expect(scopes.map(({ count, failed }) => [count, failed])).toEqual(scopes.map(() => [(16 * ROUNDS * 3) / 4, 0]))
    expect(state.state).toBe('healthy')
  })

  test('percentiles have their least counts', () => {
    const [tor] = analyse(healthy, baseline).scopes
    expect(tor!.percentiles.p99).not.toBeNull()
    expect(tor!.percentiles.p999).not.toBeNull()
    const { pairs } = analyse(healthy, baseline)
    expect(pairs.every(({ count, percentiles }) => count < 500 && percentiles.p99 === null)).toBe(true)
    expect(pairs).toHaveLength(16 * (3 + 4 + 8))
  })
})

describe('states', () => {
  test('a dead server: what goes to it is lost, and it is silent', () => {
    const { state, findings } = seen((at) =>
      !isLate(at) ? {} : at.to === 3 ? LOST : at.from === 3 ? { outcome: 'flushed' } : {},
    )
    expect([state.state, state.hosts, state.lostOfOthers]).toEqual(['dead-server', ['host 3'], 0])
    expect(findings[0]!.id).toBe('probes-dead-server')
  })

  test('a storm: one host from the beginning, others after it', () => {
    const { state } = seen((at) => {
      if (isLate(at) && (at.to === 3 || at.from === 3)) return { outcome: 'unfinished' }
      return at.round >= 150 && rackOf(at.from) !== 2 ? { outcome: 'unfinished' } : {}
    })
    expect([state.state, state.hosts, state.lostOfOthers > 100]).toEqual(['storm', ['host 3'], true])
  })

  test('a NIC that stands still in silence of no other host: its prober runs', () => {
    const { state } = seen((at) => (isLate(at) && (at.to === 3 || at.from === 3) ? LOST : {}))
    expect([state.state, state.hosts]).toEqual(['storm', ['host 3']])
  })

  test('a deadlock: hosts everywhere at one time', () => {
    const { state, findings } = seen((at) => (isLate(at) && at.scope !== 'tor' ? { outcome: 'unfinished' } : {}))
    expect(state.state).not.toBe('healthy')
    const all = seen((at) => (isLate(at) ? { outcome: 'unfinished' } : {}))
    expect([all.state.state, all.state.hosts]).toEqual(['deadlock', []])
    expect(findings.length).toBeGreaterThan(0)
  })

  test('congested: late, and they come back', () => {
    const analysis = seen((at) => (at.to === 9 && isHalf(at) ? SLOW : {}))
    expect([analysis.state.state, analysis.state.hosts]).toEqual(['congested', ['host 9']])
    expect(sitesOf(analysis)).toEqual([['probes-host', 'host 9']])
    expect(analysis.findings.find(({ id }) => id === 'probes-host')!.values['side']).toBe('receiving')
  })

  test('lost probes of nobody in particular are undecided', () => {
    const { state } = seen(({ round, from }) => ((round * 16 + from) % 400 === 7 ? LOST : {}))
    expect(state.state).toBe('unknown')
  })
})

describe('patterns', () => {
  test('the sending side of a host', () => {
    const analysis = seen((at) => (at.from === 6 && isHalf(at) ? SLOW : {}))
    expect(sitesOf(analysis)).toEqual([['probes-host', 'host 6']])
    expect(analysis.findings.find(({ id }) => id === 'probes-host')!.values['side']).toBe('sending')
  })

  test('a ToR, within it too; its uplinks, only across', () => {
    const touched = ({ from, to }: At): number => Number(rackOf(from) === 1) + Number(rackOf(to) === 1)
    expect(sitesOf(seen((at) => (touched(at) > 0 && isHalf(at) ? SLOW : {})))).toEqual([
      ['probes-tor', 'ToR of host 4'],
    ])
    expect(sitesOf(seen((at) => (touched(at) === 1 && isHalf(at) ? SLOW : {})))).toEqual([
      ['probes-uplinks', 'ToR of host 4'],
    ])
  })

  test('one of four paths: a quarter of the source ports of far pairs, always', () => {
    const isOn = ({ from, to, port }: At): boolean => (from + to + port) % 4 === 0
    const analysis = seen((at) => (at.scope === 'fabric' && isOn(at) ? LOST : {}))
    const path = analysis.findings.find(({ id }) => id === 'probes-path')!
    // Ports of pairs in the podset are good, as are three of four beyond it.
    const { tuples, ofTuples, pairs } = path.values as Record<string, number>
    expect(pairs).toBe(128)
    expect(tuples! / (ofTuples! - tuples!)).toBeGreaterThan(0.1)
    // The same share of losses on all ports is no path.
    const spread = seen((at) => (at.scope === 'fabric' && (at.round * 7 + at.from) % 4 === 0 ? LOST : {}))
    expect(idsOf(spread)).not.toContain('probes-path')
  })

  test('a tier: the median is up at one scope, for all', () => {
    const analysis = seen(({ scope, round }) => (scope === 'fabric' ? { rttNs: 44_000 + round } : {}))
    const found = analysis.findings.filter(({ id }) => id === 'probes-tier')
    expect(found.map(({ values }) => values['scope'])).toEqual(['fabric'])
  })

  test('bursts: the 99th percentile is up, the median is not', () => {
    const analysis = seen(({ scope, round }) =>
      scope === 'podset' && round % 20 === 0 ? { rttNs: 60_000 + 40 * round } : {},
    )
    expect(analysis.findings.filter(({ id }) => id === 'probes-bursts').map(({ values }) => values['scope'])).toEqual([
      'podset',
    ])
  })

  test('loss: a second mode far above the rest', () => {
    const analysis = seen(({ round, from }) => ((round + from) % 50 === 0 ? { rttNs: 1_000_000 + 100 * from } : {}))
    const loss = analysis.findings.find(({ id }) => id === 'probes-loss')!
    expect(Number(loss.values['modePs']) / 1e9).toBeCloseTo(1, 1)
    const spread = seen(({ round, from }) =>
      (round + from) % 50 === 0 ? { rttNs: 200_000 + ((round * 31 + from * 7) % 100) * 30_000 } : {},
    )
    expect(idsOf(spread)).not.toContain('probes-loss')
  })

  test('a prober at fault is left out: it alone fails in its rack', () => {
    const analysis = seen((at) => (at.from === 5 && isHalf(at) ? LOST : {}))
    expect(analysis.findings.filter(({ id }) => id === 'prober-excluded').map(({ subject }) => subject.device)).toEqual(
      ['host 5'],
    )
    expect(analysis.scopes.map(({ works }) => works)).toEqual(['works', 'works', 'works'])
    expect(analysis.pairs.filter(({ source, failed }) => source === name(5) && failed > 0)).toHaveLength(15)
  })
})
