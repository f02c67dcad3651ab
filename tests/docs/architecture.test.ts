/**
 * ARCHITECTURE.md is held against the code: every file and function it names is there, and its table of rooms is the
 * one that the import rules enforce.
 */
import { expect, test } from 'vitest'
import { blocksOf, defines, isThere, quotedIn, read } from './pages.ts'

const PAGE = read('ARCHITECTURE.md')

const isFile = (quoted: string): boolean => /^(src|tests|scripts|scenarios|docs)\/[\w./-]*$/.test(quoted)
/** "post()", "#post()", "#nextHop". */
const nameOf = (quoted: string): string | undefined =>
  /^(#?[a-zA-Z]\w*)\(\)$|^(#[a-zA-Z]\w*)$/.exec(quoted)?.slice(1).find(Boolean)

/** Names in a block that are not found. */
function missingIn(block: string): string[] {
  const quoted = quotedIn(block)
  const files = quoted.filter(isFile)
  const missing = files.filter((file) => !isThere(file))
  const texts = files.filter((file) => /\.\w+$/.test(file) && isThere(file)).map(read)
  for (const name of quoted.map(nameOf)) {
    if (name !== undefined && texts.length > 0 && !texts.some((text) => defines(text, name))) missing.push(name)
  }
  return missing
}

test('every file that is named is there, and defines what the block around it says', () => {
  const blocks = blocksOf(PAGE)
  expect(blocks.flatMap(missingIn)).toEqual([])
  expect(blocks.flatMap(quotedIn).filter(isFile).length).toBeGreaterThan(60)
  expect(blocks.flatMap(quotedIn).filter((quoted) => nameOf(quoted) !== undefined).length).toBeGreaterThan(40)
})

test('a name that is not there would be caught', () => {
  expect(missingIn('1. `src/core/fabric/switch/switch.ts` `receive()` and `forward()`')).toEqual([])
  expect(missingIn('1. `src/core/fabric/switch/switch.ts` `conceive()` and `forward()`')).toEqual(['conceive'])
  expect(missingIn('- `src/core/fabric/stitch.ts`')).toEqual(['src/core/fabric/stitch.ts'])
})

test('the table of rooms is that of the import rules', () => {
  const rules = read('scripts/rooms.mjs')
  const source = /^const core = [\s\S]*?^const ROOMS = \{[\s\S]*?^\}$/m.exec(rules)?.[0] ?? ''
  // oxlint-disable-next-line typescript/no-implied-eval -- our own file, whose table is not exported
  const rooms = new Function(`${source}\nreturn ROOMS`)() as Record<string, readonly string[] | null>
  const [, table = ''] = PAGE.split('\n## Doors and rooms\n')
  const rows = table
    .split('\n## ')[0]!
    .split('\n')
    .flatMap((line) => {
      const [, name, , allowed = ''] = line.split('|').map((cell) => cell.trim())
      const room = /^`([\w/-]+)`$/.exec(name ?? '')?.[1]
      return room === undefined ? [] : [{ room, allowed }]
    })
  expect(rows.map(({ room }) => room).sort()).toEqual(Object.keys(rooms).sort())
  const roomsOf = (quoted: string): string[] =>
    quoted === 'core/*' ? Object.keys(rooms).filter((name) => name.startsWith('core/')) : [quoted]
  /** Null: anything. */
  const allowedBy = (cell: string): string[] | null =>
    cell === 'anything'
      ? null
      : quotedIn(cell.replace(/; of .*/, ''))
          .flatMap(roomsOf)
          .sort()
  const said = rows.map(({ room, allowed }) => ({ room, may: allowedBy(allowed) }))
  const ruled = rows.map(({ room }) => ({ room, may: rooms[room]?.toSorted() ?? null }))
  expect(said).toEqual(ruled)
})
