import { expect, test } from 'vitest'
import { run } from '../../lab/index.ts'
import { summarize } from '../../core/results/index.ts'
import { formatScenario, parseScenario } from '../../lab/scenario/index.ts'
import { irnDefault } from './default-case.ts'

/** Changes that [IRN] Tables 3 to 9 make to the default case; one row of each is the default case itself. */
const SETTINGS: readonly (readonly string[])[] = [
  ...[0.3, 0.5, 0.7, 0.9].map((load) => [`workload.0.load=${load}`]),
  ['topology.linkRate=10Gbps', 'recovery.cap=27'],
  ['topology.linkRate=100Gbps', 'recovery.cap=276'],
  ...[8, 10].map((arity) => [`topology.arity=${arity}`]),
  ['workload.0.sizes={kind: uniform, min: 500KB, max: 5MB}', 'measure.generate=150us', 'measure.window=150us'],
  ...['60KB', '120KB', '480KB'].map((size) => [`switch.buffer.portBuffer=${size}`, `switch.buffer.xoff=${size}`]),
  ...['640us', '1280us'].map((time) => [`qp.ackTimeout=${time}`]),
  ...[10, 15].map((packets) => [`recovery.rtoLowPackets=${packets}`]),
]

test('IRN runs in all sixteen settings of [IRN] 4.4.1, to the end of every flow', () => {
  const text = formatScenario(
    irnDefault({ traffic: 'irn-default', transport: 'irn', pfc: 'no-pfc', control: 'none', seed: 1 }),
  )
  const brief = ['measure.generate=30us', 'measure.warmUp=0us', 'measure.window=30us']
  const digests = SETTINGS.map((sets) => {
    const result = run(parseScenario(text, { sets: [...brief, ...sets] }))
    const { total, unfinished } = summarize(result).flows
    expect([total > 3, unfinished], sets.join()).toEqual([true, 0])
    return result.digest
  })
  expect(digests).toHaveLength(16)
  // Loads, rates and sizes of network and flows change even a short run; buffers and timeouts need longer.
  expect(new Set(digests).size).toBeGreaterThanOrEqual(9)
})
