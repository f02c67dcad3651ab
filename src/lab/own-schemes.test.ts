/**
 * Schemes from outside are schemes like those of the program: a scheme of the program under another name gives the same
 * packets, and what is read, checked, printed and changed has it.
 */
import { describe, expect, test } from 'vitest'
import { InputError } from '../core/base/issue.ts'
import {
  checkScenario,
  describeScenario,
  formatScenario,
  parseScenario,
  printScenario,
  scenarioJsonSchema,
  scenarioOf,
  type Schemes,
} from './scenario/index.ts'
import { variationOf } from './scenario/changes.ts'
import { dcqcn } from '../core/transport/congestion/dcqcn.ts'
import { congestions, recoveries } from '../core/transport/index.ts'
import { run } from './index.ts'

/** Every scheme of the program, as somebody else would bring it. */
const ALL: Schemes = {
  congestions: congestions.map((one) => ({ ...one, name: `own-${one.name}` })),
  recoveries: recoveries.map((one) => ({ ...one, name: `own-${one.name}` })),
}
const textWith = (schemes: string): string => `
name: own
topology: {kind: star, hosts: 5, linkRate: 25Gbps}
switch: {buffer: {kind: shared-buffer, size: 200KB}}
qp: {ackInterval: 1, ackTimeout: 200us, retryLimit: off}
workload: [{kind: incast, senders: 4, receiver: 4, sizeEach: 100KB}]
faults: [{kind: bernoulli, probability: 0.002, links: all}]
${schemes}`

function issueOf(read: () => unknown): string {
  try {
    read()
    return 'none'
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    return error.message
  }
}

describe.each([
  ...['none', 'dcqcn', 'timely', 'swift', 'hpcc'].map((name) => ({ key: 'congestion', name })),
  ...['go-back-n', 'irn', 'iwarp'].map((name) => ({ key: 'recovery', name })),
])('$key: $name', ({ key, name }) => {
  test('under another name it gives the same packets, also as the scheme of a workload', () => {
    const { digest } = run(parseScenario(textWith(`${key}: ${name}`)))
    const own = parseScenario(textWith(`${key}: own-${name}`), ALL)
    expect(run(own, { check: true }).digest).toBe(digest)
    expect(run({ ...own, seed: 2 }).digest).not.toBe(digest)
    const ofWorkload = textWith('').replace('sizeEach: 100KB', `sizeEach: 100KB, ${key}: own-${name}`)
    expect(run(parseScenario(ofWorkload, ALL)).digest).toBe(digest)
  })

  test('printed and read again it is the same scenario', () => {
    const own = parseScenario(textWith(`${key}: own-${name}`), ALL)
    expect(checkScenario(own)).toEqual([])
    expect(parseScenario(formatScenario(own), ALL)).toEqual(own)
    expect(scenarioOf(printScenario(own), ALL)).toEqual(own)
    expect(issueOf(() => parseScenario(formatScenario(own)))).toContain(`own-${name}`)
  })
})

test('lists and schema have it', () => {
  expect(describeScenario(ALL).map(({ path }) => path)).toContain('congestion[own-dcqcn].minRate')
  expect(JSON.stringify(scenarioJsonSchema(ALL))).toContain('own-go-back-n')
  expect(JSON.stringify(scenarioJsonSchema())).not.toContain('own-')
})

test('its parameters change during a run like those of others', () => {
  const changed = (name: string): string =>
    textWith(`congestion: ${name}\nchanges: [{path: congestion.minRate, value: 5Gbps, at: 20us}]`)
  const own = parseScenario(changed('own-dcqcn'), ALL)
  expect(variationOf('congestion.minRate', own)).toEqual({ per: 'pair', live: true })
  const { digest } = run(own)
  expect(digest).toBe(run(parseScenario(changed('dcqcn'))).digest)
  expect(digest).not.toBe(run(parseScenario(textWith('congestion: dcqcn'))).digest)
})

test('mistakes have a place and name it: values, needs, names that are taken', () => {
  const own: Schemes = { congestions: [{ ...dcqcn, name: 'mine' }] }
  const read = (text: string, schemes: Schemes) => issueOf(() => parseScenario(textWith(text), schemes))
  expect(read('congestion: {kind: mine, minRate: fast}', own)).toMatch(/congestion\.minRate/)
  expect(read('congestion: mien', own)).toContain('did you mean mine?')
  expect(read('congestion: mine\npfc: {classes: [3]}', own)).toBe('none')
  const unmarked = textWith('congestion: mine').replace('switch: {', 'switch: {ecn: {classes: []}, ')
  expect(issueOf(() => parseScenario(unmarked, own))).toContain('mine')
  expect(read('', { congestions: [dcqcn] })).toContain('"dcqcn"')
  expect(read('', { recoveries: [ALL.recoveries![0]!, ALL.recoveries![0]!] })).toContain('"own-go-back-n"')
  expect(read('', { congestions: [{ ...dcqcn, name: 'My scheme' }] })).toContain('"My scheme"')
})

test('a scenario that was read without them knows nothing of them', () => {
  parseScenario(textWith('congestion: own-dcqcn'), ALL)
  expect(issueOf(() => parseScenario(textWith('congestion: own-dcqcn')))).toContain('own-dcqcn')
})
