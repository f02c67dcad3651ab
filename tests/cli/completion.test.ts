/**
 * Completion: proposals of the program, and the bash script called as bash calls it.
 */
import { execFileSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { experiments } from '../../src/papers/index.ts'
import { congestions } from '../../src/core/transport/congestion/index.ts'
import { createFolder, MAIN, rocelab } from './program.ts'

let at: ReturnType<typeof createFolder>
beforeAll(() => {
  at = createFolder({ 'small.yaml': '' })
})
afterAll(() => at.clear())

/** Completions of the last word. */
const proposed = (...words: string[]): string[] =>
  rocelab(at.folder, 'complete', '--', ...words)
    .stdout.split('\n')
    .filter(Boolean)

describe('the program proposes', () => {
  test('kinds and names after list', () => {
    expect(proposed('list', 'dcq')).toEqual(['dcqcn', 'dcqcn-connectx4', 'dcqcn-hpcc'])
    expect(proposed('list', 'congestion', 'timel')).toEqual(['timely'])
    expect(proposed('list', 's')).toEqual(expect.arrayContaining(['survey', 'sizes', 'star', 'spray']))
  })

  test('experiments after reproduce, and shells after completion', () => {
    expect(proposed('reproduce', 'irn-')).toEqual(
      experiments.map(({ name }) => name).filter((name) => name.startsWith('irn-')),
    )
    expect(proposed('completion', 'z')).toEqual(['zsh'])
  })

  test('the path of a parameter, one name at a time', () => {
    expect(proposed('run', 'small.yaml', '--set', 'cong')).toEqual(['congestion=', 'congestion.'])
    expect(proposed('run', 'small.yaml', '--set', 'switch.ecn.k')).toEqual(['switch.ecn.kmin=', 'switch.ecn.kmax='])
    expect(proposed('run', 'small.yaml', '--set', 'workload.0.load')).toContain('workload.0.load=')
  })

  test('the keyword values of a parameter', () => {
    expect(proposed('run', 'small.yaml', '--set', 'congestion=')).toEqual(
      congestions.map(({ name }) => `congestion=${name}`),
    )
    expect(proposed('run', 'small.yaml', '--set', 'measure.completion=s')).toEqual(['measure.completion=sender'])
    expect(proposed('run', 'small.yaml', '--set', 'qp.window=')).toEqual(['qp.window=off'])
    expect(proposed('run', 'small.yaml', '--set', 'nothing.here=')).toEqual([])
  })

  test('the last value of a list after --param', () => {
    expect(proposed('sweep', 'small.yaml', '--param', 'congestion=none,ti')).toEqual(['congestion=none,timely'])
    expect(proposed('sweep', 'small.yaml', '--baseline', 'balance=')).toEqual(
      ['ecmp', 'spray', 'flowlet', 'adaptive'].map((kind) => `balance=${kind}`),
    )
  })
})

describe.skipIf(process.platform === 'win32')('in bash', () => {
  /** Completions that bash gets for the line. */
  function replies(line: string): string[] {
    const script = [
      `rocelab() { "${process.execPath}" "${MAIN}" "$@"; }`,
      rocelab(at.folder, 'completion', 'bash').stdout,
      // Bash splits words at COMP_WORDBREAKS, which contains "=".
      'COMP_LINE=$1 COMP_POINT=${#1} COMP_WORDS=("${@:2}") COMP_CWORD=$(($# - 2))',
      '_rocelab',
      'printf "%s\\n" "${COMPREPLY[@]}"',
    ].join('\n')
    const words = line.split(/(=)|\s+/).filter((word) => word !== undefined)
    const stdout = execFileSync('bash', ['-c', script, 'bash', line, ...words], { cwd: at.folder, encoding: 'utf8' })
    return stdout.split('\n').filter(Boolean)
  }

  test('names are completed', () => {
    expect(replies('rocelab list dcq')).toEqual(['dcqcn', 'dcqcn-connectx4', 'dcqcn-hpcc'])
    expect(replies('rocelab swe')).toEqual(['sweep'])
  })

  test('after "=" only the value is returned, since bash replaces only that', () => {
    expect(replies('rocelab run small.yaml --set congestion=ti')).toEqual(['timely'])
    expect(replies('rocelab sweep small.yaml --param congestion=none,ti')).toEqual(['none,timely'])
  })

  test('files are proposed if the program has no proposals', () => {
    expect(replies('rocelab run sm')).toEqual(['small.yaml'])
  })
})
