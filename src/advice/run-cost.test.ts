import { expect, test } from 'vitest'
import { createSimulation } from '../lab/index.ts'
import { parseScenario } from '../scenario/index.ts'
import { costOf, excessText } from './run-cost.ts'

/** The warning for a workload, estimated from its first messages as before a run. */
function warning(workload: string, measure = '{}', memoryBytes = 16e9): string | undefined {
  const text = `{topology: {kind: star, hosts: 4}, measure: ${measure}, workload: [${workload}]}`
  const simulation = createSimulation(parseScenario(text))
  try {
    return excessText(costOf(simulation.forecast(1000), 4), memoryBytes)
  } finally {
    simulation.close()
  }
}

test('a run that no machine finishes is known before it starts', () => {
  expect(warning('{kind: poisson, load: 0.5, flows: 1000000000000}')).toMatch(/days .* and .* of memory.*measure\.stop/)
  expect(warning('{kind: closed-loop, pairs: ["0 1"], messages: 1000000000000}')).toMatch(/days .* and .* of memory/)
  expect(warning('{kind: permutation, messageSize: 90TB}', '{}', 16e6)).toMatch(
    /80\.\d MB or more of memory, where there are 16\.0 MB:/,
  )
})

test('other runs are not warned about', () => {
  expect(warning('{kind: poisson, load: 0.5, flows: 1000000}')).toBeUndefined()
  expect(warning('permutation')).toBeUndefined()
  expect(warning('{kind: closed-loop, pairs: ["0 1"], messages: 1000000000000}', '{stop: 1ms}')).toBeUndefined()
})
