import { expect, test } from 'vitest'
import { parseLinkPatterns } from './link-pattern.ts'

const linkOf = (text: string): unknown => parseLinkPatterns(text)?.map(({ from, to, isOneWay }) => [from, to, isOneWay])

test('one node selects all of its links, two nodes the links between them, with > in one direction only', () => {
  expect(linkOf('3')).toEqual([['3', null, false]])
  expect(linkOf('3-4')).toEqual([['3', '4', false]])
  expect(linkOf('3>4')).toEqual([['3', '4', true]])
  expect(linkOf('leaf 0-spine 2, host 5')).toEqual([
    ['leaf 0', 'spine 2', false],
    ['host 5', null, false],
  ])
})

test('nodes are written by number, by name, or by name and position', () => {
  expect(linkOf('switch')).toEqual([['switch', null, false]])
  expect(linkOf('edge 3.1>core 12')).toEqual([['edge 3.1', 'core 12', true]])
  expect(linkOf('123456789')).toEqual([['123456789', null, false]])
})

test('leading zeros and spaces change nothing', () => {
  expect(linkOf('  007 -  010 ,leaf   2 > 3 ')).toEqual([
    ['7', '10', false],
    ['leaf 2', '3', true],
  ])
  expect(parseLinkPatterns(' leaf   2 -  3 ')?.[0]?.text).toBe('leaf 2 - 3')
})

test.each([
  '',
  ',',
  '1,',
  '1-',
  '-1',
  '1-2-3',
  '1 2',
  '1>2>3',
  '1=2',
  'Leaf 1',
  'leaf 1 2',
  'leaf1',
  'leaf 1.',
  'x1',
  '1x',
  '1-2x',
  '1234567890',
  'leaf 1234567890',
  'leaf 1.1234567890',
  '1, x y',
  'all',
  'hosts',
  'fabric',
  '1-2, all',
])('%j is no list of links', (text) => {
  expect(parseLinkPatterns(text)).toBeNull()
})
