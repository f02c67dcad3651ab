/**
 * Why: in incidents of many kinds the first cause is the one that was made, under other schemes too; each claim and each
 * remedy is what the run that is printed with it shows; and where nothing is wrong, nobody is named.
 */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { why } from '../../src/advice.ts'
import type { Result, WhyJson } from '../../src/core/results/index.ts'
import { PROVED } from '../../src/core/findings/index.ts'
import { run } from '../../src/lab/index.ts'
import { SUSPECT_KINDS } from '../../src/lab/advice/why/suspect.ts'
import { parseScenario, type Scenario } from '../../src/lab/scenario/index.ts'
import { whyFindings } from '../../src/show/index.ts'

const folder = path.join(import.meta.dirname, 'why')
const read = (name: string): string => readFileSync(path.join(folder, `${name}.yaml`), 'utf8')

/** Incidents: their causes in the order in which they are named, each as kind, device (or path) and port. */
const INCIDENTS: Readonly<Record<string, readonly string[]>> = {
  'n10-link-down': ['failed-uplink leaf 0 spine 1'],
  'n12-dscp': ['class-map leaf 1', 'incast host 5', 'small-buffer switch.buffer.size'],
  'n13-mtu': ['mtu leaf 2'],
  'n19-polarised': ['polarised-hash balance.seed'],
  'n21-slow-link': ['slow-link leaf 2 spine 0'],
  'n23-host-10g': ['slow-link host 9 leaf 2'],
  'n25-double-storm-incast': ['pause-storm host 2', 'incast host 15'],
  'n26-pfc-one-end': ['pfc-off leaf 1', 'small-buffer switch.buffer.size'],
  'n30-nic-mtu': ['mtu host 6'],
  'n37-double-lossy-downlink': ['failed-uplink leaf 3 spine 0'],
  'n42-irn-cap': ['small-window recovery.cap'],
  'n43-host-stack': ['slow-host-stack qp.hostDelay'],
  'n45-rnr2': ['rnr qp.receiveQueue'],
  'n50-storm-none': ['pause-storm host 2'],
  'hpcc-slow': ['slow-receiver host 13'],
  'lossy-link': ['lossy-link leaf 3 spine 1'],
  'two-causes': ['slow-receiver host 5', 'lossy-link leaf 2 spine 0'],
  'two-slow': ['slow-receiver host 5', 'slow-receiver host 4', 'oversubscription topology.fabricRate'],
  'slow-receiver': ['slow-receiver host 9'],
  rollout: ['pfc-off leaf 0'],
  placement: ['placement workload.0.pairs', 'other-tenant workload.0'],
  'rate-cap': ['rate-cap nic.send'],
  oversub: ['oversubscription topology.fabricRate'],
  p99: ['slow-receiver host 13', 'incast host 6'],
}

interface Asked {
  readonly scenario: Scenario
  readonly result: Result
  readonly answer: WhyJson
}

async function asked(text: string, sets: readonly string[] = []): Promise<Asked> {
  const scenario = parseScenario(text, { sets: [...sets, 'observe=[autopsy]'] })
  const result = run(scenario)
  const answer = await why(scenario, result, (all) => Promise.resolve(all.map((one) => run(one))))
  return { scenario, result, answer }
}

const namesOf = ({ causes }: WhyJson): string[] =>
  causes.flatMap(({ suspects }) =>
    suspects.map(({ kind, device, port, path: at }) =>
      [kind, device ?? at ?? '', port ?? ''].filter((word) => word !== '').join(' '),
    ),
  )

/** The run with these overrides. */
const rerun = (text: string, sets: readonly string[]): Result => run(parseScenario(text, { sets: [...sets] }))

describe.each(Object.entries(INCIDENTS))('%s', (name, expected) => {
  const first = asked(read(name))

  test('names its causes', async () => {
    const { answer } = await first
    expect(answer.verdict).toBe('causes')
    expect(namesOf(answer)).toEqual(expected)
  })

  test('each claim is what its run shows', async () => {
    const { answer, result } = await first
    expect(answer.digest).toBe(result.digest)
    for (const { suspects, sets, digest, before, after, share, faster, slower } of answer.causes) {
      expect(rerun(read(name), sets).digest).toBe(digest)
      // A fault counts by the messages that it holds up, all others by a number.
      const isLossy = suspects.every(({ kind }) => kind === 'lossy-link')
      expect(share! >= 0.2 || (isLossy && faster - slower >= 6)).toBe(true)
      expect(after.meanSlowdown!).toBeLessThan(before.meanSlowdown!)
      expect(after.unfinished).toBeLessThanOrEqual(before.unfinished)
    }
  })

  test('remedies help those who suffer, as printed', async () => {
    const { answer } = await first
    for (const { sets, digest, before, after } of answer.remedies) {
      expect(rerun(read(name), sets).digest).toBe(digest)
      expect(after.meanSlowdown!).toBeLessThanOrEqual(1.05 * before.meanSlowdown!)
      expect(after.tailSlowdown!).toBeLessThanOrEqual(1.05 * before.tailSlowdown!)
    }
  })
})

/** Schemes with what their users set beside them. */
const SCHEMES: Readonly<Record<string, readonly string[]>> = {
  hpcc: ['congestion=hpcc', 'qp.ecnEcho=ack', 'recovery=go-back-n'],
  swift: ['congestion=swift', 'recovery=go-back-n'],
  irn: ['congestion=none', 'recovery=irn', 'pfc.classes=[]', 'qp.ackTimeout=320us'],
}

test.each(
  Object.entries(SCHEMES).flatMap(([scheme, sets]) =>
    ['hpcc-slow', 'two-slow', 'n21-slow-link', 'n13-mtu'].map((name) => ({ scheme, sets, name })),
  ),
)('$name under $scheme has the same first cause', async ({ sets, name }) => {
  const { answer } = await asked(read(name), sets)
  expect(namesOf(answer)[0]).toBe(INCIDENTS[name]![0])
})

test('a load that no change of a device makes better is called so, with the port that is full', async () => {
  const { answer } = await asked(read('n16-rnr'))
  expect(answer).toMatchObject({ verdict: 'load', causes: [], busyPort: { port: 'host 8' } })
  expect(answer.busyPort!.useShare).toBeGreaterThan(0.95)
  expect(whyFindings(answer).map(({ id }) => id)).toEqual(['load-remains'])
})

test('a calm run has no cause, and says what was tried', async () => {
  const { answer } = await asked(`
topology: {kind: leaf-spine, leaves: 4, spines: 2, hostsPerLeaf: 4}
workload: [{kind: poisson, load: 0.02, sizes: {kind: fixed, size: 64KB}, flows: 100}]
changes: [{path: switch.buffer.alpha, nodes: leaf 1, value: 0.03}]
`)
  expect(answer).toMatchObject({ verdict: 'calm', causes: [] })
  expect(answer.cleared.flatMap(({ suspects }) => suspects)).toMatchObject([{ kind: 'alpha', device: 'leaf 1' }])
})

test('with no budget nothing is proved, and what was not tried is said', async () => {
  const scenario = parseScenario(read('n21-slow-link'))
  const never = (all: readonly Scenario[]): Promise<null[]> => Promise.resolve(all.map(() => null))
  const answer = await why(scenario, run(scenario), never)
  expect(answer).toMatchObject({ verdict: 'unknown', causes: [], cleared: [], runs: 0 })
  expect(whyFindings(answer).map(({ id }) => id)).toEqual(['cause-unknown'])
  expect(answer.untried).toMatchObject([{ kind: 'slow-link', device: 'leaf 2', port: 'spine 0' }])
})

test('each kind of suspect has words', () => {
  expect([...PROVED.keys()].toSorted()).toEqual([...SUSPECT_KINDS].toSorted())
})
