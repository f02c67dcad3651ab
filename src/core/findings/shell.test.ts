/** Words of command lines: nothing of a stranger's name is obeyed. */
import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { isPlainName, shellWord } from './shell.ts'

test.each([
  'eth2',
  'a b',
  "it's",
  'eth2;touch pwned',
  '$(id)',
  '`id`',
  'a\nb',
  '\u001B[2J',
  '~',
  '#',
  '-x',
  '*',
  '"',
  String.raw`\'`,
])('%j is one word of a shell', (text) => {
  expect(execFileSync('sh', ['-c', `printf %s ${shellWord(text)}`], { encoding: 'utf8' })).toBe(text)
})

test('names of ports are plain, and those with anything that a shell or a switch obeys are not', () => {
  for (const name of ['eth2', 'enp1s0f0np0', 'Ethernet1/1', 'et-0/0/1:0', 'swp1s0', 'eth2.100', 'vlan@eth2', '_a'])
    expect([name, isPlainName(name)]).toEqual([name, true])
  for (const name of [
    '',
    '-A',
    'eth2;id',
    'eth2 eth3',
    '$(id)',
    'a\nb',
    'eth2\n',
    'a\u001B[m',
    'é',
    '*',
    '!',
    '?',
    '|',
  ])
    expect([name, isPlainName(name)]).toEqual([name, false])
})
