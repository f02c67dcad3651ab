/** Hundreds of random scenarios of every kind, printed and read again. */
import { load, YAML11_SCHEMA } from 'js-yaml'
import { expect, test } from 'vitest'
import { fc } from '../../../tests/support/properties.ts'
import { arbitraryScenario } from '../../../tests/support/arbitrary-scenario.ts'
import { arbitraryOf } from '../../../tests/support/arbitrary-values.ts'
import { schemaMistakes } from '../../../tests/support/schema-mistakes.ts'
import {
  formatScenario,
  formatScenarioFiles,
  parseScenario,
  parseTree,
  printScenario,
  scenarioJsonSchema,
  scenarioOf,
  scenarioParams,
} from './index.ts'
import { longListsOf } from './text/long-lists.ts'
import { formatParam } from './text/print.ts'

const SMALL = 'name: small\ntopology: star\nworkload:\n  - permutation\n'

test('a printed scenario is read as the same scenario, whether compact, commented or JSON', () => {
  fc.assert(
    fc.property(arbitraryScenario(), (scenario) => {
      expect(parseScenario(formatScenario(scenario))).toEqual(scenario)
      expect(parseScenario(formatScenario(scenario, { compact: true }))).toEqual(scenario)
      expect(parseScenario(formatScenario(scenario, { comments: true }))).toEqual(scenario)
      expect(parseScenario(JSON.stringify(printScenario(scenario)))).toEqual(scenario)
    }),
    { numRuns: 100 },
  )
})

test('values with lists of any kind left to files are read back unchanged, and few lists stay in the text', () => {
  fc.assert(
    fc.property(arbitraryOf(scenarioParams), fc.integer({ min: 0, max: 2000 }), (values, lengthMax) => {
      const lists = longListsOf(scenarioParams, values, 'x', lengthMax)
      const files = new Map([...lists.values()].map(({ name, text }) => [name, text]))
      expect(files.size).toBe(lists.size)
      const text = formatParam(scenarioParams, values, { lists })
      expect(parseTree(scenarioParams, text, { readFile: (name) => files.get(name)! })).toEqual(values)
    }),
    { numRuns: 200 },
  )
})

test('the text of a scenario is short however long its lists are, and however many', () => {
  const flows = Array.from({ length: 400 }, (_, i) => `0 1 1KB ${i}us`)
  const workload = Array.from({ length: 200 }, () => ({ kind: 'trace', flows }))
  const { text, lists } = formatScenarioFiles(scenarioOf({ name: 'x', topology: 'star', workload }), 'y')
  // 200 lists of some 10 KB each: about half of them fit.
  expect([lists.length > 80, lists.length < 120, text.length < 2e6]).toEqual([true, true, true])
  expect(lists.at(-1)).toEqual({ name: 'y.workload.199.flows.list', text: `${flows.join('\n')}\n` })
})

test('a reader of YAML 1.1 reads the same values from a printed scenario', () => {
  const scenario = parseScenario(SMALL, { sets: ['description=On', 'topology.linkDelay=1us', 'qp.retryLimit=off'] })
  expect(formatScenario(scenario)).toMatch(/^description: "On"$[^]*^ {2}retryLimit: "off"$/m)
  fc.assert(
    fc.property(arbitraryOf(scenarioParams), (values) => {
      const printed = formatParam(scenarioParams, values)
      expect(load(printed, { schema: YAML11_SCHEMA })).toEqual(load(printed))
    }),
    { numRuns: 200 },
  )
})

test('values that break rules, with any text in them, are read back unchanged too', () => {
  fc.assert(
    fc.property(arbitraryOf(scenarioParams), (values) => {
      expect(parseTree(scenarioParams, formatParam(scenarioParams, values))).toEqual(values)
    }),
    { numRuns: 200 },
  )
})

test('printed scenarios satisfy the JSON Schema, misspelt ones do not', () => {
  const schema = scenarioJsonSchema()
  fc.assert(
    fc.property(arbitraryScenario(), (scenario) => {
      expect(schemaMistakes(schema, printScenario(scenario))).toEqual([])
      expect(schemaMistakes(schema, printScenario(scenario, { compact: true }))).toEqual([])
    }),
    { numRuns: 50 },
  )
  const printed = printScenario(parseScenario(SMALL)) as Record<string, unknown>
  expect(schemaMistakes(schema, { ...printed, sead: 1 })).toEqual(['.sead: not allowed'])
  expect(schemaMistakes(schema, { ...printed, seed: -1 })).toEqual(['.seed: below 0'])
  expect(schemaMistakes(schema, { ...printed, time: { quantum: '1xs' } })).toEqual([
    '.time.quantum: not like the pattern',
  ])
  expect(schemaMistakes(schema, { ...printed, topology: { kind: 'stra' } })).toEqual([
    '.topology: none of the alternatives',
  ])
  expect(schemaMistakes(schema, {})).toEqual([': topology is missing', ': workload is missing'])
})

test('a change whose path has an equals sign is a mistake of its path', () => {
  const text = `${SMALL}changes: [{at: 1us, path: "qp=x", value: "1"}]\n`
  expect(() => parseScenario(text)).toThrow(/changes\.0\.path/)
})
