/**
 * Shares of an explanation: the origins, those without a row of their own and what has none add up to each part, in JSON as
 * in text; and the slowest flows are those from p99 on where there are a hundred.
 */
import { describe, expect, test } from 'vitest'
import { run } from '../../src/lab/index.ts'
import { scenarioFacts } from '../../src/lab/advice/reported-run.ts'
import { explain, explainText, explanationJson } from '../../src/show/index.ts'
import { completionsOf, partsOf } from '../../src/core/results/index.ts'
import { parseScenario } from '../../src/lab/scenario/index.ts'

const scenarioOf = (load: number, more = ''): ReturnType<typeof parseScenario> =>
  parseScenario(`
name: shares
topology: {kind: leaf-spine, leaves: 4, spines: 2, hostsPerLeaf: 4, hostRate: 25Gbps, fabricRate: 100Gbps}
congestion: dcqcn
switch: {buffer: {kind: shared-buffer, size: 2MB}}
changes: [{path: nic.receive, nodes: host 13, value: {kind: pipeline, busRate: 7.88Gbps}}]
workload: [{kind: poisson, load: ${load}, sizes: {kind: fixed, size: 32KB}}]
observe: [autopsy]
${more}`)

describe.each(['receiver', 'sender'])('of a run that ends early, at the %s', (completion) => {
  const scenario = scenarioOf(0.3, `measure: {generate: 2ms, stop: 2ms, completion: ${completion}}`)
  const result = run(scenario)
  const explanation = explain(result, scenarioFacts(scenario))
  const json = explanationJson(explanation)

  test('origins add up to each part', () => {
    expect(json.unfinished).toBeGreaterThan(0)
    expect(json.otherOrigins.origins).toBeGreaterThan(0)
    const of = [...json.origins, json.otherOrigins, json.unknownOrigin]
    const waiting = partsOf(json.completion).filter(({ isWait }) => isWait)
    expect(Object.keys(json.waits).length).toBeGreaterThan(4)
    for (const { column } of waiting)
      expect([column, of.reduce((sum, { parts }) => sum + (parts[column] ?? 0), 0)]).toEqual([
        column,
        json.waits[column] ?? 0,
      ])
    for (const { spanPs, parts } of of)
      expect(Object.values(parts).reduce((sum, ps) => sum + ps, 0)).toBeCloseTo(spanPs, 0)
    expect(of.reduce((sum, { spanPs }) => sum + spanPs, 0)).toBe(json.waitPs)
    expect(of.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 12)
    expect(json.knownShare).toBeCloseTo(1 - json.unknownOrigin.share, 12)
  })

  test('parts of a cause add up to what it held, and those of a group to all of its time', () => {
    expect(json.findings.length).toBeGreaterThan(1)
    for (const { values } of json.findings.slice(0, -1)) {
      const parts = values['parts'] as readonly { readonly spanPs: number }[]
      expect(parts.reduce((sum, { spanPs }) => sum + spanPs, 0)).toBe(values['heldPs'])
    }
    expect(json.findings.slice(0, -1).reduce((sum, { values }) => sum + Number(values['share']), 0)).toBeLessThan(1)
    for (const { shares } of [json.all, ...json.bySlowdown])
      expect(Object.values(shares).reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 12)
  })

  test('rows of the text add up to 100 %', () => {
    const lines = explainText(explanation).split('\n')
    const from = lines.findIndex((line) => line.startsWith('held by')) + 2
    const rows = lines.slice(from, lines.indexOf('', from))
    const shares = rows.map((row) => Number(/([\d.]+) %/.exec(row)![1]))
    // Each is rounded to three digits.
    expect(Math.abs(shares.reduce((sum, share) => sum + share, 0) - 100)).toBeLessThan(0.5)
  })

  test('the headline is about the flows from p99 on', () => {
    const { values } = json.findings.at(-1)!
    const sorted = completionsOf(result)
      .slowdown.filter((value) => !Number.isNaN(value))
      .toSorted()
    const slowest = sorted.slice(Math.floor(0.99 * sorted.length + 1e-9))
    expect(sorted.length).toBeGreaterThan(700)
    expect(values['group']).toBe('slowest 1 %')
    expect(values['flows']).toBe(slowest.length)
    expect(values['meanSlowdown']).toBeCloseTo(slowest.reduce((sum, value) => sum + value, 0) / slowest.length, 9)
  })
})

test('of fewer than a hundred flows no part is called the slowest hundredth', () => {
  const { findings, bySlowdown, flows } = explanationJson(explain(run(scenarioOf(0.3, 'measure: {generate: 150us}'))))
  expect(flows).toBeGreaterThan(20)
  expect(flows).toBeLessThan(100)
  expect(findings.at(-1)!.values['group']).toBe('slowest 10 %')
  expect(bySlowdown.map(({ label }) => label)).not.toContain('slowest 1 %')
})
