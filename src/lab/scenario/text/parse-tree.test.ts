import { describe, expect, test } from 'vitest'
import { timesAsLong } from '../../../../tests/support/growth.ts'
import { formatIssue, InputError } from '../../../core/base/issue.ts'
import {
  choice,
  count,
  duration,
  durationOrOff,
  flag,
  group,
  KB,
  list,
  rate,
  ratio,
  size,
  sizeOrOff,
  text,
  textOrOff,
  US,
  variant,
} from '../../../core/base/params.ts'
import { parseTree, type ParseOptions, type Rule } from './parse-tree.ts'
import { formatParam } from './print.ts'

const star = {
  name: 'star',
  help: 'a star',
  params: { hosts: count({ min: 2, help: 'how many hosts' }), rate: rate({ default: 40e9, help: 'links' }) },
} as const
const pair = { name: 'pair', help: 'two hosts', params: { delay: duration({ default: US, help: 'cable' }) } } as const
const band = group(
  { rate: rate({ help: 'for this rate' }), kmin: size({ default: 5 * KB, help: 'from here' }) },
  { help: 'a row' },
)

/** A small tree with one of everything. */
const tree = group(
  {
    name: text({ help: 'short name' }),
    label: textOrOff({ default: null, help: 'a label' }),
    seed: count({ default: 1, max: 100, help: 'seed' }),
    topology: variant([star, pair], { help: 'nodes and links' }),
    spare: variant([star, pair], { default: 'pair', help: 'another' }),
    queue: group(
      {
        limit: size({ default: 10 * KB, min: 1, help: 'limit' }),
        headroom: sizeOrOff({ default: null, help: 'headroom' }),
        wait: durationOrOff({ default: null, max: US, help: 'wait' }),
        alpha: ratio({ default: 1 / 16, help: 'share' }),
        lossless: flag({ default: true, help: 'lossless' }),
        order: choice(['fifo', 'priority'], { default: 'fifo', help: 'order' }),
        weights: list(count({ max: 8, help: 'weight' }), { default: [1, 2], help: 'weights' }),
        bands: list(band, { default: [], help: 'rows' }),
      },
      { help: 'queues' },
    ),
    pairs: list(text({ help: 'A-B' }), { default: [], help: 'pairs' }),
  },
  { help: 'all' },
)
type Values = ReturnType<typeof read>

function read(source: string, options: ParseOptions = {}, rules: readonly Rule<unknown>[] = []) {
  return parseTree(tree, source, options, rules)
}

/** The messages for a text, one per line. */
function messages(source: string, options: ParseOptions = {}, rules: readonly Rule<unknown>[] = []): string[] {
  try {
    read(source, { file: 'a.yaml', ...options }, rules)
  } catch (error) {
    if (error instanceof InputError) return error.issues.map(formatIssue)
    throw error
  }
  return []
}

const START = 'name: x\ntopology: {kind: star, hosts: 2}\n'

describe('accepted texts', () => {
  test('every absent key takes its default', () => {
    const expected: Values = {
      name: 'x',
      label: null,
      seed: 1,
      topology: { kind: 'star', hosts: 2, rate: 40e9 },
      spare: { kind: 'pair', delay: US },
      queue: {
        limit: 10_000,
        headroom: null,
        wait: null,
        alpha: 1 / 16,
        lossless: true,
        order: 'fifo',
        weights: [1, 2],
        bands: [],
      },
      pairs: [],
    }
    expect(read(START)).toEqual(expected)
  })

  test('a kind without required params may be given by its name alone', () => {
    expect(read('name: x\ntopology: pair\n').topology).toEqual({ kind: 'pair', delay: US })
  })

  test('units, fractions and off are read, from JSON as well as YAML', () => {
    const source =
      '{\n\t"name": "x", "topology": "pair",\n\t"queue": {"limit": "12KiB", "headroom": "off", "alpha": "1/8", "wait": "0.5 us"}\n}'
    expect(read(source).queue).toMatchObject({ limit: 12 * 1024, headroom: null, alpha: 0.125, wait: 500_000 })
  })

  test('any list may come from a file: lines of YAML where the items are no texts', () => {
    const readFile = (name: string): string =>
      ({ w: '# weights\n7\n\n 8\n', b: '{rate: 1Gbps}\n{"rate":"2Gbps"}\n' })[name]!
    expect(read(`${START}queue: {weights: {file: w}, bands: {file: b}}\n`, { readFile }).queue).toMatchObject({
      weights: [7, 8],
      bands: [{ rate: 1e9 }, { rate: 2e9 }],
    })
    const bad = (): string => '5\n{\n9\n'
    expect(messages(`${START}queue: {weights: {file: w}}\n`, { readFile: bad })).toEqual([
      'w:2:1: queue.weights.1: expected a whole number from 0 to 8, received "{"',
      'w:3:1: queue.weights.2: expected a whole number from 0 to 8, received 9',
    ])
  })

  test('a list of texts may come from a file, one line each', () => {
    const readFile = (path: string): string => (path === 'pairs.txt' ? '# comment\n 0-1 \r\n\n2-3\n' : '')
    expect(read(`${START}pairs: {file: pairs.txt}\n`, { readFile }).pairs).toEqual(['0-1', '2-3'])
  })

  test('an anchor can be used again by aliases', () => {
    expect(read('name: x\ntopology: &t {kind: star, hosts: 3}\nspare: *t\n').spare).toEqual({
      kind: 'star',
      hosts: 3,
      rate: 40e9,
    })
  })
})

describe('overrides', () => {
  test.each([
    ['seed=7', { seed: 7 }],
    ['name=40', { name: '40' }],
    ['name="a b"', { name: 'a b' }],
    ['label=3: 2', { label: '3: 2' }],
    ['topology.hosts=9', { topology: { kind: 'star', hosts: 9, rate: 40e9 } }],
    ['topology=pair', { topology: { kind: 'pair', delay: US } }],
    ['topology.kind=pair', { topology: { kind: 'pair', delay: US } }],
    ['spare.delay=2us', { spare: { kind: 'pair', delay: 2 * US } }],
    ['pairs=[0-1, 2-3]', { pairs: ['0-1', '2-3'] }],
    ['pairs.0=0-1', { pairs: ['0-1'] }],
  ])('--set %s', (set, expected) => {
    expect(read(START, { sets: [set] })).toMatchObject(expected)
  })

  test('an override of one item of a default list keeps the others', () => {
    expect(read(START, { sets: ['queue.weights.1=5'] }).queue.weights).toEqual([1, 5])
    expect(read(START, { sets: ['queue.bands.0.rate=1Gbps', 'queue.bands.0.kmin=1KB'] }).queue.bands).toEqual([
      { rate: 1e9, kmin: 1000 },
    ])
  })

  test('a path that does not exist, or a bad value, is reported with the override', () => {
    expect(
      messages(START, { sets: ['sead=1', 'seed', 'seed.x=1', 'queue.weights.7=1', 'queue.limit=7', 'spare.hosts=2'] }),
    ).toEqual([
      '--set queue.limit=7: queue.limit: expected a size with its unit, such as "240KB", received 7',
      '--set sead=1: sead: expected a key: one of name, label, seed, topology, spare, queue, pairs, received "sead" (did you mean seed?)',
      '--set seed: expected path=value, received "seed" (such as workload.0.load=0.5)',
      '--set seed.x=1: seed.x: expected the path to end at seed, received "x" (it is a count)',
      '--set queue.weights.7=1: queue.weights.7: expected an index from 0 to 2 in a list of 2, received "7" (the first item is 0)',
      '--set spare.hosts=2: spare.hosts: expected a key: kind or delay, received "hosts" (a key of kind star; this is pair)',
    ])
  })
})

describe('messages', () => {
  test('all mistakes of a file are reported at once, in its order, each with its location', () => {
    const source = [
      'nam: x',
      'seed: 101',
      'topology:',
      '  kind: stra',
      'queue:',
      '  limit: 10',
      '  wait: 3us',
      '  alpha: 2',
      '  lossless: 1',
      '  order: fiffo',
      '  weights: [1, 2.5, x, 9]',
      '  bands:',
      '    - kmin: 3 Mb',
      '  headrom: off',
      'alpha: 1',
      '',
    ].join('\n')
    expect(messages(source)).toEqual([
      'a.yaml:1:1: nam: expected one of the keys name, label, seed, topology, spare, queue, pairs, received "nam" (did you mean name?)',
      'a.yaml:1:1: name: expected text, received nothing (short name)',
      'a.yaml:2:7: seed: expected a whole number from 0 to 100, received 101',
      'a.yaml:4:9: topology.kind: expected star or pair, received "stra" (did you mean star?)',
      'a.yaml:6:10: queue.limit: expected a size with its unit, such as "240KB", received 10',
      'a.yaml:7:9: queue.wait: expected a duration of at most 1us, or off, received "3us"',
      'a.yaml:8:10: queue.alpha: expected a number from 0 to 1, received 2',
      'a.yaml:9:13: queue.lossless: expected true or false, received 1',
      'a.yaml:10:10: queue.order: expected fifo or priority, received "fiffo" (did you mean fifo?)',
      'a.yaml:11:16: queue.weights.1: expected a whole number from 0 to 8, received 2.5',
      'a.yaml:11:21: queue.weights.2: expected a whole number from 0 to 8, received "x"',
      'a.yaml:11:24: queue.weights.3: expected a whole number from 0 to 8, received 9',
      'a.yaml:13:7: queue.bands.0.rate: expected a rate with its unit, such as "40Gbps", received nothing (for this rate)',
      'a.yaml:13:13: queue.bands.0.kmin: expected a size with its unit, such as "240KB", received "3 Mb" (b is bits and B bytes: write "375KB", or "3MB" if bytes were meant)',
      'a.yaml:14:3: queue.headrom: expected one of the keys limit, headroom, wait, alpha, lossless, order, weights, bands, received "headrom" (did you mean headroom?)',
      'a.yaml:15:1: alpha: expected one of the keys name, label, seed, topology, spare, queue, pairs, received "alpha" (there is queue.alpha)',
    ])
  })

  test.each([
    ['', 'a.yaml:1:1: expected keys and values, received an empty text (such as "name: first")'],
    ['# only a comment\n', 'a.yaml:1:1: expected keys and values, received an empty text (such as "name: first")'],
    ['- a\n- b\n', 'a.yaml:1:1: expected keys and values, received a list of 2 (such as "name: first")'],
    [
      'name: x\n\ttopology: pair\n',
      'a.yaml:2:1: expected YAML or JSON, received text that is neither: tab characters must not be used in indentation (indent with spaces)',
    ],
    [
      'name: "x\ntopology: pair\n',
      'a.yaml:2:1: expected YAML or JSON, received text that is neither: deficient indentation (a quote or bracket may be left open above)',
    ],
    [
      'name: x\n---\nname: y\n',
      'a.yaml:3:1: expected one document, received a second one (one file is one scenario; remove the line ---)',
    ],
    ['name: !!str x\n', 'a.yaml:1:7: expected values without tags, received "!!str" (quote a text that starts with !)'],
    [
      'name: *x\n',
      'a.yaml:1:7: expected an alias of a complete value above it, received *x (quote a text that starts with *)',
    ],
    [
      'name: &a [*a]\n',
      'a.yaml:1:11: expected an alias of a complete value above it, received *a (quote a text that starts with *)',
    ],
    [
      '[a]: x\n',
      'a.yaml:1:1: expected names as keys, received a list or map as a key (quote a text that starts with a bracket)',
    ],
    [
      `name: ${'['.repeat(100_000)}`,
      'a.yaml:1:56: expected YAML or JSON, received text that is neither: nesting exceeded maxDepth (50) (a scenario is not that deep)',
    ],
    [
      '- '.repeat(100_000),
      'a.yaml:1:101: expected YAML or JSON, received text that is neither: nesting exceeded maxDepth (50) (a scenario is not that deep)',
    ],
    [
      'name: \u0000\n',
      'a.yaml:1:7: expected YAML or JSON, received text that is neither: null byte is not allowed in input',
    ],
  ])('a text that is not one (%#)', (source, message) => {
    expect(messages(source)).toEqual([message])
  })

  test('a repeated key is reported at its second occurrence', () => {
    expect(messages(`${START}queue:\n  limit: 1KB\n  limit: 2KB\nseed: 1\nseed: 2\n`)).toEqual([
      'a.yaml:5:3: queue.limit: expected each key once, received "limit" again (the last one would count)',
      'a.yaml:7:1: seed: expected each key once, received "seed" again (the last one would count)',
    ])
  })

  test('aliases that multiply the document are refused', () => {
    const bomb = [
      'a: &a [x,x,x,x,x,x,x,x,x,x]',
      ...'bcdefg'.split('').map(
        (c, i) =>
          `${c}: &${c} [${Array(10)
            .fill(`*${'abcdef'[i] ?? ''}`)
            .join(',')}]`,
      ),
    ].join('\n')
    expect(messages(bomb)).toEqual([
      'a.yaml:5:29: expected aliases that add at most 100000 values, received aliases that multiply the document',
    ])
  })

  test.each([
    ['topology: 7', 'topology: expected star or pair, received 7'],
    ['topology:', 'topology: expected star or pair, received nothing (give it a value, or leave the key out)'],
    ['topology: star', 'topology.hosts: expected a whole number of at least 2, received nothing (how many hosts)'],
    [
      'topology: {hosts: 2}',
      'topology.kind: expected star or pair, received nothing (the kind determines which keys may follow)',
    ],
    [
      'topology: {kind: pair, hosts: 2}',
      'topology.hosts: expected one of the keys kind, delay, received "hosts" (a key of kind star; this is pair)',
    ],
  ])('a topology such as %s', (line, message) => {
    expect(messages(`name: x\n${line}\n`).map((found) => found.replace(/^a.yaml:2:\d+: /, ''))).toEqual([message])
  })

  test.each([
    ['limit: 40kB/s', 'units are B, KB, MB, GB, TB, KiB, MiB, GiB, TiB'],
    ['limit: 1.5B', 'a size is a whole number of bytes'],
    ['limit: -3KB', 'a size is not negative'],
    ['wait: 0.5ps', 'a duration is a whole number of picoseconds below 2^53 ps, 2.5 hours'],
    ['wait: 5µs', 'write us: "5us"'],
    ['wait: 5 \u03BCs', 'write us: "5us"'],
    ['wait:', 'write off'],
    ['wait: false', 'write off'],
    ['alpha: 10%', 'without %: 0.01 or "1/100" is one percent'],
    ['alpha: "0.5"', 'write it without quotes'],
    ['weights: 3', 'a list is written [a, b], an empty one []'],
    ['weights: {a: 3}', 'items start with "- "'],
    ['alpha: .nan', ''],
    ['alpha: 1/0', ''],
  ])('what to do about %s', (line, hint) => {
    const found = messages(`${START}queue: \n  ${line}\n`)
    expect(found).toHaveLength(1)
    expect(/\(([^()]*)\)$/.exec(found[0] ?? '')?.[1] ?? '').toBe(hint)
  })

  test('a file that cannot be read is reported with the reason', () => {
    const readFile = (): string => {
      throw new Error('no such file')
    }
    expect(messages(`${START}pairs: {file: pairs.txt}\n`, { readFile })).toEqual([
      'a.yaml:3:15: pairs.file: expected a readable file, received "pairs.txt" (no such file)',
    ])
    expect(messages(`${START}pairs: {file: pairs.txt}\n`)).toEqual([
      'a.yaml:3:15: pairs.file: expected the list itself, received a file "pairs.txt" (no files can be read here)',
    ])
    expect(messages(`${START}pairs: {fil: pairs.txt}\n`)).toEqual([
      'a.yaml:3:8: pairs: expected a list or {file: PATH}, received a group {fil}',
    ])
  })

  test('a rule is checked only if the values it reads are sound', () => {
    const rule: Rule<unknown> = {
      reads: ['queue.limit'],
      check: () => [{ path: ['queue', 'limit'], expected: 'another', received: 'this', hint: '' }],
    }
    expect(messages(`${START}queue:\n  limit: 1KB\n`, {}, [rule])).toEqual([
      'a.yaml:4:10: queue.limit: expected another, received this',
    ])
    expect(messages(`${START}queue:\n  alpha: 1\n`, {}, [rule])).toEqual([
      'a.yaml:3:1: queue.limit: expected another, received this',
    ])
    expect(messages(`${START}queue: 3\n`, {}, [rule])).toHaveLength(1)
  })

  test('mistakes beyond the limit are counted, not listed', () => {
    const found = messages(`${START}queue:\n  weights: [${Array(5000).fill('x').join(', ')}]\n`)
    expect(found).toHaveLength(101)
    expect(found.at(-1)).toBe('a.yaml: expected no further mistakes, received 4900 more (the first 100 are shown)')
  })
})

test('a merge key is refused by name, and its contents are not reported', () => {
  expect(messages('name: x\nspare: &s {kind: star, hosts: 2}\ntopology:\n  <<: *s\n')).toEqual([
    'a.yaml:4:3: expected keys that are written out, received the merge key << (YAML 1.2 has no merge keys; an alias stands for a whole value)',
  ])
  expect(messages(`${START}"<<": 1\n`)[0]).toContain('received "<<"')
})

test('a compact text omits values that equal their defaults, a commented one explains every param', () => {
  const values = read(`${START}queue: {limit: 3KB, bands: [{rate: 1Gbps}]}\npairs: [0-1, "a: b"]\n`)
  expect(formatParam(tree, values, { compact: true })).toBe(
    'name: x\ntopology:\n  kind: star\n  hosts: 2\nqueue:\n  limit: 3KB\n  bands:\n    - rate: 1Gbps\npairs:\n  - "0-1"\n  - "a: b"\n',
  )
  expect(formatParam(tree, values, { comments: true }).split('\n').slice(0, 6)).toEqual([
    '# short name',
    'name: x',
    '# a label',
    'label: "off"',
    '# seed',
    'seed: 1',
  ])
  for (const options of [{}, { compact: true }, { comments: true }])
    expect(read(formatParam(tree, values, options))).toEqual(values)
})

test('the time to read a list of texts grows linearly with its length', () => {
  const readList = (length: number) => {
    const pairs = Array.from({ length }, (_, i) => `  - ${i}-${i + 1} 64KB at ${i}us`)
    const source = `${START}pairs:\n${pairs.join('\n')}\n`
    return () => expect(read(source).pairs).toHaveLength(length)
  }
  expect(timesAsLong(readList(16_000), readList(2_000), 24)).toBeLessThan(24)
})

test('mistakes of the YAML and of its values are in the order of lines', () => {
  const found = messages('topology: {kind: star, hosts: x}\nname: a\nname: b\nqueue: {limit: 7}\n')
  expect(found.map((line) => /^a\.yaml:(\d+):/.exec(line)?.[1])).toEqual(['1', '3', '4'])
})
