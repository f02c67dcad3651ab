/** Profiles stand for plain keys. */
import { expect, test } from 'vitest'
import type { InputError, Issue } from '../../core/base/issue.ts'
import { GBPS, MIB, MS } from '../../core/base/params.ts'
import { parseScenario, printScenario, readScenarioText } from './index.ts'
import { NIC_PROFILES, SWITCH_PROFILES } from './profiles.ts'

const WORK = 'workload: [{kind: incast, senders: 2}]\n'
const LEAVES = 'topology: {kind: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 2}\n'
const scenario = (text: string, sets: string[] = []) => parseScenario(`${LEAVES}${WORK}${text}`, { sets })
const profilesIn = (text: string) => readScenarioText(`${LEAVES}${WORK}${text}`).profiles

function issuesOf(text: string): readonly Issue[] {
  try {
    scenario(text)
  } catch (error) {
    return (error as InputError).issues
  }
  return []
}

test('a NIC has the rate, the gap between requests, the congestion control and the losses of its profile', () => {
  const { topology, nic, congestion } = scenario('nic: {profile: connectx-7}\n')
  expect('hostRate' in topology && topology.hostRate).toBe(400 * GBPS)
  const star = parseScenario(`topology: {kind: star, hosts: 3}\nnic: {profile: connectx-7}\n${WORK}`).topology
  expect('linkRate' in star && star.linkRate).toBe(400 * GBPS)
  expect(nic.send.workRequestGap).toBe(344_900)
  expect(congestion).toMatchObject({ kind: 'dcqcn-connectx4', lossCut: 0.5 })
})

test('keys that are given win', () => {
  const given = scenario(`nic: {profile: connectx-7, send: {workRequestGap: 1us}}\ncongestion: none\n`)
  expect(given.congestion.kind).toBe('none')
  expect(given.nic.send.workRequestGap).toBe(1e6)
  const other = scenario('nic: {profile: connectx-7}\ncongestion: dcqcn\n')
  expect(other.congestion).toMatchObject({ kind: 'dcqcn', lossCut: 0.5 })
  const rate = scenario('nic: {profile: connectx-7}\n', ['topology.hostRate=200Gbps']).topology
  expect('hostRate' in rate && rate.hostRate).toBe(200 * GBPS)
})

test('retries are those of the NIC where the application has set a timeout', () => {
  expect(scenario('nic: {profile: connectx-6}\n').qp.retry.kind).toBe('timeout')
  const { retry } = scenario('nic: {profile: connectx-6}\nqp: {ackTimeout: 67.1ms}\n').qp
  expect(retry.kind === 'steps' && [retry.steps.length, retry.factor, retry.floor / MS]).toEqual([11, 2, 268.435456])
  const irn = scenario('nic: {profile: connectx-6}\nqp: {ackTimeout: 320us}\nrecovery: irn\ncongestion: none\n')
  expect(irn.qp.retry.kind).toBe('timeout')
})

test('a part is said to be set only where it was', () => {
  const named = (text: string) => profilesIn(`nic: {profile: connectx-6}\n${text}`)[0]!
  expect(named('').left).toContain('qp.retry')
  expect(named('qp: {ackTimeout: 67.1ms}\n').sets).toContain('qp.retry')
  expect(named('congestion: none\n').left).toContain('congestion.kind')
})

test('a switch has its pools, limits and marks', () => {
  const { family, buffer, ecn } = scenario('switch: {profile: tomahawk-5}\n').switch
  expect(family).toBe('th5')
  expect(buffer).toMatchObject({
    kind: 'memory-manager',
    cell: 254,
    ingressPool: 165_660_324,
    headroomPool: 29_423_360,
    dynamicTh: 0,
  })
  expect([ecn.kmin, ecn.kmax, ecn.pmax]).toEqual([MIB, 2 * MIB, 0.05])
  const own = scenario('switch: {profile: tomahawk-5, buffer: {kind: shared-buffer, size: 9MB}}\n').switch.buffer
  expect(own).toMatchObject({ kind: 'shared-buffer', size: 9e6 })
})

test('a scenario has the values and not the name: printed and read again it is the same', () => {
  for (const [nic, at] of [...NIC_PROFILES, ...SWITCH_PROFILES].map((_, i) => [
    NIC_PROFILES[i % NIC_PROFILES.length],
    SWITCH_PROFILES[i % SWITCH_PROFILES.length],
  ])) {
    const first = scenario(`nic: {profile: ${nic}}\nswitch: {profile: ${at}}\nqp: {ackTimeout: 67.1ms}\n`)
    const printed = JSON.stringify(printScenario(first))
    expect(parseScenario(printed, { isOwn: true })).toEqual(first)
  }
})

test('what nobody has published is listed, and stays as it is without a profile', () => {
  const plain = scenario('')
  const e810 = scenario('nic: {profile: e810}\n')
  expect(profilesIn('')).toEqual([])
  expect(e810.congestion).toEqual(plain.congestion)
  const [use] = profilesIn('nic: {profile: e810}\n')
  expect(use).toMatchObject({
    at: 'nic',
    name: 'e810',
    sets: ['topology.hostRate', 'congestion.kind'],
    left: ['topology.linkRate'],
  })
  expect(use!.unknown).toContain('qp.retry')
  expect(profilesIn('switch: {profile: spectrum-4}\n')[0]!.unknown).toContain('switch.latency')
})

test('a profile that does not exist is one mistake, with the names that do', () => {
  const issues = issuesOf('nic: {profile: connectx-9}\n')
  expect(issues.map(({ path }) => path)).toEqual(['nic.profile'])
  expect(issues[0]!.expected).toContain('connectx-7')
})
