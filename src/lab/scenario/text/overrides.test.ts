import { describe, expect, test } from 'vitest'
import { count, group, list, rate, text, variant } from '../../../core/base/params.ts'
import { applyOverrides } from './overrides.ts'
import { parseTree } from './parse-tree.ts'

const star = {
  name: 'star',
  help: 'a star',
  params: { hosts: count({ min: 2, help: 'how many hosts' }), rate: rate({ default: 40e9, help: 'links' }) },
} as const
const ring = { name: 'ring', help: 'a ring', params: { hosts: count({ min: 2, help: 'how many hosts' }) } } as const

const tree = group(
  {
    name: text({ help: 'short name' }),
    x: count({ default: 0, help: 'a short one' }),
    topology: variant([star, ring], { help: 'nodes and links' }),
    queue: group({ limits: list(count({ help: 'limit' }), { default: [7, 8], help: 'limits' }) }, { help: 'queues' }),
    pairs: list(text({ help: 'A-B' }), { help: 'pairs' }),
  },
  { help: 'all' },
)

/** The tree with these overrides, all of which apply. */
function withSets(values: object, ...sets: string[]): unknown {
  const { value, mistakes } = applyOverrides(tree, values, sets)
  expect(mistakes).toEqual([])
  return value
}

/** The report for an override whose path does not exist; it changes nothing. */
function reportOf(values: object, set: string): readonly string[] {
  const { value, mistakes } = applyOverrides(tree, values, [set])
  expect(value).toEqual(values)
  return mistakes.flatMap(({ path, expected, received, hint }) => [path, expected, received, hint])
}

describe('another kind', () => {
  test('keeps the keys that it has too, drops those that only the old kind has, and keeps unknown keys as mistakes', () => {
    const values = { topology: { kind: 'star', hosts: 4, rate: '1Gbps', hsots: 5 } }
    expect(withSets(values, 'topology.kind=ring')).toEqual({ topology: { kind: 'ring', hosts: 4, hsots: 5 } })
    expect(values.topology.kind).toBe('star')
  })

  test('drops no key if the new or the old kind is unknown', () => {
    const values = { topology: { kind: 'star', hosts: 4, rate: '1Gbps' } }
    expect(withSets(values, 'topology.kind=rnig')).toEqual({ topology: { ...values.topology, kind: 'rnig' } })
    const unknown = { topology: { kind: 'stra', rate: '1Gbps' } }
    expect(withSets(unknown, 'topology.kind=ring')).toEqual({ topology: { kind: 'ring', rate: '1Gbps' } })
  })

  test('is set before its keys, and has no path below its name', () => {
    const hint = 'a kind before its keys: star or ring'
    expect(reportOf({}, 'topology.hosts=4')).toEqual(['topology.hosts', hint, 'none', ''])
    expect(reportOf({ topology: 'stra' }, 'topology.hosts=4')).toEqual(['topology.hosts', hint, '"stra"', ''])
    expect(reportOf({ topology: 'star' }, 'topology.kind.of.it=4')).toEqual([
      'topology.kind.of.it',
      'the path to end at kind',
      '"of.it"',
      '',
    ])
    expect(withSets({}, 'topology.kind=star', 'topology.hosts=4')).toEqual({ topology: { kind: 'star', hosts: 4 } })
  })
})

describe('an item of a list', () => {
  test('is set by its index, and a new one is appended', () => {
    expect(withSets({}, 'queue.limits.1=9')).toEqual({ queue: { limits: [7, 9] } })
    const twelve = Array.from({ length: 12 }, (_, i) => i)
    expect(withSets({ queue: { limits: twelve } }, 'queue.limits.12=5')).toEqual({ queue: { limits: [...twelve, 5] } })
    expect(withSets({}, 'pairs.0=1-2')).toEqual({ pairs: ['1-2'] })
  })

  test.each(['x1', '1x', '-1', '3', ''])('has no index %j in a list of two', (index) => {
    expect(reportOf({}, `queue.limits.${index}=9`)).toEqual([
      `queue.limits.${index}`,
      'an index from 0 to 2 in a list of 2',
      JSON.stringify(index),
      'the first item is 0',
    ])
  })

  test('cannot be set if the list is in a file', () => {
    expect(reportOf({ pairs: { file: 'pairs.txt' } }, 'pairs.0=1-2')).toEqual([
      'pairs.0',
      'a list with items to set',
      'a list taken from a file',
      'set the whole list',
    ])
  })
})

describe('a value', () => {
  test('is the text after the first =, without surrounding spaces', () => {
    expect(withSets({}, ' name = a = b ')).toEqual({ name: 'a = b' })
    expect(withSets({}, 'x=1')).toEqual({ x: 1 })
    for (const set of ['x', '=1', ' =1', '']) {
      expect(reportOf({}, set)).toEqual(['', 'path=value', JSON.stringify(set), 'such as workload.0.load=0.5'])
    }
  })

  test('of a text param is the text itself, quoted or not', () => {
    const named = (value: string): unknown => (withSets({}, `name=${value}`) as { name: unknown }).name
    expect(['1', '[a]', '"1"', "'a b'", 'say "a"', 'true', '"a" b'].map(named)).toEqual([
      '1',
      '[a]',
      '1',
      'a b',
      'say "a"',
      'true',
      '"a" b',
    ])
  })

  test('that is not YAML is a text', () => {
    expect(withSets({}, 'queue.limits=[1')).toEqual({ queue: { limits: '[1' } })
  })

  test('of a scalar has no path below it', () => {
    expect(reportOf({ name: 'a' }, 'name.x=1')).toEqual(['name.x', 'the path to end at name', '"x"', 'it is a text'])
    expect(reportOf({}, 'queue.limits.0.x=1')).toEqual([
      'queue.limits.0.x',
      'the path to end at queue.limits.0',
      '"x"',
      'it is a count',
    ])
  })
})

describe('a text with overrides', () => {
  const TEXT = 'name: a\ntopology: {kind: ring, hosts: 2}\npairs: {file: a.txt}\n'

  test('is refused for an override whose path does not exist, though nothing else is wrong', () => {
    expect(() => parseTree(tree, TEXT, { sets: ['topology.hsots=3'], readFile: () => '' })).toThrow(
      '--set topology.hsots=3: topology.hsots: expected a key: kind or hosts, received "hsots" (did you mean hosts?)',
    )
  })

  test('reads its own files relative to itself, and those of overrides relative to the working directory', () => {
    const filesOf = (...sets: string[]): readonly unknown[] => {
      const files: unknown[] = []
      const readFile = (name: string, isOfSet: boolean): string => {
        files.push([name, isOfSet])
        return '1-2\n'
      }
      expect(parseTree(tree, TEXT, { sets, readFile }).pairs).toEqual(['1-2'])
      return files
    }
    expect(filesOf()).toEqual([['a.txt', false]])
    expect(filesOf('name=b', 'queue.limits.0=9')).toEqual([['a.txt', false]])
    expect(filesOf('name=b', 'pairs={file: b.txt}')).toEqual([['b.txt', true]])
  })
})
