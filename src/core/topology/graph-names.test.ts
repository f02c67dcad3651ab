/** Names that a graph gives its nodes. */
import { expect, test } from 'vitest'
import { hostNamesWithIds, isNamed } from '../base/device-names.ts'
import { InputError } from '../base/issue.ts'
import { graph } from './graph.ts'

test('prints what people call a node behind its number, of every port of a host; texts may say either', () => {
  const links = ['0 2 1Gbps 1ns', '0 3 1Gbps 1ns', '1 2 1Gbps 1ns', '2 3 1Gbps 1ns']
  const names = ['2 leaf-a', '0 gpu01.example']
  const topology = graph.build({ nodes: 4, switches: [2, 3], links, names, routes: [] })
  expect(topology.names).toEqual([
    'host 0 port 1 (gpu01.example)',
    'host 1',
    'switch 2 (leaf-a)',
    'switch 3',
    'host 0 port 2 (gpu01.example)',
  ])
  const meant = (word: string): number[] => [...topology.names.keys()].filter((node) => isNamed(word, node, topology))
  for (const word of ['leaf-a', 'switch 2', '2', 'switch 2 (leaf-a)']) expect(meant(word)).toEqual([2])
  for (const word of ['gpu01.example', 'host 0']) expect(meant(word)).toEqual([0, 4])
  expect(meant('leaf')).toEqual([])
  expect(hostNamesWithIds(topology)).toEqual(['host 0 (gpu01.example)', 'host 1'])
})
test.each([
  ['2', '"NODE NAME"'],
  ['2 all', '"NODE NAME"'],
  ['2 a,b', '"NODE NAME"'],
  ['2 a b', '"NODE NAME"'],
  ['4 leaf', 'a node 0 to 3'],
  ['2 again', 'one name of each node'],
  ['1 first', 'each name once'],
])('refuses the name %s', (line, expected) => {
  const links = ['0 2 1Gbps 1ns', '1 3 1Gbps 1ns', '2 3 1Gbps 1ns']
  const names = ['2 first', line].slice(line.startsWith('2 a') && line !== '2 again' ? 1 : 0)
  const build = (): unknown => graph.build({ nodes: 4, switches: [2, 3], links, names, routes: [] })
  expect(build).toThrow(InputError)
  expect(build).toThrow(`names.${names.length - 1}: expected ${expected}`)
})
