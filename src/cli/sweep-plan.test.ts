import { describe, expect, test } from 'vitest'
import { parseAxis, parseSeeds } from './sweep-plan.ts'

describe('what to sweep', () => {
  test('values are split at commas outside brackets and quotes', () => {
    expect(parseAxis('a.b=1,2').values).toEqual(['1', '2'])
    expect(parseAxis('pfc.classes=[3],[3,4],[]').values).toEqual(['[3]', '[3,4]', '[]'])
    expect(parseAxis('x={kind: a, b: 1}, "u,v"').values).toEqual(['{kind: a, b: 1}', '"u,v"'])
    for (const text of ['a', '=1', 'a=', 'a=1,,2']) expect(() => parseAxis(text)).toThrow('expected path=value')
  })

  test('seeds are a number, a list or a range', () => {
    expect(parseSeeds('3', 7)).toEqual([7, 8, 9])
    expect(parseSeeds('1,2,7', 1)).toEqual([1, 2, 7])
    expect(parseSeeds('3..6', 1)).toEqual([3, 4, 5, 6])
    expect(parseSeeds('9,', 1)).toEqual([9])
    for (const text of ['0', 'x', '1,1', '5..3', '-1', '', '4294967296,'])
      expect(() => parseSeeds(text, 1)).toThrow('seeds')
    expect(parseSeeds('2', 4294967294)).toEqual([4294967294, 4294967295])
    expect(() => parseSeeds('2', 4294967295)).toThrow('expected seeds up to 4294967295, received 2 from 4294967295 on')
  })
})
