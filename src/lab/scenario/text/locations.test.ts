import { expect, test } from 'vitest'
import { formatIssue, InputError } from '../../../core/base/issue.ts'
import {
  choice,
  count,
  duration,
  group,
  list,
  rate,
  ratio,
  size,
  text,
  US,
  variant,
} from '../../../core/base/params.ts'
import { parseTree, type ParseOptions, type Rule } from './parse-tree.ts'

const star = {
  name: 'star',
  help: 'a star',
  params: { hosts: count({ min: 2, help: 'how many hosts' }), rate: rate({ default: 40e9, help: 'links' }) },
} as const

const pair = { name: 'pair', help: 'two hosts', params: {} } as const

const tree = group(
  {
    name: text({ help: 'short name' }),
    topology: variant([star], { help: 'nodes and links' }),
    spare: variant([star, pair], { default: 'pair', help: 'another' }),
    queue: group(
      {
        limit: size({ default: 10_000, min: 1, help: 'limit' }),
        wait: duration({ default: 0, max: US, help: 'wait' }),
        order: choice(['fifo', 'priority'], { default: 'fifo', help: 'order' }),
        weights: list(ratio({ max: 8, help: 'weight' }), { default: [1, 2], help: 'weights' }),
        bands: list(group({ rate: rate({ help: 'for this rate' }) }, { help: 'a row' }), { default: [], help: 'rows' }),
      },
      { help: 'queues' },
    ),
    pairs: list(text({ help: 'A-B' }), { default: [], help: 'pairs' }),
  },
  { help: 'all' },
)

/** The messages for a text, one per line. */
function messages(source: string, options: ParseOptions = {}, rules: readonly Rule<unknown>[] = []): string[] {
  try {
    parseTree(tree, source, { file: 'a.yaml', ...options }, rules)
  } catch (error) {
    if (error instanceof InputError) return error.issues.map(formatIssue)
    throw error
  }
  return []
}

const START = 'name: x\ntopology: {kind: star, hosts: 2}\n'

test('a mistake in a file of texts is located in that file, with lines counted from 1', () => {
  const rule: Rule<unknown> = {
    reads: ['pairs'],
    check: (values) =>
      (values as { readonly pairs: readonly string[] }).pairs.flatMap((item, i) =>
        item === 'x' ? [{ path: ['pairs', i], expected: 'A-B', received: item, hint: '' }] : [],
      ),
  }
  const readFile = (): string => '# comment\r\n 0-1 \r\n\r\n  x\r\n2-3\r\n# again\r\nx\r\n'
  const source = 'name: x\npairs: {file: pairs.txt}\ntopology: {kind: star, hosts: 1}\n'
  const reported = (more: ParseOptions): string[] => messages(source, { readFile, ...more }, [rule])
  expect(reported({ file: 'sub/a.yaml' })).toEqual([
    'sub/pairs.txt:4:3: pairs.1: expected A-B, received x',
    'sub/pairs.txt:7:1: pairs.3: expected A-B, received x',
    'sub/a.yaml:3:31: topology.hosts: expected a whole number of at least 2, received 1',
  ])
  expect(reported({ sets: ['pairs={file: /lists/pairs.txt}'] })).toEqual([
    'a.yaml:3:31: topology.hosts: expected a whole number of at least 2, received 1',
    '/lists/pairs.txt:4:3: pairs.1: expected A-B, received x',
    '/lists/pairs.txt:7:1: pairs.3: expected A-B, received x',
  ])
  // A file named on the command line is relative to the working directory.
  expect(reported({ file: 'sub/a.yaml', sets: ['pairs={file: lists/pairs.txt}'] })[1]).toBe(
    'lists/pairs.txt:4:3: pairs.1: expected A-B, received x',
  )
  expect(reported({ sets: ['pairs=[x]'] })[1]).toBe('--set pairs=[x]: pairs.0: expected A-B, received x')
})

test('an empty item of a list is located at its dash', () => {
  const source = [
    'name: x',
    'topology: {kind: star, hosts: 2}',
    'pairs:',
    '  - "a"',
    '  # - no item',
    '  -',
    '  -   # empty too',
    '  - b',
    '  - ~',
    'queue:',
    '  bands:',
    '    -',
    '    - {rate: 1Gbps}',
    '    -',
    '  weights:',
    '  -',
    '',
  ].join('\n')
  expect(messages(source).map((line) => line.replace(/: expected.*/, ''))).toEqual([
    'a.yaml:6:3: pairs.1',
    'a.yaml:7:3: pairs.2',
    'a.yaml:9:5: pairs.4',
    'a.yaml:12:5: queue.bands.0',
    'a.yaml:14:5: queue.bands.2',
    'a.yaml:16:3: queue.weights.0',
  ])
})

test('a hint distinguishes bits from bytes where one letter does', () => {
  const hint = (key: string, value: string): string =>
    /\(.*\)$/.exec(messages(`${START}${key}: ${value}\n`)[0] ?? '')?.[0] ?? ''
  expect(hint('spare: pair\nqueue', '{limit: 300Kb}')).toBe(
    '(b is bits and B bytes: write "37.5KB", or "300KB" if bytes were meant)',
  )
  expect(hint('queue', '{limit: 1kib}')).toBe('(b is bits and B bytes: write "128B", or "1KiB" if bytes were meant)')
  expect(hint('queue', '{limit: 0.001Kb}')).toBe('(b is bits and B bytes: write "0.001KB" if bytes were meant)')
  const ofRate = (value: string): string => hint('spare', `{kind: star, hosts: 2, rate: ${value}}`)
  expect(ofRate('40GBps')).toBe('(B is bytes and b bits: write "320Gbps", or "40Gbps" if bits were meant)')
  expect(ofRate('1.5 MB/s')).toBe('(B is bytes and b bits: write "12Mbps", or "1.5Mbps" if bits were meant)')
  expect(ofRate('40gbps')).toBe('(did you mean "40Gbps"?)')
  expect(hint('queue', '{limit: 300kB, wait: 1US}')).toBe('(did you mean "1us"?)')
})

test('a value missing from an item or kind that an override introduced is located at that override', () => {
  const sets = ['topology.kind=star', 'queue.bands.0={}', 'queue.order=fifo']
  expect(messages('name: x\ntopology: pair\n', { sets })).toEqual([
    '--set topology.kind=star: topology.hosts: expected a whole number of at least 2, received nothing (how many hosts)',
    '--set queue.bands.0={}: queue.bands.0.rate: expected a rate with its unit, such as "40Gbps", received nothing (for this rate)',
  ])
  // Mistakes of the text are still located in the text.
  expect(messages('topology: star\n', { sets: ['queue.order=fifo'] })).toEqual([
    'a.yaml:1:1: name: expected text, received nothing (short name)',
    'a.yaml:1:1: topology.hosts: expected a whole number of at least 2, received nothing (how many hosts)',
  ])
})
