/** Programs in GOAL: text and binary say the same, every mistake has its line or byte, and where ranks are is said. */
import { describe, expect, test } from 'vitest'
import { fc } from '../../../tests/support/properties.ts'
import { InputError } from '../../core/base/issue.ts'
import { run } from '../../lab/index.ts'
import { numbersOf, tableOfKind, textsOf } from '../../core/results/index.ts'
import { scenarioOf } from '../../lab/scenario/index.ts'
import { assumed, differs, found } from '../findings.test-bench.ts'
import type { Branch, Imported } from '../importer.ts'
import { encoded } from './encode.test-data.ts'
import { goal } from './goal.ts'

const TWO = `num_ranks 2
rank 0 {
a: calc 1000
b: send 4097b to 1 tag 7
b requires a
}
rank 1 {
x: recv 4097b from 0 tag 7
y: calc 500 cpu 1
y requires x
}`
/** Two nodes with two NICs, an all-to-all of their GPUs. */
const NODES = `num_ranks 2
rank 0 {
a: send 100000b to 1
b: send 100000b to 1 cpu 1 nic 1
c: recv 90000b from 1
d: recv 90000b from 1 cpu 1 nic 1
e: calc 70
e requires c
e irequires d
}
rank 1 {
a: recv 100000b from 0
b: recv 100000b from 0 nic 1
c: send 90000b to 0
d: send 90000b to 0 nic 1
c requires a
d requires b
}`

function imported(content: string | Uint8Array, options: Record<string, string> = {}): Imported {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
  return goal.import({ path: 'my.goal', options, readFile: () => undefined, readBytes: () => bytes })
}

function refusals(content: string | Uint8Array): string[] {
  try {
    imported(content)
  } catch (error) {
    if (error instanceof InputError)
      return error.issues.map(
        ({ line, path, received }) => `${line === undefined ? path.replace('my.goal ', '') : line}: ${received}`,
      )
    throw error
  }
  return []
}

const digestOf = (content: string | Uint8Array, options = {}): string =>
  run(scenarioOf(imported(content, options).scenario), { check: true }).digest

test('a program is a graph on a star, with its counts', () => {
  const { scenario, findings } = imported(TWO.replace('b requires a', 'b requires a // after it\n/* nothing\n more */'))
  expect(scenario).toMatchObject({ name: 'my', topology: { kind: 'star', hosts: 2 }, recovery: { kind: 'go-back-n' } })
  expect(scenario['workload']).toEqual([{ kind: 'graph', goal: TWO.split('\n') }])
  expect(findings).toContainEqual(
    found('graph', { ranks: 2, operations: 4, messages: 1, bytes: 4097, longestChain: 1, roots: 1 }),
  )
  expect(findings).toContainEqual(differs('goal-times'))
  expect(findings).toContainEqual(assumed('star', { hosts: 2, rateBps: 100e9, delayPs: 1e6 }))
})

test.each([TWO, NODES])('text and binary give the same run', (text) => {
  expect(digestOf(encoded(text))).toBe(digestOf(text))
})

describe('ranks', () => {
  const hosts = (text: string, options = {}): unknown => {
    const { topology, workload } = imported(text, options).scenario as { topology: Branch; workload: Branch[] }
    return [topology['hosts'], workload[0]!['nics'] ?? 1]
  }

  test('are GPUs or nodes, by the guess of ATLAHS or as it is said', () => {
    expect(imported(NODES).findings).toContainEqual(
      assumed('goal-ranks', { layout: 'node', isGiven: false, ranks: 2, nics: 2, cpus: 2 }),
    )
    expect([hosts(TWO), hosts(NODES), hosts(NODES, { ranks: 'gpu' })]).toEqual([
      [2, 1],
      [4, 2],
      [2, 1],
    ])
    const three = NODES.replace('num_ranks 2', 'num_ranks 3').concat('\nrank 2 {\n}')
    expect(hosts(three)).toEqual([3, 1])
    expect(hosts(three.replace('cpu 1', 'cpu 8').replace('cpu 1', 'cpu 8'))).toEqual([6, 2])
  })

  test('that are nodes send with the same NIC at both ends', () => {
    const { flows } = run(scenarioOf(imported(NODES).scenario), { check: true })
    const [source, destination] = ['source', 'destination'].map((name) =>
      flows.columns.find((one) => one.name === name)!,
    )
    const ends = Array.from({ length: flows.rowCount }, (_, row) => `${source!.data[row]} ${destination!.data[row]}`)
    expect(new Set(ends)).toEqual(new Set(['0 2', '1 3', '2 0', '3 1']))
  })

  test('need hosts, of which a star has some thousands', () => {
    expect(
      refusals(`num_ranks 9000\n${Array.from({ length: 9000 }, (_, rank) => `rank ${rank} {\n}`).join('\n')}`),
    ).toEqual(['num_ranks: 9000 (9000 ranks)'])
  })
})

test('messages without bytes are said to take no time', () => {
  const { findings } = imported(TWO.replaceAll('4097b', '0b'))
  expect(findings).toContainEqual(differs('goal-empty-messages', { messages: 1 }))
})

test('mistakes of a text are at their lines', () => {
  expect(refusals(TWO.replace('b requires a', 'b requires z').replace('cpu 1', 'tag 1'))).toEqual([
    '5: b requires z',
    '9: y: calc 500 tag 1',
    '10: y requires x',
  ])
  expect(refusals(TWO.replace('recv 4097b', 'recv 4096b'))).toEqual(['4: 4096'])
  expect(refusals(Uint8Array.of(0x6e, 0xff, 0x6d))).toEqual(['my.goal: neither'])
})

describe('binary is checked to the byte', () => {
  const bytes = encoded(TWO)
  const changed = (at: number, ...values: number[]): Uint8Array => {
    const copy = bytes.slice()
    copy.set(values, at)
    return copy
  }
  test('as txt2bin writes it', () => {
    expect(bytes).toHaveLength(234)
    expect(refusals(bytes)).toEqual([])
  })
  test.each<[string, Uint8Array, string]>([
    ['a file that is used up', changed(0, 2342 % 256, 2342 >> 8), 'byte 0: 2342'],
    ['another magic', changed(0, 1), 'byte 0: 4097'],
    ['no ranks, as a broken writer leaves it', changed(8, 0), 'byte 8: 0'],
    ['more ranks than bytes', changed(8, 0xff, 0xff), 'byte 14: 234 bytes'],
    ['a start that is not the last end', changed(14, 0x27), 'byte 14: 39'],
    ['an end beyond the file', changed(22, 0xff), 'byte 22: 255'],
    ['an end without a next start', changed(22, 0x85), 'byte 46: 2 and 1 of 95 bytes'],
    ['bytes behind the last end', Uint8Array.from([...bytes, 0]), 'byte 234: 1 bytes more'],
    ['a cut file', bytes.slice(0, 230), 'byte 38: 226'],
    ['a header alone', bytes.slice(0, 10), 'byte 10: the end'],
    ['a type', changed(58 + 4, 9), 'byte 62: 9'],
    ['a peer', changed(58 + 39 + 5, 2), 'byte 102: 2'],
    [
      'a size',
      changed(58 + 39 + 16, 0xff),
      'byte 106: 18374686479671627777'.replace('18374686479671627777', `${0xff * 2 ** 56 + 4097}`),
    ],
    ['a count of dependencies', changed(58 + 39, 2), 'byte 97: 2'],
    ['more dependents than edges', changed(58 + 23, 2), 'byte 81: 2 from 0 on'],
    ['dependents of another index', changed(58 + 27, 1), 'byte 81: 1 from 1 on'],
    ['an edge backwards', changed(136, 0), 'byte 136: 0'],
    ['an edge out of the rank', changed(136, 2), 'byte 136: 2'],
    ['fewer edges than there are', changed(58 + 23, 0), 'byte 136: 1'],
    ['a root that waits', changed(54, 1), 'byte 54: 1'],
    ['the largest cpu', changed(12, 0), 'byte 12: 0'],
  ])('%s', (_, content, expected) => {
    expect(refusals(content)).toEqual([expected])
  })
  test('what only the whole shows is refused as in text', () => {
    expect(refusals(changed(58 + 39 + 9, 0))).toEqual(['my.goal: 4097'])
  })
})

test('changed bytes give a program or issues, and nothing else', () => {
  const samples = [new TextEncoder().encode(NODES), encoded(NODES)]
  const edits = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(fc.constantFrom(...samples), edits, fc.nat(), (sample, changes, cut) => {
      const bytes = sample.slice(0, cut % 3 === 0 ? cut % sample.length : sample.length)
      for (const [at, value] of changes) if (bytes.length > 0) bytes[at % bytes.length] = value
      expect(refusals(bytes).length).toBeGreaterThanOrEqual(0)
    }),
  )
})

describe('receives of any message', () => {
  /** Rank 1 sends on when messages of ranks 0 and 3 have come, of which that of rank 3 leaves a millisecond later. */
  const relay = (first: string, second: string): string => `num_ranks 4
rank 0 {
a: send 1b to 1
}
rank 1 {
x: recv 1b from ${first}
y: recv 1b from ${second}
z: send 1b to 2
z requires x
z requires y
}
rank 2 {
a: recv 1b from 1
}
rank 3 {
a: calc 1000000
b: send 1b to 1
b requires a
}`

  test('make the longest chain at least what is known before the run', () => {
    expect(imported(relay('0', '3')).findings).toContainEqual(found('graph', { longestChain: 2, wildcards: 0 }))
    expect(imported(relay('-1', '-1')).findings).toContainEqual(found('graph', { longestChain: 1, wildcards: 2 }))
  })

  test('have the message in the critical path that came last', () => {
    const pathOf = (text: string): readonly (readonly [string, number])[] => {
      const path = tableOfKind(run(scenarioOf(imported(text).scenario)), 'critical-path')!
      const ranks = numbersOf(path, 'rank')
      return textsOf(path, 'piece').map((piece, row) => [piece, ranks[row]!])
    }
    expect(pathOf(relay('-1', '-1'))).toEqual(pathOf(relay('0', '3')))
    expect(pathOf(relay('-1', '-1'))[0]).toEqual(['compute', 3])
  })
})
