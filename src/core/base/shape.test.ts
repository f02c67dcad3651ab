import { expect, test } from 'vitest'
import { InputError } from './issue.ts'
import {
  anything,
  countShape,
  countUpTo,
  flagShape,
  hasShape,
  listOf,
  numberShape,
  objectOf,
  oneOf,
  optional,
  orNull,
  recordOf,
  shaped,
  shapedJson,
  textOf,
  textShape,
} from './shape.ts'

test('each shape takes its values and no others', () => {
  const values = [undefined, null, true, 0, -1, 1.5, 2 ** 53, NaN, Infinity, '', 'ab', [], ['ab'], [1], {}, { a: 'ab' }]
  const taken = (shape: Parameters<typeof hasShape>[0]): unknown[] => values.filter((value) => hasShape(shape, value))
  expect(taken(anything)).toEqual(values)
  expect(taken(textShape)).toEqual(['', 'ab'])
  expect(taken(flagShape)).toEqual([true])
  expect(taken(numberShape)).toEqual([0, -1, 1.5, 2 ** 53])
  expect(taken(countShape)).toEqual([0])
  expect([0, 7, 8].filter((value) => hasShape(countUpTo(7), value))).toEqual([0, 7])
  expect(taken(textOf(/^a/, 'an a'))).toEqual(['ab'])
  expect(taken(oneOf(0, 'ab'))).toEqual([0, 'ab'])
  expect(taken(orNull(flagShape))).toEqual([null, true])
  expect(taken(optional(flagShape))).toEqual([undefined, true])
  expect(taken(listOf(textShape))).toEqual([[], ['ab']])
  expect(taken(recordOf(textShape))).toEqual([{}, { a: 'ab' }])
  expect(taken(objectOf({ a: textShape }))).toEqual([{ a: 'ab' }])
})

test('a mistake names file and field', () => {
  const shape = objectOf<{ a: readonly { b: number }[] }>({ a: listOf(objectOf<{ b: number }>({ b: countShape })) })
  const issuesOf = (act: () => unknown): unknown => {
    try {
      return act()
    } catch (error) {
      return error instanceof InputError ? error.issues : error
    }
  }
  const value = { a: [{ b: 1 }, { b: null }] }
  expect(issuesOf(() => shaped(shape, value, 'x.json', 'hint'))).toEqual([
    { path: 'x.json: a[1].b', expected: 'a whole number from 0', received: 'null', hint: 'hint' },
  ])
  expect(issuesOf(() => shapedJson(shape, '{"a": [{"b": 3}]}', 'x.json', ''))).toEqual({ a: [{ b: 3 }] })
  expect(issuesOf(() => shapedJson(shape, 'null', 'x.json', ''))).toMatchObject([{ path: 'x.json', received: 'null' }])
  expect(issuesOf(() => shapedJson(shape, '{', 'x.json', ''))).toMatchObject([{ path: 'x.json', expected: 'JSON' }])
})

test('a field of the prototype is no field', () => {
  expect(hasShape(objectOf({ toString: anything, constructor: textShape }), {})).toBe(false)
})

test('a long wrong value is shown in part', () => {
  expect(countShape('x'.repeat(1e6), '')?.received.length).toBeLessThan(50)
})
