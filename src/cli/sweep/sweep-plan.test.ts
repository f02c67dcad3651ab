import { describe, expect, test } from 'vitest'
import { InputError } from '../../core/base/issue.ts'
import type { ScenarioFile } from '../files/scenario-file.ts'
import { parseAxis, parseSeeds, planSweep } from './sweep-plan.ts'
import type { Axis, Plan } from '../../lab/advice/sweep/points.ts'

describe('options of a sweep', () => {
  test('values are split at commas outside brackets and quotes', () => {
    expect(parseAxis('a.b=1,2')).toEqual({ path: 'a.b', values: ['1', '2'] })
    expect(parseAxis(' a.b = 1 , 2')).toEqual({ path: 'a.b', values: ['1', '2'] })
    expect(parseAxis('pfc.classes=[3],[3,4],[]').values).toEqual(['[3]', '[3,4]', '[]'])
    expect(parseAxis('x={kind: a, b: 1}, "u,v"').values).toEqual(['{kind: a, b: 1}', '"u,v"'])
    expect(parseAxis(`x='a,b',"it's, too",c`).values).toEqual(["'a,b'", `"it's, too"`, 'c'])
    expect(parseAxis('x=[[1,2],{a: 3,b: 4}],5').values).toEqual(['[[1,2],{a: 3,b: 4}]', '5'])
    expect(parseAxis('name="[",b').values).toEqual(['"["', 'b'])
    for (const text of ['a', '=1', ' =1', 'a=', 'a=1,,2', 'a=1, ']) {
      expect(() => parseAxis(text)).toThrow(`expected path=value,value,..., received ${JSON.stringify(text)}`)
    }
  })

  test('seeds are a number, a list or a range', () => {
    expect(parseSeeds('3', 7)).toEqual([7, 8, 9])
    expect(parseSeeds('1', 7)).toEqual([7])
    expect(parseSeeds('12', 7)).toHaveLength(12)
    expect(parseSeeds('1,2,7', 1)).toEqual([1, 2, 7])
    expect(parseSeeds('3..6', 1)).toEqual([3, 4, 5, 6])
    expect(parseSeeds(' 3..4 , 9, 11..12', 1)).toEqual([3, 4, 9, 11, 12])
    expect(parseSeeds('9,', 1)).toEqual([9])
    expect(parseSeeds('0..0,', 1)).toEqual([0])
    const refused = ['0', 'x', '1,1', '1..3,2', '5..3', '-1', '', ',', '1,,2', '1,x', 'x1', '1x', '4294967296,']
    for (const text of refused) {
      expect(() => parseSeeds(text, 1)).toThrow(
        `--seeds: expected a number of seeds, a list such as 1,2,7 or a range such as 3..6, received ${JSON.stringify(text)}`,
      )
    }
    expect(parseSeeds('4294967295,', 1)).toEqual([4294967295])
    expect(parseSeeds('2', 4294967294)).toEqual([4294967294, 4294967295])
    expect(() => parseSeeds('2', 4294967295)).toThrow(
      '--seeds: expected seeds up to 4294967295, received 2 from 4294967295 on (list other seeds, such as 1,2,7)',
    )
  })

  test('for a number of seeds that looks like a seed, the message shows how to write a single seed', () => {
    expect(parseSeeds('100000', 1)).toHaveLength(100_000)
    expect(parseSeeds('1..100000', 1)).toHaveLength(100_000)
    expect(() => parseSeeds('100001', 1)).toThrow(
      '--seeds: expected at most 100000 seeds, received 100001 (for that one seed, write a comma after it: 100001,)',
    )
    expect(() => parseSeeds('4294967295', 1)).toThrow('for that one seed, write a comma after it: 4294967295,')
    for (const text of ['1..100001', '4294967296']) {
      expect(() => parseSeeds(text, 1)).toThrow(
        new InputError([{ path: '--seeds', expected: 'at most 100000 seeds', received: text, hint: '' }]),
      )
    }
  })
})

describe('the points of a sweep', () => {
  const TEXT = `name: small
seed: 7
topology: {kind: star, hosts: 5}
workload: [{kind: incast, senders: 4, receiver: 0, sizeEach: 1KB}]
`
  const fileOf = (text: string): ScenarioFile => ({
    name: 'small.yaml',
    isFile: true,
    text,
    folder: '.',
    directory: '.',
  })
  const planOf = (axes: readonly string[], seeds = '1', text = TEXT): Plan =>
    planSweep(fileOf(text), { axes: axes.map(parseAxis), sets: [], seeds }, () => {})

  function mistakesOf(axes: readonly string[], text = TEXT): readonly string[] {
    try {
      planOf(axes, '1', text)
      return []
    } catch (error) {
      if (!(error instanceof InputError)) throw error
      return error.message.split('\n')
    }
  }

  test('are in the order of the values given, the last parameter fastest and seeds fastest of all', () => {
    const plan = planOf(['workload.0.senders=2,1', 'congestion=none,dcqcn'], '2')
    expect(plan.name).toBe('small')
    expect(plan.seeds).toEqual([7, 8])
    expect(plan.points.map(({ id, seed, values }) => [id, seed, ...Object.values(values)])).toEqual([
      [0, 7, '2', 'none'],
      [1, 8, '2', 'none'],
      [2, 7, '2', 'dcqcn'],
      [3, 8, '2', 'dcqcn'],
      [4, 7, '1', 'none'],
      [5, 8, '1', 'none'],
      [6, 7, '1', 'dcqcn'],
      [7, 8, '1', 'dcqcn'],
    ])
    expect(Object.keys(plan.points[0]!.values)).toEqual(['workload.0.senders', 'congestion'])
  })

  test('each have the complete scenario with their values and seed, and a key of their own', () => {
    const { points } = planOf(['workload.0.senders=2,1', 'congestion=none,dcqcn'], '2')
    const { scenarioText } = points[7]!
    expect(scenarioText).toMatch(/^seed: 8$/m)
    expect(scenarioText).toMatch(/senders: 1\b/)
    expect(scenarioText).toMatch(/^congestion:\n {2}kind: dcqcn$/m)
    expect(new Set(points.map((point) => point.key)).size).toBe(8)
  })

  test('have the values of --set besides their own', () => {
    const asked = { axes: [parseAxis('workload.0.senders=1,2')], sets: ['seed=5', 'name=other'], seeds: '1' }
    const plan = planSweep(fileOf(TEXT), asked, () => {})
    expect(plan.name).toBe('other')
    expect(plan.points.map(({ seed }) => seed)).toEqual([5, 5])
    expect(plan.points[0]!.values).toEqual({ 'workload.0.senders': '1' })
  })

  test('have a joint key, which depends on the points and their order', () => {
    const keys = [['1,2'], ['2,1'], ['1'], ['1,2']].map(([values]) => planOf([`workload.0.senders=${values}`]).key)
    expect(keys[3]).toBe(keys[0])
    expect(new Set(keys).size).toBe(3)
  })

  test('are counted while they are checked', () => {
    const counts: string[] = []
    const axes: Axis[] = [parseAxis('workload.0.senders=1,2,3')]
    planSweep(fileOf(TEXT), { axes, sets: [], seeds: '2' }, (checked, total) => counts.push(`${checked} of ${total}`))
    expect(counts).toEqual(['0 of 3', '1 of 3', '2 of 3'])
  })

  test('are at most 100,000, with and without their seeds', () => {
    const count = (length: number): string => Array.from({ length }, (_, i) => i + 1).join(',')
    const many = [`qp.ackInterval=${count(400)}`, `qp.window=${count(251)}`]
    expect(() => planOf(many)).toThrow('sweep: expected at most 100000 points, received 100400')
    // More than the memory holds: they are counted before they are made.
    const eight = Array.from({ length: 8 }, (_, i) => `a${i}=${count(10)}`)
    expect(() => planOf(eight)).toThrow('sweep: expected at most 100000 points, received 100000000')
    expect(() => planOf(['workload.0.senders=1,2'], '50001')).toThrow('expected at most 100000 points, received 100002')
  })

  test('have each path and each value once, and no path seed; all such mistakes are reported at once', () => {
    expect(mistakesOf(['a=1,2', 'b=3,4,3', 'a=3', 'a=4', 'seed=1,2'])).toEqual([
      '--param b: expected each value once, received 3,4,3',
      '--param: expected each path once, received a twice',
      '--param: expected a path other than seed, received seed (use --seeds)',
    ])
  })

  test('are refused if one of them is invalid, with the value of the parameter at fault', () => {
    expect(mistakesOf(['workload.0.senders=2,99', 'congestion=none,dcqcn'])).toEqual([
      '--param workload.0.senders=99: workload.0.senders: expected at most 4, the hosts without the receiver, received 99',
    ])
  })

  test('that make a line of the file invalid are named in the mistake at that line', () => {
    const wrong = 'small.yaml:4:36: workload.0.senders: expected at most 1, the hosts without the receiver, received 4'
    expect(mistakesOf(['topology.hosts=5,2'])).toEqual([`${wrong} (at topology.hosts=2)`])
    expect(mistakesOf(['topology.hosts=5,2', 'congestion=none,dcqcn'])).toEqual([
      `${wrong} (at 2 of 4 combinations, first topology.hosts=2, congestion=none)`,
    ])
    const stopped = `${TEXT}measure: {stop: 1ms}\n`
    expect(mistakesOf(['measure.warmUp=0s,2ms'], stopped)).toEqual([
      'small.yaml:5:17: measure.stop: expected later than warmUp, 2ms, or off, received 1ms (nothing would be measured; at measure.warmUp=2ms)',
    ])
  })

  test('do not hide mistakes of the file that are independent of them', () => {
    expect(mistakesOf(['congestion=none,dcqcn', 'topology.hosts=4,5'], TEXT.replace('seed: 7', 'sead: 7'))).toEqual([
      expect.stringMatching(/^small\.yaml:2:1: sead: expected one of the keys .*, received "sead" \(.*seed.*\)$/),
      expect.stringMatching(
        /^small\.yaml:4:36: .* \(at 2 of 4 combinations, first congestion=none, topology.hosts=4\)$/,
      ),
    ])
  })
})
