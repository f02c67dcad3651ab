/** The vocabulary has every word that a reader asks for: what a form says of it stays in a redacted file. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { isKnownWord } from './vocabulary.ts'

const DIALECTS = path.resolve(import.meta.dirname, '..', 'dialects')
/** Comments, imports, words about a form for people, purposes of names; texts and expressions. */
const BESIDE =
  /\/\*[^]*?\*\/|^\s*\/\/.*$|^(?:import|export) [^;=]*? from .*$|leavesOut: \[[^\]]*\]|NAME_PREFIX = .*|\.name\((?:'[^']*'|`[^`]*`)/gm
const TEXT =
  /'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`|(?<=[(,=:[!|&?]\s*)\/(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[gimu]*/g

/** Readers of what is not in a copy: programs around commands, lines of loggers. */
const DROPPED: readonly string[] = ['commands.ts', 'terminal.ts']

/** Words of expressions within templates, which the search above takes for texts. */
const CODE = new Set(
  (
    'most join eE indexOf return function bitmapIn const digits padStart bitsIn parseInt slice bit PortFacts target split ' +
    'wholeIn members numbersIn trim'
  ).split(' '),
)

describe('the vocabulary', () => {
  test('has every word of readers', () => {
    const words = new Set<string>()
    for (const name of readdirSync(DIALECTS, { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.ts') || name.includes('.test') || DROPPED.includes(name)) continue
      const source = readFileSync(path.join(DIALECTS, name), 'utf8')
        .replaceAll(BESIDE, '')
        .replaceAll(/\$\{[^}]*\}/g, ' ')
      for (const [text] of source.matchAll(TEXT))
        for (const [word] of text.replaceAll(/\\(?:u\w{4}|[a-z])/g, ' ').matchAll(/[A-Za-z]{2,}/g)) words.add(word)
    }
    expect(words.size).toBeGreaterThan(700)
    expect([...words].filter((word) => !isKnownWord(word) && !CODE.has(word))).toEqual([])
  })

  test.each(['Ethernet1', 'ens1f0np1', 'mlx5_0', 'pg_lossless_100000_40m_profile', '0xffff', '25G', 'dscp_to_tc_map'])(
    'keeps %s',
    (text) => {
      expect(isKnownWord(text)).toBe(true)
    },
  )

  test.each(['gpu1', 'acmecorp', 'box1', 'word1', 'x9Zk2', 'MT2019X00042', 'Müller', '0x0002c9030045dead', 'h1'])(
    'does not keep %s',
    (text) => {
      expect(isKnownWord(text)).toBe(false)
    },
  )
})
