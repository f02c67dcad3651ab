import { describe, expect, test } from 'vitest'
import { run } from '../../lab/index.ts'
import { parseScenario } from '../../scenario/index.ts'
import { numbersOf, type Result, textsOf } from '../../results/index.ts'
import { pcpOf, TAGGED, tagged, untagged, vlanClasses } from './codepoints.ts'

/** Two servers on each of two ToRs, one leaf between them; server 0 sends to server 2 of the other ToR, 1 to 3. */
function twoTors(text: string, flows = '["0 2 1MB 0us", "1 2 1MB 0us"]'): Result {
  const scenario = `
name: vlan
topology: {kind: leaf-spine, leaves: 2, spines: 1, hostsPerLeaf: 2, hostRate: 40Gbps, fabricRate: 40Gbps, hostDelay: 500ns, fabricDelay: 500ns}
switch: {buffer: {kind: shared-buffer, size: 200KB, alpha: 1/4}, ${text}}
qp: {ackTimeout: 200us, retryLimit: 7}
workload: [{kind: trace, flows: ${flows}}]
observe: [drops, {kind: pause-log}]
`
  return run(parseScenario(scenario), { check: true })
}

test('x', () => {
  for (const t of ['vlan: {ports: access}', 'vlan: {ports: trunk}', 'vlan: {ports: hybrid}']) {
    const r = twoTors(t)
    console.log(t, r.counters.drops, textsOf(r.flows,'status'), r.digest, r.counters.pauseFrames, r.simulatedPs)
  }
  const r = twoTors('')
  console.log(r.counters.drops, textsOf(r.flows,'status'), r.digest, r.counters.pauseFrames, r.simulatedPs)
})
